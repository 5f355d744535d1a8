"""From curves and losses to sentences: where the pivot leads, where the target takes over, whose neurons matter."""

from collections.abc import Iterator

import numpy as np

from isogloss.probes.statistics import bootstrap_mean
from isogloss.probes.statistics.estimates import Estimate
from isogloss.probes.statistics.verdicts import Scale, interval, rests_on, verdict
from isogloss.studies.result import Finding
from isogloss.studies.shared.comparison import finding
from isogloss.studies.think.cells.latent import SHUFFLED
from isogloss.studies.think.view import ThinkView

PROBABILITY = Scale(unit="points", decimals=1, higher_is_better=None, negligible=0.5)
LOSS = Scale(unit="nats per token", decimals=3, higher_is_better=None, negligible=0.001)


def findings_of(view: ThinkView) -> Iterator[Finding]:
    """The latent language of each pair, then the neurons, then what was left out."""
    for source, target in view.pairs():
        yield from latent(view, source, target)
    yield from neurons(view)
    for source, target in view.pairs():
        yield from left_out(view, source, target)


def latent(view: ThinkView, source: str, target: str) -> Iterator[Finding]:
    """Where the pivot's word is more probable than the target's, what the model says in the end, and the control."""
    pair, last = f"{source} to {target}", view.depth
    end = view.probability(source, target, target, last)
    if view.pivot not in (source, target):
        gaps = [view.lead(source, target, view.pivot, target, layer) for layer in range(view.depth + 1)]
        yield _detour(view, source, target, gaps)
    curve = [view.probability(source, target, target, layer).value for layer in range(last + 1)]
    half = next(layer for layer, value in enumerate(curve) if value >= end.value / 2)
    text = (
        f"{pair}: the right {target} word has a probability of {end.value:.2f}{interval(end, 2)} at the last layer "
        f"({rests_on(end)}), and half of that first at layer {half} of {last}."
    )
    yield finding(text, end, "share")
    control = view.lead(source, target, target, SHUFFLED, last)
    text = (
        f"{pair}: it is {control.value:.1f} points{interval(control)} above the {target} word of another question, "
        f"the control ({rests_on(control)})."
    )
    yield finding(text, control)


def _detour(view: ThinkView, source: str, target: str, gaps: list[Estimate]) -> Finding:
    """Where the pivot leads the target, by its lead at every layer."""
    pair, pivot = f"{source} to {target}", view.pivot
    ahead = [layer for layer, gap in enumerate(gaps) if verdict(gap, PROBABILITY) == "higher"]
    if not ahead:
        most = max(gaps, key=lambda gap: gap.value)
        text = (
            f"{pair}: no layer gives the {pivot} word a measurably higher probability than the {target} word "
            f"(at most {most.value:+.1f} points{interval(most)}, {rests_on(most)})."
        )
        return finding(text, most)
    peak = max(ahead, key=lambda layer: gaps[layer].value)
    gap = gaps[peak]
    where = f"layer {ahead[0]}" if len(ahead) == 1 else f"{len(ahead)} layers between {ahead[0]} and {ahead[-1]}"
    behind = view.lead(source, target, source, pivot, peak)
    copied = verdict(behind, PROBABILITY) == "higher"
    start = f"the {pivot} word comes before the {target} word" if copied else f"the model passes through {pivot}"
    text = (
        f"{pair}: {start}. At {where} of {view.depth} the {pivot} word is more probable than the {target} word"
        f"{f', most at layer {peak}' if len(ahead) > 1 else ''}: by {gap.value:.1f} points{interval(gap)} "
        f"({rests_on(gap)})"
    )
    if copied:
        text += (
            f". But the {source} word itself is {behind.value:.1f} points{interval(behind)} more probable than that, "
            f"so the model may only be copying"
        )
    return finding(text + ".", gap)


def nats(found: Estimate) -> str:
    """Three digits with a sign, never minus nothing."""
    return f"{round(found.value, 3) + 0.0:+.3f}"


def neurons(view: ThinkView) -> Iterator[Finding]:
    """How many neurons each language has and where, and what switching them off costs beside random ones."""
    if view.neurons is None:
        return
    counts = view.neurons.counts()
    for language, row in zip(view.neurons.languages, counts, strict=True):
        if row.sum():
            layers = np.flatnonzero(row >= max(1, row.max() / 2)) + 1
            text = (
                f"{language} has {row.sum()} language neurons, most in layer{'s' if len(layers) > 1 else ''} "
                f"{', '.join(map(str, layers[:6]))}{' ...' if len(layers) > 6 else ''} of {view.depth} "
                f"({view.neurons.alone()[view.neurons.languages.index(language)].sum()} shared with no other language; "
                f"{view.tokens[language]:,} tokens read)."
            )
        else:
            text = f"{language} has no language neurons by this criterion ({view.tokens[language]:,} tokens read)."
        yield Finding(text, effect=float(row.sum()), n=view.tokens[language], unit="neurons")
    for owner in view.owners():
        yield from silence(view, owner)


def silence(view: ThinkView, owner: str) -> Iterator[Finding]:
    """One sentence per language whose neurons are switched off: at home, elsewhere, and random ones at home."""
    home = view.change(owner, owner)
    targets = [code for code in dict.fromkeys(view.losses["target"]) if code != owner]
    away = [view.change(owner, target).value for target in targets]
    elsewhere = bootstrap_mean(away) if len(away) > 1 else Estimate(away[0], np.nan, np.nan, 1)
    text = (
        f"Without the neurons of {owner}, the loss on its text changes by {nats(home)} nats per "
        f"token{interval(home, 3)} ({rests_on(home)}). On other languages: {nats(elsewhere)} (mean of {len(away)})"
    )
    if view.owners("random"):
        chance, beyond = view.change(owner, owner, "random"), view.beyond_random(owner, owner)
        word = verdict(beyond, LOSS)
        said = {
            "higher": "language neurons matter more than random ones",
            "lower": "random neurons matter more than language neurons",
            "tied": "language neurons matter no more than random ones",
        }.get(word, "there are too few texts to tell them apart")
        text += f"; with as many random neurons off: {nats(chance)}{interval(chance, 3)}"
        text += f". So {said} ({nats(beyond)}{interval(beyond, 3)})"
    yield finding(text + ".", home, "nats per token")


def left_out(view: ThinkView, source: str, target: str) -> Iterator[Finding]:
    """What the rule left out, so that nobody thinks the words are all there are."""
    found = {reason: number for reason, number in view.left_out[f"{source}-{target}"].items() if number}
    if found:
        reasons = "; ".join(f"{number:,} with {reason}" for reason, number in found.items())
        yield Finding(
            f"Note: {source} to {target} skips words that cannot be distinguished: {reasons}.",
            effect=float(sum(found.values())), n=int(sum(found.values())), unit="words",
        )  # fmt: skip
