"""Typology: can a linear probe read a language's WALS features? (Liang21 LT)"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.errors import IsoglossError, unknown_name
from isogloss.geometry.arrays import Matrix, as_labels, as_matrix
from isogloss.geometry.estimator import Estimator
from isogloss.probes.columns import ColumnSet, every_column
from isogloss.probes.logistic import LogisticProbes, Problem
from isogloss.probes.splits import split_by_language
from isogloss.probes.statistics import Estimate
from isogloss.probes.summaries import over_seeds_and_items, summarise

Features = pd.DataFrame | Mapping[str, Mapping[Any, Any]]


class Typology(Estimator):
    """Micro F1 of one-vs-rest probes for typological features, beside always guessing the commonest value.

    ``features`` has a row per language and a column per feature (or is a mapping feature -> language -> value);
    missing values are left out. ``split="tokens"`` holds out rows of every language: a probe can pass by telling
    languages apart. ``split="languages"`` holds out whole languages, a fifth of those that have the feature, and
    asks for the typology itself. After ``fit``: ``frame_`` (a row per probe), ``summary_`` (means over features),
    ``f1_``, ``majority_`` (estimates for the first column set) and ``skipped_`` (feature -> why).
    """

    def __init__(
        self,
        features: Features | None = None,
        *,
        split: Literal["tokens", "languages"] = "tokens",
        columns: Sequence[ColumnSet] | None = None,
        train: int = 8000,
        test: int = 2000,
        seeds: int = 5,
        held_out: float = 0.2,
        multiclass: Literal["ovr", "multinomial"] = "ovr",
        C: float = 1.0,
        tol: float = 1e-3,
        random_state: int = 0,
    ) -> None:
        self.features = features
        self.split = split
        self.columns = columns
        self.train = train
        self.test = test
        self.seeds = seeds
        self.held_out = held_out
        self.multiclass = multiclass
        self.C = C
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: Any, y: Any, groups: Any | None = None) -> Self:
        """``X`` is n x d, ``y`` the language of each row, ``groups`` the units a split keeps whole (sentences)."""
        if self.split not in ("tokens", "languages"):
            raise unknown_name("split", self.split, ["tokens", "languages"], where="Typology")
        rows = as_matrix(X)
        languages, codes = as_labels(y, len(rows))
        table, self.skipped_ = self._usable(languages)
        units = None if groups is None else np.asarray(groups)
        share = len(languages)
        problems: list[Problem] = []
        for seed in range(self.random_state, self.random_state + self.seeds):
            parts = split_by_language(
                codes, languages, max(1, self.train // share), max(1, self.test // share), seed, units
            )
            train = np.concatenate([part.train for part in parts])
            test = np.concatenate([part.test for part in parts])
            sample = np.concatenate([train, test])
            problems += self._problems(rows[sample], codes[sample], len(train), table, seed)
        probes = LogisticProbes(self.C, multiclass=self.multiclass, tol=self.tol)
        self.n_features_in_ = rows.shape[1]
        self.languages_ = languages
        self.frame_ = probes.fit_score(problems).rename(columns={"accuracy": "f1"}).drop(columns=["control"])
        self.frame_["gain"] = self.frame_["f1"] - self.frame_["majority"]
        self.summary_ = summarise(self.frame_, ["f1", "majority", "gain"], item="feature")
        self.f1_, self.majority_ = self._first_estimate("f1"), self._first_estimate("majority")
        return self

    def _first_estimate(self, value: str) -> Estimate:
        first = self.frame_.iloc[0]
        same = (self.frame_[["kind", "x", "draw"]] == first[["kind", "x", "draw"]]).all(axis=1)
        return over_seeds_and_items(self.frame_[same], value, "feature")

    def _usable(self, languages: list[Any]) -> tuple[pd.DataFrame, dict[str, str]]:
        """The features that can be asked about these languages, and why the others cannot."""
        if self.features is None:
            raise IsoglossError("there are no features to predict", remedy="Typology(features=...)", where="Typology")
        table = pd.DataFrame(self.features).reindex(languages)
        needed = 2 if self.split == "tokens" else 3
        skipped = {}
        for feature in table.columns:
            values = table[feature].dropna()
            if values.nunique() < 2:
                skipped[str(feature)] = f"{values.nunique()} value(s) among these languages"
            elif len(values) < needed:
                skipped[str(feature)] = f"{len(values)} languages, {needed} are needed"
        if len(skipped) == len(table.columns):
            raise IsoglossError(
                f"none of {len(table.columns)} features has two values among these {len(languages)} languages",
                remedy="check that y and the features name languages by the same codes",
                where="features",
            )
        return table.drop(columns=[name for name in table.columns if str(name) in skipped]), skipped

    def _problems(
        self, X: Matrix, codes: NDArray[np.intp], trained: int, table: pd.DataFrame, seed: int
    ) -> Iterator[Problem]:
        """A problem a feature and column set; rows that a feature leaves out have weight zero."""
        train, test = np.arange(trained), np.arange(trained, len(X))
        for number, feature in enumerate(table.columns):
            values = table[feature]
            known = values.notna().to_numpy()
            labels = pd.factorize(values)[0][codes]  # -1 where the language has no value
            weights = known[codes].astype(np.float32)
            if self.split == "languages":
                out = _hold_out(known, self.held_out, (seed, number))
                weights[train] *= ~out[codes[train]]
                weights[test] *= out[codes[test]]
            name = {"feature": feature, "split": self.split, "languages": int(known.sum())}
            for one in self.columns or every_column(X.shape[1]):
                yield Problem(
                    X, labels, train, test, one.columns, weights=weights, name={**name, **one.fields()}, seed=seed
                )


def _hold_out(known: NDArray[np.bool_], share: float, seed: tuple[int, int]) -> NDArray[np.bool_]:
    """Which languages are kept for test: a share of those with a value, at least one."""
    rows = np.flatnonzero(known)
    count = min(max(1, round(share * len(rows))), len(rows) - 1)
    out = np.zeros(len(known), dtype=bool)
    out[np.random.default_rng(seed).permutation(rows)[:count]] = True
    return out
