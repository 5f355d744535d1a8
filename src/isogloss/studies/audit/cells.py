"""One model's pool of all languages, as it is and after language was taken away, and its false friends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.corpora.false_friends import false_friend
from isogloss.corpora.parallel_sentences import read_parallel, read_planned
from isogloss.corpora.records import ParallelText
from isogloss.files import write_frame
from isogloss.geometry.storage import write_arrays
from isogloss.runs import Bench
from isogloss.studies.shared.models import dtype_of
from isogloss.studies.shared.models_side_by_side import ModelOnText

if TYPE_CHECKING:
    from isogloss.encoders import Encoder
    from isogloss.geometry.mixed_pool import PoolFound

Vectors = dict[str, NDArray[np.float32]]
FILE, KIND, WRONG, FRIENDS = "pool.safetensors", "audit", "wrong.parquet", "friends.parquet"
TREATMENTS = ("as it is", "centred", "neutralised", "CSLS")
MOST_WRONG = 1000  # sentences listed
MOST_EDITED = 100  # sentences changed per language


@dataclass(frozen=True)
class Audited:
    """An audit's head; arrays and lists are in the cell's folder."""

    column: str
    languages: tuple[str, ...]
    fitted: int
    measured: int
    edited: int
    dtype: str = ""


@dataclass(frozen=True)
class Audit(ModelOnText[Audited]):
    """One model on one pool."""

    name: ClassVar[str] = "audit"
    version: ClassVar[int] = 2  # false friends in more languages and scripts
    record: ClassVar[type] = Audited

    def label(self) -> str:
        return f"audit {self.model.label()}"

    def states_held(self, columns: int) -> int:
        """One layer of all languages, as it is and neutralised."""
        text = read_parallel(self.data, self.languages, self.limit)
        return 2 * len(text.languages) * len(text)

    def run(self, bench: Bench) -> Audited:
        text = read_planned(self.data, self.languages, self.limit, self.data_revision)
        encoders = self.open(bench)
        fitted = len(text) // 4
        column, vectors = read_vectors(encoders, text, fitted)
        pools = search_all(vectors, fitted)
        arrays = {f"{name}/{part}": getattr(pool, part) for name, pool in pools.items() for part in PARTS}
        write_arrays(bench.workspace / FILE, arrays, {"kind": KIND})
        friends = try_friends(encoders, column, text, vectors, fitted)
        write_frame(bench.workspace / WRONG, list_wrong(pools[TREATMENTS[0]], text, fitted))
        write_frame(bench.workspace / FRIENDS, friends)
        first = encoders[self.languages[0]]
        counts = (fitted, len(text) - fitted, len(friends))
        return Audited(first.columns[column], self.languages, *counts, dtype_of(first))


PARTS = ("found", "own", "shares", "counts", "translation", "unrelated")


def read_vectors(encoders: "Mapping[str, Encoder]", text: ParallelText, fitted: int) -> tuple[int, Vectors]:
    """Vectors of the output, or of the layer that finds most on the first ``fitted`` sentences."""
    from isogloss.geometry.finding_again import shares_found

    cached = {code: encoders[code].cached(rows, layers="columns") for code, rows in text.texts.items()}
    first = encoders[text.languages[0]]
    column = len(first.columns) - 1
    if first.output_width is None:
        scores = [
            shares_found([found.layers[place][:fitted] for found in cached.values()]).mean()
            for place in range(len(first.columns))
        ]
        column = int(np.argmax(scores))
    return column, {code: np.asarray(found.layers[column]) for code, found in cached.items()}


def search_all(vectors: Vectors, fitted: int) -> "dict[str, PoolFound]":
    """The pool as it is, with each language's mean taken off, neutralised (LEACE), and by CSLS."""
    from isogloss.geometry import Neutraliser
    from isogloss.geometry.mixed_pool import search_pool

    rest = [rows[fitted:] for rows in vectors.values()]
    seen = np.concatenate([rows[:fitted] for rows in vectors.values()])
    codes = np.repeat(list(vectors), fitted)
    pools = {TREATMENTS[0]: search_pool(rest)}
    for name, method in ((TREATMENTS[1], "centre"), (TREATMENTS[2], "leace")):
        fit = Neutraliser(method).fit(seen, codes)  # type: ignore[arg-type]
        changed = [fit.transform(rows, [code] * len(rows)) for code, rows in zip(vectors, rest, strict=True)]
        pools[name] = search_pool(changed)
    pools[TREATMENTS[3]] = search_pool(rest, csls=True)
    return pools


def list_wrong(pool: "PoolFound", text: ParallelText, fitted: int) -> pd.DataFrame:
    """Sentences that found something else than a translation, the clearest mistakes first."""
    rows = {code: sentences[fitted:] for code, sentences in text.texts.items()}
    codes, n = list(rows), pool.found.shape[1]
    margin = pool.likeness - pool.translation
    wrong = np.argwhere(pool.found == 0)
    order = np.argsort(-margin[tuple(wrong.T)], kind="stable")[:MOST_WRONG]
    listed = []
    for language, sentence in wrong[order]:
        other, place = divmod(int(pool.nearest[language, sentence]), n)
        query = codes[language], fitted + int(sentence) + 1, rows[codes[language]][sentence]
        found = codes[other], fitted + place + 1, rows[codes[other]][place]
        likeness = (float(table[language, sentence]) for table in (pool.likeness, pool.translation))
        listed.append((*query, *found, *likeness))
    columns = ["language", "row", "text", "found in", "found row", "found", "likeness", "of translation"]
    return pd.DataFrame(listed, columns=columns)


def try_friends(
    encoders: "Mapping[str, Encoder]", column: int, text: ParallelText, vectors: Vectors, fitted: int
) -> pd.DataFrame:
    """Sentences changed by rule: how many of the other languages take the change for the translation."""
    parts = []
    for code in text.languages:
        rows = text.texts[code][fitted:]
        made = [(place, found) for place, row in enumerate(rows) if (found := false_friend(row, code, rows))]
        made = made[:MOST_EDITED]
        if not made:
            continue
        changed = np.asarray(encoders[code].cached([edit for _, (edit, _) in made], layers="columns").layers[column])
        places = [place for place, _ in made]
        true = vectors[code][fitted:][places]
        fooled = np.mean(
            [_nearer(vectors[other][fitted:][places], changed, true) for other in text.languages if other != code],
            axis=0,
        )
        for (place, (edit, kind)), share in zip(made, fooled, strict=True):
            parts.append((code, kind, fitted + place + 1, rows[place], edit, float(share)))
    return pd.DataFrame(parts, columns=["language", "kind", "row", "text", "changed", "fooled"])


def _nearer(queries: Any, one: Any, other: Any) -> NDArray[np.bool_]:
    """Whether each query is at least as near to ``one`` as to ``other``."""
    unit: Sequence[Any] = [
        rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12) for rows in (queries, one, other)
    ]
    return np.asarray((unit[0] * unit[1]).sum(axis=1) >= (unit[0] * unit[2]).sum(axis=1))
