"""What engines cost: a plan of 5,000 small cells is planned, computed, and run again with nothing to do.

python benchmarks/engine.py            5,000 cells on this machine, 500 on a Ray cluster of this machine
python benchmarks/engine.py --quick    200 and 20

A cell draws one number and writes one file. Prints seconds and milliseconds per cell; starting workers is not counted
(a plan of one cell per worker is computed first, and its time subtracted).
"""

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from isogloss.runs import Bench, Cell, Engine, Local, Plan, Store
from isogloss.runs.ray import Ray
from isogloss.runs.threads import cores

FILE = "number.txt"
GROUPS = 10  # cells that each need a tenth of the others


@dataclass(frozen=True)
class Number:
    value: float


@dataclass(frozen=True)
class Draw(Cell[Number]):
    """Draws a number and writes it into a file."""

    name: ClassVar[str] = "engine-draw"
    record: ClassVar[type] = Number
    seed: int = 0

    def run(self, bench: Bench) -> Number:
        drawn = Random(self.seed).random()
        (bench.workspace / FILE).write_text(repr(drawn))
        return Number(drawn)


@dataclass(frozen=True)
class Total(Cell[Number]):
    """Adds up what the files of other cells say."""

    name: ClassVar[str] = "engine-total"
    record: ClassVar[type] = Number
    parts: tuple[Draw, ...] = ()

    def run(self, bench: Bench) -> Number:
        return Number(sum(float((bench.folder(part) / FILE).read_text()) for part in self.parts))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--engines", nargs="*", default=["local", "ray"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ISOGLOSS_HOME"] = folder
        if "local" in options.engines:
            measure("local", Local(cores()), 200 if options.quick else 5000, Path(folder))
        if "ray" in options.engines:
            measure("ray", Ray(workers=cores()), 20 if options.quick else 500, Path(folder))
    print(f"load {os.getloadavg()[0]:.1f} on {cores()} cores")


def measure(name: str, engine: Engine, count: int, folder: Path) -> None:
    warm_up = run(engine, [Draw(-seed - 1) for seed in range(cores())], Store(folder / f"{name}-warm-up"))
    cells = plan_of(count)
    began = time.perf_counter()
    assert len(Plan(plan_of(count)).cells) == count
    planned, store = time.perf_counter() - began, Store(folder / name)
    computed, again = run(engine, cells, store), run(engine, plan_of(count), store)
    each = 1000 * (computed - warm_up) / count
    print(f"{name}: {count} cells planned in {planned:.2f} s; computed in {computed:.1f} s, of which {warm_up:.1f} s")
    print(f"  to start: {each:.1f} ms per cell; run again with nothing to do: {again:.2f} s")


def plan_of(count: int) -> list[Cell[Any]]:
    """``count`` cells in all: ten that add up, and those that they need."""
    each = count // GROUPS - 1
    return [Total(tuple(Draw(group * each + seed) for seed in range(each))) for group in range(GROUPS)]


def run(engine: Engine, cells: Sequence[Cell[Any]], store: Store) -> float:
    began = time.perf_counter()
    outcome = engine.run("engine", cells, store)
    if outcome.failures:
        raise RuntimeError(str(outcome.failures))
    return time.perf_counter() - began


if __name__ == "__main__":
    import engine  # cells are found by the name of their module, which workers can import

    engine.main()
