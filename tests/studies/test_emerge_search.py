"""Emerge with a search: the mean of the best two settings (Wu20 Table 1), chosen by the source's validation part."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isogloss.errors import IsoglossError
from isogloss.runs import Inline, Store
from isogloss.studies import emerge
from isogloss.studies.columns import ABROAD, HOME
from isogloss.studies.emerge.plan import DEFAULT, plan
from isogloss.studies.emerge.plan.treatments import chosen_treatments
from isogloss.studies.emerge.tables import tables_of
from isogloss.studies.emerge.view import BEST_TWO, EmergeView, best_two
from isogloss.studies.study import Results

LAB = "lab:neighbours:{seed}"
SMALL = {
    "model.layers": 3, "model.width": 16, "model.heads": 2, "model.feedforward": 32, "vocabulary.size_a_language": 120,
    "data.validation": 10, "training.steps": 4, "training.warmup": 1, "training.validate_every": 4,
    "training.save_every": 4, "training.batch_tokens": 256, "data.draws": 2,
}  # fmt: skip


def config(preset: str = "muller21-pos") -> emerge.Config:
    settings = {"epochs": 1, "precision": "float32"}
    pos = emerge.Setup("pos", data=LAB, limit=20, test_limit=10, preset=preset, settings=settings)
    return emerge.Config(
        pairs=(emerge.Pair("qaa", "qab", name="near"),), conditions=(DEFAULT,), tasks=(pos,), text=f"{LAB}/0",
        other_text="", dictionary="", sentences=120, parallel="", settings=SMALL, search=True,
    )  # fmt: skip


def tried(levels: dict[tuple[str, str], list[tuple[float, float]]], task: str = "ner") -> pd.DataFrame:
    """``levels``: pair and condition to settings, each the validation score and the score in the target."""
    rows = [
        {"pair": pair, "condition": name, "seed": 0, "model": "m", "source": "en", "target": code, "task": task,
         "side": side, "data": f"{pair}/{task}", "text": "wikiann", "measure": "f1", "n": 10, "setting": number,
         "validation": validation, "value": validation if side == HOME else value}
        for (pair, name), settings in levels.items() for number, (validation, value) in enumerate(settings)
        for side, code in ((HOME, "en"), (ABROAD, pair))
    ]  # fmt: skip
    return pd.DataFrame(rows)


SETTINGS = {
    ("fr", DEFAULT): [(0.90, 0.50), (0.95, 0.80), (0.93, 0.76), (0.10, 0.99)],  # best in the target: not chosen
    ("fr", "no-anchors"): [(0.97, 0.70), (0.91, 0.60), (0.91, 0.10), (0.20, 0.90)],  # of equals the first
}


def test_two_settings_are_chosen_by_the_source_and_their_scores_in_the_target_averaged() -> None:
    found = best_two(tried(SETTINGS))
    assert set(found["task"]) == {"ner, best two"} and set(found["data"]) == {"fr/ner, best two"}
    abroad = found[found["side"] == ABROAD].set_index("condition")["value"]
    assert abroad.to_dict() == pytest.approx({DEFAULT: 0.78, "no-anchors": 0.65})
    home = found[found["side"] == HOME].set_index("condition")["value"]
    assert home.to_dict() == pytest.approx({DEFAULT: 0.94, "no-anchors": 0.94})


def test_the_mean_of_two_stands_beside_the_one_setting_and_the_published_score() -> None:
    rows = tried(SETTINGS)
    one = rows[rows["setting"] == 0].drop(columns=["setting", "validation"])
    view = EmergeView(
        scores=pd.concat([one, best_two(rows)], ignore_index=True), layers=pd.DataFrame(), pairs=("fr",),
        encoders=pd.DataFrame({"pair": ["fr"], "condition": [DEFAULT], "seed": [0], "steps": [1]}),
        treatments=chosen_treatments((DEFAULT, "no-anchors")), tasks=("ner",), depth=8, pools=("",),
    )  # fmt: skip
    assert view.columns == ("ner", "ner, best two") and view.searched == ("ner",)
    tables = {table.name: table for table in tables_of(view)}
    pairs = tables["pairs"].frame.set_index("condition")
    assert pairs["ner fr"].to_dict() == pytest.approx({"Default": 50.0, "No anchors": 70.0})
    assert pairs["ner, best two fr"].to_dict() == pytest.approx({"Default": 78.0, "No anchors": 65.0})
    assert "Best two" in tables["pairs"].reading
    scores = tables["published"].frame.set_index(["condition", "language"])
    default = scores.loc[(DEFAULT, "fr")]
    assert (default["published"], default["measured"]) == pytest.approx((79.8, 50.0))  # Wu20 Table 1, NER, fr
    assert (default["best two"], default["difference, best two"]) == pytest.approx((78.0, -1.8))
    change = tables["paper"].frame.iloc[0]
    assert (change["published"], change["measured"], change["best two"]) == pytest.approx((-2.5, 20.0, -13.0))


def test_a_search_tries_the_grid_and_leaves_the_other_cells_as_they_are(tmp_path: Path) -> None:
    planned, store = plan(config()), Store(tmp_path)
    without = plan(replace(config(), search=False))
    assert set(map(repr, without.cells)) <= set(map(repr, planned.cells))
    (condition,) = planned.conditions
    assert len(condition.tried) == 6 and all(cell.tests == condition.tasks[0][1].tests for _, cell in condition.tried)
    assert condition.tasks[0][1] in [cell for _, cell in condition.tried]  # in the grid: computed once
    result = emerge.run(config(), engine=Inline(), store=store)
    results = Results(store, {})
    records = sorted((results[cell] for _, cell in condition.tried), key=lambda one: -one.validation)[:2]
    by_hand = np.mean([next(s.value for s in one.scores if s.language == "qab" and s.main) for one in records])
    frame = result.frame()
    found = frame[(frame["task"] == "pos" + BEST_TWO) & (frame["side"] == ABROAD)]
    assert found["value"].tolist() == pytest.approx([by_hand])
    assert list(result.tables["emergence"].values) == ["pos", "pos, best two"]


def test_a_search_without_a_grid_is_named() -> None:
    with pytest.raises(IsoglossError, match="no task's preset has a grid"):
        plan(config("lab"))
