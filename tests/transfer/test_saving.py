"""A fine-tuned model on disk opens everywhere and predicts the same."""

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from isogloss import Encoder
from isogloss.errors import IsoglossError
from isogloss.transfer import Settings, Trainer, load_fitted, save_fitted

Records = dict[str, dict[str, list[Any]]]
METHODS = [
    "plain",
    "fusion:1,gate=gate",
    "scalar-mix",
    "linear+subspace:2:",
    "layer=2+ldar",
    "reversal+concat:1,3",
    "entropy",
]


@pytest.mark.parametrize("method", METHODS)
def test_a_saved_model_predicts_as_before(
    method: str, model_folder: str, records: Records, texts: dict[str, list[str]], tmp_path: Path
) -> None:
    settings = Settings(epochs=1, encoder_rate=1e-3, precision="float32", batch=16)
    fitted = Trainer(model_folder, "pos", method, settings, texts=texts).fit(
        records["pos"]["train"], records["pos"]["dev"]
    )
    again = load_fitted(save_fitted(fitted, tmp_path / "model"))
    test = records["pos"]["test"]
    assert again.predict(test).records == fitted.predict(test).records
    assert (again.labels, again.history, again.settings) == (fitted.labels, fitted.history, fitted.settings)


@pytest.mark.parametrize("task", ["parsing", "nli"])
def test_options_of_a_task_come_back(task: str, model_folder: str, records: Records, tmp_path: Path) -> None:
    from isogloss.tasks import get_task

    options = {"parsing": {"subtypes": True, "arc_width": 32}, "nli": {"pooling": "mean"}}[task]
    trainer = Trainer(model_folder, get_task(task, **options), "plain", Settings(epochs=1, precision="float32"))
    fitted = trainer.fit(records[task]["train"], records[task]["dev"])
    again = load_fitted(save_fitted(fitted, tmp_path))
    assert again.task == fitted.task
    assert again.predict(records[task]["test"]).records == fitted.predict(records[task]["test"]).records


def test_transformers_and_the_encoder_open_the_folder(model_folder: str, records: Records, tmp_path: Path) -> None:
    settings = Settings(epochs=1, encoder_rate=1e-3, precision="float32")
    fitted = Trainer(model_folder, "pos", "plain", settings).fit(records["pos"]["train"], records["pos"]["dev"])
    save_fitted(fitted, tmp_path)
    model, tokenizer = AutoModel.from_pretrained(tmp_path), AutoTokenizer.from_pretrained(tmp_path)
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, fitted.network.encoder.state_dict()[name])
    assert len(tokenizer) == len(fitted.reader.tokenizer)
    assert Encoder(str(tmp_path), dtype="float32").encode(["a b"]).shape == (1, 4, 32)


def test_a_folder_that_holds_no_fine_tuned_model_says_so(model_folder: str, tmp_path: Path) -> None:
    with pytest.raises(IsoglossError, match="no fine-tuned model"):
        load_fitted(model_folder)
    (tmp_path / "transfer.json").write_text("{")
    with pytest.raises(IsoglossError, match="damaged"):
        load_fitted(tmp_path)
