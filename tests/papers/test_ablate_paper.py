"""Muller21: the preset plans to its end, with and without the data that is not free."""

from dataclasses import replace
from pathlib import Path

import pytest

from isogloss.studies import ablate
from isogloss.studies.ablate.plan import plan


def test_the_preset_plans_to_its_end(data: Path, mbert: str) -> None:
    planned = plan(ablate.configure(mbert, "paper"))
    assert len(planned.conditions) == (3 * 3 + 3) * (1 + 16) * 5
    tested = {(test.name, test.language) for condition in planned.conditions for test in condition.cell.tests}
    assert {("ud-ssj", "sl"), ("ud-pud", "cs"), ("conll2003", "en"), ("ud-lines", "en")} <= tested
    assert ("ud-pud", "sl") not in tested


def test_without_conll2003_its_numbers_are_left_out_and_the_rest_is_planned(
    data: Path, mbert: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for entry in data.iterdir():
        if entry.name != "conll2003":
            (tmp_path / entry.name).symlink_to(entry)
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    planned = plan(replace(ablate.configure(mbert, "paper"), seeds=(0,)))
    assert not any(test.name == "conll2003" for condition in planned.conditions for test in condition.cell.tests)
