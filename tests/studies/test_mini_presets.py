"""Presets for a small encoder of real text: they are read, and with real data at hand every study runs with them."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from isogloss.corpora import load_text
from isogloss.pretrain import Recipe, pretrain
from isogloss.runs import Inline, Store
from isogloss.runs.config import dump, read_study_files
from isogloss.studies.shared.study_presets import load_study_preset, study_presets

STUDIES = ("ablate", "align", "emerge", "forget", "fuse", "locate", "preserve")


def preset_of(study: str):
    return load_study_preset(study, "mini", import_module(f"isogloss.studies.{study}").Config)


@pytest.mark.parametrize("study", STUDIES)
def test_every_study_has_a_preset_for_real_text(study: str, tmp_path: Path) -> None:
    assert study_presets(study) == ["lab", "mini", "paper"]
    path = tmp_path / "study.yaml"
    path.write_text(dump(study, preset_of(study)))
    (file,) = read_study_files(path)
    assert file.study == study and len(file.settings["seeds"]) == 3


@pytest.mark.parametrize("name", ["mini", "bilingual"])
def test_a_recipe_is_one_file_under_two_names(name: str) -> None:
    named = Path(__file__).parents[2] / "recipes" / f"{name}.yaml"
    assert Recipe.load(named) == Recipe.preset(name)


def test_the_study_of_a_decoder_has_the_papers_windows() -> None:
    (file,) = read_study_files(Path(__file__).parents[2] / "recipes" / "gemma.yaml")
    config = import_module("isogloss.studies.locate").Config(**file.settings)
    assert file.study == "locate" and (config.window, config.layer, len(config.seeds)) == (10, 5, 3)


def test_two_languages_have_the_encoder_of_eight() -> None:
    two, eight = Recipe.preset("bilingual"), Recipe.preset("mini")
    assert (two.model, two.data, two.masking) == (eight.model, eight.data, eight.masking)
    assert two.training.steps * 8 / 2 > eight.training.steps


LANGUAGES = ("de", "en", "es", "fi", "fr", "it", "ru", "tr")
SMALL_TASK = {"limit": 40, "test_limit": 12, "settings": {"epochs": 1}}
TINY = {"vocabulary.size": 2000, "model.width": 32, "model.heads": 2, "model.feedforward": 64, "training.steps": 12,
        "training.warmup": 2, "training.validate_every": 12, "data.validation": 20, "training.threads": 1}  # fmt: skip
SMALLER: dict[str, dict[str, Any]] = {
    "ablate": {"sets": ("1-2",), "parallel_limit": 30},
    "align": {"sentences": 5000, "occurrences": 5000, "sizes": (40,), "test_limit": 60, "pretraining": TINY},
    "emerge": {"sentences": 1500, "conditions": ("default", "domain"), "parallel_limit": 60, "settings": TINY},
    "fuse": {"layers": "5-6", "rivals": False, "ablated": (), "parallel_limit": 20},
    "locate": {"languages": ("de", "en", "es", "fr", "it", "ru"), "limit": 40, "tokens": 200, "train": 100, "test": 50,
               "pairs": 5, "sizes": (1, 5), "windows": 3},
    "preserve": {"layers": ("all",), "alphas": (0.05,), "text_limit": 20, "tokens": 100, "drift_tokens": 20},
}  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("mini")
    texts = {code: [line.text for line in load_text("tatoeba-text", [code], limit=800)] for code in LANGUAGES}
    pretrain(Recipe.preset("mini").changed_at(TINY), texts, folder)
    return str(folder)


@pytest.mark.real
@pytest.mark.parametrize("study", SMALLER)  # test_forget.py has one of its own
def test_every_study_runs_on_real_text_to_its_end(
    study: str, request: pytest.FixtureRequest, real_data: Path, tmp_path: Path
) -> None:
    config = replace(preset_of(study), **SMALLER[study], seeds=(0, 1))
    if hasattr(config, "tasks"):
        config = replace(config, tasks=tuple(replace(setup, **SMALL_TASK) for setup in config.tasks))
    if study not in ("align", "emerge"):  # these pretrain their own
        name = request.getfixturevalue("model")
        config = replace(config, **({"models": (name,)} if study == "fuse" else {"model": name}))
    result = import_module(f"isogloss.studies.{study}").STUDY.run(config, engine=Inline(), store=Store(tmp_path))
    assert result.findings and result.tables and result.figures
    assert result.frame()["value"].notna().any()
