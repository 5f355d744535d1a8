"""Studies that are not yet in the common shape: they plan plain cells and summarise by themselves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from isogloss.runs import Cell
from isogloss.studies.plan import StudyPlan
from isogloss.studies.result import Result
from isogloss.studies.study import Results, Study


@dataclass(frozen=True)
class OldStudy(Study[Any, Any]):
    """As ``Study``, with ``answer`` (settings and results to a result) in place of view, findings, tables, figures."""

    answer: Callable[[Any, Results], Result] | None = None

    def summarise(self, plan: StudyPlan[Any, Any], results: Results) -> Result:
        assert self.answer is not None
        return self.answer(plan.config, results)


def old_study(
    *, name: str, question: str, config: type, plan: Callable[[Any], Sequence[Cell[Any]]],
    summarise: Callable[[Any, Results], Result], configure: Any = None, demo: Any = None, encoder: Any = None,
) -> OldStudy:  # fmt: skip
    def labelled(settings: Any) -> StudyPlan[Any, Any]:
        return StudyPlan(settings, tuple(plan(settings)))

    none: Any = None
    return OldStudy(name, question, config, labelled, none, none, none, none, configure, demo, encoder, summarise)
