import io
import os
import time
from dataclasses import dataclass
from heapq import heappop, heappush
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest

from isogloss.runs import Bench, Cell, Engine, Failure, Outcome, Plan, Store
from isogloss.runs.durations import ENOUGH, Durations, read_history
from isogloss.runs.engine import note_end
from isogloss.runs.envelope import Work
from isogloss.runs.view import Expected, RunView

WORKERS = 2


@dataclass(frozen=True)
class Score:
    value: float


@dataclass(frozen=True)
class Pretrained(Cell[Score]):
    name: ClassVar[str] = "pretrained"
    record: ClassVar[type] = Score
    seed: int = 0

    def run(self, bench: Bench) -> Score:
        raise AssertionError("durations are replayed; nothing is computed")


@dataclass(frozen=True)
class FineTuned(Cell[Score]):
    name: ClassVar[str] = "fine-tuned"
    record: ClassVar[type] = Score
    base: Pretrained = Pretrained()
    seed: int = 0

    def run(self, bench: Bench) -> Score:
        raise AssertionError("durations are replayed; nothing is computed")


class Replay(Engine):
    """Two workers on the test's clock. Cells take recorded seconds; what the view shows is noted every second."""

    def __init__(self, clock: list[float], spread: float = 0.15) -> None:
        self.clock, self.spread = clock, spread
        self.shown: list[tuple[float, float | None]] = []  # seconds since the start, total that is shown

    def side_by_side(self, cell: Cell[Any]) -> int:
        return WORKERS

    def _run_missing(self, plan: Plan, store: Store, view: RunView, outcome: Outcome) -> None:
        start, chance = self.clock[0], Random(0)
        ends: list[tuple[float, str]] = []
        while True:
            while len(ends) < WORKERS and (key := plan.next()) is not None:
                view.started(key, plan.cells[key].label())
                took = typical_seconds(plan.cells[key]) * chance.uniform(1 - self.spread, 1 + self.spread)
                heappush(ends, (self.clock[0] + took, key))
            if not ends:
                return
            while self.clock[0] + 1 < ends[0][0]:
                self.clock[0] += 1
                self._look(view, start)
            self.clock[0], key = heappop(ends)
            note_end(key, None, plan, view, outcome)
            self._look(view, start)

    def _look(self, view: RunView, start: float) -> None:
        spent, left = self.clock[0] - start, view.seconds_left()
        self.shown.append((spent, None if left is None else spent + left))


def typical_seconds(cell: Cell[Any]) -> float:
    return 60.0 if isinstance(cell, Pretrained) else 3.0


def fine_tunings(bases: int, each: int) -> list[Cell[Any]]:
    return [FineTuned(Pretrained(base), seed) for base in range(bases) for seed in range(each)]


def remember(store: Store, *cells: Cell[Any]) -> None:
    for cell in cells:
        store.put(cell, Score(0.5), Work(typical_seconds(cell)))


def view_of(*keys: str) -> RunView:
    return RunView("toy", {key: Expected("train") for key in keys}, stream=io.StringIO())


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize("bases", [1, 2, 3])
def test_the_total_shown_is_true_where_the_store_knows_the_kinds(bases: int, clock: list[float], tmp_path: Path):
    store, replay = Store(tmp_path), Replay(clock)
    remember(store, *(Pretrained(seed) for seed in (90, 91)), *(FineTuned(Pretrained(90), seed) for seed in range(5)))
    replay.run("toy", fine_tunings(bases, 60 // bases), store)
    truth = replay.shown[-1][0]
    totals = [total for spent, total in replay.shown if spent >= truth / 10]
    assert len(totals) > 60
    assert [total for total in totals if total is None or abs(total - truth) > 0.25 * truth] == []


def test_without_history_the_total_is_right_once_each_kind_was_seen(clock: list[float], tmp_path: Path):
    replay = Replay(clock)
    replay.run("toy", fine_tunings(2, 30), Store(tmp_path))
    truth = replay.shown[-1][0]
    assert replay.shown[0][1] is None
    assert all(total == pytest.approx(truth, rel=0.25) for spent, total in replay.shown if spent > 75)


def test_this_runs_own_durations_count_before_those_of_the_store(tmp_path: Path):
    store = Store(tmp_path)
    remember(store, Pretrained(), FineTuned())
    durations = Durations(tmp_path, {"pretrained", "fine-tuned", "unheard"})
    assert durations.typical("unheard") is None
    durations.note("fine-tuned", 8.0)
    assert [durations.typical(kind) for kind in ("pretrained", "fine-tuned", "unheard")] == [60.0, 8.0, 8.0]


def test_history_is_the_median_of_the_newest_results_and_damaged_ones_are_left_out(tmp_path: Path):
    store = Store(tmp_path)
    for seed in range(2 * ENOUGH):
        store.put(Pretrained(seed), Score(0.5), Work(100.0 + seed))
        os.utime(store.result_path(Pretrained(seed)), (seed, seed))
    newest = Pretrained(99)
    store.put(newest, Score(0.5), Work(9999.0))
    store.result_path(newest).write_text("{")
    store.put_failure(FineTuned(), Failure("fine-tuned", "no text"))
    assert read_history(tmp_path, {"pretrained", "fine-tuned"}) == {"pretrained": 100.0 + ENOUGH + ENOUGH // 2}


def test_a_waiting_cell_is_not_divided_among_workers(clock: list[float]):
    durations = Durations()
    durations.note("train", 40.0)
    view = RunView("toy", {"a": Expected("train", 8)}, durations=durations, stream=io.StringIO())
    assert view.seconds_left() == pytest.approx(40)


def test_cells_that_will_not_run_take_no_time_and_lost_ones_take_it_again(clock: list[float]):
    view = view_of("a", "b", "c")
    view.durations.note("train", 10.0)
    view.started("a", "a")
    assert view.seconds_left() == pytest.approx(10 + 2 * 10)
    view.skipped("c")
    assert view.seconds_left() == pytest.approx(10 + 10)
    view.lost("a", "gone")
    assert view.seconds_left() == pytest.approx(2 * 10)


def test_time_left_comes_from_a_running_cells_own_progress(clock: list[float]):
    view = view_of("a")
    view.started("a", "a")
    assert view.seconds_left() is None
    clock[0] += 30
    view.moved("a", "train", 25, 100, "")
    assert view.seconds_left() == pytest.approx(90)


def test_a_short_finished_cell_does_not_make_a_long_running_one_look_short(clock: list[float]):
    view = view_of("short", "long")
    view.started("short", "short")
    clock[0] += 2
    view.ended("short", None)
    view.started("long", "long")
    clock[0] += 50
    view.moved("long", "train", 10, 100, "")
    assert view.seconds_left() == pytest.approx(450)


def test_waiting_cells_take_as_long_as_the_mean_and_are_shared_out(clock: list[float]):
    view = view_of("a", "b", "c", "d", "e")
    view.started("a", "a")
    clock[0] += 10
    view.ended("a", None)
    view.started("b", "b")
    view.started("c", "c")
    assert view.seconds_left() == pytest.approx(10 + 10 * 2 / 2)


def test_a_long_running_cell_does_not_make_waiting_ones_look_long(clock: list[float]):
    view = view_of("short", "long", "waiting")
    view.started("short", "short")
    clock[0] += 2
    view.ended("short", None)
    view.started("long", "long")
    clock[0] += 50
    view.moved("long", "train", 50, 100, "")
    assert view.seconds_left() == pytest.approx(50 + 2)


def test_the_log_says_what_ended_and_what_failed():
    stream = io.StringIO()
    view = RunView("toy", {"a": Expected("train"), "b": Expected("train")}, found=1, stream=stream)
    view.started("a", "train a")
    view.ended("a", None)
    view.started("b", "train b")
    view.ended("b", Failure("train b", "no text\nmore"))
    first, second = stream.getvalue().splitlines()
    assert "2/3 cells" in first and "train a: done" in first
    assert "1 failed" in second and "train b: failed: no text" in second
