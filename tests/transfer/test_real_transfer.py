"""End to end on real data, with a small encoder pretrained on the spot: EWT to PUD, WikiANN, XNLI, PAWS-X."""

from pathlib import Path

import pytest

from isogloss.corpora import load_text
from isogloss.pretrain import Recipe, pretrain
from isogloss.runs import Inline, Store
from isogloss.studies.transfer import STUDY, Config

pytestmark = pytest.mark.real

RUNS = {
    "pos": Config(task="pos", data="ud-ewt", test_data=("ud-pud",), sources=("en",)),
    "parsing": Config(task="parsing", data="ud-ewt", test_data=("ud-pud",), sources=("en",)),
    "ner": Config(task="ner", data="wikiann", sources=("en",)),
    "nli": Config(
        task="nli", data="xnli", sources=("en",), validation_part="valid", test_part="dev", targets=("de", "sw", "zh")
    ),
    "paraphrase": Config(
        task="paraphrase",
        data="pawsx",
        sources=("en",),
        train_part="dev[:150]",
        validation_part="dev[150:200]",
        test_part="dev[200:230]",
    ),
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("model")
    texts = {code: [line.text for line in load_text("tatoeba-text", [code], limit=3000)] for code in ("en", "de", "ru")}
    recipe = Recipe.preset("lab").changed(
        vocabulary={"size": 3000, "accept_fewer": True},
        training={"steps": 20, "validate_every": 20, "save_every": 20, "warmup": 1},
    )
    pretrain(recipe, texts, folder)
    return str(folder)


@pytest.mark.parametrize("task", RUNS)
def test_real_data_runs_end_to_end(task: str, model: str, real_data: Path, tmp_path: Path) -> None:
    run = RUNS[task]
    limits = {"limit": 150, "test_limit": 30, "models": (model,), "settings": {"epochs": 1}, "on_error": "skip"}
    result = STUDY.run(Config(**{**run.__dict__, **limits}), engine=Inline(), store=Store(tmp_path))
    frame = result.frame()
    languages = {"pos": 15, "parsing": 15, "ner": 4, "nli": 3, "paraphrase": 5}[task]
    assert frame["target"].nunique() == languages
    assert frame["value"].between(0, 1).all() and (frame["n"] > 0).all()
    assert result.tables["summary"].frame["all others"].notna().all()
