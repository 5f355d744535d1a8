"""Models by their names: the lab's encoders keep their keys, so that stored and published ones stay valid."""

import os
from pathlib import Path

import pytest

from isogloss.errors import IsoglossError
from isogloss.pretrain.lab_encoder import LabEncoder
from isogloss.runs import key_of
from isogloss.studies.shared.models import name_model


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("lab:families", "d66c5a089844f5fee5de08bb07ab86be9468a0dc"),
        ("lab:twins", "6ebb5a6381c0b25aaedea08ce77e8215f00f4c5b"),
        ("lab:twins@500", "e28ab7e6f28452ed8d7a23821ded8f4cc21218eb"),
        ("untrained:lab:families", "1663f76b7a6bf7dd0a532402bc0603c348334739"),
    ],
)
def test_the_labs_encoders_keep_their_keys(name: str, key: str) -> None:
    """Literals: if one changes, every user's encoder of that name is trained anew."""
    model = name_model(name)
    assert key_of(model) == key  # type: ignore[arg-type]


def test_an_encoder_for_pairs_differs_in_its_rows_only() -> None:
    plain, pairs = name_model("lab:twins@500"), name_model("lab:twins+pairs@500")
    assert isinstance(plain, LabEncoder) and isinstance(pairs, LabEncoder)
    assert plain.recipe.differences(pairs.recipe) == ["data.pairs", "data.repeats"]
    assert (plain.world, plain.sentences) == (pairs.world, pairs.sentences)
    assert key_of(plain) != key_of(pairs) and pairs.label() == "lab:twins+pairs"
    with pytest.raises(IsoglossError, match=r"\+pears"):
        name_model("lab:twins+pears")


def test_a_folder_is_another_model_once_a_file_in_it_changes(tmp_path: Path) -> None:
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"one")
    first = name_model(str(tmp_path))
    assert name_model(str(tmp_path)) == first
    weights.write_bytes(b"two")  # of the same size
    os.utime(weights, ns=(0, weights.stat().st_mtime_ns + 1))  # some file systems' clocks are coarse
    assert name_model(str(tmp_path)) != first
