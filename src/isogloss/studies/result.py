"""What a study returns: pure data, so that a saved run can be shown again without its study.

    result = Result(
        study="inspect",
        question="Which layer aligns my languages?",
        findings=(Finding("Layer 8 retrieves best: 71.2%.", effect=71.2, low=69.0, high=73.3, n=2000, unit="%"),),
        tables=by_name(Table("retrieval", "Retrieval", "Higher is better.", frame, index=("layer",), best="max")),
        figures=by_name(Figure("layers", "Retrieval by layer", "profile", frame, reading="...", alt="...")),
        main_figure="layers",
        provenance=Provenance.gather(models=("lab-tiny",), data=("lab",), seeds=(0,), seconds=42.0),
        records=tidy,
    )
    result.save(folder); Result.load(folder)

The first table is the main one: the terminal shows it. ``isogloss.report.write_page(result, folder)`` saves and draws.
"""

import platform
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Protocol, TypeVar

import pandas as pd

from isogloss.studies.figure import KINDS, SLUG, Figure
from isogloss.studies.table import Table

__all__ = ["KINDS", "Figure", "Finding", "Provenance", "Result", "Table", "by_name"]

_PACKAGES = ("isogloss", "torch", "transformers", "tokenizers", "numpy", "scipy", "scikit-learn", "pandas")


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Named = TypeVar("Named", bound=_Named)


@dataclass(frozen=True)
class Finding:
    """One sentence computed from a study's own numbers, with the effect it rests on, its interval and its n.

    ``over`` says which units ``n`` counts and the interval is over (languages, sentences, seeds). A ``warning`` says
    that numbers below it may not mean what they seem to: it stands above all other findings. ``holds`` says whether
    the numbers support the contrast that the sentence is about; None where it states no contrast.
    """

    text: str
    effect: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    unit: str = ""
    over: str = ""
    warning: bool = False
    holds: bool | None = None


@dataclass(frozen=True)
class Provenance:
    """Where a result comes from, so that it can be repeated: ``revisions`` maps a model or data set to its hash."""

    models: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    revisions: Mapping[str, str] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()
    seconds: float = 0.0
    command: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    created: str = ""
    presets: Mapping[str, str] = field(default_factory=dict)  # task -> preset of its fine-tunings
    # Split, pooling, number type, versions of cells: see signature.
    facts: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def gather(
        cls, *, models: tuple[str, ...] = (), data: tuple[str, ...] = (), revisions: Mapping[str, str] | None = None,
        seeds: tuple[int, ...] = (), seconds: float = 0.0, command: str | None = None,
        presets: Mapping[str, str] | None = None, facts: Mapping[str, str] | None = None,
    ) -> "Provenance":  # fmt: skip
        """Fill in what this process knows: versions, the time, and its own command line unless one is given."""
        return cls(
            models=models,
            data=data,
            revisions=dict(revisions or {}),
            seeds=seeds,
            seconds=seconds,
            command=shlex.join(["isogloss", *sys.argv[1:]]) if command is None else command,
            versions=_versions(),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            presets=dict(presets or {}),
            facts=dict(facts or {}),
        )


@dataclass(frozen=True)
class Result:
    """A study's answer: findings in words, tables and figures by name, and the tidy records behind them all."""

    study: str
    question: str
    findings: tuple[Finding, ...]
    tables: Mapping[str, Table]
    figures: Mapping[str, Figure]
    main_figure: str
    provenance: Provenance
    records: pd.DataFrame

    def __post_init__(self) -> None:
        if not SLUG.fullmatch(self.study):
            raise ValueError(f"'{self.study}' cannot name a study: use a-z, 0-9, - and _")
        for kind, items in (("table", self.tables), ("figure", self.figures)):
            for name, item in items.items():
                if item.name != name:
                    raise ValueError(f"{kind} '{item.name}' is filed under '{name}'")
        if self.main_figure not in self.figures and (self.figures or self.main_figure):
            raise ValueError(f"main figure '{self.main_figure}' is not among {', '.join(self.figures)}")

    def frame(self) -> pd.DataFrame:
        """The tidy records, one row a measurement; a copy."""
        return self.records.copy()

    def save(self, folder: Path | str) -> Path:
        """Write the data behind the page: results.parquet, findings.json, tables/, figures/, and last result.json."""
        from isogloss.studies.saved import save_result

        return save_result(self, Path(folder))

    @classmethod
    def load(cls, folder: Path | str) -> "Result":
        """Read a saved run; a missing, damaged or newer one is an error that says so."""
        from isogloss.studies.saved import load_result

        return load_result(Path(folder))

    def _repr_html_(self) -> str:
        """The main figure and the findings, for a notebook (the one import to the right: drawing is the report's)."""
        from isogloss.report.notebook import notebook_html

        return notebook_html(self)


def by_name(*items: Named) -> dict[str, Named]:
    """Tables or figures filed under their own names, in this order."""
    filed = {item.name: item for item in items}
    if len(filed) < len(items):
        raise ValueError(f"two items share a name: {', '.join(item.name for item in items)}")
    return filed


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
