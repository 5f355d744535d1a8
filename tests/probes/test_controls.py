"""Control tasks: what a probe reaches on random labels."""

import numpy as np
import pytest

from isogloss.probes import LogisticProbes, Problem
from isogloss.probes.logistic.problem import control_codes


def make(rows=600, dim=10):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows)
    X = rng.normal(size=(rows, dim)) + 1.5 * y[:, None]
    return X, y, np.arange(rows // 2), np.arange(rows // 2, rows)


def test_random_labels_of_rows_cannot_be_learnt():
    X, y, train, test = make()
    frame = LogisticProbes(controls=5).fit_score([Problem(X, y, train, test, slice(0, size)) for size in (1, 10)])
    assert (frame.accuracy > 0.7).all()
    assert frame.control_accuracy.to_numpy() == pytest.approx([0.5, 0.5], abs=0.06)
    assert frame.selectivity.to_numpy() == pytest.approx(frame.accuracy - frame.control_accuracy)


def test_random_labels_of_types_can_be_learnt_by_heart_where_types_are_told_apart():
    rng = np.random.default_rng(1)
    word = rng.integers(0, 8, 600)
    X = np.eye(8)[word] + 0.05 * rng.normal(size=(600, 8))
    y = (word < 4).astype(int)
    problem = Problem(X, y, np.arange(300), np.arange(300, 600), types=word)
    frame = LogisticProbes(controls=3).fit_score([problem])
    assert frame.accuracy.item() == 1.0
    assert frame.control_accuracy.item() == 1.0
    assert frame.selectivity.item() == 0.0


def test_control_labels_keep_the_frequencies_and_follow_the_seed():
    codes = np.repeat([0, 1, 2], [50, 30, 20])
    first = control_codes(codes, 1)
    assert (np.bincount(first) == [50, 30, 20]).all()
    assert (first == control_codes(codes, 1)).all() and (first != control_codes(codes, 2)).any()
    types = np.arange(100) // 10
    drawn = control_codes(codes, 3, types)
    assert all(len(set(drawn[types == kind])) == 1 for kind in range(10))


def test_rows_without_weight_stay_out_of_control_tasks():
    X, y, train, test = make()
    labels = y.astype(float)
    labels[:50] = np.nan
    weights = np.isfinite(labels).astype(float)
    frame = LogisticProbes(controls=1).fit_score([Problem(X, labels, train, test, weights=weights)])
    assert frame.n_train.item() == 250
    assert np.isfinite(frame.control_accuracy.item())


def test_a_control_problem_is_named_as_one_in_the_frame():
    X, y, train, test = make()
    problem = Problem(X, y, train, test)
    frame = LogisticProbes().fit_score([problem, problem.as_control(3)])
    assert frame.control.tolist() == [False, True]
    assert frame.accuracy[0] > frame.accuracy[1] + 0.2
