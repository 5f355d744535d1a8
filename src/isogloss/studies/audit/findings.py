"""Does the language of a text decide what is found? Per model: what is found, the bias, hubs, false friends, cures."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from isogloss.corpora.false_friends import KINDS, NEGATIONS
from isogloss.languages import language_name
from isogloss.probes.statistics.verdicts import changed, interval, rests_on, verdict
from isogloss.studies.audit.cells import TREATMENTS
from isogloss.studies.audit.view import AuditedView, AuditView
from isogloss.studies.result import Finding
from isogloss.studies.shared.comparison import finding, supported

TOP = 10
SHARE = 0.01  # of sentences that count as hubs


def findings_of(view: AuditView) -> Iterator[Finding]:
    """For each model, most useful first."""
    for one in view.models:
        start = f"{one.name}: " if len(view.models) > 1 else ""
        for found in (bias(one), found_at_all(one), *cures(one), hubs(one), *friends(one), controls(one)):
            yield replace(found, text=start + found.text)


def bias(one: AuditedView) -> Finding:
    """How much of the nearest ten is in the query's own language beyond its share, and where most."""
    found = one.bias()
    own = 100 * one.chance + found.value
    word = verdict(found)
    says = {"better": "The language of a text biases what is found", "worse": "Queries avoid their own language"}
    start = says.get(word, "The language of a text does not bias what is found")
    by_language = {code: one.of_language(code, "own").value for code in one.record.languages}
    most = max(by_language, key=lambda code: by_language[code])
    return finding(
        f"{start}: {own:.1f}% of the {TOP} nearest are in the query's own language, which is {100 * one.chance:.1f}% "
        f"of the pool ({found.value:+.1f} points{interval(found)}, {rests_on(found)}). Most for {language_name(most)} "
        f"({by_language[most]:+.1f}). Measured at {_place(one)}.",
        found, holds=supported(found),
    )  # fmt: skip


def _place(one: AuditedView) -> str:
    return "the output" if one.record.column == "output" else one.record.column


def found_at_all(one: AuditedView) -> Finding:
    """How often the nearest sentence in any language is a translation."""
    found = one.found()
    by_language = {code: one.of_language(code, "found").value for code in one.record.languages}
    least = min(by_language, key=lambda code: by_language[code])
    return finding(
        f"{found.value:.1f}%{interval(found)} of queries find a translation first, in any language "
        f"({rests_on(found)}). Fewest in {language_name(least)} ({by_language[least]:.1f}%). "
        f"{len(one.wrong):,} of the others are listed in a table.",
        found,
    )


def cures(one: AuditedView) -> Iterator[Finding]:
    """What centring, neutralising and CSLS do to the bias and to what is found."""
    for name in TREATMENTS[1:]:
        left = one.bias(name)
        gain = changed(one.change("found", name))
        start = f"{name[0].upper()}{name[1:]}"
        yield finding(f"{start}: the bias is {left.value:+.1f} points{interval(left)}. In retrieval it {gain}.", left)


def hubs(one: AuditedView) -> Finding:
    """Sentences that everything finds, and sentences that nothing finds."""
    share, where = one.hubs(SHARE)
    most = max(where, key=lambda code: where[code])
    never = one.never_found()
    return finding(
        f"Hubs: the {100 * SHARE:.0f}% of sentences found most often take {100 * share:.1f}% of all places among the "
        f"nearest {TOP}. {100 * where[most]:.0f}% of them are in {language_name(most)}. "
        f"{never.value:.1f}%{interval(never)} of sentences are never among the nearest.",
        never,
    )


def friends(one: AuditedView) -> Iterator[Finding]:
    """Sentences with one number, name or negation changed."""
    whole = one.fooled()
    if whole is None:
        return
    kinds = [f"{kind} {found.value:.1f}%" for kind in KINDS if (found := one.fooled(kind))]
    without = [code for code in one.without_friends("negation") if code.partition("-")[0] not in NEGATIONS]
    unruled = f" There is no rule of negation for {', '.join(without)}." if without else ""
    yield finding(
        f"False friends: {whole.value:.1f}%{interval(whole)} of queries are nearer to a sentence with one word or "
        f"number changed than to their translation ({rests_on(whole)}; {', '.join(kinds)}).{unruled}",
        whole,
    )


def controls(one: AuditedView) -> Finding:
    """Unrelated text must not look like a translation."""
    found = one.controls()
    gap = float(np.median(one.part("translation")) - np.median(one.part("unrelated")))
    return finding(
        f"Control: for {found.value:.1f}%{interval(found)} of queries, an unrelated sentence is as near as the median "
        f"translation (the medians differ by {gap:.2f} in cosine).",
        found,
    )
