"""Colours: safe for colour-blind readers, in a light and a dark form, the same name always in the same colour."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

import pandas as pd

from isogloss.studies.result import Figure, Result

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif"

# Light and dark forms, at least 3:1 against their own background.
SERIES = (
    ("#0b6aa8", "#5ab0ea"),
    ("#d1570b", "#ff9550"),
    ("#0a8267", "#45c9a5"),
    ("#b3407c", "#ef8fc0"),
    ("#9a7400", "#e0b83d"),
    ("#5a4fb0", "#a99bf0"),
    ("#2f9ab8", "#8adcf0"),
    ("#7d4a26", "#cf9f78"),
)
GREY = ("#6b7280", "#9aa3af")
FAINT = ("#c9ced6", "#4a515c")
INK = ("#1c1f24", "#e8eaed")
PAPER = ("#ffffff", "#15181d")
RULE = ("#e3e6ea", "#2c323b")
SEQUENTIAL = (
    ("#f3f7fb", "#1a222c"),
    ("#cfe2f0", "#1d3a55"),
    ("#96c3df", "#235c88"),
    ("#4e98c6", "#3c8abf"),
    ("#1966a5", "#82bce4"),
    ("#0a3566", "#e2f0fb"),
)
DIVERGING = (
    ("#9a4a05", "#ff9d57"),
    ("#eaa869", "#b8641f"),
    ("#f9dcbb", "#5a3a20"),
    ("#f6f6f4", "#23282f"),
    ("#cbe1ef", "#1f4059"),
    ("#86bbde", "#2f7db3"),
    ("#13558f", "#7cc0f0"),
)
DASHES = ("solid", "dot", "dash", "dashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")
BASELINES = (GREY, ("#3b4a3f", "#b9cbbd"), ("#8a6a55", "#c9a993"))  # quiet, and apart in lightness and hue
BASELINE_DASHES, BASELINE_SYMBOLS = ("dash", "dot", "dashdot"), ("circle-open", "x-thin-open", "diamond-open")


@dataclass(frozen=True)
class Style:
    """How one series is drawn: beyond the palette's length the dash and the symbol tell series apart."""

    colour: str
    dash: str = "solid"
    symbol: str = "circle"


@dataclass
class Colours:
    """Hands out styles: a name keeps its style on every figure, and no two names of one figure share one.

    ``beside`` are the names that stand beside each name somewhere; a name takes the first place of the palette that
    none of these has.
    """

    places: dict[str, int] = field(default_factory=dict)
    beside: dict[str, set[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, results: Iterable[Result]) -> "Colours":
        """Styles for all series, labels and families of ``results``, in order of appearance."""
        colours = cls()
        for result in results:
            for figure in result.figures.values():
                colours.learn(figure)
        return colours

    def learn(self, figure: Figure) -> None:
        """Remember which names stand together on ``figure``, column by column."""
        columns = [figure.column("series"), figure.column("group"), *figure.colours]
        for column in filter(None, columns):
            found = figure.frame[column]
            names = ["–" if pd.isna(name) else str(name) for name in found.unique()]
            self.stand_together([name for name in names if name not in figure.baselines])

    def stand_together(self, names: Sequence[str]) -> None:
        """These names share a figure."""
        for name in names:
            self.beside.setdefault(name, set()).update(other for other in names if other != name)

    def style(self, name: str) -> Style:
        """The style of ``name``; what has no name is drawn in the palette's first colour."""
        if not name:
            return Style(SERIES[0][0])
        for known in (*self.beside, name):  # in order of appearance, whichever is asked for first
            if known not in self.places:
                taken = {self.places.get(other) for other in self.beside.get(known, ())}
                self.places[known] = next(place for place in count() if place not in taken)
        turn, place = divmod(self.places[name], len(SERIES))
        return Style(SERIES[place][0], DASHES[turn % len(DASHES)], SYMBOLS[turn % len(SYMBOLS)])


def baseline_style(place: int) -> Style:
    """Baselines are dashed and quiet, each with a colour, a dash and a mark of its own."""
    turn = place % len(BASELINES)
    return Style(BASELINES[turn][0], BASELINE_DASHES[turn], BASELINE_SYMBOLS[turn])


def band(colour: str) -> str:
    """The see-through form of a colour, for intervals."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.16)"


def scale(diverging: bool) -> list[tuple[float, str]]:
    """A colour scale in Plotly's form, light colours."""
    steps = DIVERGING if diverging else SEQUENTIAL
    return [(place / (len(steps) - 1), light) for place, (light, _) in enumerate(steps)]


def light_to_dark() -> Mapping[str, str]:
    """What each light colour becomes on a dark page."""
    pairs = [*SERIES, *BASELINES, FAINT, INK, PAPER, RULE, *SEQUENTIAL, *DIVERGING]
    return {**dict(pairs), **{band(light): band(dark) for light, dark in pairs}}


def template(dark: bool) -> dict[str, object]:
    """Plotly's defaults for a page: quiet axes, no background, our font."""
    form = int(dark)
    axis = {
        "gridcolor": RULE[form], "linecolor": RULE[form], "zerolinecolor": FAINT[form], "automargin": True,
        "tickcolor": RULE[form], "title": {"standoff": 10, "font": {"size": 13}}, "zerolinewidth": 1,
    }  # fmt: skip
    return {
        "layout": {
            "font": {"family": FONT, "size": 13, "color": INK[form]},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "xaxis": axis,
            "yaxis": axis,
            "hoverlabel": {
                "bgcolor": PAPER[form], "bordercolor": FAINT[form], "align": "left",
                "font": {"family": FONT, "size": 13, "color": INK[form]},
            },
            "coloraxis": {"colorbar": {"outlinewidth": 0}},
            "hovermode": "closest",
            "margin": {"l": 56, "r": 16, "t": 16, "b": 48},
        }
    }  # fmt: skip
