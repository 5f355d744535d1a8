"""Fine-tunings as cells: the store, searches, data by name, tidy frames."""

from dataclasses import replace
from pathlib import Path

import conllu
import numpy as np
import pandas as pd
import pytest

from isogloss.encoders.model_folder import hash_folder
from isogloss.errors import IsoglossError
from isogloss.runs import Inline, Store, key_of
from isogloss.transfer import Data, FineTune, Identify, Settings, Trainer, Tuned, candidates, find_data
from isogloss.transfer.cells import Named
from isogloss.transfer.data import languages_of
from isogloss.transfer.scores import Score, family_averages, score_frame, zero_shot_gap
from isogloss.transfer.search import read_space
from isogloss.transfer.tally_file import read_tallies

LAB = "lab:twins"


@pytest.fixture
def cell(model_folder: str) -> FineTune:
    def data(language: str, part: str, limit: int) -> Data:
        return find_data(LAB, "pos", language, part, limit)

    return FineTune(
        model=Named(model_folder, hash_folder(Path(model_folder))),
        settings=Settings(epochs=1, encoder_rate=1e-3, precision="float32"),
        train=(data("qaa", "train", 60),),
        validation=(data("qaa", "dev", 20),),
        tests=(data("qaa", "test", 20), data("qab", "test", 20)),
        keep_predictions=True,
        keep_model=True,
    )


def run(store: Store, *cells: FineTune | Tuned | Identify) -> None:
    outcome = Inline().run("test", list(cells), store)
    assert not outcome.failures, outcome.failures


def test_a_cell_leaves_scores_predictions_counts_and_a_model(cell: FineTune, tmp_path: Path) -> None:
    store = Store(tmp_path)
    run(store, cell)
    record, folder = store.get(cell), store.folder(cell)
    assert record is not None
    assert [(s.language, s.measure) for s in record.scores if s.main] == [("qaa", "accuracy"), ("qab", "accuracy")]
    assert all(s.low <= s.value <= s.high and s.n == 20 for s in record.scores)
    files = sorted(path.name for path in (folder / "predictions").iterdir())
    assert files == ["lab-twins.qaa.conllu", "lab-twins.qab.conllu"]
    assert len(conllu.parse((folder / "predictions" / files[1]).read_text())) == 20
    tallies = read_tallies(folder / "tallies.safetensors")
    by_hand = {s.language: s.value for s in record.scores if s.measure == "macro_f1"}
    assert tallies[f"{LAB}/qab"].score("macro_f1") == pytest.approx(by_hand["qab"])
    assert (folder / "model" / "config.json").is_file()


def test_the_key_follows_what_the_result_depends_on(cell: FineTune) -> None:
    others = [
        replace(cell, method="layer=1"),
        replace(cell, task="parsing"),
        replace(cell, settings=replace(cell.settings, seed=1)),
        replace(cell, model=Named(cell.model.name, "2")),
        replace(cell, train=(replace(cell.train[0], limit=61),)),
    ]
    assert len({key_of(c) for c in [cell, *others]}) == 6


def test_a_search_tries_every_combination_and_keeps_the_best_on_the_source(cell: FineTune, tmp_path: Path) -> None:
    tried = candidates(cell, {"encoder_rate": ["1e-6", "3e-3"], "batch": ["8", "16"]})
    assert [(c.settings.encoder_rate, c.settings.batch) for c in tried] == [
        (1e-6, 8),
        (1e-6, 16),
        (3e-3, 8),
        (3e-3, 16),
    ]
    assert all(not c.tests for c in tried)
    tuned, store = Tuned(tried, cell.tests, seed=5), Store(tmp_path)
    run(store, tuned)
    record = store.get(tuned)
    scores = {c.settings.encoder_rate: store.get(c).validation for c in tried}
    assert record is not None and record.settings.encoder_rate == 3e-3 and record.settings.seed == 5
    assert scores[3e-3] > scores[1e-6]
    assert {s.language for s in record.scores} == {"qaa", "qab"}


def test_random_draws_are_distinct_fewer_and_fixed_by_the_seed(cell: FineTune) -> None:
    space = {"encoder_rate": [1e-5, 1e-4, 1e-3], "batch": [8, 16, 32], "layers": ["1", "2"]}
    base = replace(cell, method="random-init:1")
    drawn, again = candidates(base, space, draws=7), candidates(base, space, draws=7)
    assert drawn == again and len(drawn) == 7 == len({key_of(c) for c in drawn})
    assert {c.method for c in drawn} == {"random-init:1", "random-init:2"}
    assert len(candidates(base, space, draws=100)) == 18


def test_settings_to_search_are_written_on_a_line() -> None:
    assert read_space(["encoder-rate=1e-5,5e-5"]) == {"encoder_rate": ["1e-5", "5e-5"]}
    with pytest.raises(IsoglossError, match="not understood"):
        read_space(["encoder_rate"])


def test_a_misspelt_setting_in_a_search_is_an_error(cell: FineTune) -> None:
    with pytest.raises(IsoglossError, match="did you mean 'encoder_rate'"):
        candidates(cell, {"encoder_rat": [1]})
    with pytest.raises(IsoglossError):
        candidates(cell, {"batch": ["many"]})


def test_parts_may_name_rows() -> None:
    whole = find_data(LAB, "nli", "qaa", "dev", 30).read()
    assert find_data(LAB, "nli", "qaa", "dev[:10]").read() == whole[:10]
    assert find_data(LAB, "nli", "qaa", "dev[10:30]").read() == whole[10:30]
    with pytest.raises(IsoglossError, match="not understood"):
        find_data(LAB, "nli", "qaa", "dev[x]")


def test_a_language_without_data_is_an_error_before_anything_runs() -> None:
    with pytest.raises(IsoglossError):
        find_data(LAB, "pos", "de", "test")
    assert languages_of(LAB, "pos", "test") == ("qaa", "qab")


def frame() -> pd.DataFrame:
    values = {"en": 0.9, "de": 0.8, "fr": 0.7, "fi": 0.5, "tr": 0.3}
    scores = [Score(code, "ud", "accuracy", value, value, value, 10, True) for code, value in values.items()]
    return score_frame(scores, task="pos", model="m", method="plain", source="en", seed=0)


def test_the_gap_is_to_the_source_on_the_same_data() -> None:
    gaps = zero_shot_gap(frame(), "en").set_index("language")["gap"]
    assert gaps.to_dict() == pytest.approx({"en": 0.0, "de": 0.1, "fr": 0.2, "fi": 0.4, "tr": 0.6})


def test_averages_are_over_the_source_s_family_and_over_the_others() -> None:
    averages = family_averages(frame(), "en").set_index("group")
    assert averages["value"].to_dict() == pytest.approx({"source": 0.9, "family": 0.75, "others": 0.4})
    assert averages["languages"].to_dict() == {"source": 1, "family": 2, "others": 2}
    given = family_averages(frame(), "en", {"en": "a", "tr": "a", "de": "b"}).set_index("group")["value"]
    assert given["family"] == pytest.approx(0.3) and given["others"] == pytest.approx(np.mean([0.8, 0.7, 0.5]))


def test_languages_are_identified_with_the_model_a_fine_tuning_left(cell: FineTune, tmp_path: Path) -> None:
    def data(task: str, code: str, part: str, limit: int) -> Data:
        return find_data(LAB, task, code, part, limit)

    identify = Identify(
        fitted=cell,
        texts=tuple(data("text", code, "train", 40) for code in ("qaa", "qab")),
        tests={
            "texts": tuple(data("text", code, "test", 20) for code in ("qaa", "qab")),
            "task": tuple(data("pos", code, "test", 20) for code in ("qaa", "qab")),
        },
        most=200,
    )
    store = Store(tmp_path)
    run(store, identify)
    record = store.get(identify)
    assert record is not None
    assert [(row.test, row.protocol) for row in record.rows] == [
        ("texts", "paper"), ("task", "paper"), ("texts", "converged"), ("task", "converged"),
    ]  # fmt: skip
    assert all(row.control is not None for row in record.rows if row.protocol == "converged")


def test_several_sources_are_one_training_part(cell: FineTune, tmp_path: Path) -> None:
    single = replace(cell, settings=replace(cell.settings, epochs=4, encoder_rate=3e-3), tests=cell.tests[1:])
    both = replace(
        single,
        train=(*cell.train, find_data(LAB, "pos", "qab", "train", 60)),
        validation=(*cell.validation, find_data(LAB, "pos", "qab", "dev", 20)),
    )
    store = Store(tmp_path)
    run(store, single, both)
    one, two = (record.scores[0].value for record in map(store.get, (single, both)) if record)
    assert two > one + 0.1  # what was a target has become a source


def test_bad_test_data_is_refused_before_training(
    cell: FineTune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test-qab.tsv").write_text("Anna\tB-PER\nsleeps\tO\n\nAnna\tO\nDel\tI-PER\n")
    train = (find_data(LAB, "ner", "qaa", "train", 20),)
    tests = (find_data(str(tmp_path), "ner", "qab", "test"),)
    bad = replace(cell, task="ner", train=train, validation=train, tests=tests)
    monkeypatch.setattr(Trainer, "learn", lambda *given: pytest.fail("trained before the test data was read"))
    outcome = Inline().run("test", [bad], Store(tmp_path / "store"))
    assert "continues no entity" in str(outcome.failures) and "test-qab.tsv:4" in str(outcome.failures)
