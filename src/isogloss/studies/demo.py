"""The demo: every study at a size for a laptop, on encoders that it pretrains itself."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from isogloss.errors import unknown_name
from isogloss.studies import ablate, align, emerge, forget, fuse, glance, inspect, locate, preserve
from isogloss.studies.result import Finding, Result
from isogloss.studies.study import Study

SIZES = ("demo", "tiny")
STEPS = {"demo": (2_500, 2_200), "tiny": (40, 40)}  # of pretraining, on two languages and on six
MOST_LINES = 6
# Seconds of the demo's cells by kind: medians of one run on two quiet cores. A first run has no history to tell the
# time left from.
SECONDS = {
    "ablation": 1.0, "align-bridges": 0.3, "align-crossing": 1.3, "align-sentences": 0.6, "align-words": 2.3,
    "fine-tune": 1.0, "forget-clusters": 0.2, "forget-maps": 5.6, "fusing": 0.8, "identify-languages": 0.5,
    "inspection": 1.9, "lab-encoder": 115.0, "language-moments": 0.8, "locate-curve": 3.1, "locate-layers": 1.7,
    "locate-subsets": 0.7, "meet": 1.3, "meeting": 0.4, "preserving": 1.8, "pretraining": 6.7, "similarity": 0.3,
    "align-links": 0.1, "data-sizes": 0.1, "tags": 0.3, "untrained": 0.1,
}  # fmt: skip


@dataclass(frozen=True)
class Part:
    """One study of the demo and its settings."""

    study: Study[Any, Any]
    config: Any


def demo_parts(size: str, seed: int) -> tuple[Part, ...]:
    """The studies of the demo; ``tiny`` only shows that everything runs, its encoders learn next to nothing."""
    if size not in SIZES:
        raise unknown_name("size", size, SIZES)
    two, six = STEPS[size]
    pair, families = f"lab:twins@{two}", f"lab:families@{six}"
    return (
        Part(glance.STUDY, replace(glance.demo(seed, size), steps=two)),
        Part(inspect.STUDY, replace(inspect.demo(seed, size), models=(families,))),
        Part(emerge.STUDY, emerge.demo(seed, size)),
        Part(locate.STUDY, replace(locate.demo(seed, size), steps=six)),
        Part(ablate.STUDY, replace(ablate.demo(seed, size), model=families)),
        Part(forget.STUDY, replace(forget.demo(seed, size), model=families)),
        Part(preserve.STUDY, replace(preserve.demo(seed, size), model=families)),
        Part(fuse.STUDY, replace(fuse.demo(seed, size), models=(pair,))),
        Part(align.STUDY, align.demo(seed, size)),
    )


INTRODUCTION = (
    "The languages here are constructed: a small world makes meanings, and each language says them with its own words "
    "and grammar.",
    "So the truth is known (which words are shared, who is related to whom), nothing has to be downloaded, and small "
    "encoders learn the languages in minutes.",
    "You will see whether languages meet in an encoder that never saw a translation, where it keeps them apart, and "
    "what fine-tuning does to both.",
)
ORDER: tuple[bool | None, ...] = (True, None, False)  # contrasts that hold, plain levels, contrasts that do not


def headline(results: Sequence[tuple[str, Result]]) -> tuple[list[Finding], list[tuple[str, Finding]]]:
    """Every warning once; and the first finding of each study, which its main figure shows, those that hold first."""
    warnings = {one.text: one for _, result in results for one in result.findings if one.warning}
    plain = [(name, [one for one in result.findings if not one.warning]) for name, result in results]
    claims = [(name, findings[0]) for name, findings in plain if findings]
    ordered = sorted(claims, key=lambda claim: ORDER.index(claim[1].holds))
    return list(warnings.values()), ordered[:MOST_LINES]
