"""Published numbers beside measured ones; what meets nothing says why."""

import pandas as pd

from isogloss.studies.expectations import load_expectations, reason_for
from isogloss.studies.shared.comparison import compare, compare_all, level
from isogloss.studies.shared.published import KEYS, not_compared, published


def test_what_meets_nothing_names_the_first_thing_that_the_run_lacks() -> None:
    expected = load_expectations("muller21")
    measured = expected[expected["item"] == "Table 4"][[*KEYS, "value"]]
    measured = measured[measured["task"] != "ner"]
    compared, rest = published("muller21", "Muller21", measured)
    assert len(compared.frame) + len(rest.frame) == len(expected)
    reasons = rest.frame.set_index(["item", *KEYS])["reason"]
    assert reasons["Table 4", "ner", "en, fine-tuned", "targets", "spearman"] == "this run has no task 'ner'"
    assert "condition 'en, 1-2'" in reasons["Table 1", "parsing", "en, 1-2", "en", "difference"]
    assert "tweets" in reasons["Table 2", "parsing, domains", "en, 1-2", "en user-generated", "difference"]


def test_nothing_is_shown_where_nothing_meets() -> None:
    assert not list(published("muller21", "Muller21", pd.DataFrame(columns=[*KEYS, "value"])))


def test_items_narrow_what_is_expected() -> None:
    expected = load_expectations("muller21")
    one = expected[expected["item"] == "Table 4"]
    compared, *rest = published("muller21", "Muller21", one[[*KEYS, "value"]], items=("Table 4",))
    assert len(compared.frame) == len(one) and not rest
    assert not len(not_compared("muller21", one, one[[*KEYS, "value"]]))


def test_a_rule_fits_only_what_it_names() -> None:
    row = {"item": "Table 2", "task": "pos, domains", "language": "en user-generated"}
    assert reason_for("muller21", row) and not reason_for("muller21", {**row, "language": "en"})
    assert not reason_for("wu20", row)


def test_a_whole_table_of_comparisons_is_what_each_comparison_gives() -> None:
    rows = [
        {
            "task": task,
            "condition": name,
            "seed": seed,
            "data": "d",
            "target": target,
            "value": len(name) * seed + n / 7,
        }
        for task in ("pos", "ner")
        for name in ("none", "1", "1-2")
        for seed in (1, 2, 3)
        for n, target in enumerate(("de", "fi", "tr") if (task, name) != ("ner", "1") else ("de",))
    ]
    frame = pd.DataFrame(rows)
    table = compare_all(frame, ("task",), "none", ("1", "1-2", "absent"))
    for task, part in frame.groupby("task"):
        row = table[table["task"] == task].iloc[0]
        own = part[part["condition"] == "none"]
        assert row["reference"] == level(own).value
        for name in ("1", "1-2"):
            alone = compare(part[part["condition"] == name], own).estimate
            assert (row[f"Δ {name}"], row[f"Δ {name}_low"]) == (alone.value, alone.low)
        assert pd.isna(row["Δ absent"])
