"""Logistic probes with more dimensions than rows and classes that any plane parts: where long steps overshoot."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from isogloss.probes import LogisticProbes, Problem


def make(classes, rank, gap, rows=50, dim=640):
    """A few strong directions, repeated in many dimensions, as the states of a layer are."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(classes), rows)
    hidden = rng.normal(size=(len(y), rank)) * np.geomspace(1, 0.05, rank)
    hidden += gap * rng.normal(size=(classes, rank))[y]
    X = hidden @ rng.normal(size=(rank, dim)) + 0.02 * rng.normal(size=(len(y), dim))
    return ((X - X.mean(0)) / X.std(0)).astype(np.float32), y


def objective(fitted, X, y):
    right = fitted.predict_proba(X)[np.arange(len(y)), y]
    return -np.log(right).sum() + (fitted.coef_**2).sum() / 2


@pytest.mark.parametrize(("classes", "rank", "gap"), [(2, 10, 1), (2, 3, 2), (5, 10, 1), (5, 30, 1)])
def test_wide_separable_problems_reach_the_optimum_of_scikit_learn(classes, rank, gap):
    X, y = make(classes, rank, gap)
    rows = np.arange(len(y))
    found = LogisticProbes().fit_score([Problem(X, y, rows, rows)]).iloc[0]
    peer = LogisticRegression(max_iter=5000, tol=1e-6).fit(X.astype(np.float64), y)
    assert found.converged
    assert found.accuracy == 1.0
    assert found.loss == pytest.approx(objective(peer, X, y), abs=3e-3)
