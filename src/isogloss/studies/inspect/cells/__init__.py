"""The cell of an inspection: every measure of one model on one parallel text."""

import hashlib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from isogloss.corpora import load_alignments
from isogloss.corpora.parallel_sentences import read_parallel, read_planned
from isogloss.digests import require_revision
from isogloss.encoders.names import OWN
from isogloss.encoders.token_counts import TokenCounts
from isogloss.errors import unknown_name
from isogloss.files import write_frame
from isogloss.languages import try_language
from isogloss.plugins import parts
from isogloss.runs import Bench
from isogloss.runs.cells import ADDED_LATER
from isogloss.studies.shared.models import dtype_of
from isogloss.studies.shared.models_side_by_side import ModelOnText, read_columns

COPIES = 10  # of a layer, that measuring it makes at most: variants, moments, probes
FILE = "measures.parquet"
LAYERS_FILE = "layers.parquet"  # every layer against every layer
SENTENCES_FILE = "sentences.parquet"  # of each sentence, the share of directions in which its translation was found


@dataclass(frozen=True)
class Inspected:
    """An inspection's head; its measures are a table in the cell's folder."""

    layers: tuple[str, ...]
    languages: tuple[str, ...]
    tokens: tuple[TokenCounts, ...]
    fitted: int
    measured: int
    dtype: str
    probes: int = 0  # of language identity
    unconverged: int = 0  # of these


@dataclass(frozen=True)
class OwnMeasure:
    """A measure of a plugin; ``revision`` is a hash of the file that it is written in."""

    name: str
    revision: str


def find_measures(names: Sequence[str]) -> tuple[OwnMeasure, ...]:
    """The measures of these names, each with a hash of its code."""
    known = parts("MEASURES")
    for name in names:
        if name not in known:
            raise unknown_name("measure", name, known, where="setting 'measures'")
    return tuple(OwnMeasure(name, _revision(known[name])) for name in names)


def _revision(measure: Callable[..., Any]) -> str:
    return hashlib.sha256(Path(inspect.getfile(measure)).read_bytes()).hexdigest()[:16]


@dataclass(frozen=True)
class Inspection(ModelOnText[Inspected]):
    """Every measure of one model on one parallel text."""

    name: ClassVar[str] = "inspection"
    version: ClassVar[int] = 3  # layers against layers
    record: ClassVar[type] = Inspected
    limit: int = 500
    alignments: str = ""
    alignments_revision: str = ""
    pooling: str = "mean"
    measures: tuple[OwnMeasure, ...] = field(default=(), metadata=ADDED_LATER)

    def label(self) -> str:
        return f"inspect {self.model.label()}"

    def states_held(self, columns: int) -> int:
        """A few copies of one layer of all languages: layers are read and measured one at a time."""
        text = read_parallel(self.data, self.languages, self.limit)
        return COPIES * len(text.languages) * len(text)

    def run(self, bench: Bench) -> Inspected:
        from isogloss.probes.layer_measures import Tally, layers_alike, measure
        from isogloss.studies.inspect.cells.alignments import measure_alignments
        from isogloss.studies.inspect.cells.own_measures import add_own_measures

        text = read_planned(self.data, self.languages, self.limit, self.data_revision)
        encoders = self.open(bench)
        states, counts = read_columns(encoders, text.texts, None if self.pooling == OWN else self.pooling)
        fitted = len(text) // 4
        tally = Tally()
        frame = measure(states, fitted, self.seed, tally)
        if self.measures:
            frame = add_own_measures(frame, states, fitted, [one.name for one in self.measures])
        if self.alignments:
            gold = load_alignments(self.alignments, *pair_of(self.languages))
            require_revision(gold.revision, self.alignments_revision, self.alignments)
            frame = measure_alignments(encoders, gold, frame)
        write_frame(bench.workspace / FILE, frame)
        write_frame(bench.workspace / LAYERS_FILE, layers_alike(states, fitted, self.seed))
        write_frame(bench.workspace / SENTENCES_FILE, tally.frame())
        encoder = encoders[text.languages[0]]
        return Inspected(
            tuple(encoder.columns), text.languages, counts, fitted, len(text) - fitted, dtype_of(encoder),
            tally.probes, tally.unconverged,
        )  # fmt: skip


def pair_of(languages: Sequence[str]) -> tuple[str, str] | tuple[None, None]:
    """The pair to look for among gold alignments: the two languages, where there are just two."""
    return (languages[0], languages[1]) if len(languages) == 2 else (None, None)


def find_pivot(asked: str, languages: Sequence[str]) -> str:
    """The language that MEXA compares all others with: the one asked for, or English, or the first."""
    if not asked:
        return "en" if "en" in languages else languages[0]
    known = try_language(asked)
    code = known.code if known else asked
    if code not in languages:
        raise unknown_name("pivot", asked, languages, where="setting 'pivot'")
    return code
