"""Batches in one pass learn what they learn one by one."""

from pathlib import Path

import pytest
import torch
from torch import Tensor

from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe, loop, pretrain
from isogloss.pretrain.batches import Sampler
from isogloss.pretrain.folders import Folders
from isogloss.pretrain.loop import Run, draw_batches, learn_from
from isogloss.pretrain.prepare import open_corpus, prepare
from isogloss.pretrain.sharing import build_paths

Texts = dict[str, list[str]]


def learnt(recipe: Recipe, texts: Texts, out: Path) -> tuple[float, dict[str, Tensor | None], int]:
    """Loss, gradients and passes of one step."""
    prepare(recipe, texts, Folders(out))
    corpus = open_corpus(recipe, list(texts), Folders(out))
    run = Run(recipe, corpus, build_paths(recipe, corpus.sizes()), Folders(out))
    batches = draw_batches(run, Sampler(corpus, recipe), step=3)
    loss = learn_from(run, batches, step=3)
    passes = len(list(loop._passes(run, batches)))
    return loss, {name: parameter.grad for name, parameter in run.paths.named_parameters()}, passes


@pytest.mark.parametrize("layout", ["sentences", "stream"])
@pytest.mark.parametrize("micro_batches", [1, 2])
@pytest.mark.parametrize("sharing", [{}, {"embeddings": "separate"}])
def test_packed_batches_give_the_gradients_of_single_ones(
    two_languages: Texts, tiny_recipe: Recipe, out: Path, layout: str, micro_batches: int, sharing: dict[str, object]
) -> None:
    recipe = tiny_recipe.changed(
        data={"layout": layout, "draws": 4}, model={"dropout": 0.0}, sharing=sharing,
        vocabulary={"scope": "own"} if sharing else {}, training={"micro_batches": micro_batches},
    )  # fmt: skip
    single, gradients, many = learnt(recipe, two_languages, out)
    packed, others, few = learnt(recipe.changed(training={"packed": True}), two_languages, out)
    assert packed == pytest.approx(single, rel=1e-6)
    assert few < many and many == 4 * micro_batches
    for name, gradient in gradients.items():
        other = others[name]
        assert (gradient is None) == (other is None)
        if gradient is not None and other is not None:
            torch.testing.assert_close(other, gradient, rtol=1e-4, atol=1e-6)


def test_a_packed_run_ends_where_a_single_one_ends(two_languages: Texts, tiny_recipe: Recipe, tmp_path: Path) -> None:
    recipe = tiny_recipe.changed(data={"draws": 4}, model={"dropout": 0.0})
    single = pretrain(recipe, two_languages, tmp_path / "single").perplexities
    packed = pretrain(recipe.changed(training={"packed": True}), two_languages, tmp_path / "packed").perplexities
    assert packed == pytest.approx(single, rel=1e-3)


@pytest.mark.parametrize("change", [{"model": {"architecture": "roberta"}}, {"objective": "causal"}])
def test_models_that_cannot_be_packed_are_refused(tiny_recipe: Recipe, change: dict[str, object]) -> None:
    with pytest.raises(IsoglossError, match=r"training\.packed"):
        tiny_recipe.changed(training={"packed": True}, **change)
