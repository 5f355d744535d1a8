"""Aligned retrieval against the explicit map: fitted, applied, and every cosine taken."""

from dataclasses import replace

import numpy as np
import pytest

from isogloss.geometry import AlignmentTask, Procrustes, aligned_retrieval, iterative_normalisation


def make(train, dim_x=40, dim_y=40, test=80, noise=3.0, seed=0):
    """Two noisy views of the same sentences, whose rows have very different lengths."""
    rng = np.random.default_rng(seed)
    meaning = rng.normal(size=(train + test, 30)) * np.geomspace(1, 0.2, 30)
    X, Y = (meaning @ rng.normal(size=(30, dim)) for dim in (dim_x, dim_y))
    X, Y = (part + noise * rng.normal(size=part.shape) + rng.normal(size=part.shape[1]) for part in (X, Y))
    X, Y = (part * rng.gamma(1, 1, (len(part), 1)) for part in (X, Y))
    return AlignmentTask(X[:train], Y[:train], X[train:], Y[train:])


def explicit(task, rounds=0):
    """Precision at 1 both ways by the whole map."""
    sets = [getattr(task, name) for name in ("train_x", "train_y", "test_x", "test_y")]
    if rounds:
        sets = [iterative_normalisation(rows, rounds) for rows in sets]
    train_x, train_y, test_x, test_y = sets
    mapped = Procrustes().fit(train_x, train_y).transform(test_x)
    lengths = np.outer(np.linalg.norm(mapped, axis=1), np.linalg.norm(test_y, axis=1))
    cosines = mapped @ test_y.T / np.where(lengths, lengths, 1)
    right = np.arange(len(cosines))
    return (cosines.argmax(axis=1) == right).mean(), (cosines.argmax(axis=0) == right).mean()


def assert_same(task, rounds=0):
    (found,) = aligned_retrieval([task], rounds=rounds)
    assert (found.forward, found.backward) == explicit(task, rounds)
    assert found.n == len(task.test_x)
    return found


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("rounds", [0, 10])
@pytest.mark.parametrize(("dim_x", "dim_y"), [(40, 40), (40, 56), (56, 40)])
@pytest.mark.parametrize("train", [20, 39, 40, 120])
def test_retrieval_is_that_of_the_explicit_map(train, dim_x, dim_y, rounds, dtype):
    task = make(train, dim_x, dim_y)
    task = AlignmentTask(*(part.astype(dtype) for part in vars(task).values()))
    found = assert_same(task, rounds)
    assert 0.05 < found.forward < 0.95 and 0.05 < found.backward < 0.95


@pytest.mark.parametrize("rounds", [0, 10])
@pytest.mark.parametrize("flatness", [1e-2, 1e-5, 0.0])
def test_training_rows_that_nearly_repeat_each_other_change_nothing(flatness, rounds):
    task = make(20)
    rows = task.train_x.copy()
    rows[1] = rows[0] + flatness * rows[1]
    assert_same(replace(task, train_x=rows), rounds)


@pytest.mark.parametrize("rounds", [0, 10])
@pytest.mark.parametrize("train", [20, 120])
def test_rows_of_zeros_count_and_find_nothing(train, rounds):
    whole = make(train)
    parts = {name: rows.copy() for name, rows in vars(whole).items()}
    parts["train_x"][3], parts["train_y"][5], parts["test_x"][4:8], parts["test_y"][6:9] = 0, 0, 0, 0
    assert_same(AlignmentTask(**parts), rounds)
    parts["train_x"][:] = 0
    if train < 40 and not rounds:  # no map: every row goes to zero, and the first is the nearest of equals
        (found,) = aligned_retrieval([AlignmentTask(**parts)])
        assert found.forward == found.backward == 1 / found.n


def test_a_row_that_the_map_knows_nothing_about_goes_to_zero():
    """Dimension 9 never occurs in training: a test row along it has no cosine with anything, so the first row wins."""
    rng = np.random.default_rng(1)
    train, test = rng.normal(size=(5, 10)), rng.normal(size=(4, 10))
    train[:, 9] = 0
    test[2] = 0
    test[2, 9] = 7
    assert_same(AlignmentTask(train, train, test, test))
