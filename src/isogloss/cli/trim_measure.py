"""What cutting a vocabulary costs and saves, on sentences it was not counted on."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.encoders import Encoder
from isogloss.encoders.subwords import Tokeniser
from isogloss.geometry.finding_again import languages_told, shares_found
from isogloss.probes.statistics import Estimate, bootstrap_mean
from isogloss.probes.statistics.verdicts import changed, interval, rests_on

Texts = Mapping[str, Sequence[str]]
TIMED = 64  # sentences


@dataclass(frozen=True)
class Side:
    """One model: what it weighs, how fast it is, and what it finds (per sentence)."""

    megabytes: float
    parameters: int
    vocabulary: int
    sentences_per_second: float
    found: NDArray[np.float64]  # one value per sentence
    told: NDArray[np.float64]


@dataclass(frozen=True)
class Trimmed:
    """Both sides, and how much of the text is tokenised as before."""

    before: Side
    after: Side
    column: str
    same: Estimate
    others: dict[str, float]  # other languages of the data: the share of sentences tokenised as before

    def findings(self) -> list[str]:
        """The same in words."""
        saved = 1 - self.after.parameters / self.before.parameters
        kept = f"{self.after.vocabulary:,} of {self.before.vocabulary:,} entries"
        texts = [
            f"The vocabulary has {kept}; {100 * saved:.1f}% of the parameters are saved "
            f"({self.before.megabytes:,.1f} to {self.after.megabytes:,.1f} MB on disk), and "
            f"{self.before.sentences_per_second:,.0f} sentences per second became "
            f"{self.after.sentences_per_second:,.0f}",
            f"{self.same.value:.1f}%{interval(self.same)} of sentences are tokenised exactly as before "
            f"({rests_on(self.same)})",
            f"Retrieval of translations at the {self.column}: trimming {self._change('found')}",
            f"Language identification there: trimming {self._change('told')}",
        ]
        if self.others:
            texts.append(self._dropped())
        return texts

    def _dropped(self) -> str:
        """What is left of the languages that were not asked for."""
        low = min(self.others, key=lambda code: self.others[code])
        least, most = 100 * self.others[low], 100 * max(self.others.values())
        if len(self.others) == 1:
            kept = f"{least:.0f}% of its sentences are tokenised as before"
            return f"One other language of this data ({low}) was not kept: {kept}"
        return (
            f"{len(self.others)} other languages of this data were not kept: between {least:.0f}% ({low}) and "
            f"{most:.0f}% of their sentences are tokenised as before"
        )

    def _change(self, what: str) -> str:
        before, after = getattr(self.before, what), getattr(self.after, what)
        gap = _points(after - before)
        return f"{changed(gap)}: {100 * before.mean():.1f}% before, {100 * after.mean():.1f}% after ({rests_on(gap)})"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        sides = {
            name: {
                "megabytes": side.megabytes, "parameters": side.parameters, "vocabulary": side.vocabulary,
                "sentences_per_second": side.sentences_per_second,
                "retrieval": _plain(_points(side.found)), "identity": _plain(_points(side.told)),
            }
            for name, side in (("before", self.before), ("after", self.after))
        }  # fmt: skip
        return {**sides, "column": self.column, "same_tokens": _plain(self.same), "others": self.others}


def _points(values: NDArray[np.float64]) -> Estimate:
    return replace(bootstrap_mean(100 * values), over="sentences")


def _plain(one: Estimate) -> dict[str, float]:
    return {"value": one.value, "low": one.low, "high": one.high, "n": one.n}


def measure_trim(before: Encoder, after: Encoder, folders: tuple[Path | None, Path], texts: Texts, rest: Texts,
                 numbers: Sequence[int]) -> Trimmed:  # fmt: skip
    """Compare both models on ``texts`` (parallel); ``rest`` are other languages; ``numbers`` the old ones of entries.

    The column is the output, or the layer at which the model as it was finds most on the first quarter.
    """
    states = [
        {code: one.cached(rows, layers="columns").layers for code, rows in texts.items()} for one in (before, after)
    ]
    quarter = len(next(iter(texts.values()))) // 4
    columns = range(len(before.columns))
    best = max(columns, key=lambda place: shares_found([found[place][:quarter] for found in states[0].values()]).mean())
    column = len(before.columns) - 1 if before.output_width is not None else best
    sides = []
    for encoder, found, folder in zip((before, after), states, folders, strict=True):
        vectors = [layers[column] for layers in found.values()]
        weights = list(encoder.model.parameters())
        size = sum(weight.numel() * weight.element_size() for weight in weights)
        disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder else size
        sides.append(
            Side(
                megabytes=disk / 2**20,
                parameters=sum(weight.numel() for weight in weights),
                vocabulary=len(encoder.tokenizer),
                sentences_per_second=_speed(encoder, texts),
                found=shares_found([rows[quarter:] for rows in vectors]).mean(axis=0),
                told=languages_told(vectors, quarter).mean(axis=0),
            )
        )
    same = np.mean([same_tokens(before, after, rows, numbers) for rows in texts.values()], axis=0)
    others = {code: float(np.mean(same_tokens(before, after, rows, numbers))) for code, rows in rest.items()}
    return Trimmed(sides[0], sides[1], before.columns[column], _points(same), others)


def same_tokens(before: Encoder, after: Encoder, texts: Sequence[str], numbers: Sequence[int]) -> NDArray[np.float64]:
    """Whether each text has the same subwords in both."""
    old, new = (Tokeniser(one.tokenizer).read_sentences(texts, 0) for one in (before, after))
    return np.array([[numbers[i] for i in b.ids] == a.ids for a, b in zip(old, new, strict=True)], dtype=np.float64)


def _speed(encoder: Encoder, texts: Texts) -> float:
    mixed = [row for rows in zip(*texts.values(), strict=True) for row in rows][:TIMED]
    encoder.encode(mixed[:8], layers="last")
    start = time.perf_counter()
    encoder.encode(mixed, layers="last")
    return len(mixed) / (time.perf_counter() - start)
