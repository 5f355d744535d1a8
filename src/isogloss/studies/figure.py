"""A figure as data: what to draw and how to read it. The report draws it; no plotting library is needed here."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

SPREAD = ["value", "low", "high", "n"]  # the columns of an estimate, in the order of its fields
SLUG = re.compile(r"[a-z0-9][a-z0-9_-]*")


@dataclass(frozen=True)
class Kind:
    """A kind of figure: the roles it needs, each with the column that plays it unless the figure names another."""

    needs: Mapping[str, str]
    may: Mapping[str, str]


_SPREAD = {"low": "low", "high": "high", "n": "n"}
_LINES = {"series": "series", "facet": "", **_SPREAD}

KINDS: Mapping[str, Kind] = {
    "profile": Kind({"x": "layer", "y": "value"}, _LINES),
    "curve": Kind({"x": "dimensions", "y": "value"}, _LINES),
    "training": Kind({"x": "step", "y": "value"}, {**_LINES, "series": "language"}),
    "gates": Kind({"x": "layer", "y": "value"}, _LINES),
    "heatmap": Kind({"x": "", "y": "", "value": "value"}, {"facet": "", **_SPREAD}),
    "bars": Kind({"x": "language", "y": "value"}, {"series": "", "group": "family", "facet": "", **_SPREAD}),
    "scatter": Kind({"x": "", "y": ""}, {"series": "", "label": "", "facet": "", **_SPREAD}),
    "map": Kind({"x": "x", "y": "y"}, {"label": "", "facet": ""}),
    "arrows": Kind(
        {"x": "x", "y": "y", "x_to": "x_to", "y_to": "y_to"}, {"series": "language", "label": "", "facet": ""}
    ),
    "world": Kind(
        {"x": "longitude", "y": "latitude", "label": "language", "value": "value"}, {"group": "family", **_SPREAD}
    ),
    "dendrogram": Kind({"node": "node", "parent": "parent", "label": "label", "height": "height"}, {"group": "family"}),
    "tree": Kind(
        {"node": "node", "parent": "parent", "label": "label"}, {"value": "value", "group": "family", **_SPREAD}
    ),
}


@dataclass(frozen=True)
class Figure:
    """One figure: a tidy ``frame`` and the columns that play each role.

    A role left empty takes the column named in ``KINDS[kind]``; optional roles count only where that column is in
    the frame. ``reading`` is one sentence on how to read the figure, ``alt`` says in words what it shows.

    ``series`` is one line or colour each; those in ``baselines`` are drawn dashed and grey, and where some are
    named in ``highlight`` the others step back. ``facet`` puts the values of a column (a layer, a task) into a
    slider or drop-down that starts at ``facet_start``. ``group`` (a family) puts bars and points together.
    ``colours`` are the columns that colour the panels of a ``map``, one panel each, with linked legends.
    ``hover`` names further columns shown on hover. A ``value`` is coloured; with ``diverging`` the scale has its
    middle at ``centre``. ``annotate`` writes the numbers into a heat map, as in a coloured table. ``intervals`` says
    what bands or error bars are; it is shown only where some are drawn.
    """

    name: str
    title: str
    kind: str
    frame: pd.DataFrame
    reading: str
    alt: str
    x: str = ""
    y: str = ""
    x_to: str = ""
    y_to: str = ""
    value: str = ""
    series: str = ""
    label: str = ""
    group: str = ""
    facet: str = ""
    node: str = ""
    parent: str = ""
    height: str = ""
    low: str = ""
    high: str = ""
    n: str = ""
    colours: tuple[str, ...] = ()
    hover: tuple[str, ...] = ()
    baselines: tuple[str, ...] = ()
    highlight: tuple[str, ...] = ()
    facet_start: str = ""
    x_title: str = ""
    y_title: str = ""
    value_title: str = ""
    y_range: tuple[float, float] | None = None
    log_x: bool = False
    decimals: int = 3
    diverging: bool = False
    centre: float = 0.0
    annotate: bool = False
    paper: str = ""
    intervals: str = ""

    def __post_init__(self) -> None:
        check_names(self.name, self.frame)
        if self.kind not in KINDS:
            raise ValueError(f"figure '{self.name}': unknown kind '{self.kind}'; known: {', '.join(KINDS)}")
        if not self.reading or not self.alt:
            raise ValueError(f"figure '{self.name}' needs a reading and an alternative text")
        for role in KINDS[self.kind].needs:
            self._require(self.column(role), role)
        for role in KINDS[self.kind].may:
            if named := getattr(self, role):
                self._require(named, role)
        for column in (*self.colours, *self.hover):
            self._require(column, "colours or hover")

    def column(self, role: str) -> str:
        """The column that plays ``role``; empty where an optional role has no column in the frame."""
        kind = KINDS[self.kind]
        column: str = getattr(self, role) or kind.needs.get(role) or kind.may.get(role, "")
        return column if role in kind.needs or column in self.frame.columns else ""

    def _require(self, column: str, role: str) -> None:
        if column not in self.frame.columns:
            raise ValueError(
                f"figure '{self.name}' ({self.kind}): its frame has no column '{column}' for {role};"
                f" it has {', '.join(self.frame.columns)}"
            )


def check_names(name: str, frame: pd.DataFrame) -> None:
    """Names become files and links; columns are addressed by name, so an index would be lost."""
    if not SLUG.fullmatch(name):
        raise ValueError(f"'{name}' cannot name a table or figure: use a-z, 0-9, - and _")
    if not all(isinstance(column, str) for column in frame.columns):
        raise ValueError(f"'{name}': every column of the frame must be named by a string")
    if not isinstance(frame.index, pd.RangeIndex):
        raise ValueError(f"'{name}': the frame has an index that would be lost; call reset_index()")
