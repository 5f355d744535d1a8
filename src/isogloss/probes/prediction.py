"""Predict a score from a few features of a pair of languages, with intervals that hold for few languages.

The model is a ridge regression; its penalty is chosen by leave-one-out on the rows it learns from, never on what it is
judged by. Intervals are jackknife+ (Barber et al. 2021): at least 1 - 2a of the truth lies inside, whatever the law of
the data, and about 1 - a in practice.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isogloss.errors import IsoglossError
from isogloss.probes.statistics import Estimate
from isogloss.probes.statistics.estimates import finite

Floats = NDArray[np.float64]
PENALTIES = tuple(np.logspace(-1, 3, 13))
LEAST = 4  # rows that a regression needs
FAR = 4.0  # standard deviations that a feature counts at most: beyond them nothing is known


class RidgePredictor:
    """Ridge regression on standardised features; a missing value stands at its feature's mean.

    A feature may hardly vary among the known languages (unknown subwords, say) and be large in a new one. It counts at
    most ``FAR`` standard deviations, so that one feature cannot carry a prediction away.
    ``coef_`` are in units of the score per standard deviation of a feature.
    """

    def __init__(self, penalties: Sequence[float] = PENALTIES) -> None:
        self.penalties = penalties

    def fit(self, X: ArrayLike, y: ArrayLike) -> "RidgePredictor":
        """Learn from n x features (NaN where missing) and n scores."""
        from sklearn.linear_model import RidgeCV

        table, scores = _table(X), finite(y, "y")
        if len(table) != len(scores):
            raise IsoglossError(f"{len(table)} rows of features but {len(scores)} scores")
        known = np.isfinite(table)
        counts = np.maximum(known.sum(axis=0), 1)
        self.mean_ = np.where(known, table, 0.0).sum(axis=0) / counts
        spread = np.sqrt((np.where(known, table - self.mean_, 0.0) ** 2).sum(axis=0) / counts)
        self.scale_ = np.where(spread > 1e-12, spread, 1.0)
        if len(scores) < LEAST or np.ptp(scores) == 0:
            self.coef_, self.intercept_ = np.zeros(table.shape[1]), float(scores.mean())
            return self
        fitted = RidgeCV(alphas=self.penalties).fit(self._standard(table), scores)
        self.coef_, self.intercept_ = np.asarray(fitted.coef_, dtype=np.float64), float(fitted.intercept_)
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """Scores of n x features."""
        return np.asarray(self._standard(_table(X)) @ self.coef_ + self.intercept_, dtype=np.float64)

    def shares(self, X: ArrayLike) -> Floats:
        """How much each feature moves the predictions of ``X``, as shares that sum to one (zeros: nothing does)."""
        moved = np.abs(self._standard(_table(X)) * self.coef_).mean(axis=0)
        total = float(moved.sum())
        return np.asarray(moved / total if total > 0 else moved, dtype=np.float64)

    def _standard(self, table: Floats) -> Floats:
        standard = np.nan_to_num((table - self.mean_) / self.scale_, nan=0.0)
        return np.asarray(np.clip(standard, -FAR, FAR), dtype=np.float64)


class MeanPredictor:
    """The baseline: the mean of what is known."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> "MeanPredictor":
        self.mean_ = float(finite(y, "y").mean())
        return self

    def predict(self, X: ArrayLike) -> Floats:
        return np.full(len(_table(X)), self.mean_)


class NearestPredictor:
    """The baseline: the score of the known row whose first feature (a distance to what is asked) is nearest."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> "NearestPredictor":
        self.places_, self.scores_ = _table(X), finite(y, "y")
        return self

    def predict(self, X: ArrayLike) -> Floats:
        places = _table(X)
        gaps = np.nan_to_num(places[:, None, :] - self.places_[None], nan=1.0)
        return np.asarray(self.scores_[np.argmin((gaps**2).sum(axis=2), axis=1)], dtype=np.float64)


Predictor = RidgePredictor | MeanPredictor | NearestPredictor
Make = Callable[[], Predictor]
Features = Callable[[str, str], Floats]  # of a source and a target


@dataclass(frozen=True, eq=False)
class Jackknife:
    """A predictor with its leave-one-group-out twins: predictions with jackknife+ intervals."""

    whole: Predictor
    twins: tuple[Predictor, ...]  # one per row: fitted without the row's group
    residuals: Floats  # of each row under its twin, in absolute size
    groups: int

    @classmethod
    def fit(cls, make: Make, X: ArrayLike, y: ArrayLike, groups: ArrayLike | None = None) -> "Jackknife":
        """``groups`` (n) names what is left out together: all rows of a language."""
        table, scores = _table(X), finite(y, "y")
        names = np.arange(len(scores)) if groups is None else np.asarray(groups)
        distinct = list(dict.fromkeys(names.tolist()))
        if len(distinct) < 2:
            raise IsoglossError("a prediction needs scores of at least two languages", remedy="name more with --known")
        by_name = {name: make().fit(table[names != name], scores[names != name]) for name in distinct}
        twins = tuple(by_name[name] for name in names.tolist())
        left = np.array([float(twin.predict(row[None])[0]) for twin, row in zip(twins, table, strict=True)])
        return cls(make().fit(table, scores), twins, np.abs(scores - left), len(distinct))

    def predict(
        self, X: ArrayLike, confidence: float = 0.9, limits: tuple[float, float] = (-np.inf, np.inf)
    ) -> list[Estimate]:
        """A prediction with its interval per row of ``X``; the interval is NaN where too few rows are known for it."""
        table = _table(X)
        values = np.clip(self.whole.predict(table), *limits)
        centres = np.stack([twin.predict(table) for twin in self.twins])  # known rows x asked rows
        n, miss = len(self.residuals), 1 - confidence
        enough = (
            math.ceil((1 - miss) * (self.groups + 1) - 1e-9) <= self.groups
        )  # rows of a language are not independent
        above, below = math.ceil((1 - miss) * (n + 1) - 1e-9), math.floor(miss * (n + 1) + 1e-9)
        found = []
        for column, value in enumerate(values):
            if not enough:
                found.append(Estimate(float(value), math.nan, math.nan, self.groups, over="languages"))
                continue
            low = np.sort(centres[:, column] - self.residuals)[below - 1]
            high = np.sort(centres[:, column] + self.residuals)[above - 1]
            ends = np.clip([low, high], *limits)
            found.append(Estimate(float(value), float(ends[0]), float(ends[1]), self.groups, over="languages"))
        return found


@dataclass(frozen=True)
class Judgement:
    """How well a predictor does on languages it has not seen: absolute error, correlation, coverage of intervals."""

    error: Estimate  # mean absolute error, interval over languages
    correlation: float  # Pearson's, of predicted and true; NaN where one of them does not vary, and for the mean
    coverage: float  # share of true scores inside their intervals; NaN where there were too few for any
    covered: int  # of so many
    width: float  # mean width of the intervals
    errors: tuple[float, ...]  # per row, absolute


def judge(
    make: Make, X: ArrayLike, y: ArrayLike, groups: ArrayLike | None = None, confidence: float = 0.9,
    limits: tuple[float, float] = (-np.inf, np.inf),
) -> Judgement:  # fmt: skip
    """Leave each group out, learn (penalty, intervals and all) from the others, and compare."""
    from isogloss.probes.statistics import bootstrap_mean

    table, scores = _table(X), finite(y, "y")
    names = np.arange(len(scores)) if groups is None else np.asarray(groups)
    distinct = list(dict.fromkeys(names.tolist()))
    if len(distinct) < 3:
        raise IsoglossError("judging a prediction needs at least three languages", remedy="name more with --known")
    found: list[Estimate] = [Estimate(math.nan, math.nan, math.nan, 0)] * len(scores)
    for name in distinct:
        out = names == name
        model = Jackknife.fit(make, table[~out], scores[~out], names[~out])
        for place, one in zip(np.flatnonzero(out), model.predict(table[out], confidence, limits), strict=True):
            found[place] = one
    values = np.array([one.value for one in found])
    errors = np.abs(values - scores)
    has = np.array([math.isfinite(one.low) for one in found])
    inside = np.array([one.low <= score <= one.high for one, score in zip(found, scores, strict=True)])
    # the mean of the others falls as the one left out rises: -1 by arithmetic, and it says nothing
    varies = make is not MeanPredictor and np.ptp(values) > 1e-12 and np.ptp(scores) > 1e-12
    return Judgement(
        bootstrap_mean(errors, names),
        float(np.corrcoef(values, scores)[0, 1]) if varies else math.nan,
        float(inside[has].mean()) if has.any() else math.nan,
        int(has.sum()),
        float(np.mean([one.high - one.low for one in found if math.isfinite(one.low)])) if has.any() else math.nan,
        tuple(float(error) for error in errors),
    )


def gains(
    model: Jackknife, features: Features, sources: Sequence[str], candidates: Sequence[str],
    targets: Sequence[str], confidence: float = 0.9, limits: tuple[float, float] = (-np.inf, np.inf),
) -> dict[str, Estimate]:  # fmt: skip
    """What labelling each candidate is expected to add to the mean score over ``targets``.

    A target takes the best of its sources; a candidate becomes one more source. The ends of the interval are the gains
    if the candidate's scores were all at the lower or all at the upper end of theirs, since errors of one source may
    all point the same way.
    """
    before = np.clip(np.max([_rows(features, one, targets, model.whole.predict) for one in sources], axis=0), *limits)
    return {
        candidate: _over_targets(
            _predicted(model, features, candidate, targets, confidence, limits),
            lambda scores: float(np.mean(np.maximum(before, scores) - before)),
            model.groups,
        )
        for candidate in candidates
    }


def source_scores(
    model: Jackknife, features: Features, candidates: Sequence[str], targets: Sequence[str],
    confidence: float = 0.9, limits: tuple[float, float] = (-np.inf, np.inf),
) -> dict[str, Estimate]:  # fmt: skip
    """The expected mean score over ``targets`` of fine-tuning in each candidate; intervals as in ``gains``."""
    return {
        candidate: _over_targets(
            _predicted(model, features, candidate, targets, confidence, limits),
            lambda scores: float(np.mean(scores)),
            model.groups,
        )
        for candidate in candidates
    }


Answer = TypeVar("Answer")


def _rows(features: Features, source: str, targets: Sequence[str], ask: Callable[[Floats], Answer]) -> Answer:
    return ask(np.stack([features(source, target) for target in targets]))


def _predicted(
    model: Jackknife, features: Features, source: str, targets: Sequence[str], confidence: float,
    limits: tuple[float, float],
) -> list[Estimate]:  # fmt: skip
    return _rows(features, source, targets, lambda table: model.predict(table, confidence, limits))


def _over_targets(found: Sequence[Estimate], statistic: Callable[[Floats], float], groups: int) -> Estimate:
    """A statistic of scores that grows with each of them, and its value at either end of their intervals."""
    ends = (np.array([getattr(one, end) for one in found]) for end in ("value", "low", "high"))
    value, low, high = map(statistic, ends)
    return Estimate(value, low, high, groups, over="languages")


def _table(X: ArrayLike) -> Floats:
    table = np.asarray(X, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise IsoglossError(f"features have shape {table.shape}", remedy="give rows x features, none empty")
    if np.isinf(table).any():
        raise IsoglossError("a feature is infinite", remedy="leave it out as missing (NaN)")
    return table
