"""Maps between spaces: recovered rotations, scipy as the twin, rectangular and whitened variants."""

import numpy as np
import pytest
import scipy.linalg

from isogloss.errors import IsoglossError
from isogloss.geometry import CrossMoments, Procrustes, iterative_normalisation


def rotation(dim, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(dim, dim)))[0]


def make(n=200, dim=12, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, dim)) * np.geomspace(3, 0.3, dim) + 1
    return X, X @ rotation(dim) + rng.normal(size=(n, dim)) * 0.05


def test_a_known_rotation_is_recovered():
    X, _ = make()
    R = rotation(12)
    np.testing.assert_allclose(Procrustes().fit(X, X @ R).matrix_, R, atol=1e-10)


def test_the_map_is_that_of_scipy_and_lands_in_the_space_of_y():
    X, Y = make()
    theirs, _ = scipy.linalg.orthogonal_procrustes(X, Y)
    fitted = Procrustes().fit(X, Y)
    np.testing.assert_allclose(fitted.matrix_, theirs, atol=1e-10)
    np.testing.assert_allclose(fitted.matrix_ @ fitted.matrix_.T, np.eye(12), atol=1e-12)
    assert np.linalg.norm(fitted.transform(X) - Y) < 0.1 * np.linalg.norm(X - Y)


@pytest.mark.parametrize("settings", [{}, {"centre": True}, {"whiten": True}])
def test_streamed_cross_moments_give_what_rows_give(settings):
    X, Y = make()
    streamed = CrossMoments.of(X[:70], Y[:70]) + CrossMoments.of(X[70:], Y[70:])
    fitted = Procrustes(**settings).fit(streamed)
    np.testing.assert_allclose(fitted.transform(X), Procrustes(**settings).fit(X, Y).transform(X), atol=1e-9)


def test_centring_maps_mean_to_mean():
    X, Y = make()
    fitted = Procrustes(centre=True).fit(X, Y + 100)
    np.testing.assert_allclose(fitted.transform(X).mean(0), (Y + 100).mean(0), atol=1e-10)
    np.testing.assert_allclose(fitted.transform(X) - 100, Y, atol=0.3)


@pytest.mark.parametrize(("dim_x", "dim_y"), [(12, 7), (7, 12)])
def test_spaces_of_different_width_get_the_best_map_with_orthonormal_rows_or_columns(dim_x, dim_y):
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(300, dim_x)), rng.normal(size=(300, dim_y))
    W = Procrustes().fit(X, Y).matrix_
    narrow = min(dim_x, dim_y)
    np.testing.assert_allclose(W.T @ W if dim_x > dim_y else W @ W.T, np.eye(narrow), atol=1e-10)
    gains = [np.trace((X @ other).T @ Y) for other in _random_isometries(rng, dim_x, dim_y)]
    assert np.trace((X @ W).T @ Y) > max(gains)


def _random_isometries(rng, dim_x, dim_y):
    for _ in range(200):
        U, _s, V = np.linalg.svd(rng.normal(size=(dim_x, dim_y)), full_matrices=False)
        yield U @ V


def test_the_whitened_map_gives_rows_the_covariance_of_y_and_undoes_any_linear_map():
    X, _ = make()
    mixing = np.random.default_rng(5).normal(size=(12, 12))
    Y = X @ mixing + 4
    fitted = Procrustes(whiten=True).fit(X, Y)
    np.testing.assert_allclose(fitted.transform(X), Y, atol=1e-6)
    noisy = Y + np.random.default_rng(6).normal(size=Y.shape)
    mapped = Procrustes(whiten=True).fit(X, noisy).transform(X)
    np.testing.assert_allclose(np.cov(mapped.T), np.cov(noisy.T), atol=1e-8)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("settings", [{}, {"centre": True}])
def test_the_map_is_orthogonal_in_every_precision_for_states_with_rogue_dimensions(dtype, settings):
    """Like a decoder's layer 0: three dimensions a thousand times the others, whose tail fades out; rows normalised."""
    rng = np.random.default_rng(2)
    scales = np.concatenate([[1000, 400, 200], np.geomspace(1, 1e-3, 125)])
    X = rng.normal(size=(400, 128)) * scales + 30 * scales
    Y = X @ rotation(128) + rng.normal(size=X.shape) * 1e-3
    X, Y = (iterative_normalisation(part).astype(dtype) for part in (X, Y))
    fitted = Procrustes(**settings).fit(X, Y)
    assert np.abs(fitted.matrix_.T @ fitted.matrix_ - np.eye(128)).max() < 1e-5
    theirs, _ = scipy.linalg.orthogonal_procrustes(*(part.astype(np.float64) for part in (X, Y)))
    if not settings:
        gained = [np.trace((X.astype(np.float64) @ W).T @ Y) for W in (fitted.matrix_, theirs)]
        assert gained[0] == pytest.approx(gained[1], rel=1e-9)


def test_dimensions_that_never_vary_leave_the_map_orthogonal():
    X, Y = make()
    X[:, 3], Y[:, 5:7] = 0, 0
    W = Procrustes().fit(X.astype(np.float32), Y.astype(np.float32)).matrix_
    assert np.abs(W.T @ W - np.eye(12)).max() < 1e-5


@pytest.mark.parametrize("settings", [{}, {"centre": True}])
@pytest.mark.parametrize(("dim_x", "dim_y"), [(30, 30), (30, 50), (50, 30)])
def test_fewer_rows_than_dimensions_give_the_map_of_the_whole_cross_product(settings, dim_x, dim_y):
    rng = np.random.default_rng(4)
    X, Y = rng.normal(size=(12, dim_x)) + 1, rng.normal(size=(12, dim_y)) - 1
    A, B = (X - X.mean(0), Y - Y.mean(0)) if settings else (X, Y)
    U, S, V = np.linalg.svd(A.T @ B, full_matrices=False)
    spanned = S[0] * 1e-10 < S
    assert spanned.sum() == (11 if settings else 12)
    np.testing.assert_allclose(Procrustes(**settings).fit(X, Y).matrix_, U[:, spanned] @ V[spanned], atol=1e-9)


@pytest.mark.parametrize("flatness", [1.0, 1e-2, 1e-4, 1e-6, 0.0])
def test_few_rows_that_nearly_depend_on_each_other_give_the_map_of_the_whole_cross_product(flatness):
    """Where triangular corners would lose precision, orthonormal bases take over."""
    rng = np.random.default_rng(6)
    X, Y = rng.normal(size=(10, 25)), rng.normal(size=(10, 25))
    X[1] = X[0] + flatness * X[1]
    found = Procrustes().fit(X, Y).matrix_
    U, S, V = np.linalg.svd(X.T @ Y, full_matrices=False)
    rank = 10 if flatness else 9
    spanned = np.arange(len(S)) < rank
    np.testing.assert_allclose(found, U[:, spanned] @ V[spanned], atol=1e-6)
    np.testing.assert_allclose(np.linalg.svd(found, compute_uv=False)[:rank], 1, atol=1e-8)


def test_fewer_rows_than_dimensions_leave_the_unseen_directions_at_zero():
    X, Y = make(n=5)
    fitted = Procrustes().fit(X, Y)
    assert np.linalg.matrix_rank(fitted.matrix_) == 5
    unseen = scipy.linalg.null_space(X)[:, :1].T
    np.testing.assert_allclose(fitted.transform(unseen), 0, atol=1e-9)


def test_iterative_normalisation_reaches_unit_length_and_zero_mean_together():
    X, _ = make(500)
    rows = iterative_normalisation(X, rounds=30)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1)
    np.testing.assert_allclose(rows.mean(0), 0, atol=1e-8)
    once = iterative_normalisation(X, rounds=1)
    assert np.abs(once.mean(0)).max() > np.abs(rows.mean(0)).max()


def test_wrong_input_is_refused():
    X, Y = make()
    with pytest.raises(IsoglossError, match="200 rows and Y has 199"):
        Procrustes().fit(X, Y[:-1])
    with pytest.raises(IsoglossError, match="empty"):
        Procrustes().fit(CrossMoments())
    with pytest.raises(IsoglossError, match="fitted on 12 features"):
        Procrustes().fit(X, Y).transform(X[:, :5])
