"""Cells computed again beside the store: what comes out again, what does not, and that the store stays as it was."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import save_file
from toy_cells import Draw, Number, Total

from isogloss.errors import IsoglossError
from isogloss.runs import Bench, Cell, Inline, Store
from isogloss.runs.verify import choose_cells, compare_files, compare_values, compute_again, relative_gap


@dataclass(frozen=True)
class Drifting(Cell[Number]):
    """A cell whose result depends on something that is not among its inputs."""

    name: ClassVar[str] = "drifting"
    record: ClassVar[type] = Number
    outside: ClassVar[float] = 1.0

    def run(self, bench: Bench) -> Number:
        pd.DataFrame({"value": [1.0, self.outside], "seconds": [0.0, self.outside]}).to_parquet(
            bench.workspace / "table.parquet"
        )
        return Number(1.0, 3)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_cells_that_depend_on_their_inputs_come_out_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    total = Total((Draw(1), Draw(2)))
    Inline().run("toy", [total], store)
    before = contents(store.root)
    for cell in (Draw(1), total):
        found = compute_again(cell, store, tmp_path / "scratch")
        assert found.same(0.0) and found.numbers >= 2 and "to the last bit" in found.describe(1e-4)
    assert contents(store.root) == before, "the store is only read"


def test_a_cell_that_depends_on_anything_else_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "store")
    Inline().run("toy", [Drifting()], store)
    monkeypatch.setattr(Drifting, "outside", 1.001)
    found = compute_again(Drifting(), store, tmp_path / "scratch")
    assert not found.same(1e-4) and found.same(1e-2)
    assert found.where == "table.parquet.value[1]" and found.largest == pytest.approx(0.001, rel=0.01)
    assert "DIFFERENT" in found.describe(1e-4)


def test_a_cell_that_fails_now_is_said_to_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "store")
    Inline().run("toy", [Drifting()], store)

    def fail(self: Drifting, bench: Bench) -> Number:
        raise IsoglossError("the data is gone")

    monkeypatch.setattr(Drifting, "run", fail)
    found = compute_again(Drifting(), store, tmp_path / "scratch")
    assert not found.same(math.inf) and "the data is gone" in found.describe(1e-4)
    with pytest.raises(IsoglossError, match="not in the store"):
        compute_again(Draw(9), store, tmp_path / "scratch")


def test_values_are_compared_leaf_by_leaf() -> None:
    old = {"a": [1.0, 2.0], "b": {"c": "x", "seconds": 3.0}, "d": math.nan, "e": True}
    assert max(gap for _, gap in compare_values(old, old, "r")) == 0
    assert dict(compare_values(old, {**old, "b": {"c": "x", "seconds": 9.0}}, "r"))["r.b.c"] == 0
    assert dict(compare_values(old, {**old, "a": [1.0, 2.2]}, "r"))["r.a[1]"] == pytest.approx(0.2 / 2.2)
    assert max(gap for _, gap in compare_values(old, {**old, "a": [1.0]}, "r")) == math.inf
    assert max(gap for _, gap in compare_values(old, {**old, "e": False}, "r")) == math.inf
    assert relative_gap(np.array([1e-9, np.nan]), np.array([0.0, np.nan])) == 0
    assert relative_gap(np.array([1.0]), np.array([np.nan])) == math.inf


def test_files_of_weights_are_compared_as_arrays_and_logs_not_at_all(tmp_path: Path) -> None:
    weights = np.arange(6, dtype=np.float32)
    for name, shift in (("a", 0.0), ("b", 1e-6)):
        save_file({"w": weights + np.float32(shift)}, tmp_path / f"{name}.safetensors")
        (tmp_path / f"{name}.log").write_text(name)
    found = compare_files(tmp_path / "a.safetensors", tmp_path / "b.safetensors", "m")
    assert found is not None and 0 < found[0][1] < 1e-5
    assert compare_files(tmp_path / "a.log", tmp_path / "b.log", "l") is None
    assert compare_files(tmp_path / "a.log", tmp_path / "none.log", "l") == [("l", math.inf)]


def test_a_sample_is_drawn_by_the_seed_and_keeps_the_order() -> None:
    cells = [Draw(seed) for seed in range(20)]
    drawn = choose_cells(cells, 5, seed=1)
    assert drawn == choose_cells(cells, 5, seed=1) != choose_cells(cells, 5, seed=2)
    assert [cell.seed for cell in drawn] == sorted(cell.seed for cell in drawn) and len(drawn) == 5
    assert choose_cells(cells, None) == cells and choose_cells(cells, 99) == cells
