"""From losses and similarities to sentences: which layers other languages need, and whether likeness goes with it."""

from collections.abc import Iterator

import numpy as np

from isogloss.probes.statistics import Estimate, Lead, Scale, lead, verdict
from isogloss.probes.statistics.verdicts import TOO_FEW, amount, beyond_rivals, changed, interval, rests_on, size
from isogloss.studies.ablate.tables import correlation_groups
from isogloss.studies.ablate.view import DOMAIN, FINE_TUNED, PRETRAINED, AblateView
from isogloss.studies.columns import ABROAD, HOME
from isogloss.studies.result import Finding
from isogloss.studies.shared.comparison import compare, cost_words, counted, doubt, finding, flipped, spread, supported
from isogloss.transfer.methods.layer_sets import is_high, is_low

COST = Scale("points", 1)  # of a cost, more is what is looked for
LIKELY = 0.1  # similarity of sentences paired at random from which the plain estimator is too high to read


def findings_of(view: AblateView) -> Iterator[Finding]:
    """Most useful first: where transfer is, where it is not, domain or language, likeness."""
    for task, source in view.groups():
        yield from where_it_is(view, task, source)
    for task, source in view.groups():
        yield from domain_control(view, task, source)
    if len(view.similarities):
        for task, source in view.groups():
            yield from likeness(view, task, source)
        yield from gap_findings(view) if view.correlates else ()
        yield from reading_note(view)


def where_it_is(view: AblateView, task: str, source: str) -> Iterator[Finding]:
    """How much more other languages need their set of layers than home does; then that set, the uppermost, and all."""
    if not len(view.of(task, source, ABROAD)):
        return
    start = f"{task} from {source}: re-initialising"
    parts = [layers for layers in view.sets if layers != "all"]
    if parts:
        most = costliest(view, task, source, parts)
        yield from contrast(view, task, source, str(most.best))
        yield _both_sides(view, task, source, str(most.best), f"{start} layers {most.best}", most)
    upper = [layers for layers in parts if is_high(layers, view.depth)]
    if upper:
        top = upper[-1]
        yield _both_sides(view, task, source, top, f"{start} the upper layers {top}", None)
    if "all" in view.sets:
        yield _both_sides(view, task, source, "all", f"{start} all layers", None)


def costliest(view: AblateView, task: str, source: str, parts: list[str]) -> Lead:
    """The set of layers whose loss costs other languages most, and those that are not told from it."""

    def gap(one: str, other: str) -> Estimate:
        return flipped(compare(*(view.of(task, source, ABROAD, layers) for layers in (one, other))).estimate)

    costs = {layers: flipped(view.loss(task, source, ABROAD, layers)) for layers in parts}
    return lead(costs, gap, COST)


def _both_sides(view: AblateView, task: str, source: str, layers: str, start: str, most: Lead | None) -> Finding:
    abroad, home = (view.loss(task, source, side, layers) for side in (ABROAD, HOME))
    costs = verdict(abroad) == "worse"
    mark = beyond_rivals(most, "layers") if most is not None and costs else ""
    text = f"{start} {changed(abroad)} in other languages{mark}. At home it {changed(home)}."
    return finding(text, abroad)


def contrast(view: AblateView, task: str, source: str, layers: str) -> Iterator[Finding]:
    """How much more other languages lose than home does, seed by seed; and of what they had, since little cannot lose
    much.
    """
    abroad = compare(view.of(task, source, ABROAD, layers), view.of(task, source, ABROAD)).gaps
    home = compare(view.of(task, source, HOME, layers), view.of(task, source, HOME)).gaps
    if home.empty:
        return
    more = spread(home.mean(axis=1).to_numpy()[:, None] - abroad.to_numpy())
    which = "lower" if is_low(layers, view.depth) else "upper" if is_high(layers, view.depth) else "these"
    encoders = "one pretrained encoder" if view.encoders == 1 else f"{view.encoders} pretrained encoders"
    text = (
        f"{task} from {source}: with the {which} layers {layers} re-initialised, {_lost_more(more)} "
        f"({rests_on(more)}; {counted(abroad.shape[1], 'language')}; {encoders}). Of their scores, other languages "
        f"lose {_share_lost(view, task, source, ABROAD, layers)} and home "
        f"{_share_lost(view, task, source, HOME, layers)}."
    )
    yield finding(text, more, holds=supported(more))


def _lost_more(more: Estimate) -> str:
    """Others minus home, in words that its interval allows."""
    word = verdict(more, COST)
    if word == "too few to tell":
        return f"difference between other languages and home {amount(more.value, COST, signed=True)}: {TOO_FEW}"
    if word == "tied":
        shown = f"{amount(more.value, COST, signed=True)}{interval(more)}"
        return f"other languages and home lose about the same: {shown}"
    return f"other languages lose {size(more, COST)} {'more' if more.value > 0 else 'less'} than home does"


def _share_lost(view: AblateView, task: str, source: str, side: str, layers: str) -> str:
    """The loss as a share of the score before it: ``33%``, ``none``."""
    before, lost = view.reference(task, source, side).value, -view.loss(task, source, side, layers).value
    return f"{lost / before:.0%}" if lost > 0 and before > 0 else "none"


def domain_control(view: AblateView, task: str, source: str) -> Iterator[Finding]:
    """Other data in the source language beside other languages, for the set that matters most."""
    parts = [layers for layers in view.sets if layers != "all"]
    if not parts or not len(view.of(task, source, DOMAIN)) or not len(view.of(task, source, ABROAD)):
        return
    worst = str(costliest(view, task, source, parts).best)
    other, abroad = (view.loss(task, source, side, worst) for side in (DOMAIN, ABROAD))
    text = (
        f"{task} from {source}: on other data in {source} itself, re-initialising layers {worst} {cost_words(other)}. "
        f"In other languages it {cost_words(abroad)}."
    )
    yield finding(text, other)


def likeness(view: AblateView, task: str, source: str) -> Iterator[Finding]:
    """What fine-tuning does to similarity, and what layers re-initialised do to it."""
    before, after = (view.similarity(task, source, state) for state in (PRETRAINED, FINE_TUNED))
    peak = int(before.mean().to_numpy().argmax())
    changed = spread((after - before).mean(axis=1).to_numpy()[None])
    text = (
        f"{task} from {source}: similarity ({view.kind} CKA) peaks at layer {peak} of {view.depth} before fine-tuning "
        f"({before[peak].mean():.2f}). Fine-tuning moves its mean over layers by {changed.value:+.3f}"
        f"{interval(changed, 3)}{doubt(changed)}."
    )
    yield finding(text, changed, "CKA")
    parts = [layers for layers in view.sets if layers != "all" and is_low(layers, view.depth)]
    if parts:
        lowest = parts[0]
        drop = spread((view.similarity(task, source, lowest) - after).mean(axis=1).to_numpy()[None])
        text = (
            f"{task} from {source}: re-initialising layers {lowest} moves similarity by {drop.value:+.3f}"
            f"{interval(drop, 3)} against plain fine-tuning{doubt(drop)}, over {len(after)} languages."
        )
        yield finding(text, drop, "CKA")


def gap_findings(view: AblateView) -> Iterator[Finding]:
    """Does similarity go with transfer? One sentence per task, over all its sources."""
    groups = list(correlation_groups(view))
    for task in dict.fromkeys(task for task, _, _ in groups):
        _, name, pairs = [group for group in groups if group[0] == task][-1]
        found, _ = view.correlation(pairs, FINE_TUNED)
        if np.isnan(found.value):
            continue
        sure = doubt(found) if not np.isnan(found.low) else " (too few languages for an interval)"
        text = (
            f"{task}, {name}: similarity after fine-tuning and transfer (minus the gap) correlate with "
            f"{found.value:.2f}{interval(found, 2)} over {found.n} language pairs{sure}."
        )
        yield finding(text, found, "Spearman's rho")


def reading_note(view: AblateView) -> Iterator[Finding]:
    """A warning where the plain estimator is high by its sample size alone."""
    shown = view.shown()
    chance = float(shown["chance"].max())
    if chance > LIKELY:
        text = (
            f"Note: with {int(shown['n'].iloc[0])} sentences, {view.kind} CKA here is up to {chance:.2f} even for "
            "sentences paired at random. Compare lines with each other, or put 'unbiased' first."
        )
        yield Finding(text, effect=chance, n=int(shown["n"].iloc[0]), unit="CKA")
