"""Muller21: the preset plans to its end, and every published number is compared or has a reason."""

from dataclasses import replace
from pathlib import Path

import pytest

from isogloss.runs import Inline, Store
from isogloss.studies import ablate
from isogloss.studies.ablate.plan import plan
from isogloss.studies.expectations import load_expectations

from .fakes import patch_ablate


def test_every_published_number_meets_a_measured_one_or_says_why_not(
    data: Path, mbert: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(ablate.configure(mbert, "paper"), seeds=(0,), similarity=("linear",))
    planned = plan(config)
    assert len(planned.conditions) == (3 * 3 + 3) * (1 + 16)
    result = ablate.run(config, engine=patch_ablate(monkeypatch), store=Store(tmp_path))
    compared, rest = result.tables["published"].frame, result.tables["not-compared"].frame
    expected = load_expectations("muller21")
    assert len(compared) + len(rest) == len(expected)
    permanent = rest["language"].eq("en user-generated") | rest["measure"].isin(["trials", "minutes"])
    assert permanent.all(), rest[~permanent].to_string()
    by_item = compared.groupby("item").size()
    assert by_item["Table 5"] == 312 and by_item["Table 2"] == 105 - 2 * 7
    assert set(compared["item"]) == set(expected["item"])
