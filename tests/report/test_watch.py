"""Following a run: its cells while it goes on, its report when it has ended, its failures when it cannot."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
from sample_results import make_small

from isogloss.errors import IsoglossError
from isogloss.report import watch
from isogloss.report.watch import cell_states, is_going_on, progress_html, watch_run
from isogloss.runs import Bench, Cell, Inline, Store
from isogloss.studies.plan import StudyPlan
from isogloss.studies.study import Study


@dataclass(frozen=True)
class Number:
    value: int


@dataclass(frozen=True)
class Square(Cell[Number]):
    """Squares its value, unless told to fail."""

    name: ClassVar[str] = "square"
    record: ClassVar[type] = Number
    value: int = 0
    fails: bool = False
    after: tuple["Square", ...] = ()

    def run(self, bench: Bench) -> Number:
        if self.fails:
            raise IsoglossError("<b>no</b>")
        return Number(self.value**2)

    def label(self) -> str:
        return f"square of {self.value}"


@dataclass(frozen=True)
class Settings:
    """How many squares, and which of them fails."""

    count: int = 3
    fails: int = -1


def plan(settings: Settings) -> StudyPlan[Settings, Square]:
    first = Square(0, settings.fails == 0)
    others = (Square(value, settings.fails == value, (first,)) for value in range(1, settings.count))
    return StudyPlan(settings, (first, *others))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    study = Study("squares", "Why?", Settings, plan, view=None, findings=None, tables=None, figures=None)
    monkeypatch.setattr(watch, "get_study", lambda name: study)
    return Store(tmp_path / "store")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run = tmp_path / "run"
    run.mkdir()
    (run / "study.yaml").write_text("study: squares\ncount: 3\n")
    return run


def test_a_run_goes_on_until_its_result_is_newer_than_its_study_file(folder: Path, tmp_path: Path) -> None:
    assert not is_going_on(tmp_path)
    assert is_going_on(folder)
    make_small().save(folder)
    assert not is_going_on(folder)


def test_the_page_follows_the_cells_and_becomes_the_report(folder: Path, store: Store) -> None:
    seen: list[str] = []

    def say(line: str) -> None:
        """The run goes on while it is watched: one more cell each time something is said, then its result."""
        page = (folder / "index.html").read_text()
        seen.append(line)
        assert f"{len(seen) - 1} of 3 cells are done" in page
        assert 'http-equiv="refresh"' in page
        if len(seen) <= 3:
            Inline().run("squares", plan(Settings()).cells[: len(seen)], store)
        else:
            make_small().save(folder)

    page = watch_run(folder, say, every=0.01, store=store)
    assert [line.partition(": ")[2][:6] for line in seen] == ["0 of 3", "1 of 3", "2 of 3", "3 of 3"]
    assert "Which layers align" in page.read_text()
    assert 'http-equiv="refresh"' not in page.read_text()


def test_a_run_that_cannot_go_on_has_ended(folder: Path, store: Store) -> None:
    (folder / "study.yaml").write_text("study: squares\nfails: 0\n")
    Inline().run("squares", plan(Settings(fails=0)).cells, store)
    assert [state.state for state in cell_states(folder, store)] == ["failed", "blocked", "blocked"]
    with pytest.raises(IsoglossError, match="1 of its cells failed"):
        watch_run(folder, lambda line: None, every=0.01, store=store)
    page = (folder / "index.html").read_text()
    assert "&lt;b&gt;no&lt;/b&gt;" in page


def test_a_failure_of_an_earlier_start_is_being_tried_again(folder: Path, store: Store) -> None:
    Inline().run("squares", plan(Settings(fails=0)).cells, store)
    (folder / "study.yaml").write_text("study: squares\nfails: 0\n")
    later = (folder / "study.yaml").stat().st_mtime + 10
    os.utime(folder / "study.yaml", (later, later))
    assert [state.state for state in cell_states(folder, store)] == ["open", "open", "open"]


def test_watching_a_finished_run_draws_its_report(tmp_path: Path) -> None:
    make_small().save(tmp_path)
    page = watch_run(tmp_path, say=lambda line: None, every=0.01)
    assert "Which layers align" in page.read_text()


def test_watching_nothing_says_so(tmp_path: Path) -> None:
    with pytest.raises(IsoglossError, match="no run is under way here"):
        watch_run(tmp_path, say=lambda line: None)


def test_the_progress_page_escapes_and_counts(store: Store) -> None:
    states = [watch.CellState("train", "done", 2.5), watch.CellState("<i>", "failed", message="<i>")]
    page = progress_html("run", [*states, watch.CellState("later", "open")], refresh=5)
    assert '<meta http-equiv="refresh" content="5">' in page
    assert "1 of 3 cells are done" in page
    assert "1 failed" in page
    assert "<i>" not in page
