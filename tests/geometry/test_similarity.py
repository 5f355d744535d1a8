"""The other measures of similarity: independent libraries as twins, known answers, invariances."""

import numpy as np
import pytest
import scipy.linalg
import scipy.spatial.distance
import scipy.stats
from sklearn.cross_decomposition import CCA

from isogloss.errors import IsoglossError
from isogloss.geometry import SmallSampleWarning, cka, similarity
from isogloss.geometry.similarity_measures import MEASURES


def make(n=200, dim=6, noise=0.5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, dim)) * np.geomspace(2, 0.5, dim)
    return X, X @ rng.normal(size=(dim, dim)) + noise * rng.normal(size=(n, dim)) + 2


def canonical_correlations(X, Y):
    """By the generalised eigenproblem of the covariances, unlike the SVD of bases that we use."""
    X, Y = X - X.mean(0), Y - Y.mean(0)
    inner = np.linalg.solve(X.T @ X, X.T @ Y) @ np.linalg.solve(Y.T @ Y, Y.T @ X)
    return np.sqrt(np.sort(np.linalg.eigvals(inner).real)[::-1].clip(0))


def test_svcca_is_the_mean_canonical_correlation_of_the_leading_directions():
    X, Y = make()
    values = []
    for rows in (X, Y):
        centred = rows - rows.mean(0)
        _, s, V = np.linalg.svd(centred, full_matrices=False)
        kept = int(np.searchsorted(np.cumsum(s**2) / (s**2).sum(), 0.99)) + 1
        values.append(centred @ V[:kept].T)
    k = min(value.shape[1] for value in values)
    expected = canonical_correlations(*values)[:k].mean()
    assert similarity(X, Y, "svcca") == pytest.approx(expected, abs=1e-9)


def test_svcca_agrees_with_scikit_learn_where_all_directions_stay():
    X, Y = make(dim=3)
    Z = CCA(n_components=3, scale=False, tol=1e-12, max_iter=5000).fit(X, Y)
    a, b = Z.transform(X, Y)
    theirs = np.mean([np.corrcoef(a[:, i], b[:, i])[0, 1] for i in range(3)])
    assert similarity(X, Y, "svcca") == pytest.approx(theirs, abs=1e-4)


def test_pwcca_weights_by_what_the_variates_explain():
    X, Y = make()
    centred = X - X.mean(0)
    whitened = scipy.linalg.inv(scipy.linalg.sqrtm(centred.T @ centred))
    other = Y - Y.mean(0)
    inner = whitened @ centred.T @ other @ scipy.linalg.inv(scipy.linalg.sqrtm(other.T @ other))
    U, rho, _ = np.linalg.svd(inner)
    weights = np.abs((centred @ whitened @ U).T @ centred).sum(1)
    assert similarity(X, Y, "pwcca") == pytest.approx(weights @ rho / weights.sum(), abs=1e-8)


@pytest.mark.parametrize("n", [200, 4], ids=["tall", "wide"])
def test_procrustes_distance_is_what_the_best_rotation_leaves(n):
    X, Y = make(n)
    a, b = (rows - rows.mean(0) for rows in (X, Y))
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    R, _ = scipy.linalg.orthogonal_procrustes(a, b)
    assert similarity(X, Y, "procrustes") == pytest.approx(np.linalg.norm(a @ R - b) ** 2, abs=1e-9)


def test_rsa_is_spearman_of_scipys_correlation_distances():
    X, Y = make(80)
    first, second = (scipy.spatial.distance.pdist(rows, "correlation") for rows in (X, Y))
    assert similarity(X, Y, "rsa") == pytest.approx(scipy.stats.spearmanr(first, second)[0], abs=1e-12)


def test_cosine_is_the_mean_over_partners():
    X, Y = make()
    expected = np.mean([1 - scipy.spatial.distance.cosine(x, y) for x, y in zip(X, Y, strict=True)])
    assert similarity(X, Y, "cosine") == pytest.approx(expected)


ROTATION = np.linalg.qr(np.random.default_rng(4).normal(size=(6, 6)))[0]


@pytest.mark.parametrize("measure", sorted(set(MEASURES) - {"cosine", "rsa", "pwcca"}))
def test_rotating_and_scaling_a_set_changes_nothing(measure):
    X, Y = make(n=300)  # not so for pwcca, whose weights are sums over features, nor for rsa
    assert similarity(3 * X @ ROTATION + 1, Y, measure) == pytest.approx(similarity(X, Y, measure), abs=1e-8)


@pytest.mark.parametrize("measure", sorted(set(MEASURES) - {"cosine", "rsa"}))
def test_a_set_and_its_rotated_copy_are_as_alike_as_can_be(measure):
    X, _ = make(n=300)
    same = similarity(X, 3 * X @ ROTATION + 1, measure)
    assert same == pytest.approx(0 if measure == "procrustes" else 1, abs=1e-8)


def test_cka_stands_behind_the_same_call():
    X, Y = make()
    assert similarity(X, Y) == cka(X, Y)
    assert similarity(X, Y, "cka-unbiased") == cka(X, Y, kind="unbiased")
    assert similarity(X, Y, "cka-rbf") == cka(X, Y, kind="rbf")


def test_too_few_rows_for_canonical_correlations_are_told():
    X, Y = make(n=11)
    with pytest.warns(SmallSampleWarning, match="whatever the data"):
        similarity(X, Y, "pwcca")


@pytest.mark.parametrize("measure", ["svcca", "pwcca", "procrustes", "rsa"])
def test_constant_sets_are_refused(measure):
    X, Y = make()
    with pytest.raises(IsoglossError, match="not defined"):
        similarity(X, np.ones_like(Y), measure)


def test_unknown_measures_and_cosines_between_widths_are_refused():
    X, Y = make()
    with pytest.raises(IsoglossError, match="did you mean 'svcca'"):
        similarity(X, Y, "svca")
    with pytest.raises(IsoglossError, match="Procrustes first"):
        similarity(X, Y[:, :3], "cosine")
