"""Neutralisers: what a linear probe can still read after each, and how little the rows change."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from isogloss.errors import IsoglossError
from isogloss.geometry import LDA, DensRay, Moments, Neutraliser

SIZES = (300, 500, 200, 440)


def make(dtype=float, dim=15):
    rng = np.random.default_rng(0)
    y = np.repeat(["de", "en", "ru", "zh"], SIZES)
    centroids = np.repeat(rng.normal(size=(4, dim)) * 2, SIZES, axis=0)
    return (rng.normal(size=(len(y), dim)) @ rng.normal(size=(dim, dim)) + centroids + 3).astype(dtype), y


def probe(Z, y):
    return LogisticRegression(max_iter=5000).fit(Z, y).score(Z, y)


@pytest.mark.parametrize("method", ["centre", "densray", "lda", "leace"])
def test_class_means_are_equal_after_and_a_linear_probe_falls_to_the_majority(method):
    X, y = make()
    assert probe(X, y) > 0.8
    Z = Neutraliser(method).fit(X, y).transform(X, y)
    means = Moments.of(Z, y, "none").means
    np.testing.assert_allclose(means, np.broadcast_to(means[0], means.shape), atol=1e-9)
    assert probe(Z, y) == pytest.approx(500 / 1440, abs=1e-9)


def test_lsar_splits_the_means_into_a_shared_part_and_a_subspace_that_goes():
    X, y = make()
    fitted = Neutraliser("lsar").fit(X, y)
    assert fitted.dims_ == 3
    means = fitted.means_.T  # d x 4
    left = means @ np.linalg.pinv(means)  # the span of the means
    specific = np.eye(len(means)) - fitted.matrix_  # a projection of rank 3 inside it
    np.testing.assert_allclose(specific @ specific, specific, atol=1e-9)
    np.testing.assert_allclose(left @ specific, specific, atol=1e-9)
    after = fitted.transform(means.T)
    np.testing.assert_allclose(after, np.broadcast_to(after[0], after.shape), atol=1e-9)  # what all share is left
    assert probe(fitted.transform(X), y) == pytest.approx(500 / 1440, abs=1e-9)
    assert Neutraliser("lsar", dims=1).fit(X, y).dims_ == 1


@pytest.mark.parametrize("dims", [None, 2])
def test_lir_projects_each_languages_own_directions_away(dims):
    X, y = make()
    Z = Neutraliser("lir", dims).fit(X, y).transform(X, y)
    for language in np.unique(y):
        rows = X[y == language]
        directions = np.linalg.svd(rows, full_matrices=False)[2][: dims or 1]
        np.testing.assert_allclose(Z[y == language], rows - rows @ directions.T @ directions, atol=1e-8)
    with pytest.raises(IsoglossError, match="no languages were given"):
        Neutraliser("lir").fit(X, y).transform(X)


@pytest.mark.parametrize("method", ["lir", "lsar"])
def test_low_rank_removers_are_saved_and_read(method, tmp_path):
    X, y = make()
    fitted = Neutraliser(method, 2).fit(X, y)
    fitted.save(tmp_path / "n.safetensors")
    np.testing.assert_array_equal(Neutraliser.load(tmp_path / "n.safetensors").transform(X, y), fitted.transform(X, y))


def test_leace_changes_the_rows_least_among_maps_that_erase():
    X, y = make()
    changes = {}
    for method in ("densray", "leace"):
        Z = Neutraliser(method).fit(X, y).transform(X)
        moved = (Z - Z.mean(0)) - (X - X.mean(0))
        changes[method] = (moved**2).sum()
    assert changes["leace"] <= changes["densray"] * (1 + 1e-9)


def test_leace_is_the_closed_form_written_with_matrix_square_roots():
    X, y = make()
    fitted = Neutraliser("leace").fit(X, y)
    values, vectors = np.linalg.eigh(np.cov(X.T, bias=True))
    whiten, colour = vectors / np.sqrt(values) @ vectors.T, vectors * np.sqrt(values) @ vectors.T
    onehot = (y[:, None] == np.unique(y)).astype(float)
    cross = (X - X.mean(0)).T @ (onehot - onehot.mean(0)) / len(X)
    U = np.linalg.svd(whiten @ cross)[0]
    P = U[:, :3] @ U[:, :3].T
    expected = X - (X - X.mean(0)) @ (colour @ P @ whiten).T
    np.testing.assert_allclose(fitted.transform(X), expected, atol=1e-9)
    assert fitted.dims_ == 3


def test_lda_and_leace_are_one_map_when_all_directions_go():
    X, y = make()
    np.testing.assert_allclose(Neutraliser("lda").fit(X, y).matrix_, Neutraliser("leace").fit(X, y).matrix_, atol=1e-9)


@pytest.mark.parametrize("method", ["densray", "lda", "leace"])
def test_fewer_dims_remove_fewer_directions(method):
    X, y = make()
    fitted = Neutraliser(method, dims=1).fit(X, y)
    assert fitted.dims_ == 1
    assert np.linalg.matrix_rank(np.eye(15) - fitted.matrix_, tol=1e-8) == 1
    assert probe(fitted.transform(X), y) < probe(X, y)


@pytest.mark.parametrize("method", ["centre", "densray", "lda", "leace"])
def test_moments_and_float32_give_what_rows_give(method):
    X, y = make()
    reference = Neutraliser(method).fit(X, y).transform(X, y)
    np.testing.assert_allclose(Neutraliser(method).fit(Moments.of(X, y)).transform(X, y), reference, atol=1e-9)
    coarse = Neutraliser(method).fit(X.astype(np.float32), y).transform(X.astype(np.float32), y)
    assert coarse.dtype == np.float32
    np.testing.assert_allclose(coarse, reference, atol=1e-4)


def test_centring_needs_known_languages_at_inference():
    X, y = make()
    fitted = Neutraliser("centre").fit(X, y)
    with pytest.raises(IsoglossError, match="no languages were given"):
        fitted.transform(X)
    with pytest.raises(IsoglossError, match="unknown language 'xx'"):
        fitted.transform(X[:1], ["xx"])
    with pytest.raises(IsoglossError, match="did you mean 'leace'"):
        Neutraliser("leac").fit(X, y)


@pytest.mark.parametrize("method", ["centre", "leace"])
def test_a_saved_neutraliser_does_what_it_did(method, tmp_path):
    X, y = make()
    fitted = Neutraliser(method, dims=None if method == "centre" else 2).fit(X, y)
    fitted.save(tmp_path / "neutraliser.safetensors")
    back = Neutraliser.load(tmp_path / "neutraliser.safetensors")
    np.testing.assert_array_equal(back.transform(X, y), fitted.transform(X, y))
    assert back.get_params() == fitted.get_params() and back.dims_ == fitted.dims_


def test_no_directions_at_all_are_refused():
    X, y = make()
    for estimator in (Neutraliser("densray", dims=0), DensRay(dims=-1), LDA(dims=0)):
        with pytest.raises(IsoglossError, match="not a number of directions"):
            estimator.fit(X, y)
