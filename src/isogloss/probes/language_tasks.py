"""The three tasks of language on chosen dimensions (identity, typology, similarity of sisters), as one tidy frame.

The tasks are those of Liang21. Composes probes; no formula here.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.corpora import load_wals
from isogloss.corpora.remembering import remember
from isogloss.digests import require_revision
from isogloss.geometry import Moments
from isogloss.probes.columns import ColumnSet

UNSEEN = "LT unseen"  # typology of languages that the probe was not trained on
COLUMNS = ["task", "kind", "x", "draw", "item", "value", "chance", "n", "converged"]
Sets = Mapping[str, Sequence[ColumnSet]]  # task -> dimensions


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows to probe: coordinates, the language of each, and its sentence, which a split keeps whole."""

    X: NDArray[np.float32]  # n x d
    languages: NDArray[np.str_]  # n
    sentences: NDArray[np.int64]  # n


@dataclass(frozen=True)
class Probing:
    """What the probes ask: pairs of languages, groups of sisters, a typology; and on how many vectors."""

    train: int = 8_000
    test: int = 2_000
    pairs: tuple[tuple[str, str], ...] = ()
    groups: tuple[tuple[str, str], ...] = ()  # language, family or genus; empty: LS is not asked
    typology: str = ""  # empty: LT is not asked
    typology_revision: str = ""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that can be asked of these languages."""
        return ("LI", *(["LT"] if self.typology else []), *(["LS"] if self.groups else []))

    def require_typology(self, languages: tuple[str, ...]) -> None:
        """Refuse a typology that says something else of these languages than when the cell was planned."""
        if self.typology:
            require_revision(hash_features(self.typology, languages), self.typology_revision, self.typology)

    @property
    def tokens(self) -> int:
        """Vectors per language that probes need at most: half of a pair's."""
        return (self.train + self.test) // 2


def probe(sample: Sample, sets: Sets, probing: Probing, seed: int) -> pd.DataFrame:
    """Every task on its dimensions; a row per pair (LI), a feature (LT) or the clustering (LS)."""
    parts = [_ask(task, sample, list(chosen), probing, seed) for task, chosen in sets.items() if chosen]
    return pd.concat(parts, ignore_index=True)


def _ask(task: str, sample: Sample, sets: list[ColumnSet], probing: Probing, seed: int) -> pd.DataFrame:
    if task == "LI":
        frame = ask_identity(sample, sets, probing, seed)
    elif task == "LS":
        frame = ask_similarity(sample, sets, probing, seed)
    else:
        frame = ask_typology(sample, sets, probing, seed, "languages" if task == UNSEEN else "tokens")
    return frame.assign(task=task)[COLUMNS]


def ask_identity(sample: Sample, sets: list[ColumnSet], probing: Probing, seed: int) -> pd.DataFrame:
    """Two languages at a time (LI): accuracy; pairs are balanced, so chance is one half."""
    from isogloss.probes.identity import LanguageIdentity

    probes = LanguageIdentity(
        pairs=list(probing.pairs), columns=sets, train=probing.train, test=probing.test, seeds=1, random_state=seed
    ).fit(sample.X, sample.languages, sample.sentences)
    return probes.frame_.rename(columns={"pair": "item", "accuracy": "value", "n_test": "n"}).assign(chance=0.5)


def ask_typology(
    sample: Sample, sets: list[ColumnSet], probing: Probing, seed: int, split: Literal["tokens", "languages"]
) -> pd.DataFrame:
    """Features of the languages (LT): micro F1; chance is to guess the commonest value."""
    from isogloss.probes.typology import Typology

    features = features_of(probing.typology, tuple(sorted(set(sample.languages.tolist()))))
    probes = Typology(
        features, columns=sets, train=probing.train, test=probing.test, seeds=1, split=split, random_state=seed
    ).fit(sample.X, sample.languages, sample.sentences)
    names = {"feature": "item", "f1": "value", "majority": "chance", "n_test": "n"}
    return probes.frame_.rename(columns=names)


@remember(4)
def features_of(typology: str, languages: tuple[str, ...]) -> pd.DataFrame:
    """Languages x features."""
    return load_wals(typology).table(list(languages))


def hash_features(typology: str, languages: tuple[str, ...]) -> str:
    """A name for what a typology says of these languages."""
    return hashlib.sha256(features_of(typology, languages).to_csv().encode()).hexdigest()[:16]


def ask_similarity(sample: Sample, sets: list[ColumnSet], probing: Probing, seed: int) -> pd.DataFrame:
    """Do centroids cluster by family (LS)? V-measure; chance is that of shuffled families."""
    from isogloss.probes.similarity import LanguageSimilarity

    centroids = Moments.of(sample.X, sample.languages, second="none")
    rows: list[dict[str, Any]] = []
    for one in sets:
        chosen = one.columns if isinstance(one.columns, slice) else list(one.columns or ())
        found = LanguageSimilarity(dict(probing.groups), random_state=seed).fit(
            centroids.means[:, chosen], centroids.classes
        )
        scores = {"value": found.v_measure_, "chance": found.chance_, "n": len(found.languages_)}
        rows.append({**one.fields(), "item": "", "converged": True, **scores})
    return pd.DataFrame(rows)
