"""The figures of locate (Liang21 Figs. 1-5)."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pandas as pd

from isogloss.probes.statistics import Estimate
from isogloss.studies.columns import ABROAD, HOME
from isogloss.studies.figure import SPREAD
from isogloss.studies.locate.config import METHODS, TASKS
from isogloss.studies.locate.view import LocateView, difference, estimate
from isogloss.studies.result import Figure
from isogloss.studies.shared.comparison import compare, scaled

KINDS = {"first": "[0:x]", "next": "[x:2x]", "random": "x random"}
CHANCE = "guessing"
LEVEL = "random dimensions stay below"
WHERE = {HOME: "source", ABROAD: "other languages"}
OVER = "Bands are 95% intervals over repetitions and languages or features."
SHARES: dict[str, Any] = {"y_title": "score, %", "y_range": (0.0, 103.0), "decimals": 1}


def figures_of(view: LocateView) -> Iterator[Figure]:
    """What answers the question first; then the paper's other figures."""
    yield windows_figure(view)
    yield curves_figure(view)
    yield layers_figure(view)
    if view.subsets():
        yield families_figure(view)
    if len(view.tagged):
        yield tagging_figure(view.tagged)


def spread(found: Estimate) -> dict[str, float]:
    return dict(zip(SPREAD, found.columns(), strict=True))


def windows_figure(view: LocateView) -> Figure:
    """Windows against random ones by where they lie (Fig. 2), and the level that findings count up to."""
    rows: list[dict[str, Any]] = []
    window = view.window()
    measured = f"windows of {window}" if window > 1 else "single dimensions"
    for task, method in product(TASKS, view.methods()):
        found = list(gaps(view, task, method))
        level = 100 * view.level_above(task, method) if found else 0.0
        for end, gap in found:
            about = {"task": f"{task}, {METHODS[method]}", "dimensions": end}
            rows += [{**about, "series": measured, **spread(gap)}, {**about, "series": LEVEL, "value": level}]
    frame = pd.DataFrame(rows)
    shown = frame[frame["series"] == measured]
    top = shown.iloc[int(shown["value"].to_numpy().argmax())]
    there = f"dimensions {4 * window + 1} to {5 * window}" if window > 1 else "the fifth dimension"
    return Figure(
        "dimensions", f"Which {f'windows of {window} dimensions' if window > 1 else 'dimensions'} tell languages apart",
        "curve", frame,
        reading=f"At {5 * window}, say, the score of {there} of layer {view.layer} minus that of {window} random "
        f"dimension{'s' if window > 1 else ''} beyond the bound on the rank. Dimensions count as long as the line "
        "stays above the dashed one, which 97.5% of random draws stay below. LI is language identity, LT typology, "
        "LS similarity of sisters.",
        intervals=OVER,
        alt=f"Score above random dimensions by position; the highest is {top['value']:.1f} points for "
        f"{top['task']} at {top['dimensions']}.",
        facet="task", baselines=(LEVEL,), paper="Liang21 Figure 2", **above_random(frame),
    )  # fmt: skip


def above_random(frame: pd.DataFrame) -> dict[str, Any]:
    """The layout of scores above random dimensions, by the last dimension of a window."""
    titles = {"x_title": "dimensions up to", "y_title": "points above random"}
    return {**titles, "y_range": around(frame["value"]), "decimals": 1}


def around(values: "pd.Series[float]") -> tuple[float, float]:
    """An axis for the values themselves: an interval of two repetitions would reach far beyond."""
    low, high = min(0.0, float(values.min())), float(values.max())
    room = 0.25 * (high - low) or 1.0
    return low - room, high + room


def gaps(view: LocateView, task: str, method: str, subset: str = "all") -> Iterator[tuple[int, Estimate]]:
    """Each window minus random dimensions, by the window's end."""
    ends = view.xs(task, "window", method, subset)
    for end in ends:
        window, rest = (view.table(task, kind, x, method, subset) for kind, x in (("window", end), ("rest", ends[0])))
        yield end, difference(window, rest)


def guessing(view: LocateView, task: str, x: int, method: str) -> float:
    """What a probe that sees nothing would score, in per cent."""
    return 100 * estimate(view.table(task, "first", x, method, value="chance")).value


def curves_figure(view: LocateView) -> Figure:
    """The first x, the next x, x random ones (Fig. 1)."""
    rows: list[dict[str, Any]] = []
    for task, method in product(TASKS, view.methods()):
        facet = f"{task}, {METHODS[method]}"
        for kind, name in KINDS.items():
            for x in view.xs(task, kind, method):
                scores = scaled(estimate(view.table(task, kind, x, method)))
                rows.append({"task": facet, "series": name, "dimensions": x, **spread(scores)})
        for x in view.xs(task, "first", method):
            rows.append({"task": facet, "series": CHANCE, "dimensions": x, "value": guessing(view, task, x, method)})
    return Figure(
        "subspaces", "The first dimensions, the next, and random ones", "curve", pd.DataFrame(rows),
        reading=f"Layer {view.layer}; random dimensions are drawn beyond the first x. Where the next x meet the "
        "random ones, nothing is left beyond x. LI: accuracy, LT: micro F1, LS: V-measure.",
        intervals=OVER,
        alt="Scores of three tasks by the number of dimensions: the first, the next, random ones, and guessing.",
        facet="task", x_title="x", baselines=(KINDS["random"], CHANCE), paper="Liang21 Figure 1", **SHARES,
    )  # fmt: skip


def layers_figure(view: LocateView) -> Figure:
    """Few leading dimensions, layer by layer (Fig. 3)."""
    rows: list[dict[str, Any]] = []
    for task, layer in product(tasks_of(view), range(len(view.layers))):
        x = profile_size(task, view)
        about = {"task": f"{task}, x = {x}", "layer": layer}
        for method in view.methods():
            found = estimate(view.table(task, "first", x, method, layer=layer))
            rows.append({**about, "series": METHODS[method], **spread(scaled(found))})
        for name, value in (("random dimensions", "value"), (CHANCE, "chance")):
            random = view.table(task, "rest", x, view.methods()[0], layer=layer, value=value)
            rows.append({**about, "series": name, "value": 100 * estimate(random).value})
    frame = pd.DataFrame(rows, columns=["task", "series", "layer", *SPREAD])
    return Figure(
        "layers", "Language in the first dimensions, layer by layer", "profile", frame,
        reading="Scores of the first x dimensions of each layer; layer 0 is the embedding output.",
        intervals=OVER,
        alt=f"Scores by layer; the highest is {frame['value'].max():.1f}%.",
        facet="task", baselines=("random dimensions", CHANCE), paper="Liang21 Figure 3", **SHARES,
    )  # fmt: skip


def tasks_of(view: LocateView) -> list[str]:
    """The tasks that the comparison of layers asked."""
    method = view.methods()[0]
    return [task for task in TASKS if len(view.table(task, "first", profile_size(task, view), method, layer=0))]


def profile_size(task: str, view: LocateView) -> int:
    """The leading dimensions that layers are compared by; never more than half of a space."""
    return min(view.config.profile.of(task), view.width // 2)


def families_figure(view: LocateView) -> Figure:
    """Sisters and random languages by dimensions (Fig. 5)."""
    rows = [
        {"series": subset, "dimensions": end, **spread(gap)}
        for subset in view.subsets()
        for end, gap in gaps(view, "LI", "densray", subset)
    ]
    window, frame = view.window(view.subsets()[0]), pd.DataFrame(rows)
    return Figure(
        "families", "Sisters against random languages", "curve", frame,
        reading=f"LI in windows of {window} of DensRay's space of these languages alone, above {window} random "
        f"{'dimension' if window == 1 else 'dimensions'}.",
        intervals=OVER,
        alt=f"Language identity by dimensions for {', '.join(view.subsets())}.",
        paper="Liang21 Figure 5", **above_random(frame),
    )  # fmt: skip


def tagging_figure(tagged: pd.DataFrame) -> Figure:
    """What is lost by leaving the leading dimensions out (Fig. 4)."""
    rows = []
    for (task, side), part in tagged.groupby(["task", "side"], sort=False):
        whole = part[part["x"] == 0]
        for x in sorted(part["x"].unique()):
            lost = compare(whole, part[part["x"] == x]).estimate
            rows.append({"series": f"{task}, {WHERE[str(side)]}", "dimensions": int(x), **spread(lost)})
    frame = pd.DataFrame(rows)
    return Figure(
        "tagging", "What tagging loses without the first dimensions", "curve", frame,
        reading="Score from all dimensions minus score from [x:]; above zero something is lost.",
        intervals=OVER,
        alt="Loss of tagging scores by the number of leading dimensions left out.",
        x_title="dimensions left out", y_title="points lost", y_range=around(frame["value"]), decimals=1,
        paper="Liang21 Figure 4",
    )  # fmt: skip
