"""Cells beside fine-tuning and identification: clusters of each condition, and maps of all conditions together."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd
from safetensors.numpy import load_file, save_file

from isogloss.files import whole_file
from isogloss.geometry import Moments, language_share
from isogloss.probes.clusters import cluster_agreement
from isogloss.probes.maps import language_moves, maps2d
from isogloss.runs import Bench, Cell
from isogloss.transfer import Data, FineTune, Tuned
from isogloss.transfer.cells import MODEL

if TYPE_CHECKING:
    from isogloss.transfer.unit_samples import Points

TASK, TEXT = "task data", "text"
STATES, UNITS, MAPS, MOVES = "states.safetensors", "units-{}.parquet", "maps.parquet", "moves.parquet"


@dataclass(frozen=True)
class Agreed:
    """Clusters of the points of ``data`` against their labels or languages; ``share`` of variance between these.

    One clustering has no interval.
    """

    data: str
    by: str
    v_measure: float
    low: float | None
    high: float | None
    ari: float
    share: float
    clusters: int
    n: int


@dataclass(frozen=True)
class Clustered:
    """All agreements of one fine-tuned model; its points and their states are files of the cell."""

    rows: tuple[Agreed, ...]


@dataclass(frozen=True)
class Clusters(Cell[Clustered]):
    """k-means on states of points of the task's test data and of plain text (Tanti21 Table 3)."""

    name: ClassVar[str] = "forget-clusters"
    record: ClassVar[type] = Clustered
    fitted: FineTune | Tuned = field(default_factory=FineTune)
    tests: tuple[Data, ...] = ()
    texts: tuple[Data, ...] = ()
    points: int = 10
    text_points: int = 100
    runs: int = 10

    def label(self) -> str:
        return f"clusters after {self.fitted.label()}"

    def run(self, bench: Bench) -> Clustered:
        from isogloss.transfer import load_fitted
        from isogloss.transfer.unit_samples import sample_records, sample_texts

        fitted = load_fitted(bench.folder(self.fitted) / MODEL)
        lines = {data.language: [sentence.text for sentence in data.read()] for data in self.texts}
        found = {
            TASK: sample_records(fitted, self.tests, self.points),
            TEXT: sample_texts(fitted, lines, self.text_points),
        }
        write_points(found, bench.workspace)
        return Clustered(tuple(agreement(found, self.runs)))


def agreement(found: "dict[str, Points]", runs: int) -> Iterator[Agreed]:
    """By label where points have labels, and by language."""
    for data, points in found.items():
        for by in ("label", "language") if data == TASK else ("language",):
            names = points.table[by].to_numpy(dtype=str)
            agreed = cluster_agreement(points.states, names, runs=runs)
            moments = Moments()
            moments.update(points.states, names)
            v, share = agreed.v_measure, language_share(moments)
            yield Agreed(data, by, v.value, v.low, v.high, agreed.ari.value, share, agreed.clusters, agreed.rows)


def write_points(found: "dict[str, Points]", folder: Path) -> None:
    for data, points in found.items():
        with whole_file(folder / UNITS.format(data.replace(" ", "-"))) as part:
            points.table.to_parquet(part, index=False)
    with whole_file(folder / STATES) as part:
        save_file({data: np.ascontiguousarray(points.states) for data, points in found.items()}, part)


def read_points(folder: Path) -> "dict[str, Points]":
    from isogloss.transfer.unit_samples import Points

    states = load_file(folder / STATES)
    return {
        data: Points(pd.read_parquet(folder / UNITS.format(data.replace(" ", "-"))), states[data])
        for data in (TASK, TEXT)
    }


@dataclass(frozen=True)
class Mapped:
    """How many points were mapped; maps and moves are tables in the cell's folder."""

    points: dict[str, int]


@dataclass(frozen=True)
class Maps(Cell[Mapped]):
    """t-SNE of the same points in every condition, all begun alike, and where the middle of each language moves."""

    name: ClassVar[str] = "forget-maps"
    record: ClassVar[type] = Mapped
    names: tuple[str, ...] = ()
    spaces: tuple[Clusters, ...] = ()

    def label(self) -> str:
        return f"maps of {self.spaces[0].fitted.label()} and {len(self.spaces) - 1} more"

    def run(self, bench: Bench) -> Mapped:
        found = [read_points(bench.folder(space)) for space in self.spaces]
        maps, moves = [], []
        for data in (TASK, TEXT):
            table = found[0][data].table
            if any(not points[data].table.equals(table) for points in found):
                raise ValueError("the conditions of a map read different tokens")
            spaces = dict(zip(self.names, (points[data].states for points in found), strict=True))
            for name, places in maps2d(spaces).items():
                maps.append(table.assign(condition=name, data=data, x=places[:, 0], y=places[:, 1]))
            moves.append(language_moves(spaces, table["language"].to_numpy(dtype=str)).assign(data=data))
        for file, tables in ((MAPS, maps), (MOVES, moves)):
            with whole_file(bench.workspace / file) as part:
                pd.concat(tables, ignore_index=True).to_parquet(part, index=False)
        return Mapped({data: len(points.table) for data, points in found[0].items()})
