"""Moments against plain numpy, merged, saved, and with a mean a million times the spread."""

import numpy as np
import pytest
import torch

from isogloss.errors import IsoglossError
from isogloss.geometry import CrossMoments, Moments


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def _rows(rng, sizes=(7, 12, 30), dim=5):
    y = np.repeat([f"l{i}" for i in range(len(sizes))], sizes)
    return rng.normal(size=(len(y), dim)) + rng.normal(size=(len(sizes), dim))[np.repeat(range(len(sizes)), sizes)], y


def _within(X, y):
    parts = [X[y == label] - X[y == label].mean(0) for label in np.unique(y)]
    return sum(part.T @ part for part in parts)


def test_counts_means_and_scatter_are_those_of_numpy(rng):
    X, y = _rows(rng)
    order = rng.permutation(len(y))
    moments = Moments.of(X[order], y[order])
    assert moments.classes == ["l0", "l1", "l2"] and moments.counts.tolist() == [7, 12, 30]
    np.testing.assert_allclose(moments.means[1], X[y == "l1"].mean(0))
    np.testing.assert_allclose(moments.within(), _within(X, y), atol=1e-12)
    np.testing.assert_allclose(moments.covariance(), np.cov(X.T, bias=True), atol=1e-12)
    np.testing.assert_allclose(moments.mean, X.mean(0), atol=1e-12)


def test_scatter_a_class_sums_to_the_pooled_scatter(rng):
    X, y = _rows(rng)
    by_class = Moments.of(X, y, second="class")
    np.testing.assert_allclose(by_class.within(), Moments.of(X, y).within(), atol=1e-12)
    one = by_class.select(["l2"])
    np.testing.assert_allclose(one.within(), 30 * np.cov(X[y == "l2"].T, bias=True), atol=1e-12)


@pytest.mark.parametrize("second", ["pooled", "class", "none"])
def test_two_shards_add_up_to_one_pass_even_when_their_languages_differ(rng, second):
    X, y = _rows(rng, (20, 15, 10, 25))
    first = np.isin(y, ["l0", "l2"]) | (rng.random(len(y)) < 0.5)
    whole = Moments.of(X, y, second)
    for merged in (
        Moments.of(X[first], y[first], second) + Moments.of(X[~first], y[~first], second),
        Moments(second) + Moments.of(X, y, second),
        Moments.of(X[first], y[first], second).update(X[~first], y[~first]),
    ):
        assert merged.classes == whole.classes and (merged.counts == whole.counts).all()
        np.testing.assert_allclose(merged.means, whole.means, atol=1e-12)
        np.testing.assert_allclose(merged.scatter, whole.scatter, atol=1e-11)


def test_a_mean_a_million_times_the_spread_costs_no_digits(rng):
    X, y = _rows(rng, (3000, 4000), dim=4)
    far = X + 1e6
    blocks = Moments()
    for part in np.array_split(np.arange(len(y)), 7):
        blocks.update(far[part], y[part])
    exact = _within(X, y)
    np.testing.assert_allclose(blocks.within(), exact, rtol=1e-6, atol=1e-6 * exact.max())
    halves = Moments.of(far[::2], y[::2]) + Moments.of(far[1::2], y[1::2])
    np.testing.assert_allclose(halves.within(), exact, rtol=1e-6, atol=1e-6 * exact.max())
    naive = far.T @ far - sum((y == k).sum() * np.outer(m, m) for k in np.unique(y) for m in [far[y == k].mean(0)])
    assert np.abs(naive - exact).max() > 1e-4 * exact.max(), "the test data must defeat the plain formula"


def test_blocks_whose_means_jump_by_a_million_spreads_are_joined_soundly(rng):
    X = rng.normal(size=(400, 3))
    shifted = X + np.repeat([0.0, 1e6], 200)[:, None]
    streamed = Moments().update(shifted[:200], "a").update(shifted[200:], "a")
    np.testing.assert_allclose(streamed.covariance(), np.cov(shifted.T, bias=True), rtol=1e-9)


def test_float32_and_half_precision_rows_agree_with_float64_of_the_same_rows(rng):
    X, y = _rows(rng, (500, 800), dim=16)
    half = torch.from_numpy(X).bfloat16()
    for rows in (X.astype(np.float32), X.astype(np.float16), half):
        exact = Moments.of(np.asarray(rows.double() if hasattr(rows, "double") else rows, np.float64), y)
        coarse = Moments.of(rows, y)
        np.testing.assert_allclose(coarse.within(), exact.within(), atol=2e-6 * exact.within().max())
        np.testing.assert_allclose(coarse.means, exact.means, atol=1e-6)


def test_one_label_may_stand_for_a_whole_block(rng):
    X, _ = _rows(rng)
    assert Moments().update(X, "de").update(X, "de").counts.tolist() == [2 * len(X)]


def test_saved_moments_come_back_whole(rng, tmp_path):
    X, y = _rows(rng)
    moments = Moments.of(X, y, second="class")
    moments.save(tmp_path / "m.safetensors")
    back = Moments.load(tmp_path / "m.safetensors")
    assert back.classes == moments.classes and back.second == "class"
    assert (back.scatter == moments.scatter).all() and (back.means == moments.means).all()
    with pytest.raises(IsoglossError, match="not 'cross moments'"):
        CrossMoments.load(tmp_path / "m.safetensors")
    (tmp_path / "cut").write_bytes((tmp_path / "m.safetensors").read_bytes()[:100])
    with pytest.raises(IsoglossError, match="whole safetensors"):
        Moments.load(tmp_path / "cut")
    with pytest.raises(IsoglossError, match="no such file"):
        Moments.load(tmp_path / "absent")


def test_cross_moments_stream_merge_and_save(rng, tmp_path):
    X, Y = rng.normal(size=(9000, 4)) + 1e5, rng.normal(size=(9000, 3)) - 7
    whole = CrossMoments.of(X, Y)
    a, b = X - X.mean(0), Y - Y.mean(0)
    for moments in (whole, CrossMoments.of(X[:100], Y[:100]) + CrossMoments.of(X[100:], Y[100:])):
        np.testing.assert_allclose(moments.xy, a.T @ b, atol=1e-6)
        np.testing.assert_allclose(moments.xx, a.T @ a, rtol=1e-8, atol=1e-5)
        assert moments.count == 9000
    whole.save(tmp_path / "c.safetensors")
    back = CrossMoments.load(tmp_path / "c.safetensors")
    assert back.count == 9000 and (back.xy == whole.xy).all() and (back.mean_y == whole.mean_y).all()


def test_wrong_input_is_refused_and_named(rng):
    X, y = _rows(rng)
    for bad in (np.nan, np.inf):
        spoilt = X.copy()
        spoilt[13, 2] = bad
        with pytest.raises(IsoglossError, match="row 13, column 2"):
            Moments.of(spoilt, y)
        whole = Moments.of(X, y)
        with pytest.raises(IsoglossError, match="row 13"):
            whole.update(spoilt, [f"new {label}" for label in y])
        assert whole.classes == ["l0", "l1", "l2"], "a refused block leaves no trace"
    with pytest.raises(IsoglossError, match="label for each"):
        Moments.of(X, y[:-1])
    with pytest.raises(IsoglossError, match="3 features"):
        Moments.of(X, y).update(X[:, :3], y)
    with pytest.raises(IsoglossError, match="pooled moments cannot"):
        Moments.of(X, y).select(["l0"])
    with pytest.raises(IsoglossError, match="centroids only"):
        Moments.of(X, y, second="none").within()
    with pytest.raises(IsoglossError, match="empty"):
        Moments().mean  # noqa: B018


def test_huge_but_finite_values_are_not_mistaken_for_infinity():
    X = np.full((4, 2), 3e38, np.float32)
    X[::2] = 2.9e38
    moments = Moments.of(X, ["a", "a", "b", "b"], second="none")
    np.testing.assert_allclose(moments.means, 2.95e38, rtol=1e-6)
    with pytest.raises(IsoglossError, match="overflow"):
        Moments.of(X, ["a", "a", "b", "b"])
    assert np.isfinite(Moments.of(X.astype(float), ["a", "a", "b", "b"]).within()).all()


@pytest.mark.parametrize("second", ["pooled", "class", "none"])
@pytest.mark.parametrize("ordered", [True, False])
def test_threads_and_slabs_change_nothing(rng, second, ordered, monkeypatch):
    X, y = _rows(rng, (40, 7, 120, 33), dim=6)
    if not ordered:
        order = rng.permutation(len(y))
        X, y = X[order], y[order]
    whole = Moments.of(X, y, second)
    monkeypatch.setattr("isogloss.geometry.gathering.SLAB", 16)
    monkeypatch.setattr("isogloss.geometry.gathering.WORTH_SHARING", 10)
    monkeypatch.setattr("isogloss.geometry.gathering.blas_threads", lambda: 3)
    shared = Moments.of(X, y, second)
    np.testing.assert_allclose(shared.means, whole.means, atol=1e-12)
    np.testing.assert_allclose(shared.scatter, whole.scatter, atol=1e-11)
