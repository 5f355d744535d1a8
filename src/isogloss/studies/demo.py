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
MOST_LINES = 5


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
    look = replace(glance.demo(seed, size), steps=two)
    view = replace(inspect.demo(seed, size), models=(families,))
    where = replace(locate.demo(seed, size), steps=six)
    layers = replace(ablate.demo(seed, size), model=families)
    fused = replace(fuse.demo(seed, size), models=(pair,))
    kept = replace(preserve.demo(seed, size), model=families)
    forgotten = replace(forget.demo(seed, size), model=families)
    return (
        Part(glance.STUDY, look),
        Part(inspect.STUDY, view),
        Part(emerge.STUDY, emerge.demo(seed, size)),
        Part(locate.STUDY, where),
        Part(ablate.STUDY, layers),
        Part(forget.STUDY, forgotten),
        Part(preserve.STUDY, kept),
        Part(fuse.STUDY, fused),
        Part(align.STUDY, align.demo(seed, size)),
    )


def headline(results: Sequence[tuple[str, Result]]) -> list[Finding]:
    """Every warning once, then the first findings of each study, in turn, until the screen has five lines of these."""
    warnings = {one.text: one for _, result in results for one in result.findings if one.warning}
    ranked = [
        (place, number, finding)
        for number, (_, result) in enumerate(results)
        for place, finding in enumerate(one for one in result.findings if not one.warning)
    ]
    return [*warnings.values(), *(finding for *_, finding in sorted(ranked, key=lambda item: item[:2])[:MOST_LINES])]
