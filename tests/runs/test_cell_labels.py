"""Two different cells never have the same label in the progress view."""

from dataclasses import dataclass
from typing import ClassVar

from isogloss.runs import Bench, Cell, Plan, key_of
from isogloss.studies.demo import demo_parts


@dataclass(frozen=True)
class Done:
    value: int = 0


@dataclass(frozen=True)
class Job(Cell[Done]):
    name: ClassVar[str] = "job"
    record: ClassVar[type] = Done
    seed: int = 0
    width: int = 8
    inner: Cell[Done] | None = None

    def label(self) -> str:
        return "a job"

    def run(self, bench: Bench) -> Done:
        return Done()


def test_a_label_of_its_own_stays_and_shared_ones_say_what_differs():
    assert list(Plan([Job()]).labels.values()) == ["a job"]
    labels = Plan([Job(seed=1), Job(seed=2), Job(seed=3, width=16)]).labels
    assert labels[key_of(Job(seed=1))] == "a job (seed 1)"
    assert len(set(labels.values())) == 3


def test_cells_that_differ_only_in_what_they_read_are_told_apart():
    plan = Plan([Job(inner=Job(seed=1)), Job(inner=Job(seed=2))])
    assert len(set(plan.labels.values())) == len(plan.cells) == 4


def test_no_two_cells_of_the_demo_share_a_label():
    cells = [cell for part in demo_parts("tiny", seed=0) for cell in part.study.plan(part.config).cells]
    labels = Plan(cells).labels
    assert len(set(labels.values())) == len(labels)
