"""Predictions for languages nobody has labelled: against plain loops, and coverage by simulation."""

import math
from itertools import product

import numpy as np
import pytest
from sklearn.linear_model import RidgeCV
from sklearn.preprocessing import StandardScaler

from isogloss.errors import IsoglossError
from isogloss.probes.prediction import (
    PENALTIES,
    Jackknife,
    MeanPredictor,
    NearestPredictor,
    RidgePredictor,
    gains,
    judge,
    source_scores,
)  # fmt: skip


def draw(n: int, seed: int, noise: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 6))
    return X, X @ np.array([1.0, 0.5, 0, 0, 0, 0]) + noise * random.standard_t(4, n)


def test_ridge_is_scikit_learns_on_standardised_features() -> None:
    X, y = draw(15, 0)
    theirs = RidgeCV(alphas=PENALTIES)
    scaler = StandardScaler().fit(X)
    expected = theirs.fit(scaler.transform(X), y).predict(scaler.transform(X))
    np.testing.assert_allclose(RidgePredictor().fit(X, y).predict(X), expected, rtol=1e-8)


def test_a_missing_value_stands_at_the_mean_of_its_feature() -> None:
    X, y = draw(15, 1)
    model = RidgePredictor().fit(X, y)
    row, filled = X[:1].copy(), X[:1].copy()
    row[0, 2], filled[0, 2] = np.nan, X[:, 2].mean()
    np.testing.assert_allclose(model.predict(row), model.predict(filled))
    X[3, 0] = np.nan
    assert np.isfinite(RidgePredictor().fit(X, y).predict(X)).all()


def test_a_feature_that_hardly_varied_cannot_carry_a_prediction_away() -> None:
    X, y = draw(14, 3)
    X[:, 5] = 1e-6 * X[:, 5]  # next to constant among known languages
    X[0, 5] = 0.02  # and then one is different
    jackknife = Jackknife.fit(RidgePredictor, X, y)
    inside = jackknife.predict(draw(20, 4)[0] * [1, 1, 1, 1, 1, 1e-6])
    assert jackknife.residuals.max() < 3 * np.ptp(y)
    assert all(one.high - one.low < 4 * np.ptp(y) for one in inside)
    model = RidgePredictor().fit(X[1:], y[1:])
    far, further = X[:1].copy(), X[:1].copy()
    further[0, 5] = 100.0
    assert model.predict(far) == pytest.approx(model.predict(further))


def test_intervals_are_jackknife_plus() -> None:
    X, y = draw(12, 2)
    asked = draw(3, 3)[0]
    ours = Jackknife.fit(RidgePredictor, X, y).predict(asked, confidence=0.8)
    for row, one in zip(asked, ours, strict=True):
        lows, highs = [], []
        for i in range(12):
            rest = np.arange(12) != i
            twin = RidgePredictor().fit(X[rest], y[rest])
            gap = abs(y[i] - twin.predict(X[i : i + 1])[0])
            lows.append(twin.predict(row[None])[0] - gap)
            highs.append(twin.predict(row[None])[0] + gap)
        assert one.low == pytest.approx(sorted(lows)[math.floor(0.2 * 13) - 1])
        assert one.high == pytest.approx(sorted(highs)[math.ceil(0.8 * 13) - 1])
        assert one.n == 12 and one.over == "languages"


def test_nine_in_ten_truths_lie_in_their_intervals() -> None:
    inside = []
    for seed in range(40):
        X, y = draw(32, seed)
        for one, truth in zip(Jackknife.fit(RidgePredictor, X[:16], y[:16]).predict(X[16:]), y[16:], strict=True):
            inside.append(one.low <= truth <= one.high)
    assert 0.85 <= np.mean(inside) <= 0.97  # at least 0.8 by proof


def test_too_few_languages_have_no_interval() -> None:
    X, y = draw(8, 0)
    (found,) = Jackknife.fit(RidgePredictor, X, y).predict(X[:1])
    assert math.isfinite(found.value) and math.isnan(found.low)
    X, y = draw(30, 0)  # rows enough, but of five languages
    (found,) = Jackknife.fit(RidgePredictor, X, y, groups=np.arange(30) % 5).predict(X[:1])
    assert math.isnan(found.low)


def test_scores_stay_within_their_limits() -> None:
    X, y = draw(20, 0)
    found = Jackknife.fit(RidgePredictor, X, y).predict(10 * X, limits=(0.0, 1.0))
    assert all(0 <= one.low <= one.high <= 1 and 0 <= one.value <= 1 for one in found)


def test_a_language_is_judged_by_what_others_teach() -> None:
    X, y = draw(20, 4)
    groups = np.repeat(np.arange(10), 2)
    found = judge(RidgePredictor, X, y, groups)
    for name in range(10):
        out = groups == name
        alone = RidgePredictor().fit(X[~out], y[~out]).predict(X[out])
        np.testing.assert_allclose(np.array(found.errors)[out], np.abs(alone - y[out]))
    assert found.error.n == 10
    assert found.error.value < judge(MeanPredictor, X, y, groups).error.value


def test_where_features_say_nothing_the_mean_is_as_good() -> None:
    worse = []
    for seed in range(8):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(15, 6)), random.normal(size=15)
        worse.append(judge(RidgePredictor, X, y).error.value / judge(MeanPredictor, X, y).error.value)
    assert 0.9 < np.mean(worse) < 1.35
    assert math.isnan(judge(MeanPredictor, X, y).correlation)


def test_the_nearest_language_gives_its_score() -> None:
    model = NearestPredictor().fit([[0.0], [1.0], [5.0]], [10, 20, 30])
    assert model.predict([[0.9], [4.0]]).tolist() == [20, 30]


def test_what_to_label_next_and_where_to_start_from() -> None:
    """Languages on a line: a score falls with the distance between source and target."""
    places = {f"l{i}": float(i) for i in range(12)}
    random = np.random.default_rng(0)

    def features(source: str, target: str) -> np.ndarray:
        gap = abs(places[source] - places[target])
        return np.array([gap, random.normal()])

    known = [(source, target) for source in ("l0", "l6") for target in places]
    X = np.stack([features(*pair) for pair in known])
    y = [90 - 5 * abs(places[a] - places[b]) + random.normal() for a, b in known]
    model = Jackknife.fit(RidgePredictor, X, y, [target for _, target in known])
    targets = ["l9", "l10", "l11"]
    found = gains(model, features, ["l0"], ["l1", "l5", "l10"], targets)
    assert max(found, key=lambda name: found[name].value) == "l10"
    assert found["l10"].low > found["l1"].value
    assert found["l10"].value == pytest.approx(5 * (10 - 2 / 3), rel=0.25)  # ten steps nearer, less the way to its own
    starts = source_scores(model, features, ["l1", "l5", "l10"], targets)
    assert list(starts) == sorted(starts, key=lambda name: starts[name].value)
    assert all(one.low <= one.value <= one.high and one.n == 12 for one in starts.values())


def test_sources_nobody_has_tried_lie_in_their_intervals() -> None:
    """A source has an effect of its own that no feature tells, so errors of one source point the same way."""
    inside, apart = [], []
    for seed in range(30):
        random = np.random.default_rng(seed)
        names = [f"l{i}" for i in range(14)]
        fixed = {pair: random.normal(size=3) for pair in product(names, names)}
        own = {name: random.normal() for name in names}
        truth = {p: 50 + 6 * fixed[p][0] + 3 * own[p[0]] + 3 * random.normal() for p in fixed}
        known = [(source, target) for source in names[:4] for target in names if source != target]
        model = Jackknife.fit(
            RidgePredictor, [fixed[p] for p in known], [truth[p] for p in known], [target for _, target in known]
        )
        found = source_scores(model, lambda a, b: fixed[a, b], names[4:], names)  # noqa: B023
        for name, one in found.items():
            inside.append(one.low <= np.mean([truth[name, target] for target in names]) <= one.high)
        gained = gains(model, lambda a, b: fixed[a, b], ["l0"], names[4:], names)  # noqa: B023
        before = np.array([truth["l0", target] for target in names])
        for name, one in gained.items():
            after = np.maximum(before, [truth[name, target] for target in names])
            apart.append(one.low <= np.mean(after - before) <= one.high)
    assert np.mean(inside) >= 0.9 and np.mean(apart) >= 0.85


def test_mistakes_are_named() -> None:
    with pytest.raises(IsoglossError, match="at least two languages"):
        Jackknife.fit(RidgePredictor, [[1.0], [2.0]], [1, 2], groups=["a", "a"])
    with pytest.raises(IsoglossError, match="at least three"):
        judge(RidgePredictor, [[1.0], [2.0]], [1, 2])
    with pytest.raises(IsoglossError, match="infinite"):
        RidgePredictor().fit([[np.inf], [1.0]], [1, 2])
