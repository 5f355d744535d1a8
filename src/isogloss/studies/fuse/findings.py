"""From scores to sentences: does fusing help, whom, with which layer, and would one have known which?"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from isogloss.probes.statistics import Lead, lead, spearman
from isogloss.probes.statistics.verdicts import named
from isogloss.studies.fuse.figures import name_of
from isogloss.studies.fuse.plan import BASELINE
from isogloss.studies.fuse.view import FAMILY, OTHERS, FuseView
from isogloss.studies.result import Finding
from isogloss.studies.shared.comparison import cost_words, doubt, finding, interval, spread, supported


def findings_of(view: FuseView) -> Iterator[Finding]:
    """Most useful first, task by task."""
    groups = [pair for pair in view.groups() if view.lower(pair[0])]
    parts = (
        choice, hindsight, control, relatives, gate_readings, branch_findings, rival_findings, cosine_findings,
    )  # fmt: skip
    for part in parts:
        for model, task in groups:
            for found in part(view, model, task):
                yield replace(found, text=f"{name_of(view, model, task)}: {found.text}")


def choice(view: FuseView, model: str, task: str) -> Iterator[Finding]:
    """The fusion that one would have taken, against the last layer alone."""
    layer = view.chosen(model, task)
    condition = view.lower(model)[layer]
    gain = view.gain(model, task, condition)
    languages = view.of(model, task, condition)["target"].nunique()
    chosen = ", chosen on the source's validation part," if len(view.lower(model)) > 1 else ""
    text = (
        f"{condition}{chosen} {cost_words(gain)} against "
        f"the last layer alone ({view.level(model, task, BASELINE).value:.1f}), mean over {languages} languages."
    )
    yield finding(text, gain, holds=supported(gain))


def hindsight(view: FuseView, model: str, task: str) -> Iterator[Finding]:
    """The layer that would have been best, which nobody knows beforehand."""
    chosen, best = view.chosen(model, task), view.hindsight(model, task)
    lower = view.lower(model)
    if len(lower) == 1:
        return
    if chosen == best:
        text = f"none of the other {len(lower) - 1} is better on the test data."
        yield finding(text, view.gain(model, task, lower[best]))
        return
    more = view.gain(model, task, lower[best], over=lower[chosen])
    text = (
        f"on the test data {lower[best]} is best of {len(lower)}, "
        f"{more.value:.1f} points{interval(more)} above the chosen {lower[chosen]}{doubt(more)}. The best of many is "
        "partly luck."
    )
    yield finding(text, more)


def control(view: FuseView, model: str, task: str) -> Iterator[Finding]:
    """The last layer fused with itself: what the module alone does."""
    name = view.fusions(model).get(view.depths[model])
    if name is not None:
        gain = view.gain(model, task, name)
        yield finding(f"the control {name} {cost_words(gain)}.", gain)


def relatives(view: FuseView, model: str, task: str) -> Iterator[Finding]:
    """Who gains by the chosen fusion, and which layers serve whom best."""
    condition = view.lower(model)[view.chosen(model, task)]
    if len(view.of(model, task, condition, OTHERS)) and len(view.of(model, task, condition, FAMILY)):
        own, others = (view.gain(model, task, condition, group) for group in (FAMILY, OTHERS))
        best = {group: named(best_for(view, model, task, group)) for group in (FAMILY, OTHERS)}
        text = (
            f"{condition} {cost_words(others)} in other families. In the source's own it {cost_words(own)}. Best on "
            f"test data: {best[OTHERS]} in other families, {best[FAMILY]} in its own."
        )
        yield finding(text, others)


def best_for(view: FuseView, model: str, task: str, group: str) -> Lead:
    """The layer whose fusion has the highest mean in a group of languages, and those that are not told from it."""
    lower = view.lower(model)
    levels = {layer: view.level(model, task, condition, group) for layer, condition in lower.items()}
    return lead(levels, lambda one, other: view.gain(model, task, lower[one], group, over=lower[other]))


def gate_readings(view: FuseView, model: str, task: str) -> Iterator[Finding]:
    """The two readings of the equations, layer by layer."""
    if len(view.gates) < 2:
        return
    first, second = (view.fusions(model, gate) for gate in view.gates[:2])
    gaps = [
        view.compared(model, task, second[layer], over=first[layer]).gaps.to_numpy()
        for layer in first
        if layer in second
    ]
    found = spread(np.mean(gaps, axis=0))
    text = f"gate '{view.gates[1]}' instead of '{view.gates[0]}' {cost_words(found)}, mean over {len(gaps)} layers."
    yield finding(text, found)


def branch_findings(view: FuseView, model: str, task: str) -> Iterator[Finding]:
    """Both branches against two of one kind, over the layers taken apart."""
    rows = view.variants(model)
    whole = view.fusions(model)
    words = []
    effect = None
    for kind in ("global", "local"):
        mine = rows[rows["branches"] == kind]
        gaps = [
            view.compared(model, task, whole[layer], over=name).gaps.to_numpy()
            for layer, name in zip(mine["layer"].tolist(), mine["condition"].tolist(), strict=True)
            if layer in whole
        ]
        if gaps:
            found = spread(np.mean(gaps, axis=0))
            effect = effect or found
            words.append(f"{found.value:+.1f} points{interval(found)} to two {kind} branches{doubt(found)}")
    if effect is not None:
        yield finding(f"one branch of each kind against two of the same kind: {', '.join(words)}.", effect)


def rival_findings(view: FuseView, model: str, task: str) -> Iterator[Finding]:
    """Simpler ways to use several layers, against the chosen fusion."""
    rows = view.variants(model)
    condition = view.lower(model)[view.chosen(model, task)]
    names = [name for name in rows.loc[rows["branches"] == "", "condition"] if name != BASELINE]
    if names:
        gains = {name: view.gain(model, task, name) for name in names}
        best = max(gains, key=lambda name: gains[name].value)
        ahead = view.gain(model, task, condition, over=best)
        shown = ", ".join(f"{name} {gain.value:+.1f}" for name, gain in gains.items())
        text = (
            f"{condition} is {ahead.value:+.1f} points{interval(ahead)} from {best}, the best of the simpler "
            f"ways{doubt(ahead)}. Against the last layer alone: {shown}."
        )
        yield finding(text, ahead)


def cosine_findings(view: FuseView, model: str, task: str) -> Iterator[Finding]:
    """Whether fusions that see translations more alike are better in other families, over layers."""
    if not len(view.cosines):
        return
    margins, scores = [], []
    group = OTHERS if len(view.of(model, task, BASELINE, OTHERS)) else FAMILY
    for condition in view.lower(model).values():
        found = view.cosine(model, task, condition)
        margins.append(float((found["cosine"] - found["others"]).mean()))
        scores.append(view.level(model, task, condition, group).value)
    low, high = min(margins), max(margins)
    text = f"translations are {low:.2f} to {high:.2f} nearer by cosine than other sentences"
    found_rho = spearman(margins, scores)
    if len(margins) < 4 or np.isnan(found_rho.value):
        yield Finding(f"{text}, over {len(margins)} fused layers: too few to correlate with scores.", n=len(margins))
        return
    text += (
        f". Over {found_rho.n} fused layers this correlates with the score in {group} by {found_rho.value:.2f}"
        f"{interval(found_rho, 2)}{doubt(found_rho)}."
    )
    yield finding(text, found_rho, "Spearman's rho")
