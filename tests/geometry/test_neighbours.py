"""Nearest neighbours, CSLS and inverted softmax against plain loops; the large way against the small one."""

import numpy as np
import pytest
import torch

from isogloss.errors import IsoglossError
from isogloss.geometry import chunks as chunked
from isogloss.geometry import cosine, csls, inverted_softmax, nearest, neighbours


def make(n=60, m=50, dim=8, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, dim)).astype(dtype) + 0.3, rng.normal(size=(m, dim)).astype(dtype) + 0.3


def cosines(X, Y):
    return np.array([[x @ y / np.linalg.norm(x) / np.linalg.norm(y) for y in Y] for x in X])


def csls_by_loops(X, Y, k):
    similarity = cosines(X, Y)
    near_x = [np.sort(row)[::-1][:k].mean() for row in similarity]
    near_y = [np.sort(column)[::-1][:k].mean() for column in similarity.T]
    return 2 * similarity - np.array(near_x)[:, None] - np.array(near_y)


def best(scores, top):
    order = np.argsort(-scores, axis=1)[:, :top]
    return np.take_along_axis(scores, order, 1), order


def test_cosine_and_nearest_are_those_of_loops():
    X, Y = make()
    np.testing.assert_allclose(cosine(X, Y), cosines(X, Y), atol=1e-12)
    scores, indices = nearest(X, Y, top=7)
    expected, order = best(cosines(X, Y), 7)
    np.testing.assert_allclose(scores, expected, atol=1e-12)
    np.testing.assert_array_equal(indices, order)


@pytest.mark.parametrize("k", [1, 3, 10])
def test_csls_is_that_of_loops(k):
    X, Y = make()
    scores, indices = csls(X, Y, k=k, top=5)
    expected, order = best(csls_by_loops(X, Y, k), 5)
    np.testing.assert_allclose(scores, expected, atol=1e-12)
    np.testing.assert_array_equal(indices, order)


def test_inverted_softmax_is_the_share_of_a_query_among_all_queries():
    X, Y = make()
    weights = np.exp(30 * cosines(X, Y))
    expected, order = best(np.log(weights / weights.sum(axis=0)), 4)
    scores, indices = inverted_softmax(X, Y, top=4)
    np.testing.assert_allclose(scores, expected, atol=1e-9)
    np.testing.assert_array_equal(indices, order)


def _hard_sets(kind, n, m, dim=16):
    rng = np.random.default_rng(4)
    X, Y = rng.normal(size=(n, dim)), rng.normal(size=(m, dim))
    if kind == "hubs":
        hub = rng.normal(size=dim) * 3
        X, Y = X + hub * rng.gamma(1, 1, (n, 1)), Y + hub * rng.gamma(1, 1, (m, 1))
    if kind == "clusters":
        centres = rng.normal(size=(9, dim)) * 4
        X, Y = X + centres[rng.integers(0, 9, n)], Y + centres[rng.integers(0, 9, m)]
    return X, Y


@pytest.mark.parametrize("kind", ["even", "hubs", "clusters"])
@pytest.mark.parametrize(("n", "m"), [(700, 900), (1013, 517), (64, 1000)])
def test_large_sets_in_chunks_give_exactly_what_one_matrix_gives(kind, n, m, monkeypatch):
    monkeypatch.setattr(chunked, "TILE", (128, 256))
    monkeypatch.setattr(chunked, "PANEL", 100)
    monkeypatch.setattr(chunked, "FIRST_CHUNKS", 2)
    X, Y = neighbours.unit_tensors(*_hard_sets(kind, n, m))
    scores, indices = chunked.csls_in_chunks(X, Y, k=5, top=4)
    expected = neighbours.csls_matrix(X @ Y.T, 5).topk(4, dim=1)
    np.testing.assert_allclose(scores, expected.values, atol=1e-12)
    np.testing.assert_array_equal(indices, expected.indices)


def test_csls_takes_the_way_of_chunks_when_the_matrix_would_be_large(monkeypatch):
    X, Y = make(400, 3000, dtype=np.float32)
    whole = csls(X, Y, top=3)
    called = []
    monkeypatch.setattr(neighbours, "LEAST_IN_CHUNKS", 1000)
    monkeypatch.setattr(neighbours, "csls_in_chunks", lambda *given: called.append(1) or chunked.csls_in_chunks(*given))
    scores, indices = csls(X, Y, top=3)
    assert called
    np.testing.assert_allclose(scores, whole[0], atol=2e-6)
    assert (indices == whole[1]).mean() > 0.999


def test_blocks_and_wide_rows_change_nothing(monkeypatch):
    X, Y = make(90, 5000)
    expected, order = best(cosine(X, Y), 6)
    soft = inverted_softmax(X, Y, top=6)
    monkeypatch.setattr(neighbours, "BLOCK", 5000 * 7)
    scores, indices = nearest(X, Y, top=6)
    np.testing.assert_allclose(scores, expected, atol=1e-12)
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_allclose(inverted_softmax(X, Y, top=6)[0], soft[0], atol=1e-9)


def test_a_hub_wins_by_cosine_and_loses_by_csls():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 20)) + 1
    Y = X + rng.normal(size=(200, 20))
    Y[0] = X.mean(axis=0)
    plain, scaled = nearest(X, Y, top=1)[1], csls(X, Y, top=1)[1]
    assert (plain == 0).sum() > 3 * (scaled == 0).sum()
    assert (scaled[:, 0] == np.arange(200)).mean() > (plain[:, 0] == np.arange(200)).mean()


def test_small_sets_zero_rows_and_half_precision_are_handled():
    X, Y = make(3, 2)
    X[1] = 0
    scores, indices = csls(X, Y, k=10, top=10)
    assert scores.shape == indices.shape == (3, 2) and np.isfinite(scores).all()
    half = torch.from_numpy(Y).bfloat16()
    np.testing.assert_allclose(cosine(X, half), cosine(X, Y), atol=1e-2)


def test_wrong_input_is_refused():
    X, Y = make()
    with pytest.raises(IsoglossError, match="Procrustes"):
        csls(X, Y[:, :5])
    with pytest.raises(IsoglossError, match="one member"):
        csls(X, Y, k=0)
    Y[4, 0] = np.nan
    with pytest.raises(IsoglossError, match="Y: NaN or infinity in row 4"):
        nearest(X, Y)
