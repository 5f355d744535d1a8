"""From scores to sentences: does structure emerge, and what does it need?"""

from collections.abc import Iterator

import numpy as np

from isogloss.probes.statistics import Estimate, lead, pearson, spearman, verdict
from isogloss.probes.statistics.verdicts import listed
from isogloss.studies.columns import ABROAD
from isogloss.studies.emerge.figures import FACTORS
from isogloss.studies.emerge.plan import DEFAULT, Treatment
from isogloss.studies.emerge.tables import published_differences
from isogloss.studies.emerge.view import EmergeView
from isogloss.studies.result import Finding
from isogloss.studies.shared.comparison import (
    cost_words,
    counted,
    doubt,
    finding,
    flipped,
    interval,
    scores_by_seed,
    signed,
    spread,
    supported,
)  # fmt: skip
from isogloss.studies.shared.meeting import RETRIEVAL

LEAST_CORRELATED = 4
EMERGES = {
    "better": "Cross-lingual structure emerges",
    "worse": "Cross-lingual structure does not emerge: a control is better",
    "tied": "Cross-lingual structure is not shown to emerge: tied with a control",
    "too few to tell": "Whether cross-lingual structure emerges is open",
}
KEPT = {
    "better": "is still above",
    "worse": "is below",
    "tied": "is tied with",
    "too few to tell": "has too few observations to tell it from",
}


def findings_of(view: EmergeView) -> Iterator[Finding]:
    """Most useful first."""
    for part in PARTS:
        yield from part(view)


def scope(view: EmergeView) -> str:
    """``mean of 4 tasks, 2 pairs and 3 seeds``."""
    seeds = view.scores["seed"].nunique()
    tasks = view.tasks[0] if len(view.tasks) == 1 else f"mean of {len(view.tasks)} tasks"
    return f"{tasks}, {counted(len(view.whole_pairs), 'pair')}, {counted(seeds, 'seed')}"


def emergence(view: EmergeView) -> Iterator[Finding]:
    """The default against what is left without any shared structure."""
    levels = _controls(view)
    if not levels:
        return
    gain = view.gain(DEFAULT, view.tasks, over=max(levels, key=levels.__getitem__))
    shown = ", ".join(f"{view.label(name).lower()} {score:.1f}" for name, score in levels.items())
    text = (
        f"{EMERGES[verdict(gain)]}: {gain.value:+.1f} points{interval(gain)} of zero-shot transfer against the best "
        f"control{doubt(gain)}. The default encoder scores {view.level(DEFAULT, view.tasks).value:.1f} "
        f"({scope(view)}); controls: {shown}."
    )
    yield finding(text, gain, holds=supported(gain))


def _controls(view: EmergeView) -> dict[str, float]:
    """The mean score of every control."""
    return {one.name: view.level(one.name, view.tasks).value for one in view.others("control")}


def ranking(view: EmergeView) -> Iterator[Finding]:
    """Which factor costs most, and the most that any other factor costs."""
    costs = {one: view.gain(one.name, view.tasks) for one in view.others(*FACTORS)}
    if len(costs) < 2:
        return

    def gap(one: Treatment, other: Treatment) -> Estimate:
        return flipped(view.gain(one.name, view.tasks, over=other.name))

    most = lead({one: flipped(found) for one, found in costs.items()}, gap)
    worst = next(one for one in costs if one == most.best)
    alone = "" if most.alone or len(most.open) else " (tied with others)"
    text = f"What costs most{alone} is {_name(view, worst.name)}: it {cost_words(costs[worst])} against the default"
    rest = {one: found for one, found in costs.items() if one.group != worst.group}
    if rest:
        other = min(rest, key=lambda one: rest[one].value)
        text += f". Of the other factors, {_name(view, other.name)} {cost_words(rest[other])}"
    yield finding(f"{text} ({scope(view)}).", costs[worst])


def _name(view: EmergeView, condition: str) -> str:
    return f"'{view.label(condition)}'"


def anchors(view: EmergeView) -> Iterator[Finding]:
    """No anchors against default anchors, the paper's own comparison; extra ones against the default."""
    over = "default-anchors" if view.has("default-anchors") else DEFAULT
    if view.has("no-anchors"):
        found = view.gain("no-anchors", view.tasks, over=over)
        text = f"Anchors: a vocabulary without shared entries {cost_words(found)} against {_name(view, over)}."
        kept = _kept(view, "no-anchors")
        yield finding(f"{text} It {kept}." if kept else text, found)
    if view.has("extra-anchors"):
        found = view.gain("extra-anchors", view.tasks)
        yield finding(f"Anchors: code-switching with a dictionary {cost_words(found)} against the default.", found)


def _kept(view: EmergeView, condition: str) -> str:
    """Whether transfer is still above every control."""
    levels = _controls(view)
    if not levels:
        return ""
    best = max(levels, key=levels.__getitem__)
    more = view.gain(condition, view.tasks, over=best)
    return f"{KEPT[verdict(more)]} {_name(view, best)} ({more.value:+.1f}{interval(more)})"


def domain(view: EmergeView) -> Iterator[Finding]:
    if view.has("domain"):
        found = view.gain("domain", view.tasks)
        yield finding(f"Domain: text of another domain in the target {cost_words(found)} against the default.", found)


def sharing(view: EmergeView) -> Iterator[Finding]:
    """Every degree of sharing, and how little is still enough."""
    costs = {one: view.gain(one.name, view.tasks) for one in view.others("sharing")}
    if not costs:
        return
    worst = min(costs, key=lambda one: costs[one].value)
    kept = _kept(view, worst.name)
    text = f"Sharing: {_name(view, worst.name)} {cost_words(costs[worst])} against the default"
    text += f" and {kept}." if kept else "."
    others = [f"{one.label(view.depth)} {signed(found.value)}" for one, found in costs.items() if one != worst]
    yield finding(f"{text} The others: {', '.join(others)}." if others else text, costs[worst])


def distance(view: EmergeView) -> Iterator[Finding]:
    """The default by pair, and how far the best pair is ahead of the worst, seed by seed."""
    if len(view.pairs) < 2:
        return
    scores = {pair: scores_by_seed(view.of(DEFAULT, view.tasks, (pair,))).mean(axis=1) for pair in view.pairs}
    ordered = sorted(scores, key=lambda pair: -scores[pair].mean())
    best, worst = ordered[0], ordered[-1]
    ahead = spread((scores[best] - scores[worst]).dropna().to_numpy()[:, None])
    shown = ", ".join(f"{pair} {scores[pair].mean():.1f}" for pair in ordered)
    certainty = f"{interval(ahead)}{doubt(ahead)} over {ahead.n} seeds" if ahead.n > 1 else " (one seed: no interval)"
    text = f"Distance: '{best}' is ahead of '{worst}' by {ahead.value:.1f} points{certainty}. By pair: {shown}."
    yield finding(text, ahead)


def retrieval(view: EmergeView) -> Iterator[Finding]:
    """Translations found, beside the controls."""
    if RETRIEVAL not in view.columns:
        return
    levels = {one.name: view.level(one.name, (RETRIEVAL,)) for one in view.treatments}
    n = int(view.scores.loc[view.scores["task"] == RETRIEVAL, "n"].max())
    named = ["no-anchors", *(one.name for one in view.others("sharing", "control"))]
    shown = ", ".join(f"{view.label(name)} {levels[name].value:.1f}" for name in named if name in levels)
    text = (
        f"Retrieval: the default encoder finds {levels[DEFAULT].value:.1f}%{interval(levels[DEFAULT])} of translations "
        f"{_layers(view)}. Chance: {100 / n:.1f}"
    )
    yield finding(f"{text}; {shown}." if shown else f"{text}.", levels[DEFAULT], "%")


def _layers(view: EmergeView) -> str:
    """``at layers 0 and 3, which other sentences chose``; layer 0, the embedding, is told by its name."""
    chosen = view.of(DEFAULT, (RETRIEVAL,), view.whole_pairs)["layer"].dropna().astype(int)
    numbers = sorted(set(chosen.tolist()))
    embedding = ". Layer 0 is the embedding, so shared strings may explain it" if 0 in numbers else ""
    return f"at layer{'s' if len(numbers) > 1 else ''} {listed(numbers)} (chosen on other sentences){embedding}"


def witnesses(view: EmergeView) -> Iterator[Finding]:
    """Over encoders: does CKA, or retrieval, tell which of them transfer?"""
    if RETRIEVAL not in view.columns:
        return
    table = view.scores[view.scores["side"] == ABROAD].pivot_table(
        index=["pair", "condition", "seed"], columns="task", values="value"
    )
    table["transfer"] = table[list(view.tasks)].mean(axis=1)
    table = table.dropna()
    if len(table) < LEAST_CORRELATED:
        return
    for measure, words in ((RETRIEVAL, "retrieval"), (view.cka_kind, "mean CKA")):
        found = pearson(table[measure].to_numpy(), table["transfer"].to_numpy())
        if np.isfinite(found.value):
            text = (
                f"Over {found.n} encoders, {words} and zero-shot transfer correlate with r = {found.value:.2f}"
                f"{interval(found, 2)}{doubt(found)}."
            )
            yield finding(text, found, "Pearson's r")


def paper(view: EmergeView) -> Iterator[Finding]:
    """Do the conditions rank as in the paper?"""
    joined = published_differences(view)
    if len(joined) < LEAST_CORRELATED:
        return
    found = spearman(joined["published"].to_numpy(), joined["measured"].to_numpy())
    if np.isfinite(found.value):
        text = (
            f"Against the paper: published and measured differences to the default have a rank correlation of "
            f"{found.value:.2f}{interval(found, 2)}{doubt(found)}, over {found.n} conditions and tasks."
        )
        yield finding(text, found, "Spearman's rho")


PARTS = (emergence, ranking, anchors, domain, sharing, distance, retrieval, witnesses, paper)
