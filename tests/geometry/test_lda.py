"""LDA against scikit-learn and against the generalised eigenproblem."""

import numpy as np
import pytest
import scipy.linalg
from sklearn.covariance import oas
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from isogloss.errors import IsoglossError
from isogloss.geometry import LDA, Moments


def make(sizes=(30, 50, 20, 70, 44), dim=12, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([f"l{i}" for i in range(len(sizes))], sizes)
    centroids = np.repeat(rng.normal(size=(len(sizes), dim)) * 2, sizes, axis=0)
    return rng.normal(size=(len(y), dim)) @ rng.normal(size=(dim, dim)) + centroids + 5, y


def same_up_to_signs(a, b, atol):
    np.testing.assert_allclose(np.abs(a), np.abs(b), atol=atol)
    signs = np.sign((a * b).sum(0))
    np.testing.assert_allclose(a, b * signs, atol=atol)


@pytest.mark.parametrize(("dtype", "atol"), [(np.float64, 1e-8), (np.float32, 2e-2)])
def test_coordinates_are_those_of_scikit_learn(dtype, atol):
    X, y = make()
    theirs = LinearDiscriminantAnalysis().fit(X, y)
    ours = LDA().fit(X.astype(dtype), y)
    same_up_to_signs(ours.transform(X.astype(dtype)), theirs.transform(X), atol)
    np.testing.assert_allclose(ours.explained_share_, theirs.explained_variance_ratio_, atol=atol / 10)
    assert ours.rank_ == 4 and ours.classes_.tolist() == sorted(set(y))


def test_with_more_dimensions_than_rows_the_subspace_is_still_that_of_scikit_learn():
    X, y = make((9, 8, 10), dim=40)
    theirs = LinearDiscriminantAnalysis().fit(X, y)
    same_up_to_signs(LDA().fit(X, y).transform(X), theirs.transform(X), 1e-6)


def test_moments_give_what_rows_give():
    X, y = make()
    streamed = Moments.of(X[::3], y[::3]) + Moments.of(X[1::3], y[1::3]) + Moments.of(X[2::3], y[2::3])
    np.testing.assert_allclose(LDA().fit(streamed).components_, LDA().fit(X, y).components_, atol=1e-9)


def test_components_solve_the_generalised_eigenproblem_with_shrinkage():
    X, y = make()
    moments = Moments.of(X, y)
    fitted = LDA(shrinkage=0.3).fit(moments)
    within = moments.within() / moments.total
    shrunk = 0.7 * within + 0.3 * np.trace(within) / 12 * np.eye(12)
    values = scipy.linalg.eigh(moments.between() / moments.total, shrunk, eigvals_only=True)[::-1]
    np.testing.assert_allclose(fitted.eigenvalues_, values[:4], rtol=1e-9)
    np.testing.assert_allclose(fitted.components_ @ shrunk @ fitted.components_.T, np.eye(4), atol=1e-9)


def test_oas_shrinkage_is_that_of_scikit_learn():
    X, y = make()
    centred = np.vstack([X[y == k] - X[y == k].mean(0) for k in np.unique(y)])
    _, share = oas(centred, assume_centered=True)
    assert LDA(shrinkage="oas").fit(X, y).shrinkage_ == pytest.approx(share)


def test_constant_features_and_few_dims_are_handled():
    X, y = make()
    X[:, 3] = 7.0
    fitted = LDA(dims=2).fit(X, y)
    assert fitted.components_.shape == (2, 12) and np.isfinite(fitted.transform(X)).all()
    assert np.abs(fitted.components_[:, 3]).max() < 1e-9


def test_a_single_language_a_single_row_each_and_a_wrong_share_are_refused():
    X, y = make()
    with pytest.raises(IsoglossError, match="at least two languages"):
        LDA().fit(X, ["en"] * len(X))
    with pytest.raises(IsoglossError, match="DensRay"):
        LDA().fit(X[:5], list("abcde"))
    with pytest.raises(IsoglossError, match="not a share"):
        LDA(shrinkage=1.5).fit(X, y)
