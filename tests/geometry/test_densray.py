"""DensRay against the double sum over all pairs of rows that defines it."""

import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.geometry import DensRay, Moments

SIZES = {"equal": (8, 8, 8), "unequal": (5, 9, 3, 12)}


def double_sum(X, y, *, same=None, different=None, unit=False, by_language=False):
    """The objective as it is written: a sum of outer products over pairs of rows (Liang21, App. A)."""
    classes = np.unique(y)
    n = len(classes)
    same = 1 / n if same is None else same
    different = 2 / (n * (n - 1)) if different is None else different
    A = np.zeros((X.shape[1], X.shape[1]))
    for i, a in enumerate(classes):
        for b in classes[i:]:
            pairs = (X[y == a][:, None] - X[y == b][None]).reshape(-1, X.shape[1])
            if unit:
                lengths = np.linalg.norm(pairs, axis=1, keepdims=True)
                pairs = np.divide(pairs, lengths, out=np.zeros_like(pairs), where=lengths > 0)
            block = pairs.T @ pairs
            if by_language:
                block /= (y == a).sum() * (y == b).sum()
            A += different * block if a != b else -same * block
    return A


def make(sizes, dim=6, seed=0, dtype=float):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(len(y), dim)) + 2 * rng.normal(size=(len(sizes), dim))[y] + 5
    return X.astype(dtype), y


@pytest.mark.parametrize("unit", [False, True], ids=["raw", "normalised"])
@pytest.mark.parametrize("by_language", [False, True], ids=["pairs", "languages"])
@pytest.mark.parametrize("weights", [(None, None), (0.3, 0.7), (0.0, 1.0)])
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_components_and_eigenvalues_rebuild_the_double_sum(sizes, weights, by_language, unit):
    X, y = make(sizes)
    A = double_sum(X, y, same=weights[0], different=weights[1], unit=unit, by_language=by_language)
    fitted = DensRay(
        weighting="languages" if by_language else "pairs",
        differences="normalised" if unit else "raw",
        weight_same=weights[0],
        weight_different=weights[1],
    ).fit(X, y)
    rebuilt = fitted.components_.T * fitted.eigenvalues_ @ fitted.components_
    np.testing.assert_allclose(rebuilt, A, atol=1e-11 * np.abs(A).max())
    np.testing.assert_allclose(fitted.components_ @ fitted.components_.T, np.eye(6), atol=1e-12)
    assert (np.diff(fitted.eigenvalues_) <= 1e-9).all()


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_moments_give_what_rows_give(sizes):
    X, y = make(sizes)
    rows = DensRay().fit(X, y)
    streamed = Moments("class").update(X[::2], y[::2]) + Moments("class").update(X[1::2], y[1::2])
    moments = DensRay().fit(streamed)
    np.testing.assert_allclose(moments.eigenvalues_, rows.eigenvalues_, atol=1e-10 * rows.eigenvalues_[0])
    np.testing.assert_allclose(moments.components_[:2], rows.components_[:2], atol=1e-8)


def test_equal_sizes_collapse_to_the_closed_form_of_the_centroids():
    X, y = make((8, 8, 8))
    c = np.stack([X[y == i].mean(0) for i in range(3)])
    closed = 2 * 8**2 / 2 * (c.T @ c - np.outer(c.sum(0), c.sum(0)) / 3)
    np.testing.assert_allclose(double_sum(X, y), closed, atol=1e-9)
    fitted = DensRay().fit(Moments.of(X, y, second="none"))
    np.testing.assert_allclose(fitted.components_.T * fitted.eigenvalues_ @ fitted.components_, closed, atol=1e-9)


@pytest.mark.parametrize("languages", [2, 3, 7])
def test_the_rank_with_equal_sizes_is_one_less_than_the_number_of_languages(languages):
    X, y = make((20,) * languages, dim=12)
    fitted = DensRay().fit(X, y)
    assert fitted.rank_ == languages - 1 <= languages + 1
    np.testing.assert_allclose(fitted.explained_share_[: fitted.rank_].sum(), 1)
    np.testing.assert_allclose(fitted.explained_share_[fitted.rank_ :], 0, atol=1e-12)


def test_languages_with_dependent_centroids_need_fewer_dimensions():
    rng = np.random.default_rng(1)
    base = rng.normal(size=(2, 12)) * 5
    centroids = np.stack([base[0], base[1], base[0] + base[1], base[0] - base[1]])
    noise = rng.normal(size=(50, 12))
    noise -= noise.mean(0)
    for dtype in (np.float32, np.float64):
        X = np.vstack([noise + c for c in centroids]).astype(dtype)
        assert DensRay().fit(X, np.repeat(range(4), 50)).rank_ == 2


def test_transform_gives_the_strongest_direction_first_and_keeps_distances():
    X, y = make((30, 30, 30), dim=10, dtype=np.float32)
    fitted = DensRay().fit(X, y)
    Z = fitted.transform(X)
    assert Z.shape == (90, 10) and Z.dtype == np.float32
    gaps = [np.ptp([Z[y == i, j].mean() for i in range(3)]) for j in range(10)]
    assert min(gaps[:2]) > 20 * max(gaps[2:])
    np.testing.assert_allclose(np.linalg.norm(Z, axis=1), np.linalg.norm(X, axis=1), rtol=1e-5)
    assert DensRay(dims=2).fit(X, y).transform(X).shape == (90, 2)


@pytest.mark.parametrize("dims", [1, 2, 3, 5])
def test_fewer_dimensions_are_the_first_of_all(dims: int) -> None:
    """Four languages have a rank of three: up to it no basis of the rest is made."""
    random = np.random.default_rng(1)
    y = np.repeat(np.arange(4), 20)
    X = random.standard_normal((80, 6)) + random.standard_normal((4, 6))[y]
    some, everything = DensRay(dims).fit(X, y), DensRay().fit(X, y)
    np.testing.assert_array_equal(some.components_, everything.components_[:dims])
    np.testing.assert_array_equal(some.eigenvalues_, everything.eigenvalues_[:dims])
    assert some.rank_ == everything.rank_ == 3


def test_pooled_moments_of_unequal_sizes_are_refused_with_the_two_ways_out():
    X, y = make((5, 9, 3))
    with pytest.raises(IsoglossError, match="weighting='languages'"):
        DensRay().fit(Moments.of(X, y))
    balanced = DensRay(weighting="languages").fit(Moments.of(X, y))
    assert balanced.rank_ == 2


def test_normalised_differences_cannot_be_read_off_moments():
    X, y = make((5, 5))
    with pytest.raises(IsoglossError, match="fit on rows"):
        DensRay(differences="normalised").fit(Moments.of(X, y))


def test_a_row_repeated_in_two_languages_has_no_direction_and_does_no_harm():
    X, y = make((6, 6))
    X[7] = X[1]
    A = double_sum(X, y, unit=True)
    fitted = DensRay(differences="normalised").fit(X, y)
    np.testing.assert_allclose(fitted.components_.T * fitted.eigenvalues_ @ fitted.components_, A, atol=1e-9)


def test_one_language_is_refused():
    X, _ = make((5, 5))
    with pytest.raises(IsoglossError, match="at least two languages"):
        DensRay().fit(X, ["en"] * 10)
    with pytest.raises(IsoglossError, match="unknown"):
        DensRay(weighting="rows").fit(X, [0, 1] * 5)


def test_languages_with_the_same_centroid_have_rank_zero():
    X, _ = make((6, 6))
    X[6:] = X[:6]
    fitted = DensRay().fit(X, [0] * 6 + [1] * 6)
    assert fitted.rank_ == 0 and not fitted.explained_share_.any()
    np.testing.assert_allclose(fitted.components_ @ fitted.components_.T, np.eye(6), atol=1e-12)
