"""Progress: the time left rests on what this sitting did."""

import pytest

from isogloss import progress
from isogloss.progress import Task, clock


def test_what_an_earlier_sitting_did_says_nothing_of_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    task = Task("pretrain", total=1000)
    task.skip(400)
    assert task.line() == "pretrain: 400 in 0:00"
    now[0] += 60
    task.advance(100)
    assert task.line() == "pretrain: 500/1,000, 5:00 left"


def test_clocks_are_short() -> None:
    assert [clock(seconds) for seconds in (5, 75, 3700)] == ["0:05", "1:15", "1:01:40"]
