"""Languages with parts of their own: those stay, the shared ones learn, and each language is read through its own."""

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModel

from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe, pretrain
from isogloss.transfer import Settings, Trainer, load_fitted, save_fitted

Records = dict[str, dict[str, list[Any]]]


@pytest.fixture(scope="module")
def folder(texts: dict[str, list[str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = Recipe.preset("lab").changed(
        model={"layers": 3, "width": 32, "heads": 4, "feedforward": 64},
        sharing={"embeddings": "separate", "separate_layers": 1},
        vocabulary={"scope": "own", "size": 400, "accept_fewer": True},
        data={"validation": 10},
        training={"steps": 3, "validate_every": 3, "save_every": 3, "warmup": 1},
    )
    root = tmp_path_factory.mktemp("separate")
    pretrain(recipe, texts, root)
    return root


def test_shared_parts_learn_and_own_parts_are_each_language_s(folder: Path, records: Records) -> None:
    settings = Settings(epochs=1, encoder_rate=1e-3, precision="float32")
    trainer = Trainer(str(folder), "pos", "separate", settings)
    fitted = trainer.fit(records["pos"]["train"], records["pos"]["dev"], sources=["qaa"])
    home, away = (AutoModel.from_pretrained(folder / "languages" / code).state_dict() for code in ("qaa", "qab"))
    trained = fitted.whole.state_dict()
    abroad = fitted.speaking("qab")
    own = {name for name in home if "embed" in name or ".layer.0." in name or ".layers.0." in name}
    matrices = {name for name in home if home[name].dim() == 2 and "pooler" not in name}
    for name in own:
        assert torch.equal(trained[name], home[name]), name
        assert torch.equal(abroad.whole.state_dict()[name], away[name]), name
    for name in matrices - own:
        assert not torch.equal(trained[name], home[name]), name
        assert torch.equal(abroad.whole.state_dict()[name], trained[name]), name
    assert abroad.reader.tokenizer.get_vocab() != fitted.reader.tokenizer.get_vocab()
    assert len(abroad.predict(records["pos"]["test"]).records) == 40
    assert (
        fitted.evaluate({"qab": records["pos"]["test"]})["qab"].scores()
        == abroad.tally(records["pos"]["test"]).scores()
    )


def test_a_saved_model_speaks_another_language_as_it_did_before(folder: Path, records: Records, tmp_path: Path) -> None:
    settings = Settings(epochs=1, encoder_rate=1e-3, precision="float32")
    trainer = Trainer(str(folder), "pos", "separate", settings)
    fitted = trainer.fit(records["pos"]["train"], records["pos"]["dev"], sources=["qaa"])
    save_fitted(fitted, tmp_path / "saved")
    before, after = (one.speaking("qab") for one in (fitted, load_fitted(tmp_path / "saved", "cpu")))
    for name, tensor in before.whole.state_dict().items():
        assert torch.equal(after.whole.state_dict()[name], tensor), name
    tests = records["pos"]["test"]
    assert after.tally(tests).scores() == before.tally(tests).scores()
    with pytest.raises(IsoglossError, match="unknown language 'qac'"):
        fitted.speaking("qac")


def test_separate_needs_one_source_and_a_model_of_ours(folder: Path, model_folder: str, records: Records) -> None:
    data = records["pos"]["train"], records["pos"]["dev"]
    with pytest.raises(IsoglossError, match="one source language"):
        Trainer(str(folder), "pos", "separate").prepare(*data, sources=["qaa", "qab"])
    with pytest.raises(IsoglossError, match="not a model that isogloss pretrain wrote"):
        Trainer(model_folder, "pos", "separate").prepare(*data, sources=["qaa"])
