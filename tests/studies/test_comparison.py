"""The one comparison of conditions, against differences that are worked out by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from isogloss.probes.statistics import Estimate, over_pairs, over_seeds, over_sentences
from isogloss.studies.shared.comparison import (
    compare,
    compare_all,
    compare_tables,
    doubt,
    points_over_sentences,
    scaled,
    scores_by_condition,
    scores_by_seed,
    spread,
    spread_frame,
)
from isogloss.studies.shared.kept import kept
from isogloss.studies.shared.scores import stacked


def scores(condition: str, shift: float, seeds: tuple[int, ...] = (0, 1, 2), targets: str = "abcdef") -> pd.DataFrame:
    rng = np.random.default_rng(7)
    rows = [
        {"condition": condition, "task": "pos", "source": "en", "data": "ud", "target": target, "seed": seed,
         "value": 0.5 + 0.1 * rng.random() + shift * (1 + seed / 10)}
        for seed in (0, 1, 2) for target in "abcdef" if seed in seeds and target in targets
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_scores_are_paired_by_seed_and_target_and_only_what_both_have_counts():
    whole, part = scores("none", 0.0), scores("some", -0.1, targets="abc")
    found = compare(part, whole)
    assert found.gaps.shape == (3, 3)
    both = whole[whole["target"].isin(list("abc"))]
    by_hand = over_seeds(100 * (part["value"].to_numpy() - both["value"].to_numpy()).reshape(3, 3), items="fixed")
    assert found.estimate.columns() == pytest.approx(by_hand.columns())
    assert (found.estimate.n, found.estimate.over) == (3, "seeds")
    assert [target for target, _ in found.by_target()] == ["a", "b", "c"]


def test_one_seed_has_its_interval_over_targets_and_one_target_no_test():
    one, other = (scores(name, shift, seeds=(0,)) for name, shift in (("some", 0.1), ("none", 0.0)))
    assert compare(one, other).estimate.over == "languages"
    assert math.isnan(compare(one[:1], other[:1]).p)
    assert compare(one, other).p == pytest.approx(2 / 2**6)  # all six flips of one sign


def test_a_table_of_all_conditions_says_what_each_comparison_says():
    frame = pd.concat([scores("none", 0.0), scores("some", -0.1), scores("all", -0.3)])
    (row,) = compare_all(frame, ("task", "source"), "none", ("some", "all"), tested=True).to_dict("records")
    for name in ("some", "all"):
        found = compare(frame[frame["condition"] == name], frame[frame["condition"] == "none"])
        assert row[f"Δ {name}"] == pytest.approx(found.estimate.value)
        assert row[f"Δ {name}_low"] == pytest.approx(found.estimate.low)
        assert row[f"Δ {name}_p"] == pytest.approx(2 * found.p)  # Holm: both are as sure as six targets can be


@pytest.mark.parametrize("units", ["random", "pairs", "sentences"])
def test_other_units_are_those_of_the_statistics(units: str):
    rng = np.random.default_rng(0)
    first, second = (pd.DataFrame(rng.random((5, 5)), index=list("abcde"), columns=list("abcde")) for _ in range(2))
    by_hand = (first - second).to_numpy()
    wanted = {
        "random": lambda: over_seeds(by_hand, named="items"), "pairs": lambda: over_pairs(by_hand),
        "sentences": lambda: over_sentences(by_hand),
    }  # fmt: skip
    assert compare_tables(first, second, units, "items").estimate == wanted[units]()  # type: ignore[arg-type]


def test_repetitions_with_items_of_their_own_are_compared_over_repetitions():
    table = np.array([[1.0, np.nan, 3.0], [2.0, 4.0, np.nan]])
    assert spread(table, "random") == over_seeds(np.array([2.0, 3.0]))


def test_nothing_to_compare_is_no_number_and_doubt_is_said():
    nothing = compare(scores("some", 0.0, targets="a"), scores("none", 0.0, targets="b")).estimate
    assert math.isnan(nothing.value) and nothing.n == 0 and "too few" in doubt(nothing)
    assert "includes zero" in doubt(
        compare_tables(pd.DataFrame([[1.0], [-1.0]]), pd.DataFrame([[0.0], [0.0]])).estimate
    )
    assert scaled(spread(np.array([[0.1], [0.3]]))).value == pytest.approx(20)


def test_estimates_at_the_end_of_rows_become_the_columns_of_a_spread():
    rows = [("en", 1, Estimate(0.5, 0.4, 0.6, 7)), ("de", 2, Estimate(0.3, 0.1, 0.5, 9))]
    frame = spread_frame(("language", "layer"), rows)
    assert frame.columns.tolist() == ["language", "layer", "value", "low", "high", "n"]
    assert frame.to_numpy().tolist() == [["en", 1, 0.5, 0.4, 0.6, 7], ["de", 2, 0.3, 0.1, 0.5, 9]]


def test_no_rows_leave_a_frame_with_its_columns():
    assert spread_frame(("language",), []).columns.tolist() == ["language", "value", "low", "high", "n"]


def test_shares_by_sentence_are_points_over_sentences():
    found = points_over_sentences([0.0, 1.0, 1.0, 0.0])
    assert (found.value, found.n, found.over) == (50.0, 4, "sentences")
    assert 0 <= found.low < 50 < found.high <= 100


def drawn_scores(seed: int, repeated: bool = False, missing: bool = False) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = [
        {"seed": run, "data": data, "target": target, "value": rng.random(), "condition": condition}
        for condition in ("plain", "changed")
        for run in (2, 0, 1)
        for data in ("b", "a")
        for target in ("fi", "de", "en")
        if not (missing and rng.random() < 0.3)
    ]
    return pd.DataFrame(rows + rows[:4] if repeated else rows).sample(frac=1, random_state=seed)


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("missing", [False, True])
def test_scores_by_seed_are_laid_out_as_pandas_does(repeated: bool, missing: bool):
    for seed in range(5):
        frame = drawn_scores(seed, repeated, missing).query("condition == 'plain'")
        by_pandas = 100 * frame.pivot_table(index="seed", columns=["data", "target"], values="value")
        pd.testing.assert_frame_equal(scores_by_seed(frame), by_pandas, check_exact=False, rtol=1e-15)


def test_a_score_that_is_no_number_is_left_out():
    frame = drawn_scores(0).query("condition == 'plain'").reset_index(drop=True)
    frame.loc[(frame["target"] == "fi") & (frame["data"] == "a"), "value"] = np.nan
    assert ("a", "fi") not in scores_by_seed(frame).columns
    assert scores_by_seed(frame).shape == (3, 5)


def test_tables_that_need_no_aligning_are_compared_as_those_that_do():
    frame = drawn_scores(3)
    tables = scores_by_condition(frame)
    turned = tables["plain"].iloc[::-1, ::-1]
    straight, aligned = (compare_tables(tables["changed"], other).gaps for other in (tables["plain"], turned))
    pd.testing.assert_frame_equal(straight, aligned.loc[straight.index, straight.columns])


def test_kept_answers_are_computed_once_for_each_of_their_arguments():
    class Counting:
        asked = 0

        @kept
        def double(self, number: int, extra: int = 0) -> int:
            """Twice."""
            self.asked += 1
            return 2 * number + extra

    one, other = Counting(), Counting()
    assert [one.double(1), one.double(1), one.double(2), one.double(1, extra=1)] == [2, 2, 4, 3]
    assert (one.asked, other.asked) == (3, 0)
    assert other.double(1) == 2
    assert Counting.double.__doc__ == "Twice."


def test_stacked_frames_keep_their_names():
    parts = [
        ({"seed": 0, "task": "pos"}, pd.DataFrame({"x": [1, 2]})),
        ({"seed": 1, "task": "ner"}, pd.DataFrame({"x": [3]})),
    ]
    below = stacked(parts)
    assert below.to_dict("list") == {"x": [1, 2, 3], "seed": [0, 0, 1], "task": ["pos", "pos", "ner"]}
    assert stacked([]).empty
