"""From measurements to sentences: what fine-tuning does to languages, and whether forgetting them on purpose helps."""

from collections.abc import Iterator
from dataclasses import replace

from isogloss.probes.statistics import Estimate
from isogloss.probes.statistics.verdicts import size
from isogloss.studies.columns import ABROAD, HOME
from isogloss.studies.forget.cells import TASK, TEXT
from isogloss.studies.forget.config import INITIAL
from isogloss.studies.forget.view import ACCURACY, CONTROL, CONVERGED, LABELS, LANGUAGES, PAPER, SCORE, ForgetView
from isogloss.studies.result import Finding
from isogloss.studies.shared.comparison import (
    cost_words,
    doubt,
    finding,
    interval,
    signed,
    supported,
    unconverged_probes,
)

CLEAR = 5.0  # points that two protocols must differ by before a sentence says so


def findings_of(view: ForgetView) -> Iterator[Finding]:
    """Most useful first, task by task; above all, whether the solved probes were solved."""
    yield from unconverged_probes(*view.unconverged)
    for part in (tuning, forgetting, protocols, organisation, control):
        for task in view.tasks():
            for found in part(view, task):
                yield replace(found, text=f"{task}: {found.text}")


def moved(found: Estimate) -> str:
    """``falls by 12.3 points [10.1, 14.4]``, ``rises by ...``; says so where chance may explain it."""
    if found.low <= 0 <= found.high:
        return f"does not change measurably ({signed(found.value)} points{interval(found)})"
    verb = "changes by" if round(found.value, 1) == 0 else "falls by" if found.value < 0 else "rises by"
    return f"{verb} {size(found)}{doubt(found)}"


def tuning(view: ForgetView, task: str) -> Iterator[Finding]:
    """Fine-tuning against the model as it was: the task, and the languages."""
    if INITIAL not in view.conditions() or view.reference == INITIAL:
        return
    pair = (view.reference, INITIAL)
    before, after = (view.level(task, name, CONVERGED, TASK) for name in (INITIAL, view.reference))
    change, text = (view.change(task, pair, CONVERGED, data) for data in (TASK, TEXT))
    gain = view.change(task, pair, SCORE, side=ABROAD)
    yield finding(
        f"with fine-tuning, language identification on the task's data {moved(change)}: {before.value:.1f} before, "
        f"{after.value:.1f} after (macro F1, solved probe). On independent text it {moved(text)}.",
        change,
        holds=supported(change),
    )
    yield finding(f"fine-tuning {cost_words(gain)} in other languages against a frozen encoder.", gain)


def forgetting(view: ForgetView, task: str) -> Iterator[Finding]:
    """Every method that forgets on purpose, against plain fine-tuning."""
    for name, other in view.comparisons():
        if other == INITIAL:
            continue
        abroad, home = (view.change(task, (name, other), SCORE, side=side) for side in (ABROAD, HOME))
        change, text = (view.change(task, (name, other), CONVERGED, data) for data in (TASK, TEXT))
        yield finding(
            f"{name} {cost_words(abroad)} in other languages against plain fine-tuning. In the source it "
            f"{cost_words(home)}.",
            abroad,
        )
        yield finding(
            f"with {name}, language identification on the task's data {moved(change)} against plain fine-tuning. On "
            f"independent text it {moved(text)}.",
            change,
        )


def protocols(view: ForgetView, task: str) -> Iterator[Finding]:
    """How much of what the paper's protocol misses a solved probe still finds: the condition where that is most."""
    gap, condition, data = max(view.gaps(task, CONVERGED, PAPER), key=lambda item: item[0].value)
    if gap.value < CLEAR:
        text = f"both protocols of identification agree: they differ by at most {gap.value:.1f} points{interval(gap)}."
        yield finding(text, gap)
        return
    low, high = (view.level(task, condition, measure, data).value for measure in (PAPER, CONVERGED))
    sure = gap.low > 0
    meaning = "are still in the states, and only that probe missed them" if sure else "separate the two"
    yield finding(
        f"after '{condition}' a solved probe finds {high:.1f} macro F1 on {data}, the paper's protocol {low:.1f}. "
        f"{gap.value:.1f} points{interval(gap)} {meaning}{doubt(gap)}.",
        gap,
    )


def organisation(view: ForgetView, task: str) -> Iterator[Finding]:
    """Clusters by label and by language, before and after."""
    for name, other in view.comparisons():
        labels, languages = (view.change(task, (name, other), by, TASK) for by in (LABELS, LANGUAGES))
        levels = [view.level(task, one, by, TASK).value for by in (LABELS, LANGUAGES) for one in (other, name)]
        yield finding(
            f"'{name}' instead of '{other}': agreement of clusters with languages {moved(languages)}, from "
            f"{levels[2]:.1f} to {levels[3]:.1f} V-measure. Agreement with labels {moved(labels)}, from "
            f"{levels[0]:.1f} to {levels[1]:.1f}.",
            languages,
        )


def control(view: ForgetView, task: str) -> Iterator[Finding]:
    """The solved probe against one that learnt random labels, where it is least above it."""
    leads = view.gaps(task, ACCURACY, CONTROL)
    if leads:
        least, condition, data = min(leads, key=lambda item: item[0].value)
        yield finding(
            f"the smallest lead of the solved probe over its control (random labels) is {least.value:.1f} points of "
            f"accuracy{interval(least)}, after '{condition}' on {data}{doubt(least)}.",
            least,
        )
