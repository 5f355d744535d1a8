"""Chen22: every published number is compared with a number of the run."""

from dataclasses import replace
from pathlib import Path

import pytest

from isogloss.runs import Store
from isogloss.studies import fuse
from isogloss.studies.expectations import load_expectations
from isogloss.studies.fuse.plan import plan
from isogloss.studies.fuse.tables import measured
from isogloss.studies.fuse.view import view_of
from isogloss.studies.shared.published import published
from isogloss.studies.study import Results

from .fakes import patch_fuse
from .standins import write_model


@pytest.mark.slow
def test_every_published_number_meets_a_measured_one(
    data: Path, mbert: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    xlmr = str(write_model(tmp_path / "xlm-roberta-base"))
    config = replace(fuse.configure(mbert, "paper"), models=(mbert, xlmr), seeds=(0,), gates=("literal",), rivals=False)
    planned, store = plan(config), Store(tmp_path / "store")
    assert not patch_fuse(monkeypatch).run("fuse", planned.cells, store).failures
    compared, *rest = published("chen22", "Chen22", measured(view_of(planned, Results(store))))
    assert not rest, rest[0].frame.to_string()
    assert len(compared.frame) == len(load_expectations("chen22"))
