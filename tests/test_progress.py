"""Progress: the time left rests on what this sitting did."""

import pytest

from isogloss import progress
from isogloss.progress import Task, clock, track


def test_what_an_earlier_sitting_did_says_nothing_of_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    task = Task("pretrain", total=1000)
    task.skip(400)
    assert task.line() == "pretrain: 400 in 0:00"
    now[0] += 60
    task.advance(100)
    assert task.line() == "pretrain: 500/1,000, 5:00 left"


def test_only_the_outer_one_of_two_tasks_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, float]] = []
    monkeypatch.setattr(Task, "listener", lambda label, done, total, note: told.append((label, done)))
    with Task("layers", total=2) as layers:
        for _ in range(2):
            for _ in track(range(3), "probes"):
                pass
            layers.advance()
    assert told == [("layers", 2)]  # at its end; nothing sooner, as all took less than a moment
    with Task("after", total=1) as after:
        after.advance()
    assert told[-1] == ("after", 1)


def test_clocks_are_short() -> None:
    assert [clock(seconds) for seconds in (5, 75, 3700)] == ["0:05", "1:15", "1:01:40"]
