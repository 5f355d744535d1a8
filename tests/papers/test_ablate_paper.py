"""Muller21: the preset plans to its end, and every published number is compared or has a reason."""

from dataclasses import replace
from pathlib import Path

import pytest

from isogloss.runs import Store
from isogloss.studies import ablate
from isogloss.studies.ablate.plan import plan
from isogloss.studies.expectations import load_expectations

from .fakes import patch_ablate


def test_the_preset_plans_to_its_end(data: Path, mbert: str) -> None:
    planned = plan(ablate.configure(mbert, "paper"))
    assert len(planned.conditions) == (3 * 3 + 3) * (1 + 16) * 5
    tested = {(test.name, test.language) for condition in planned.conditions for test in condition.cell.tests}
    assert {("ud-ssj", "sl"), ("ud-pud", "cs"), ("conll2003", "en"), ("ud-lines", "en")} <= tested
    assert ("ud-pud", "sl") not in tested


@pytest.mark.slow
def test_every_published_number_meets_a_measured_one_or_says_why_not(
    data: Path, mbert: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(ablate.configure(mbert, "paper"), seeds=(0,), similarity=("linear",))
    result = ablate.run(config, engine=patch_ablate(monkeypatch), store=Store(tmp_path))
    compared, rest = result.tables["published"].frame, result.tables["not-compared"].frame
    expected = load_expectations("muller21")
    assert len(compared) + len(rest) == len(expected)
    permanent = rest["language"].eq("en user-generated") | rest["measure"].isin(["trials", "minutes"])
    assert permanent.all(), rest[~permanent].to_string()
    by_item = compared.groupby("item").size()
    assert by_item["Table 5"] == 312 and by_item["Table 2"] == 105 - 2 * 7
    assert set(compared["item"]) == set(expected["item"])
    rows = result.tables["domains"].frame["tested on"].tolist()
    assert "en web (ud-ewt)" in rows and "en literature (ud-lines)" in rows and "en news (conll2003)" in rows
    assert result.tables["settings"].frame["batch"].tolist()[:1] == [32]


def test_without_conll2003_its_numbers_are_left_out_and_the_rest_is_planned(
    data: Path, mbert: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for entry in data.iterdir():
        if entry.name != "conll2003":
            (tmp_path / entry.name).symlink_to(entry)
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    planned = plan(replace(ablate.configure(mbert, "paper"), seeds=(0,)))
    assert not any(test.name == "conll2003" for condition in planned.conditions for test in condition.cell.tests)
