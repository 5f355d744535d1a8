"""The demo: every study at a size for a laptop, on encoders that it pretrains itself."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from isogloss.errors import unknown_name
from isogloss.studies import glance
from isogloss.studies.result import Finding, Result
from isogloss.studies.study import Study

SIZES = ("demo", "tiny")
MOST_LINES = 5


@dataclass(frozen=True)
class Part:
    """One study of the demo, its folder's name and its settings."""

    name: str
    study: Study[Any]
    config: Any


def demo_parts(size: str, seed: int) -> tuple[Part, ...]:
    """The studies of the demo; ``tiny`` only shows that everything runs, its encoders learn next to nothing."""
    if size not in SIZES:
        raise unknown_name("size", size, SIZES)
    look = glance.Config(seed=seed)
    if size == "tiny":
        look = replace(look, sentences=2_000, steps=40, pool=60)
    return (Part("glance", glance.STUDY, look),)


def headline(results: Sequence[tuple[str, Result]]) -> list[Finding]:
    """The first findings of each study, in turn, until the screen has five lines."""
    ranked = [
        (place, number, finding)
        for number, (_, result) in enumerate(results)
        for place, finding in enumerate(result.findings)
    ]
    return [finding for _, _, finding in sorted(ranked, key=lambda item: item[:2])[:MOST_LINES]]
