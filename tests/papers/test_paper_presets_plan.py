"""The papers' presets plan to their end where all data is there, on the sets of languages that the papers name."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from isogloss.studies.study import get_study

from .minimal import preset_of
from .standins import PAWSX, XNLI, XTREME_NER, XTREME_POS, write_lines


@pytest.mark.parametrize(
    ("study", "cells"),
    [
        ("align", {"align-crossing": 90, "align-sentences": 13, "align-words": 4, "pretraining": 10}),
        ("emerge", {"pretraining": 34, "fine-tune": 117, "meeting": 39}),
        ("locate", {"locate-curve": 10, "locate-layers": 5, "locate-subsets": 5}),
        ("preserve", {"preserving": 2 * 2 * 12 * 5}),
        ("forget", {"fine-tune": 2 * 4 * 5, "forget-maps": 2}),
        ("fuse", {"fusing": 760}),
    ],
)
def test_a_preset_plans_to_its_end_as_it_stands(desk: Path, study: str, cells: dict[str, int]) -> None:
    planned = get_study(study).prepare(preset_of(study))
    counts = Counter(cell.name for cell in planned.all_cells)
    assert {kind: counts[kind] for kind in cells} == cells


def languages_tested(conditions: Any, task: str) -> set[str]:
    """The languages that a task's fine-tunings are tested on."""
    found = set()
    for condition in conditions:
        cell = getattr(condition, "cell", None)
        cell = cell.candidates[0] if hasattr(cell, "candidates") else cell
        if getattr(cell, "task", "") == task:
            tests = condition.cell.tests
            found |= {data.language for data in tests}
    return found


def test_fuse_is_tested_on_the_papers_languages_and_its_family_is_english_and_german(data: Path, mbert: str) -> None:
    study = get_study("fuse")
    assert study.configure is not None
    config = replace(
        study.configure(mbert, "paper"), seeds=(0,), layers="6", gates=("literal",), rivals=False, ablated=()
    )
    planned = study.prepare(config)
    assert languages_tested(planned.conditions, "pos") == set(XTREME_POS)
    assert languages_tested(planned.conditions, "ner") == set(XTREME_NER)
    assert languages_tested(planned.conditions, "nli") == set(XNLI)
    assert languages_tested(planned.conditions, "paraphrase") == set(PAWSX)
    from isogloss.studies.fuse.view import family_table

    families = family_table(config, planned.conditions)
    assert {code for code in XNLI if families[code] == families["en"]} == {"en", "de"}
    pairs = next(condition.cell for condition in planned.conditions if condition.cell.task == "nli")
    assert pairs.options["pooler"] and pairs.sentences.data == "xnli" and pairs.sentences.limit == 20


def test_preserve_is_tested_on_the_papers_languages(data: Path, mbert: str, tmp_path: Path) -> None:
    for code in ("en", "de", "zh", "fr"):
        write_lines(tmp_path / f"{code}.txt", code, 30)
    study = get_study("preserve")
    assert study.configure is not None
    config = replace(study.configure(mbert, "paper"), texts=str(tmp_path), seeds=(0,), layers=("all",), drift_tokens=0)
    planned = study.prepare(config)
    assert languages_tested(planned.conditions, "pos") == set(XTREME_POS)
    assert languages_tested(planned.conditions, "ner") == set(XTREME_NER)


@pytest.mark.parametrize(("languages", "entries"), [(1, 40_000), (2, 80_000)])
def test_a_bilingual_encoder_of_align_has_twice_the_entries(languages: int, entries: int) -> None:
    from isogloss.studies.align.config import Config
    from isogloss.studies.shared.study_presets import load_study_preset

    config = load_study_preset("align", "paper", Config)
    assert config.recipe_of(languages, 0).vocabulary.entries(languages) == entries
    assert [setup.preset for setup in config.tasks] == ["wu20-ner", "wu20-parsing"]
    assert config.cka_parallel == "xnli" and config.test_parallel == "tatoeba"


def test_emerge_measures_cka_on_xnli_and_retrieval_on_tatoeba() -> None:
    from isogloss.studies.emerge.config import Config
    from isogloss.studies.shared.study_presets import load_study_preset

    config = load_study_preset("emerge", "paper", Config)
    assert (config.parallel, config.cka_parallel, config.text_pools) == ("tatoeba", "xnli", ("", "test"))
