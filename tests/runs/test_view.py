import io
import os
import time
from dataclasses import dataclass
from heapq import heappop, heappush
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest

from isogloss.runs import Bench, Cell, Engine, Failure, Outcome, Plan, Store, key_of
from isogloss.runs.cells import describe, family_of, kind_of, name_kind
from isogloss.runs.durations import ENOUGH, Durations, read_history
from isogloss.runs.engine import note_end
from isogloss.runs.envelope import Work
from isogloss.runs.view import Expected, RunView
from isogloss.studies.demo import SECONDS
from isogloss.transfer.cells import Named

WORKERS = 2
# kind, number and median seconds of the cells of a demo on two quiet cores, in their order
DEMO = (
    ("tags", 1, 0.25), ("lab-encoder", 2, 115.5), ("meet", 2, 1.3), ("untrained", 3, 0.02), ("inspection", 1, 1.9),
    ("pretraining", 6, 10.6), ("meeting", 3, 0.4), ("fine-tune", 21, 0.9), ("language-moments", 3, 0.8),
    ("locate-curve", 4, 3.2), ("locate-layers", 2, 1.7), ("locate-subsets", 2, 0.7), ("similarity", 1, 0.3),
    ("ablation", 9, 1.1), ("identify-languages", 12, 0.5), ("forget-clusters", 12, 0.3), ("forget-maps", 1, 5.6),
    ("preserving", 9, 1.8), ("fusing", 18, 0.8), ("align-crossing", 6, 1.3), ("align-sentences", 4, 0.65),
    ("align-words", 1, 2.3), ("align-bridges", 2, 0.3), ("align-links", 1, 0.02), ("data-sizes", 1, 0.01),
)  # fmt: skip


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


@dataclass(frozen=True)
class Tagged(Cell[Score]):
    """A fine-tuning for a task, which decides how long it takes."""

    name: ClassVar[str] = "tagged"
    record: ClassVar[type] = Score
    model: Any = Pretrained()
    task: str = "pos"
    seed: int = 0

    def run(self, bench: Bench) -> Score:
        raise AssertionError("durations are replayed; nothing is computed")


BY_TASK = {"pos": 2.4, "ner": 2.4, "parsing": 5.0}  # seconds, as in 72 fine-tunings of the lab's ablation
OPENING = 4.5  # seconds more for the first cell of a worker


class Replay(Engine):
    """Two workers on the test's clock. Cells take recorded seconds; what the view shows is noted every second."""

    def __init__(self, clock: list[float], spread: float = 0.15, opening: float = 0.0) -> None:
        self.clock, self.spread, self.opening, self.started = clock, spread, opening, 0
        self.shown: list[tuple[float, float | None]] = []  # seconds since the start, total that is shown

    def side_by_side(self, cell: Cell[Any]) -> int:
        return WORKERS

    def _run_missing(self, plan: Plan, store: Store, view: RunView, outcome: Outcome) -> None:
        start, chance = self.clock[0], Random(0)
        ends: list[tuple[float, str]] = []
        while True:
            while len(ends) < WORKERS and (key := plan.next()) is not None:
                view.started(key, plan.cells[key].label(), first=self.started < WORKERS)
                took = typical_seconds(plan.cells[key]) * chance.uniform(1 - self.spread, 1 + self.spread)
                took += self.opening if self.started < WORKERS else 0.0
                self.started += 1
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
        spent, left = self.clock[0] - start, view.left()
        self.shown.append((spent, spent + left.seconds if left is not None and left.whole else None))


def typical_seconds(cell: Cell[Any]) -> float:
    if isinstance(cell, Tagged):
        return BY_TASK[cell.task]
    return 60.0 if isinstance(cell, Pretrained) else 3.0


def fine_tunings(bases: int, each: int) -> list[Cell[Any]]:
    return [FineTuned(Pretrained(base), seed) for base in range(bases) for seed in range(each)]


def remember(store: Store, *cells: Cell[Any]) -> None:
    for cell in cells:
        store.put(cell, Score(0.5), Work(typical_seconds(cell)))


def view_of(*keys: str) -> RunView:
    return RunView("toy", {key: Expected("train") for key in keys}, stream=io.StringIO())


def whole(view: RunView) -> float:
    left = view.left()
    assert left is not None and left.whole
    return left.seconds


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


def tagged(seeds: int) -> list[Cell[Any]]:
    return [Tagged(task=task, seed=seed) for task in BY_TASK for seed in range(seeds)]


@pytest.mark.parametrize("known", [False, True])
def test_tasks_of_unlike_length_are_told_apart_from_the_first_tenth_on(known: bool, clock: list[float], tmp_path: Path):
    store, replay = Store(tmp_path), Replay(clock, opening=OPENING)
    remember(store, Pretrained(), *(Tagged(task=task, seed=90) for task in BY_TASK if known))
    replay.run("toy", tagged(24), store)
    truth = replay.shown[-1][0]
    totals = [total for spent, total in replay.shown if spent >= truth / 10]
    assert len(totals) > 60
    assert [total for total in totals if total is None or abs(total - truth) > 0.25 * truth] == []


def test_one_cell_of_every_kind_is_handed_out_before_the_others():
    plan = Plan(tagged(3))
    plan.finish(key_of(Pretrained()))
    handed = [plan.cells[key] for key in iter(plan.next, None)]
    assert [(cell.task, cell.seed) for cell in handed[:4]] == [("pos", 0), ("ner", 0), ("parsing", 0), ("pos", 1)]
    assert [cell.task for cell in handed[3:]] == ["pos"] * 2 + ["ner"] * 2 + ["parsing"] * 2


def test_a_kind_is_the_same_of_a_cell_and_of_its_stored_result(tmp_path: Path):
    by_name = Tagged(model=Named("some/model", "1a"), task="ner")
    for cell in (Tagged(task="parsing"), by_name, FineTuned(), Pretrained()):
        described = describe(cell)
        assert kind_of(cell) == name_kind(described["cell"], described["inputs"])
        assert family_of(kind_of(cell)) == cell.name
    assert kind_of(Tagged(Pretrained(1))) == kind_of(Tagged(Pretrained(2), seed=3)), "models of one kind of cell"
    kinds = [kind_of(cell) for cell in (Tagged(), Tagged(task="ner"), by_name)]
    assert len(set(kinds)) == 3
    store = Store(tmp_path)
    remember(store, Pretrained(), Tagged(), Tagged(task="parsing"))
    durations = Durations(tmp_path, kinds)
    assert durations.typical(kind_of(Tagged())) == BY_TASK["pos"]
    assert durations.typical(kind_of(by_name)) is None
    assert durations.guess(kind_of(by_name)) == pytest.approx((BY_TASK["pos"] + BY_TASK["parsing"]) / 2)


def test_the_first_cell_of_a_process_says_little_of_its_kind():
    durations = Durations()
    durations.note("pos", 7.0, first=True)
    durations.note("ner", 8.0, first=True)
    assert durations.typical("ner") == 8.0, "nothing better is known"
    durations.note("pos", 3.0)
    assert [durations.typical(kind) for kind in ("pos", "ner")] == [3.0, 4.0]
    durations.note("ner", 1.0)
    assert durations.typical("ner") == 1.0


def test_what_a_cell_says_while_it_opens_libraries_is_not_believed(clock: list[float]):
    view = view_of(*"abcdefgh")
    view.started("a", "a")
    clock[0] += 6
    view.moved("a", "train", 10, 100, "")
    assert view.left() is None
    view.moved("a", "train", 60, 100, "")
    assert whole(view) == pytest.approx(4 + 7 * 10)


def test_this_runs_own_durations_count_before_those_of_the_store(tmp_path: Path):
    store = Store(tmp_path)
    remember(store, Pretrained(), FineTuned())
    durations = Durations(tmp_path, {"pretrained", "fine-tuned", "unheard"})
    assert durations.typical("unheard") is None
    durations.note("fine-tuned", 8.0)
    assert [durations.typical(kind) for kind in ("pretrained", "fine-tuned", "unheard")] == [60.0, 8.0, None]
    assert durations.typical("unheard", {"unheard": 5.0, "pretrained": 1.0}) == 5.0


def test_expected_seconds_are_scaled_by_how_fast_this_machine_is() -> None:
    durations = Durations(expected={"long": 100.0, "short": 1.0, "middle": 10.0})
    assert durations.typical("middle") == 10.0
    assert durations.typical("middle", {"short": 4.0}) == pytest.approx(10.0, rel=0.3)  # which tells next to nothing
    assert durations.typical("middle", {"long": 200.0}) == pytest.approx(20.0, rel=0.1)
    durations.note("long", 300.0)
    durations.note("short", 3.0)
    assert durations.typical("middle") == pytest.approx(30.0, rel=0.1)
    assert durations.typical("unheard") is None


def test_cells_of_a_kind_that_nobody_knows_make_the_time_left_a_least_one(clock: list[float]):
    waiting = {"long": Expected("train", 1)} | {str(number): Expected("probe", 1) for number in range(3)}
    view = RunView("toy", waiting, stream=io.StringIO())
    assert view.left() is None and view.headline().endswith("0:00 so far")
    view.started("long", "long")
    clock[0] += 20
    view.moved("long", "train", 10, 100, "")
    assert view.left() == (pytest.approx(180), False)  # and not as if probes were trainings
    assert view.headline().endswith("at least 3:00 left")
    for _ in range(5):
        view.durations.note("other", 2.0)
    assert view.left() == (pytest.approx(180 + 3 * 2), True)
    view.moved("long", "train", 99, 100, "")
    assert view.left() == (pytest.approx(20 / 0.99 * 0.01), False)  # by now most of it would be a guess


@pytest.mark.parametrize("pace", [1.0, 0.5, 3.0])
def test_the_first_demo_on_a_machine_shows_a_true_total(pace: float, clock: list[float]):
    recorded = [(kind, seconds) for kind, count, seconds in DEMO for _ in range(count)]
    keys = [f"{kind} {place}" for place, (kind, _) in enumerate(recorded)]
    expected = {key: Expected(kind, WORKERS) for key, (kind, _) in zip(keys, recorded, strict=True)}
    view = RunView("demo", expected, durations=Durations(expected=SECONDS), stream=io.StringIO())
    chance, start, shown = Random(0), clock[0], []
    open_cells = [
        (key, pace * seconds * chance.uniform(0.8, 1.2)) for key, (_, seconds) in zip(keys, recorded, strict=True)
    ]
    ends: dict[str, tuple[float, float]] = {}  # when a running cell started, and what it takes
    while open_cells or ends:
        while open_cells and len(ends) < WORKERS:
            key, takes = open_cells.pop(0)
            view.started(key, key)
            ends[key] = (clock[0], takes)
        clock[0] = min([clock[0] + 1, *(began + takes for began, takes in ends.values())])
        for key, (began, takes) in list(ends.items()):
            view.moved(key, "", clock[0] - began, takes, "")
            if clock[0] >= began + takes - 1e-9:
                view.ended(key, None)
                del ends[key]
        left = view.left()
        assert left is not None and left.whole
        shown.append((clock[0] - start, clock[0] - start + left.seconds))
    truth = shown[-1][0]
    totals = [total for spent, total in shown if spent >= truth / 10]
    assert len(totals) > 100
    assert [total for total in totals if abs(total - truth) > 0.25 * truth] == []


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
    assert whole(view) == pytest.approx(40)


def test_cells_that_will_not_run_take_no_time_and_lost_ones_take_it_again(clock: list[float]):
    view = view_of("a", "b", "c")
    view.durations.note("train", 10.0)
    view.started("a", "a")
    assert whole(view) == pytest.approx(10 + 2 * 10)
    view.skipped("c")
    assert whole(view) == pytest.approx(10 + 10)
    view.lost("a", "gone")
    assert whole(view) == pytest.approx(2 * 10)


def test_time_left_comes_from_a_running_cells_own_progress(clock: list[float]):
    view = view_of("a")
    view.started("a", "a")
    assert view.left() is None
    clock[0] += 30
    view.moved("a", "train", 25, 100, "")
    assert whole(view) == pytest.approx(90)


def test_a_short_finished_cell_does_not_make_a_long_running_one_look_short(clock: list[float]):
    view = view_of("short", "long")
    view.started("short", "short")
    clock[0] += 2
    view.ended("short", None)
    view.started("long", "long")
    clock[0] += 50
    view.moved("long", "train", 10, 100, "")
    assert whole(view) == pytest.approx(450)


def test_waiting_cells_take_as_long_as_the_mean_and_are_shared_out(clock: list[float]):
    view = view_of("a", "b", "c", "d", "e")
    view.started("a", "a")
    clock[0] += 10
    view.ended("a", None)
    view.started("b", "b")
    view.started("c", "c")
    assert whole(view) == pytest.approx(10 + 10 * 2 / 2)


def test_a_long_running_cell_does_not_make_waiting_ones_look_long(clock: list[float]):
    view = view_of("short", "long", "waiting")
    view.started("short", "short")
    clock[0] += 2
    view.ended("short", None)
    view.started("long", "long")
    clock[0] += 50
    view.moved("long", "train", 50, 100, "")
    assert whole(view) == pytest.approx(50 + 2)


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
