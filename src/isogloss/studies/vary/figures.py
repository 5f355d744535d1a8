"""Figures: one per knob, retrieval by its value, a line or bar per setting of the other knobs."""

from collections.abc import Iterator

import pandas as pd

from isogloss.bounds import real_number
from isogloss.studies.figure import SPREAD
from isogloss.studies.result import Figure
from isogloss.studies.vary.view import TRAINED, UNTRAINED, Levels, VaryView


def figures_of(view: VaryView) -> Iterator[Figure]:
    """The first one is the main one."""
    for knob in view.varied:
        yield effect(view, knob)


def effect(view: VaryView, knob: str) -> Figure:
    """Translations found at every value of a knob."""
    numbers = {value: real_number(value) for value in view.grid[knob]}
    line = all(number is not None for number in numbers.values())
    series = [(_name(rest), TRAINED, rest) for rest in view.settings(but=knob)]
    rows = [
        (numbers[value] if line else value, name, *view.level({knob: value, **rest}, encoder).columns())
        for name, encoder, rest in (*series, (UNTRAINED, UNTRAINED, {}))
        for value in view.grid[knob]
    ]
    return Figure(
        f"knob-{knob.replace('_', '-')}", f"Translations found as '{knob}' changes", "curve" if line else "bars",
        pd.DataFrame(rows, columns=[knob, "series", *SPREAD]),
        reading="Share of sentences of the hard pool whose nearest neighbour in the other language is their "
        "translation, both ways; untrained twins are the baseline."
        + ("" if view.seeds > 1 else " One seed has no interval."),
        intervals="Intervals are 95%, over seeds.",
        alt=f"Translations found in percent by value of {knob}, for each setting of the other knobs.",
        x=knob, series="series", baselines=(UNTRAINED,), x_title=knob, y_title="translations found (%)", decimals=1,
    )  # fmt: skip


def _name(rest: Levels) -> str:
    return " ".join(f"{knob}={value}" for knob, value in rest.items()) or "pretrained"
