"""Cells for the tests of runs. Run as a script, it computes a plan of them: ``toy_cells.py STORE COUNT``."""

import errno
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import ClassVar

from isogloss.errors import IsoglossError
from isogloss.progress import Task
from isogloss.runs import Bench, Cell, Local, Store


@dataclass(frozen=True)
class Number:
    value: float
    steps: int


@dataclass(frozen=True)
class Draw(Cell[Number]):
    """Draws numbers in steps, with a checkpoint in the workspace after each, and goes on from there."""

    name: ClassVar[str] = "draw"
    record: ClassVar[type] = Number
    seed: int = 0
    steps: int = 4
    pause: float = 0.0

    def run(self, bench: Bench) -> Number:
        progress = bench.workspace / "steps.txt"
        done = [float(line) for line in progress.read_text().splitlines()] if progress.exists() else []
        for step in range(len(done), self.steps):
            time.sleep(self.pause)
            done.append(Random(self.seed * 1000 + step).random())
            part = progress.with_suffix(".part")
            part.write_text("\n".join(map(repr, done)))
            part.replace(progress)
        return Number(sum(done), len(done))


@dataclass(frozen=True)
class Total(Cell[Number]):
    """Adds up the cells it is given, from their records and from the files they left."""

    name: ClassVar[str] = "total"
    record: ClassVar[type] = Number
    parts: tuple[Draw, ...] = ()

    def run(self, bench: Bench) -> Number:
        from_files = [float(line) for part in self.parts for line in (bench.folder(part) / "steps.txt").open()]
        from_records = sum(bench.result(part).value for part in self.parts)
        assert abs(from_records - sum(from_files)) < 1e-9
        return Number(from_records, len(from_files))


@dataclass(frozen=True)
class Fail(Cell[Number]):
    """Fails in the way it is told."""

    name: ClassVar[str] = "fail"
    record: ClassVar[type] = Number
    how: str = "bug"
    before: tuple[Draw, ...] = ()

    def run(self, bench: Bench) -> Number:
        if self.how == "mistake":
            raise IsoglossError("the treebank is empty", where="a.conllu:3", remedy="fill it")
        if self.how == "full disk":
            raise OSError(errno.ENOSPC, "No space left on device", "states.safetensors")
        if self.how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "type":
            return "not a Number"  # type: ignore[return-value]
        raise ZeroDivisionError("a bug")


@dataclass(frozen=True)
class Threads(Cell[Number]):
    """Says with how many threads torch would compute here."""

    name: ClassVar[str] = "threads"
    record: ClassVar[type] = Number
    threads: int = 1
    run_again: int = 0

    def run(self, bench: Bench) -> Number:
        import torch

        return Number(float(torch.get_num_threads()), self.threads)


@dataclass(frozen=True)
class Count(Cell[Number]):
    """Leaves a mark in a folder each time it is computed, and says how far it is."""

    name: ClassVar[str] = "count"
    record: ClassVar[type] = Number
    folder: str = ""
    number: int = 0
    seconds: float = 0.3

    def run(self, bench: Bench) -> Number:
        with (Path(self.folder) / f"count-{self.number:03d}").open("a") as marks:
            marks.write("x")
        with Task("counting", total=10) as task:
            for _ in range(10):
                time.sleep(self.seconds / 10)
                task.advance()
        return Number(float(self.number), 1)


@dataclass(frozen=True)
class AskThreads(Cell[Number]):
    """Says with how many threads torch would compute here, and asks for none."""

    name: ClassVar[str] = "ask-threads"
    record: ClassVar[type] = Number
    seed: int = 0

    def run(self, bench: Bench) -> Number:
        import torch

        return Number(float(torch.get_num_threads()), 0)


@dataclass(frozen=True)
class After(Cell[Number]):
    """Needs a cell that may fail."""

    name: ClassVar[str] = "after"
    record: ClassVar[type] = Number
    need: Cell[Number] = Draw()

    def run(self, bench: Bench) -> Number:
        return bench.result(self.need)


def plan(count: int, pause: float) -> list[Cell[Number]]:
    draws = tuple(Draw(seed=seed, pause=pause) for seed in range(count))
    return [Total(draws[: count // 2]), Total(draws)]


if __name__ == "__main__":
    sys.exit(Local(2).run("toy", plan(int(sys.argv[2]), pause=0.01), Store(Path(sys.argv[1]))).exit_code)
