"""The tables of a transfer run: languages by condition, home and beyond (Chen22 Table III), and what was searched."""

from collections.abc import Iterator

import pandas as pd

from isogloss.studies.columns import ABROAD, HOME
from isogloss.studies.figure import SPREAD
from isogloss.studies.result import Table
from isogloss.studies.shared.comparison import level, scores_by_seed, spread, spread_of
from isogloss.studies.transfer.view import TransferView


def tables_of(view: TransferView) -> Iterator[Table]:
    """All tables that the run has numbers for; the first one is the main one."""
    yield languages(view)
    yield summary(view)
    if view.searches:
        yield search(view)


def languages(view: TransferView) -> Table:
    """A row per language, a column per condition."""
    shown = view.by_target.rename(columns={"target": "language"})
    several = shown["data"].nunique() > 1
    return Table.from_tidy(
        "languages", f"{view.title}: {view.measure}, %",
        "Higher is better; intervals are over seeds, or over sentences where there is one seed.",
        shown[["language", "data", "condition", *SPREAD]], rows=("language", "data") if several else ("language",),
        columns="condition", best="max", best_in="row",
        baseline_column=view.conditions[0] if len(view.conditions) > 1 else None,
    )  # fmt: skip


def summary(view: TransferView) -> Table:
    """Means over the source, its family, and other languages, and the zero-shot gap."""
    rows = []
    for name in view.conditions:
        home, abroad = view.of(name, HOME), view.of(name, ABROAD)
        related = abroad["target"].map(view.families).isin(view.home_families)
        groups = {"source": home, "its family": abroad[related], "other families": abroad[~related]}
        row: dict[str, object] = {"condition": name}
        for group, part in {**groups, "all others": abroad}.items():
            row |= spread_of(group, level(part)) if len(part) else {}
        rows.append({**row, **gap(home, abroad)})
    frame = pd.DataFrame(rows)
    values = ("source", "its family", "other families", "all others", "gap")
    return Table(
        "summary", "At home, in the family, and beyond",
        "Means over languages and seeds; the gap is the source's score minus the mean of all others.",
        frame, index=("condition",), values=tuple(name for name in values if name in frame.columns), best="max",
    )  # fmt: skip


def gap(home: pd.DataFrame, abroad: pd.DataFrame) -> dict[str, float]:
    """How far other languages are below home, seed by seed."""
    if not len(home) or not len(abroad):
        return {}
    at_home = scores_by_seed(home).mean(axis=1)
    return spread_of("gap", spread(-scores_by_seed(abroad).sub(at_home, axis=0).to_numpy()))


def search(view: TransferView) -> Table:
    """Every try of every search."""
    rows = []
    for one in view.searches:
        for place, (settings, score) in enumerate(zip(one.tried, one.scores, strict=True)):
            row = {"condition": one.condition, **{name: str(value) for name, value in settings.items()}}
            rows.append({**row, "validation": score, "taken": "yes" if place == one.best else ""})
    frame = pd.DataFrame(rows).fillna("")
    index = [str(name) for name in frame if name not in ("validation", "taken")]
    return Table(
        "search", "What the search tried",
        "Scores are those of the source language's validation part; no target language was looked at.",
        frame[[*index, "validation", "taken"]], index=tuple(index), best="max",
    )  # fmt: skip
