"""How one model serves a set of languages: what it finds sentence by sentence, at every layer and at its output."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from isogloss.corpora import OwnText, load_own
from isogloss.corpora.parallel_sentences import hash_sentences
from isogloss.corpora.remembering import remember
from isogloss.digests import require_revision
from isogloss.encoders.token_counts import TokenCounts
from isogloss.geometry.storage import write_arrays
from isogloss.memory import watch_memory
from isogloss.probes.topics import carried_over
from isogloss.runs import Bench
from isogloss.studies.shared.models import dtype_of
from isogloss.studies.shared.models_side_by_side import ModelOnText, read_columns

if TYPE_CHECKING:
    from isogloss.encoders import Encoder

FILE, KIND = "found.safetensors", "choose"
TIMED = 64  # sentences


@dataclass(frozen=True)
class Suited:
    """A model's head; ``found`` (columns x languages x sentences) is in the cell's folder.

    Sentences are numbered after the ``fitted`` ones; the first ``chosen`` of them serve to choose a column.
    """

    columns: tuple[str, ...]
    languages: tuple[str, ...]
    pivot: str
    parallel: bool
    tokens: tuple[TokenCounts, ...]
    fitted: int
    chosen: int
    measured: int
    dtype: str
    sentences_per_second: float
    parameters: int
    weight_bytes: int
    width: int
    output_width: int | None
    pooling: str
    prompt: str
    licence: str
    working_bytes: int = 0  # beyond the weights, while sentences are encoded; 0 where it was not measured


@dataclass(frozen=True)
class Suitability(ModelOnText[Suited]):
    """One model on one set of sentences."""

    name: ClassVar[str] = "suitability"
    record: ClassVar[type] = Suited
    purpose: str = "retrieval"

    def label(self) -> str:
        return f"try {self.model.label()}"

    def states_held(self, columns: int) -> int:
        """One layer of all languages; layers are measured one at a time."""
        return sum(len(rows) for rows in read_sentences(self.data, self.languages, self.limit).texts.values())

    def run(self, bench: Bench) -> Suited:
        from isogloss.geometry.finding_again import languages_told, shares_found

        text = read_sentences(self.data, self.languages, self.limit)
        require_revision(hash_sentences(text.texts), self.data_revision, self.data)
        encoders = self.open(bench)
        encoder = encoders[self.languages[0]]
        speed, working = speed_and_memory(encoder, text.texts)
        rows = min(map(len, text.texts.values()))  # without translations, languages are cut to one number of sentences
        states, counts = read_columns(encoders, {code: lines[:rows] for code, lines in text.texts.items()})
        pivot = "en" if "en" in self.languages else self.languages[0]
        fitted = 0 if text.parallel and self.purpose == "retrieval" else rows // 2
        found = []
        for column in range(len(encoder.columns)):
            vectors = [states[language][column] for language in self.languages]
            if not text.parallel:
                found.append(languages_told(vectors, fitted))
            elif self.purpose == "retrieval":
                found.append(shares_found(vectors))
            else:
                source = self.languages.index(pivot)
                found.append(carried_over(vectors, source, text.texts[pivot], fitted, self.seed))
        write_arrays(bench.workspace / FILE, {"found": np.stack(found).astype(np.float32)}, {"kind": KIND})
        chosen = (rows - fitted) // 4
        weights = list(encoder.model.parameters())
        return Suited(
            columns=tuple(encoder.columns), languages=self.languages, pivot=pivot, parallel=text.parallel,
            tokens=counts, fitted=fitted, chosen=chosen, measured=rows - fitted - chosen, dtype=dtype_of(encoder),
            sentences_per_second=speed, parameters=sum(weight.numel() for weight in weights),
            weight_bytes=sum(weight.numel() * weight.element_size() for weight in weights), width=encoder.width,
            output_width=encoder.output_width, pooling=encoder.pooling, prompt=encoder.prompt, licence=encoder.licence,
            working_bytes=working,
        )  # fmt: skip


@remember(2)
def read_sentences(data: str, languages: tuple[str, ...], limit: int) -> OwnText:
    """The sentences; read once for planning and measuring in one process."""
    return load_own(data, languages or None, limit)


def speed_and_memory(encoder: "Encoder", texts: Mapping[str, Sequence[str]]) -> tuple[float, int]:
    """Sentences per second on this machine, and the bytes this takes beyond the weights: of the output, or of the
    last layer where there is none; after a warm-up."""
    mixed = [row for rows in zip(*texts.values(), strict=False) for row in rows][:TIMED]
    layers = "output" if encoder.output_width is not None else "last"
    with watch_memory() as growth:  # the warm-up takes what later calls find there
        encoder.encode(mixed, layers=layers)
    start = time.perf_counter()
    encoder.encode(mixed, layers=layers)
    return len(mixed) / (time.perf_counter() - start), growth.bytes
