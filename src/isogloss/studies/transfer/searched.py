"""What a search tried, how good each try was on the source's validation part, and which one was taken."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from isogloss.studies.result import Finding, Table
from isogloss.studies.study import Results
from isogloss.studies.transfer.plan import Condition
from isogloss.transfer import FineTune, Settings, Tuned


@dataclass(frozen=True)
class Search:
    """The tries of one condition: what tells them apart, and their scores, in the order tried."""

    condition: str
    tried: Sequence[Mapping[str, Any]]
    scores: Sequence[float]

    @property
    def best(self) -> int:
        """The try that was taken: the first of the highest score."""
        return max(range(len(self.scores)), key=lambda place: self.scores[place])


def searches(names: Sequence[str], done: Sequence[Condition], results: Results) -> list[Search]:
    """One a condition that was searched; its seeds share it."""
    cells = {name: condition.cell for name, condition in zip(names, done, strict=True)}
    return [
        Search(name, apart(cell.candidates), [100 * results[one].validation for one in cell.candidates])
        for name, cell in cells.items()
        if isinstance(cell, Tuned)
    ]


def apart(candidates: Sequence[FineTune]) -> list[dict[str, Any]]:
    """Of each candidate, the settings (and the method) in which they differ."""
    every = [
        {"method": one.method, **{field.name: getattr(one.settings, field.name) for field in fields(Settings)}}
        for one in candidates
    ]
    differing = [name for name in every[0] if any(one[name] != every[0][name] for one in every)]
    return [{name: one[name] for name in differing} for one in every]


def search_findings(found: Sequence[Search]) -> Iterator[Finding]:
    """What was taken, and how far the others were."""
    for one in found:
        taken = ", ".join(f"{name} {value}" for name, value in one.tried[one.best].items())
        yield Finding(
            f"{one.condition}: of {len(one.scores)} settings tried, {taken} is best on the source's validation part: "
            f"{one.scores[one.best]:.1f}; the worst has {min(one.scores):.1f}.",
            effect=one.scores[one.best],
            n=len(one.scores),
            unit="points",
        )


def search_tables(found: Sequence[Search]) -> Iterator[Table]:
    """Every try, where anything was searched."""
    rows = [
        {
            "condition": one.condition,
            **{name: str(value) for name, value in settings.items()},
            "validation": score,
            "taken": "yes" if place == one.best else "",
        }
        for one in found
        for place, (settings, score) in enumerate(zip(one.tried, one.scores, strict=True))
    ]
    if not rows:
        return
    frame = pd.DataFrame(rows).fillna("")
    index = [str(name) for name in frame if name not in ("validation", "taken")]
    yield Table(
        "search",
        "What the search tried",
        "Scores are those of the source language's validation part; no target language was looked at.",
        frame[[*index, "validation", "taken"]],
        index=tuple(index),
        best="max",
    )
