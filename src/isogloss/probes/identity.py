"""Language identity: can a linear probe tell languages apart? (Liang21 LI)"""

from collections.abc import Sequence
from itertools import combinations, permutations
from typing import Any, Literal, Self

import numpy as np

from isogloss.errors import IsoglossError, unknown_name
from isogloss.geometry.arrays import Indices, Matrix, as_labels, as_matrix
from isogloss.geometry.estimator import Estimator
from isogloss.probes.columns import ColumnSet, every_column
from isogloss.probes.logistic import LogisticProbes, Problem
from isogloss.probes.splits import Split, split_by_language
from isogloss.probes.statistics import Estimate
from isogloss.probes.summaries import over_seeds_and_items, summarise


class LanguageIdentity(Estimator):
    """Accuracy of logistic probes for language, in random pairs (one-vs-one) or all languages at once.

    ``train`` and ``test`` are rows a probe, spread evenly over its languages; a pair is cut to equal sizes, so
    that guessing gives one half. After ``fit``: ``frame_`` (a row per probe), ``summary_`` (a row per column set,
    with intervals over seeds and languages) and ``accuracy_`` (the estimate for the first column set).
    """

    def __init__(
        self,
        mode: Literal["pairwise", "all-way"] = "pairwise",
        *,
        pairs: int | Literal["all"] | Sequence[tuple[Any, Any]] = 50,
        columns: Sequence[ColumnSet] | None = None,
        train: int = 8000,
        test: int = 2000,
        seeds: int = 5,
        controls: int = 0,
        C: float = 1.0,
        tol: float = 1e-3,
        random_state: int = 0,
    ) -> None:
        self.mode = mode
        self.pairs = pairs
        self.columns = columns
        self.train = train
        self.test = test
        self.seeds = seeds
        self.controls = controls
        self.C = C
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: Any, y: Any, groups: Any | None = None) -> Self:
        """``X`` is n x d, ``y`` the language of each row, ``groups`` the units a split keeps whole (sentences)."""
        rows = as_matrix(X)
        languages, codes = as_labels(y, len(rows))
        if len(languages) < 2:
            raise IsoglossError(f"only one language ({languages[0]}): nothing to distinguish", where="y")
        if self.mode not in ("pairwise", "all-way"):
            raise unknown_name("mode", self.mode, ["pairwise", "all-way"], where="LanguageIdentity")
        units = None if groups is None else np.asarray(groups)
        problems = [
            problem
            for seed in range(self.random_state, self.random_state + self.seeds)
            for problem in self._problems(rows, codes, languages, seed, units)
        ]
        probes = LogisticProbes(self.C, tol=self.tol, controls=self.controls, random_state=self.random_state)
        self.languages_ = languages
        self.n_features_in_ = rows.shape[1]
        self.frame_ = probes.fit_score(problems)
        values = ["accuracy", *(["control_accuracy", "selectivity"] if self.controls else [])]
        self.summary_ = summarise(self.frame_, values, item="pair", pairs=self._pairs())
        self.accuracy_ = self._first_estimate()
        return self

    def _first_estimate(self) -> Estimate:
        first = self.frame_.iloc[0]
        same = (self.frame_[["kind", "x", "draw"]] == first[["kind", "x", "draw"]]).all(axis=1)
        return over_seeds_and_items(self.frame_[same], "accuracy", "pair", self._pairs())

    def _pairs(self) -> dict[str, tuple[Any, Any]] | None:
        """The two languages of each pair, by the pair's name; None where all languages are told apart at once."""
        if self.mode != "pairwise":
            return None
        return {f"{one}-{other}": (one, other) for one, other in permutations(self.languages_, 2)}

    def _problems(
        self, X: Matrix, codes: Indices, languages: list[Any], seed: int, groups: np.ndarray[Any, Any] | None
    ) -> list[Problem]:
        share = 2 if self.mode == "pairwise" else len(languages)
        train, test = max(1, self.train // share), max(1, self.test // share)
        splits = split_by_language(codes, languages, train, test, seed, groups)
        found = []
        for members in self._members(languages):
            train_rows, test_rows = _join([splits[member] for member in members], balanced=self.mode == "pairwise")
            pair = "-".join(str(languages[member]) for member in members) if self.mode == "pairwise" else "all"
            for one in self.columns or every_column(X.shape[1]):
                name = {"pair": pair, **one.fields()}
                found.append(Problem(X, codes, train_rows, test_rows, one.columns, name=name, seed=seed))
        return found

    def _members(self, languages: list[Any]) -> list[tuple[int, ...]]:
        """Which languages each probe tells apart: the same pairs for every seed."""
        if self.mode == "all-way":
            return [tuple(range(len(languages)))]
        every = list(combinations(range(len(languages)), 2))
        if self.pairs == "all" or (isinstance(self.pairs, int) and self.pairs >= len(every)):
            return list(every)
        if isinstance(self.pairs, int):
            chosen = np.random.default_rng(self.random_state).choice(len(every), self.pairs, replace=False)
            return [every[number] for number in sorted(chosen)]
        for name in {name for pair in self.pairs for name in pair} - set(languages):
            raise unknown_name("language", str(name), map(str, languages), where="pairs")
        return [(languages.index(first), languages.index(second)) for first, second in self.pairs]


def _join(splits: list[Split], balanced: bool) -> tuple[tuple[Indices, ...], Indices]:
    """Training rows by language and test rows of several languages, as many of each where ``balanced``."""
    train = min(len(split.train) for split in splits) if balanced else None
    test = min(len(split.test) for split in splits) if balanced else None
    # Rows that need no cutting stay the same array, by which probes know what they share.
    kept = tuple(split.train if len(split.train) == train else split.train[:train] for split in splits)
    return kept, np.concatenate([split.test[:test] for split in splits])
