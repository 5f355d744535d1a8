"""Fuse on an encoder of which it is known what each layer says: the lower one all, the last one nothing."""

from pathlib import Path

import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from isogloss.runs import Inline, Store
from isogloss.studies import fuse
from isogloss.studies.fuse.plan import plan
from isogloss.studies.fuse.view import FAMILY, OTHERS, FuseView, view_of
from isogloss.studies.result import Result
from isogloss.studies.study import Results


@pytest.fixture(scope="module")
def done(telling_model: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, FuseView]:
    """Parts of speech stand in the embeddings and in layer 1; the last layer is noise; the encoder is not trained."""
    folder = tmp_path_factory.mktemp("noisy-model")
    replace_last_layer_by_noise(telling_model, folder)
    only_head = {"epochs": 3, "precision": "float32", "encoder_rate": 0.0, "head_rate": 3e-2}
    pos = fuse.Setup("pos", preset="lab", limit=150, test_limit=40, settings=only_head)
    config = fuse.Config(
        models=(str(folder),), tasks=(pos,), targets=("qab", "qac"), ablated=(), parallel="", seeds=(0, 1, 2)
    )
    store = Store(tmp_path_factory.mktemp("store"))
    result = fuse.run(config, engine=Inline(), store=store)
    return result, view_of(plan(config), Results(store))


def replace_last_layer_by_noise(model: Path, folder: Path) -> None:
    """The last layer gives every token the same random vector, whatever stands below."""
    encoder = AutoModel.from_pretrained(model)
    with torch.no_grad():
        norm = encoder.encoder.layer[-1].output.LayerNorm
        norm.weight.zero_()
        norm.bias.copy_(torch.randn(norm.bias.shape, generator=torch.Generator().manual_seed(1)))
    encoder.save_pretrained(folder)
    AutoTokenizer.from_pretrained(model).save_pretrained(folder)


@pytest.mark.parametrize("condition", ["D_1", "D_1 gate", "scalar mix"])
def test_whatever_reaches_the_lower_layer_gains_much_in_every_language(
    done: tuple[Result, FuseView], condition: str
) -> None:
    _, view = done
    model = next(iter(view.depths))
    for group in (FAMILY, OTHERS):
        gain = view.gain(model, "pos", condition, group)
        assert gain.value > 15 and gain.low > 0


def test_the_control_stays_at_the_baseline(done: tuple[Result, FuseView]) -> None:
    _, view = done
    model = next(iter(view.depths))
    assert abs(view.gain(model, "pos", "D_2").value) < 2


def test_the_findings_say_so(done: tuple[Result, FuseView]) -> None:
    result, view = done
    first = result.findings[0]
    assert first.text.startswith("pos: D_1 gains ")
    assert "no measurable difference" not in first.text
    assert first.effect == pytest.approx(view.gain(next(iter(view.depths)), "pos", "D_1").value)
