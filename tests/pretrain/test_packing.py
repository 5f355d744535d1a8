"""Batches in one pass learn what they learn one by one."""

from pathlib import Path

import pytest
import torch
from torch import Tensor

from isogloss.pretrain import Recipe, loop, pretrain
from isogloss.pretrain.batches import Sampler
from isogloss.pretrain.dropout import fast_dropout, use_fast_dropout
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
    packed, others, few = learnt(recipe.changed(training={"kernels": "fast"}), two_languages, out)
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
    packed = pretrain(recipe.changed(training={"kernels": "fast"}), two_languages, tmp_path / "packed").perplexities
    assert packed == pytest.approx(single, rel=1e-3)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_fast_dropout_drops_the_share_and_keeps_the_mean(share: float, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    values = torch.full((1000, 1001), 2.0, dtype=dtype, requires_grad=True)
    dropped = fast_dropout(values, share, (torch.bfloat16, torch.float32))
    kept = dropped != 0
    assert (~kept).float().mean().item() == pytest.approx(share, abs=0.002)
    for axis in (0, 1):  # no row or column, and no lane of the drawn numbers, is favoured
        assert (~kept).float().mean(axis).std().item() == pytest.approx((share * (1 - share) / 1000) ** 0.5, rel=0.1)
    lanes = (~kept).view(-1)[: 4 * 250_000].view(-1, 4).float().mean(0)
    assert lanes.tolist() == pytest.approx([share] * 4, abs=0.003)
    assert dropped.detach().float().mean().item() == pytest.approx(2.0, rel=0.01)
    dropped.sum().backward()
    assert values.grad is not None and torch.equal(values.grad != 0, kept)
    assert values.grad[kept].float().unique().tolist() == pytest.approx([1 / (1 - share)], rel=0.01)


def test_number_types_that_are_not_named_get_torchs_own_dropout() -> None:
    values = torch.ones(50, 50)
    torch.manual_seed(1)
    plain = torch.nn.functional.dropout(values, 0.3)
    torch.manual_seed(1)
    assert torch.equal(fast_dropout(values, 0.3), plain)
    torch.manual_seed(1)
    assert not torch.equal(fast_dropout(values, 0.3, (torch.float32,)), plain)


def test_dropouts_that_are_replaced_are_the_same_for_the_same_seed_and_silent_when_not_training() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Sequential(torch.nn.Dropout(0.3)))
    use_fast_dropout(model)
    values = torch.randn(5, 8, dtype=torch.bfloat16)
    model.bfloat16()
    torch.manual_seed(1)
    first = model(values)
    torch.manual_seed(1)
    assert torch.equal(first, model(values)) and (first == 0).any()
    assert not (model.eval()(values) == 0).any()


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_run_with_dropout_learns_as_well(
    two_languages: Texts, tiny_recipe: Recipe, tmp_path: Path, precision: str
) -> None:
    recipe = tiny_recipe.changed(data={"draws": 2}, model={"dropout": 0.2}, training={"precision": precision})
    plain = pretrain(recipe, two_languages, tmp_path / "plain").perplexities
    fast = pretrain(recipe.changed(training={"kernels": "fast"}), two_languages, tmp_path / "fast").perplexities
    assert fast == pytest.approx(plain, rel=0.2) and fast != plain


@pytest.mark.parametrize("change", [{"model": {"architecture": "roberta"}}, {"objective": "causal"}])
def test_models_that_cannot_be_packed_are_trained_as_they_were(
    two_languages: Texts, tiny_recipe: Recipe, tmp_path: Path, change: dict[str, object]
) -> None:
    recipe = tiny_recipe.changed(**change)
    plain = pretrain(recipe, two_languages, tmp_path / "plain").perplexities
    fast = pretrain(recipe.changed(training={"kernels": "fast"}), two_languages, tmp_path / "fast").perplexities
    assert fast == plain
