"""Shares of variance, effective dimensions, isotropy and rogue dimensions on data where the answer is known."""

import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.geometry import (
    Moments,
    effective_dimension,
    isotropy,
    language_share,
    mean_pair_cosine,
    participation_ratio,
    rogue_dimensions,
)


def make(languages=6, n=400, dim=20, between=1.0, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(languages), n)
    return rng.normal(size=(len(y), dim)) + np.sqrt(between) * rng.normal(size=(languages, dim))[y], y


def test_the_share_due_to_language_is_eta_squared_and_omega_squared():
    X, y = make()
    grand, total = X.mean(0), ((X - X.mean(0)) ** 2).sum()
    between = sum((y == k).sum() * ((X[y == k].mean(0) - grand) ** 2).sum() for k in range(6))
    moments = Moments.of(X, y)
    assert language_share(moments, adjusted=False) == pytest.approx(between / total)
    noise = (total - between) / (len(y) - 6)
    assert language_share(moments) == pytest.approx((between - 5 * noise) / (total + noise))


def test_without_differences_the_adjusted_share_is_about_zero_even_for_few_rows():
    shares = [language_share(Moments.of(*make(n=5, between=0.0, seed=seed))) for seed in range(30)]
    plain = [language_share(Moments.of(*make(n=5, between=0.0, seed=seed)), adjusted=False) for seed in range(30)]
    assert abs(np.mean(shares)) < 0.02 < np.mean(plain)


def test_the_effective_dimension_counts_even_directions_and_discounts_weak_ones():
    even = np.repeat(np.eye(5, 20) * 3, 2, axis=0)
    assert effective_dimension(Moments.of(even, np.repeat(range(5), 2), "none")) == pytest.approx(4)
    line = np.outer(np.arange(6.0), np.ones(20))
    assert effective_dimension(Moments.of(line, range(6), "none")) == pytest.approx(1)
    values = np.array([4.0, 2.0, 1.0])
    assert participation_ratio(np.diag(values)) == pytest.approx(49 / 21)


def test_isotropy_is_one_for_even_clouds_and_small_for_a_line():
    rng = np.random.default_rng(0)
    cloud = rng.normal(size=(20_000, 10))
    assert isotropy(Moments.of(cloud, ["a"] * len(cloud))) == pytest.approx(1, abs=0.01)
    line = np.outer(rng.normal(size=500), np.ones(10))
    assert isotropy(Moments.of(line, ["a"] * 500)) == pytest.approx(0.1)


def test_the_mean_cosine_of_pairs_is_that_of_a_double_loop():
    X, _ = make(2, 20, 6)
    units = X / np.linalg.norm(X, axis=1, keepdims=True)
    pairs = [units[i] @ units[j] for i in range(40) for j in range(40) if i != j]
    assert mean_pair_cosine(X) == pytest.approx(np.mean(pairs))
    assert mean_pair_cosine(X + 100) > 0.99


def test_rogue_dimensions_are_found_with_their_share():
    X, y = make()
    X[:, 7] *= 50
    X[:, 3] *= 20
    rogues = rogue_dimensions(Moments.of(X, y), top=2)
    assert rogues.dims == (7, 3)
    variances = X.var(0)
    assert rogues.share == pytest.approx(variances[[7, 3]].sum() / variances.sum())


def test_constant_rows_are_refused():
    flat = Moments.of(np.ones((6, 3)), [0, 1] * 3)
    for measure in (language_share, effective_dimension, isotropy, rogue_dimensions):
        with pytest.raises(IsoglossError):
            measure(flat)
