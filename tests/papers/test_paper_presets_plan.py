"""The papers' presets plan to their end where all data is there, on the sets of languages that the papers name."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from transformers import BertConfig

from isogloss.studies.expectations.items import load_papers
from isogloss.studies.expectations.work import Work, cells_of, hours_as_published, load_work
from isogloss.studies.study import get_study
from isogloss.transfer import FineTune, Tuned

from .minimal import configured
from .standins import PAWSX, XNLI, XTREME_NER, XTREME_POS, write_lines


@pytest.mark.parametrize("command", sorted(load_work()))
def test_a_preset_plans_to_its_end_as_it_stands_with_the_cells_that_papers_tells(
    desk: Path, tmp_path: Path, command: str
) -> None:
    study, _, options = command.partition(" ")
    given = next(
        item.given
        for paper in load_papers().values()
        for item in paper.items
        if item.study == study and item.options == options
    )
    config = configured(study, **given)
    if study == "locate":  # how many dimensions it leaves out depends on the encoder's width
        BertConfig().save_pretrained(tmp_path)
        config = replace(config, model=str(tmp_path))
    planned = get_study(study).prepare(config).all_cells
    work = load_work()[command]
    assert Counter(cell.name for cell in planned) == cells_of(work)
    tuned = [(cell, training) for cell in planned if isinstance(training := training_of(cell), FineTune)]
    told = {(one.kind, one.task): one.count for one in work if one.task}
    assert told == Counter((cell.name, training.task) for cell, training in tuned)
    for cell, training in tuned:
        if study != "locate":
            (row,) = [one for one in work if (one.kind, one.task) == (cell.name, training.task)]
            assert row.epochs == training.settings.epochs


def training_of(cell: Any) -> Any:
    """The fine-tuning that a cell is, has inside, or chooses."""
    return cell.candidates[0] if isinstance(cell, Tuned) else getattr(cell, "training", cell)


def test_hours_are_operations_over_speed_and_the_papers_own_minutes() -> None:
    work = Work("fine-tune", 3, "pos", texts=1000, epochs=2, read=500, subwords=10, parameters=10**9)
    assert work.hours == pytest.approx(3 * (6 * 2000 + 2 * 500) * 10 * 1e9 / 2e12 / 3600)
    assert replace(work, kind="pretraining").hours == pytest.approx(work.hours / 25)
    assert hours_as_published([work, Work("maps", 1)], {"pos": 20}) == 1.0
    assert hours_as_published([work], {"ner": 20}) is None


@pytest.mark.parametrize(("study", "paper"), [("ablate", "muller21"), ("preserve", "liang21")])
def test_the_estimate_is_of_the_order_of_the_times_that_papers_print(study: str, paper: str) -> None:
    work = load_work()[study]
    stated = hours_as_published(work, load_papers()[paper].minutes)
    estimated = sum(one.hours for one in work if one.task)
    assert stated is not None and 1 / 4 < estimated / stated < 4, (estimated, stated)


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
