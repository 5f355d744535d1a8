import pandas as pd
import pytest

from isogloss.errors import IsoglossError
from isogloss.studies.expectations import COLUMNS, beside, expectation_names, load_expectations


def test_every_paper_has_whole_rows_with_numbers():
    assert "liang21" in expectation_names()
    for paper in expectation_names():
        table = load_expectations(paper)
        assert list(table.columns) == list(COLUMNS)
        assert len(table)
        assert table["value"].notna().all()
        assert (table[["item", "task", "condition", "measure"]] != "").all().all()
        assert not table.duplicated(list(COLUMNS[:-1])).any()


def test_liang21s_printed_means_are_those_of_its_printed_languages():
    table = load_expectations("liang21")
    rows = table[table["item"].isin(["Table 2", "Table 3", "Table 5"])]  # Table 4 prints Thai in another unit
    for (item, condition), part in rows.groupby(["item", "condition"]):
        mean = part.loc[part["language"] == "mean", "value"].item()
        assert part.loc[part["language"] != "mean", "value"].mean() == pytest.approx(mean, abs=0.2), (item, condition)


def test_published_and_measured_stand_side_by_side_with_their_difference():
    published = pd.DataFrame({"task": ["LI", "LT"], "condition": ["a", "a"], "value": [100.0, 70.0]})
    measured = pd.DataFrame({"task": ["LT"], "value": [64.0]})
    (row,) = beside(published, measured, on=["task"]).to_dict("records")
    assert (row["published"], row["measured"], row["difference"]) == (70.0, 64.0, -6.0)


def test_an_unknown_paper_is_named():
    with pytest.raises(IsoglossError, match="did you mean 'liang21'"):
        load_expectations("liang20")
