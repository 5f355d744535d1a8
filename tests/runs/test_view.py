import io
import time

import pytest

from isogloss.runs.store import Failure
from isogloss.runs.view import View


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_time_left_comes_from_a_running_cells_own_progress(clock: list[float]):
    view = View("toy", total=1, found=0, stream=io.StringIO())
    view.started("a", "a")
    assert view.seconds_left() is None
    clock[0] += 30
    view.moved("a", "train", 25, 100, "")
    assert view.seconds_left() == pytest.approx(90)


def test_a_short_finished_cell_does_not_make_a_long_running_one_look_short(clock: list[float]):
    view = View("toy", total=2, found=0, stream=io.StringIO())
    view.started("short", "short")
    clock[0] += 2
    view.ended("short", None)
    view.started("long", "long")
    clock[0] += 50
    view.moved("long", "train", 10, 100, "")
    assert view.seconds_left() == pytest.approx(450)


def test_waiting_cells_take_as_long_as_the_mean_and_are_shared_out(clock: list[float]):
    view = View("toy", total=5, found=0, stream=io.StringIO())
    view.started("a", "a")
    clock[0] += 10
    view.ended("a", None)
    view.started("b", "b")
    view.started("c", "c")
    assert view.seconds_left() == pytest.approx(10 + 10 * 2 / 2)


def test_a_long_running_cell_does_not_make_waiting_ones_look_long(clock: list[float]):
    view = View("toy", total=3, found=0, stream=io.StringIO())
    view.started("short", "short")
    clock[0] += 2
    view.ended("short", None)
    view.started("long", "long")
    clock[0] += 50
    view.moved("long", "train", 50, 100, "")
    assert view.seconds_left() == pytest.approx(50 + 2)


def test_the_log_says_what_ended_and_what_failed():
    stream = io.StringIO()
    view = View("toy", total=3, found=1, stream=stream)
    view.started("a", "train a")
    view.ended("a", None)
    view.started("b", "train b")
    view.ended("b", Failure("train b", "no text\nmore"))
    first, second = stream.getvalue().splitlines()
    assert "2/3 cells" in first and "train a: done" in first
    assert "1 failed" in second and "train b: failed: no text" in second
