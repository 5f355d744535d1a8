"""What cannot work is said when a model is opened or a text is given: what, where, and what to do."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from small_models import TEXTS, wordpiece

from isogloss import Encoder, IsoglossError


@pytest.fixture
def folder(saved: Any, tmp_path: Path) -> Path:
    copy = tmp_path / "model"
    shutil.copytree(saved("bert").folder, copy)
    return copy


def refusal(folder: Path | str, **settings: Any) -> IsoglossError:
    with pytest.raises(IsoglossError) as caught:
        Encoder(str(folder), device="cpu", **settings)
    return caught.value


def test_a_folder_without_a_tokeniser(folder: Path) -> None:
    for file in folder.glob("tokenizer*"):
        file.unlink()
    error = refusal(folder)
    assert "no tokeniser" in error.what
    assert error.where == str(folder)
    assert error.remedy


def test_a_folder_without_a_model_or_none_at_all(folder: Path) -> None:
    (folder / "config.json").unlink()
    assert "config.json is missing" in refusal(folder).what
    assert "no such folder" in refusal(folder / "absent").what
    (folder / "file").write_text("")
    assert "a file, not a model folder" in refusal(folder / "file").what


def test_a_name_that_is_no_folder_and_not_on_the_hub_says_the_folder_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    error = refusal("no-such-model-anywhere")
    assert error.what.startswith("no such folder, and the Hugging Face hub cannot be reached")
    assert error.where == "no-such-model-anywhere"


def test_a_folder_without_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    assert "cannot open this model" in refusal(folder).what


def test_damaged_weights_and_damaged_configuration(folder: Path) -> None:
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    assert "cannot open this model" in refusal(folder).what
    tokenizer = (folder / "tokenizer.json").read_text()
    for damaged in (tokenizer[:100], "{}"):
        (folder / "tokenizer.json").write_text(damaged)
        assert "cannot open this model" in refusal(folder).what
    (folder / "config.json").write_text("{ not json")
    assert "cannot open this model" in refusal(folder).what


def test_an_architecture_nobody_knows(folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps({"model_type": "quipu"}))
    assert "cannot open this model" in refusal(folder).what


def test_weights_that_hold_nan(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    weights["encoder.layer.1.output.dense.weight"][3, 4] = float("nan")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    error = refusal(folder)
    assert "encoder.layer.1.output.dense.weight" in error.what
    assert "NaN" in error.what


def test_weights_that_are_not_all_there(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    del weights["encoder.layer.2.output.dense.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    assert "encoder.layer.2.output.dense.weight" in refusal(folder).what


def test_a_head_that_is_missing_or_too_many_is_no_fault(saved: Any, tmp_path: Path) -> None:
    config = saved("bert").model.config
    transformers.BertForMaskedLM(config).save_pretrained(tmp_path)
    saved("bert").tokenizer.save_pretrained(tmp_path)
    assert Encoder(str(tmp_path), device="cpu").encode(TEXTS).shape == (len(TEXTS), 4, 32)


def test_a_vocabulary_that_belongs_to_another_model(folder: Path, tmp_path: Path) -> None:
    tokenizer = wordpiece(tmp_path)
    tokenizer.add_tokens([f"extra{number}" for number in range(40)])
    tokenizer.save_pretrained(folder)
    assert "only 150 rows" in refusal(folder).what
    config = transformers.BertConfig(
        vocab_size=400, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    transformers.BertModel(config).save_pretrained(folder)
    assert "far fewer than the 400 rows" in refusal(folder).what


def test_an_embedding_that_is_padded_a_little_is_no_fault(folder: Path, saved: Any) -> None:
    config = transformers.BertConfig(**(saved("bert").model.config.to_dict() | {"vocab_size": 152}))
    transformers.BertModel(config).save_pretrained(folder)
    assert Encoder(str(folder), device="cpu").encode(TEXTS).shape[0] == len(TEXTS)


def test_pickled_weights_open_only_when_allowed(folder: Path, saved: Any) -> None:
    (folder / "model.safetensors").unlink()
    torch.save(saved("bert").model.state_dict(), folder / "pytorch_model.bin")
    error = refusal(folder)
    assert "allow-pickle" in str(error.remedy)
    states = Encoder(str(folder), device="cpu", allow_pickle=True).encode(TEXTS)
    np.testing.assert_allclose(states, Encoder(str(saved("bert").folder), device="cpu").encode(TEXTS), atol=1e-5)


def test_remote_code_runs_only_when_asked_for(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "quipu", "auto_map": {"AutoConfig": "code.Config", "AutoModel": "code.Model"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "code.py").write_text("raise SystemExit('ran')")
    assert "trust_remote_code" in str(refusal(folder).remedy)


def test_devices_and_number_types_that_are_not_there(folder: Path) -> None:
    for device in ("cuda:99", "mps", "quantum"):
        with pytest.raises(IsoglossError, match="device"):
            Encoder(str(folder), device=device)
    assert "did you mean 'float16'" in refusal(folder, dtype="float61").what


@pytest.mark.parametrize(
    ("texts", "what", "where"),
    [
        (["fine", ""], "empty", "text 2"),
        (["fine", "  \t "], "empty", "text 2"),
        (["fine", "x", None], "NoneType", "text 3"),
        ([b"bytes"], "bytes", "text 1"),
        (["caf\udce9"], "not UTF-8", "text 1"),
        ("a text", "one text", "texts"),
    ],
)
def test_texts_that_cannot_be_read(texts: Any, what: str, where: str, saved: Any) -> None:
    encoder = Encoder(str(saved("bert").folder), device="cpu")
    with pytest.raises(IsoglossError) as caught:
        encoder.encode(texts)
    assert what in caught.value.what
    assert caught.value.where == where
    assert caught.value.remedy


def test_words_that_are_no_words(saved: Any) -> None:
    encoder = Encoder(str(saved("bert").folder), device="cpu")
    for texts in (["not split"], [["fine"], [3]], [None]):
        with pytest.raises(IsoglossError, match="list of words"):
            encoder.encode(texts, level="word")
    with pytest.raises(IsoglossError, match="not UTF-8"):
        encoder.encode([["caf\udce9"]], level="word")


@pytest.mark.parametrize("layers", [9, [0, -5], "some", [], [1.5], True, None])
def test_layers_that_are_not_there(layers: Any, saved: Any) -> None:
    with pytest.raises(IsoglossError, match="layer"):
        Encoder(str(saved("bert").folder), device="cpu").encode(TEXTS, layers=layers)


def test_levels_and_poolings_that_are_not_there(saved: Any) -> None:
    encoder = Encoder(str(saved("bert").folder), device="cpu")
    with pytest.raises(IsoglossError, match="did you mean 'sentence'"):
        encoder.encode(TEXTS, level="sentences")
    with pytest.raises(IsoglossError, match="unknown pooling of a word 'cls'"):
        encoder.encode([["a"]], level="word", pooling="cls")
