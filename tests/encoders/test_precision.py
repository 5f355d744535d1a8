"""bfloat16 is taken where it is faster and a probe shows that it is safe; float32 otherwise."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from small_models import TEXTS

from isogloss import Encoder
from isogloss.encoders import encoder as encoder_module
from isogloss.encoders.devices import bfloat16_is_faster
from isogloss.encoders.precision import (
    RANDOM,
    ROGUE_SHARE,
    TOLERANCE,
    deviation,
    has_rogues,
    is_near,
    natural_inputs,
    rogue_share,
)
from isogloss.encoders.sample import SAMPLE


@pytest.fixture
def fast_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder_module, "bfloat16_is_faster", lambda device, width: True)


@pytest.mark.usefixtures("fast_bfloat16")
def test_a_plain_model_is_read_in_bfloat16_and_gives_float32(saved: Any) -> None:
    encoder = Encoder(str(saved("bert").folder), device="cpu")
    exact = Encoder(str(saved("bert").folder), dtype="float32", device="cpu")
    assert encoder.dtype == torch.bfloat16
    states = encoder.encode(TEXTS)
    assert states.dtype == np.float32
    assert 0 < deviation(exact.encode(TEXTS), states) < TOLERANCE


@pytest.mark.usefixtures("fast_bfloat16")
def test_a_model_with_a_rogue_dimension_stays_exact(saved: Any, tmp_path: Path) -> None:
    given = saved("llama")
    given.model.save_pretrained(tmp_path)
    given.tokenizer.save_pretrained(tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    weights["embed_tokens.weight"][:, 5] += 300.0  # drowns what tells sentences apart in its rounding
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    encoder = Encoder(str(tmp_path), device="cpu")
    assert encoder.dtype == torch.float32
    exact = Encoder(str(tmp_path), dtype="float32", device="cpu")
    np.testing.assert_array_equal(encoder.encode(TEXTS), exact.encode(TEXTS))


def test_rogue_dimensions_are_seen_in_natural_text_of_any_layer() -> None:
    draw = np.random.default_rng(0)
    plain = {name: draw.normal(size=(8, 2, 32)).astype(np.float32) for name in (RANDOM, "en", "ru")}
    rogue = {name: states.copy() for name, states in plain.items()}
    for states in rogue.values():
        states[:, 1, 4] *= 20
    assert rogue_share([rogue["en"], rogue["ru"]]) > ROGUE_SHARE > rogue_share([plain["en"], plain["ru"]])
    assert has_rogues(rogue) and not has_rogues(plain)
    assert not has_rogues({RANDOM: rogue[RANDOM]}), "no natural text, no verdict on its variance"


@pytest.mark.usefixtures("fast_bfloat16")
def test_a_model_with_rogue_dimensions_is_read_in_float32(saved: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = Encoder(str(saved("bert").folder), device="cpu")
    monkeypatch.setattr(encoder_module, "has_rogues", lambda exact: True)
    assert encoder.dtype == torch.float32 and next(encoder.model.parameters()).dtype == torch.float32


def test_one_language_that_strays_is_enough() -> None:
    draw = np.random.default_rng(0)
    exact = {name: draw.normal(size=(8, 2, 32)).astype(np.float32) for name in (RANDOM, "en", "am")}
    rounded = exact | {"am": exact["am"] + np.float32(0.1) * draw.normal(size=(8, 2, 32)).astype(np.float32)}
    assert not is_near(exact, rounded)
    assert is_near(exact, exact)


def test_the_sample_is_natural_text_in_many_scripts_and_unknown_sentences_are_left_out(saved: Any) -> None:
    assert len(SAMPLE) >= 8 and all(len(set(texts)) == len(texts) >= 4 for texts in SAMPLE.values())
    toy = Encoder(str(saved("bert").folder), device="cpu")
    known = natural_inputs(toy._tokeniser)
    unknown = toy.tokenizer.unk_token_id
    assert all(ids.count(unknown) <= 0.1 * len(ids) for inputs in known.values() for ids in inputs)
    assert set(known) <= set(SAMPLE)


def test_bfloat16_is_not_thought_faster_for_narrow_models() -> None:
    assert not bfloat16_is_faster(torch.device("cpu"), 64)


def test_deviation_is_measured_against_the_spread_between_sentences() -> None:
    draw = np.random.default_rng(0)
    exact = draw.normal(size=(20, 2, 8)).astype(np.float32)
    rounded = exact.copy()
    rounded[:, 1] += 0.1 * draw.normal(size=(20, 8)).astype(np.float32)
    assert deviation(exact, exact) == 0
    assert deviation(exact, rounded) == pytest.approx(0.1, rel=0.3)
    assert deviation(exact + 1000, rounded + 1000) == pytest.approx(deviation(exact, rounded), rel=1e-2)
    rounded[3, 0, 0] = np.nan
    assert deviation(exact, rounded) == np.inf


@pytest.mark.usefixtures("fast_bfloat16")
def test_the_number_type_does_not_depend_on_the_text(saved: Any) -> None:
    encoder = Encoder(str(saved("qwen").folder), device="cpu")
    settled = encoder.dtype
    assert Encoder(str(saved("qwen").folder), device="cpu").dtype == settled
    assert next(encoder.model.parameters()).dtype == settled
