"""The rules that turn a run's numbers into sentences, each with its effect, interval and n."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from isogloss.probes.language_tasks import UNSEEN
from isogloss.probes.statistics import Estimate
from isogloss.probes.statistics.verdicts import size
from isogloss.studies.columns import ABROAD, HOME
from isogloss.studies.locate.config import METHODS, TASKS
from isogloss.studies.locate.figures import profile_size, tasks_of
from isogloss.studies.locate.plan import RANDOM
from isogloss.studies.locate.view import LocateView, difference, estimate, mean_table
from isogloss.studies.result import Finding
from isogloss.studies.shared.comparison import (
    compare,
    compare_tables,
    doubt,
    finding,
    interval,
    level,
    scaled,
    unconverged_probes,
)


def findings_of(view: LocateView) -> Iterator[Finding]:
    """What is to be said, most useful first; every sentence from a rule."""
    yield from unconverged_probes(*view.unconverged)
    for task in TASKS:
        yield from dimension(view, task)
    yield from amount(view)
    yield from depth(view)
    yield room(view)
    yield from sisters(view)
    yield from unseen(view)
    yield from agreement(view)
    for task in dict.fromkeys(view.tagged["task"] if len(view.tagged) else ()):
        yield from loss(view.tagged, task, len(view.languages))
    yield from (Finding(note) for note in view.notes)


def percent(table: pd.DataFrame) -> str:
    return f"{100 * estimate(table).value:.1f}%"


def dimension(view: LocateView, task: str) -> Iterator[Finding]:
    """How many leading dimensions are better than random ones."""
    method = view.methods()[0]
    here = view.dimension(task, method)
    if here is None:
        return
    others = [f"{METHODS[name]} {found}" for name in view.methods()[1:] if (found := view.dimension(task, name))]
    how = f"({'; '.join([METHODS[method], *others])})"
    what = f"{TASKS[task].capitalize()} ({task})"
    if here.estimate.value == 0:
        first = f"window of {here.window}" if here.window > 1 else "dimension"
        text = f"{what} is not located in layer {view.layer}: even the first {first} scores like random ones {how}."
    else:
        counted = f"Windows of {here.window} dimensions" if here.window > 1 else "Dimensions"
        text = (
            f"{what} takes {here} of the {view.width} dimensions of layer {view.layer} {how}. {counted} count up to "
            "the first that scores like random ones."
        )
    yield finding(text, here.estimate, "dimensions", holds=here.estimate.low > 0)


def enough(view: LocateView) -> int | None:
    """The smallest size that holds all n-1 dimensions in which means can differ, or the largest with a ``[x:2x]``."""
    sizes = view.xs("LI", "next", view.methods()[0])
    return next((x for x in sizes if x >= len(view.languages) - 1), sizes[-1] if sizes else None)


def amount(view: LocateView) -> Iterator[Finding]:
    """What the leading dimensions are worth, and whether anything is left behind them."""
    x, method = enough(view), view.methods()[0]
    if x is None:
        return
    first, beyond, chance = (view.table("LI", kind, x, method) for kind in ("first", "next", "random"))
    gain, rest = difference(first, chance), difference(beyond, chance)
    yield finding(
        f"The first {x} dimensions tell two languages apart for {percent(first)} of tokens, {x} random ones for "
        f"{percent(chance)} ({gain.value:+.1f} points{interval(gain)}){doubt(gain)}. The next {x} score "
        f"{rest.value:+.1f} points against random ones{doubt(rest)}.",
        gain,
    )


def depth(view: LocateView) -> Iterator[Finding]:
    """Whether lower layers tell languages better than upper ones, task by task."""
    top = len(view.layers) - 1
    if top < 2:
        return
    middle = top // 2
    for task in tasks_of(view):
        x = profile_size(task, view)
        tables = [view.table(task, "first", x, view.methods()[0], layer=layer) for layer in range(top + 1)]
        means = [estimate(table).value for table in tables]
        gap = difference(mean_table(tables[1 : middle + 1]), mean_table(tables[middle + 1 :]))
        best = int(np.argmax(means))
        yield finding(
            f"{TASKS[task].capitalize()} ({task}), {between(1, middle)} against {between(middle + 1, top)}: "
            f"{gap.value:+.1f} points{interval(gap)}{doubt(gap)}. Layer {best} tells most: "
            f"{100 * means[best]:.1f}% from {f'{x} dimensions' if x > 1 else 'one dimension'}.",
            gap,
        )


def between(first: int, last: int) -> str:
    return f"layer {first}" if first == last else f"layers {first}-{last}"


def room(view: LocateView) -> Finding:
    """The bound on the rank beside the rank that was measured, and the room that the means really fill."""
    n, method = len(view.languages), view.methods()[0]
    rank, most, effective = (estimate(view.table("room", kind, 0, method)) for kind in ("rank", "most", "effective"))
    return finding(
        f"{n} languages differ in {rank.value:.0f} dimensions (the rank of {METHODS[method]}'s objective; the paper's "
        f"bound is {n + 1}, a sharper one {n - 1}). {most.value:.1f} of them hold 95% of the variance between "
        f"languages; the effective dimension is {effective.value:.1f}.",
        effective,
        "dimensions",
    )


def sisters(view: LocateView) -> Iterator[Finding]:
    """Whether languages of one family need fewer dimensions than as many random ones, families together."""
    families = [name for name in view.subsets() if name != RANDOM]
    if not families or RANDOM not in view.subsets():
        return
    n, listed = view.number(RANDOM), ", ".join(f"{name} {view.dimension('LI', 'densray', name)}" for name in families)
    gain, room_gap = (
        compare_tables(mean_table([of(view, name) for name in families]), of(view, RANDOM)).estimate
        for of in (_gain, _room)
    )
    gap = scaled(gain)
    effective = f" Their effective dimension differs by {room_gap.value:+.1f}{doubt(room_gap)}." if n > 2 else ""
    yield finding(
        f"Languages of one family against as many random ones: {gap.value:+.1f} points{interval(gap)} in "
        f"the first dimensions{doubt(gap)}. Dimensions that tell {n} languages apart: {listed}; random languages "
        f"{view.dimension('LI', 'densray', RANDOM)}.{effective}",
        gap,
    )


def _room(view: LocateView, subset: str) -> pd.DataFrame:
    """The effective dimension, by repetition."""
    return view.table("room", "effective", 0, "densray", subset)


def _gain(view: LocateView, subset: str) -> pd.DataFrame:
    """The first window above random ones, mean over pairs, by repetition."""
    window = view.xs("LI", "window", "densray", subset)[0]
    tables = [view.table("LI", kind, window, "densray", subset) for kind in ("window", "rest")]
    return (tables[0] - tables[1]).mean(axis=1).to_frame("gain")


def unseen(view: LocateView) -> Iterator[Finding]:
    """Whether typology is read, or only the language recognised: probes asked about languages they never saw."""
    method = view.methods()[0]
    for x in view.xs(UNSEEN, "first", method):
        scores, guess = (view.table(UNSEEN, "first", x, method, value=value) for value in ("value", "chance"))
        seen = view.table("LT", "first", x, method)
        gap = difference(scores, guess)
        verdict = "Typology itself is readable" if gap.low > 0 else "Typology itself is not shown to be readable"
        beside = f" In languages it saw: {percent(seen)}." if len(seen) else ""
        yield finding(
            f"{verdict}: in languages that a probe never saw, {x} dimensions name features for {percent(scores)} of "
            f"tokens, {gap.value:+.1f} points{interval(gap)} against guessing the most common "
            f"value{doubt(gap)}.{beside}",
            gap,
        )


def agreement(view: LocateView) -> Iterator[Finding]:
    """How far apart the two methods are where both have all their dimensions."""
    x, methods = enough(view), view.methods()
    if x is None or len(methods) < 2:
        return
    first, second = (view.table("LI", "first", x, method) for method in methods[:2])
    gap = difference(second, first)
    yield finding(
        f"{METHODS[methods[1]]} tells languages apart {abs(gap.value):.1f} points "
        f"{'better' if gap.value > 0 else 'worse'} than {METHODS[methods[0]]} in the first {x} dimensions"
        f"{doubt(gap)}.",
        gap,
    )


def loss(tagged: pd.DataFrame, task: str, languages: int) -> Iterator[Finding]:
    """What tagging loses without all dimensions in which languages differ, abroad and at home."""
    mine = tagged[tagged["task"] == task]
    x = next((x for x in sorted(mine["x"].unique()) if x >= languages - 1), mine["x"].max())
    found = [one for side in (ABROAD, HOME) if (one := _change(mine[mine["side"] == side], x, side))]
    if x == 0 or not found:
        return
    first, *others = (text for text, _ in found)
    beside = "".join(f" It {text}." for text in others)
    measure = mine["measure"].iloc[0]
    yield finding(f"Without the first {x} dimensions {task} ({measure}) {first}.{beside}", found[0][1])


def _change(rows: pd.DataFrame, x: int, side: str) -> tuple[str, Estimate] | None:
    """In words and as a number: scores without the first ``x`` dimensions minus scores with them."""
    whole, rest = (rows[rows["x"] == left_out] for left_out in (0, x))
    if whole.empty or rest.empty:
        return None
    gap = compare(rest, whole).estimate
    moves = "changes by" if abs(gap.value) < 0.05 else "gains" if gap.value > 0 else "loses"
    place = f"in {whole['target'].nunique()} other languages" if side == ABROAD else "in the source"
    return f"{moves} {size(gap)} {place}, from {level(whole).value:.1f}%{doubt(gap)}", gap
