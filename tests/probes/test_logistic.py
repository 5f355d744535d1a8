"""Batched logistic regression against scikit-learn, one problem at a time."""

import warnings

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.multiclass import OneVsRestClassifier

from isogloss.errors import IsoglossError
from isogloss.probes import LogisticProbes, Problem
from isogloss.probes.logistic import plan

EXACT = {"tol": 1e-10, "dtype": "float64"}


def make(classes=2, rows=400, dim=12, seed=0, gap=1.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    mix = rng.normal(size=(dim, dim)) / np.sqrt(dim)
    X = rng.standard_t(6, size=(rows, dim)) @ mix + gap * rng.normal(size=(classes, dim))[y] / np.sqrt(dim)
    return X, np.array([f"c{number}" for number in y])


def sklearn_fit(X, y, weights=None, **settings):
    return LogisticRegression(tol=1e-10, max_iter=5000, **settings).fit(X, y, sample_weight=weights)


def split(rows=400, share=0.75):
    cut = int(rows * share)
    return np.arange(cut), np.arange(cut, rows)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("settings", [{}, EXACT, {"C": 0.01}, {"C": 100.0, **EXACT}])
def test_nested_column_sets_reach_the_optimum_of_scikit_learn(dtype, settings):
    X, y = make(dim=60)
    X = X.astype(dtype)
    train, test = split()
    problems = [Problem(X, y, train, test, slice(0, size)) for size in (1, 5, 20, 60)]
    settings = {"tol": 1e-9, **settings}
    for fit in LogisticProbes(**settings).solve(problems):
        columns = fit.problem.columns
        peer = sklearn_fit(X[train][:, columns].astype(float), y[train], C=settings.get("C", 1.0))
        np.testing.assert_allclose(fit.coef, peer.coef_, atol=1e-4)
        np.testing.assert_allclose(fit.intercept, peer.intercept_, atol=1e-4)
        assert (fit.predict(X[test]) == peer.predict(X[test][:, columns])).all()
        assert fit.converged and fit.gradient < 1e-5


def test_default_tolerance_is_closer_to_the_optimum_than_scikit_learns():
    X, y = make(rows=2000, dim=50)
    signs = 2 * (y == "c1") - 1

    def objective(coef, intercept):
        return np.logaddexp(0, -signs * (X @ coef + intercept)).sum() + coef @ coef / 2

    best = sklearn_fit(X, y)
    ours, theirs = LogisticProbes().fit(X, y), LogisticRegression().fit(X, y)
    lowest = objective(best.coef_[0], best.intercept_[0])
    our_gap = objective(ours.coef_[0], ours.intercept_[0]) - lowest
    assert our_gap < 2e-3
    assert our_gap < objective(theirs.coef_[0], theirs.intercept_[0]) - lowest


@pytest.mark.parametrize("columns", [[3, 1, 7], slice(4, 9), slice(0, 12, 3), None])
def test_coefficients_stand_in_the_order_of_the_columns_asked_for(columns):
    X, y = make()
    train, test = split()
    other = Problem(X, y, train, test, [1, 3])  # nested in the first set, and so solved in the same chain
    fit, _ = LogisticProbes(**EXACT).solve([Problem(X, y, train, test, columns), other])
    chosen = X[:, columns] if columns is not None else X
    np.testing.assert_allclose(fit.coef, sklearn_fit(chosen[train], y[train]).coef_, atol=1e-5)


def test_multinomial_agrees_with_scikit_learn():
    X, y = make(classes=5)
    train, test = split()
    problems = [Problem(X, y, train, test, slice(0, size)) for size in (2, 6, 12)]
    for fit in LogisticProbes(**EXACT).solve(problems):
        peer = sklearn_fit(X[train][:, fit.problem.columns], y[train])
        np.testing.assert_allclose(fit.coef, peer.coef_, atol=1e-4)
        np.testing.assert_allclose(fit.intercept, peer.intercept_, atol=1e-4)


def test_one_vs_rest_agrees_with_scikit_learn():
    X, y = make(classes=4)
    train, test = split()
    (fit,) = LogisticProbes(multiclass="ovr", **EXACT).solve([Problem(X, y, train, test)])
    peer = OneVsRestClassifier(LogisticRegression(tol=1e-10, max_iter=5000)).fit(X[train], y[train])
    np.testing.assert_allclose(fit.coef, np.vstack([one.coef_ for one in peer.estimators_]), atol=1e-4)
    assert (fit.predict(X[test]) == peer.predict(X[test])).all()


@pytest.mark.parametrize("class_weight", ["balanced", {"c0": 3.0, "c1": 0.5}])
@pytest.mark.parametrize("classes", [2, 3])
def test_class_weights_agree_with_scikit_learn(class_weight, classes):
    X, y = make(classes=classes)
    y[:150] = "c0"
    train, test = split()
    (fit,) = LogisticProbes(class_weight=class_weight, **EXACT).solve([Problem(X, y, train, test)])
    peer = sklearn_fit(X[train], y[train], class_weight=class_weight)
    np.testing.assert_allclose(fit.coef, peer.coef_, atol=1e-4)


def test_row_weights_agree_with_scikit_learn_and_zero_leaves_a_row_out():
    X, y = make()
    train, test = split()
    weights = np.random.default_rng(1).choice([0.0, 0.5, 2.0], len(X))
    frame = LogisticProbes(**EXACT).fit_score([Problem(X, y, train, test, weights=weights)])
    (fit,) = LogisticProbes(**EXACT).solve([Problem(X, y, train, test, weights=weights)])
    peer = sklearn_fit(X[train], y[train], weights[train])
    np.testing.assert_allclose(fit.coef, peer.coef_, atol=1e-4)
    counted = test[weights[test] > 0]
    assert frame.n_test.item() == len(counted) and frame.n_train.item() == (weights[train] > 0).sum()
    assert frame.accuracy.item() == pytest.approx(peer.score(X[counted], y[counted]))


@pytest.mark.parametrize("classes", [2, 4])
def test_scores_agree_with_scikit_learn(classes):
    X, y = make(classes=classes, gap=0.7)
    y[(y == "c1") & (np.arange(400) % 3 > 0)] = "c0"
    train, test = split()
    row = LogisticProbes(**EXACT).fit_score([Problem(X, y, train, test)]).iloc[0]
    chosen = sklearn_fit(X[train], y[train]).predict(X[test])
    assert row.accuracy == pytest.approx(accuracy_score(y[test], chosen))
    assert row.macro_f1 == pytest.approx(f1_score(y[test], chosen, average="macro"))
    assert row.majority == pytest.approx((y[test] == "c0").mean())
    assert (row.n_train, row.n_test, row.classes, row.dims) == (300, 100, classes, 12)


def test_a_class_unseen_in_training_is_always_answered_wrongly():
    X, y = make()
    train, test = split()
    y[test[:20]] = "c9"
    row = LogisticProbes().fit_score([Problem(X, y, train, test)]).iloc[0]
    chosen = sklearn_fit(X[train], y[train]).predict(X[test])
    assert row.accuracy == pytest.approx(accuracy_score(y[test], chosen))
    assert row.macro_f1 == pytest.approx(f1_score(y[test], chosen, average="macro"))


def test_the_frame_has_one_row_a_problem_in_the_order_given():
    X, y = make()
    train, test = split()
    names = [{"pair": pair, "window": window} for pair in ("de-fr", "fi-et") for window in range(3)]
    windows = [slice(4 * name["window"], 4 * name["window"] + 4) for name in names]
    rows = {"de-fr": train, "fi-et": train[::2]}
    problems = [
        Problem(X, y, rows[name["pair"]], test, window, name=name, seed=7)
        for name, window in zip(names, windows, strict=True)
    ]
    frame = LogisticProbes().fit_score(problems[::-1])
    assert frame[["pair", "window"]].to_dict("records") == names[::-1]
    assert frame.n_train.tolist() == [150] * 3 + [300] * 3
    assert (frame.seed == 7).all() and frame.converged.all() and not frame.control.any()
    assert LogisticProbes().fit_score([]).empty


def test_solving_together_gives_what_solving_alone_gives():
    X, y = make(rows=600, dim=30)
    rng = np.random.default_rng(3)
    problems = [
        Problem(X, y, np.sort(rng.permutation(600)[:size]), split(600)[1], rng.permutation(30)[:dims])
        for size in (300, 301, 360, 450)
        for dims in (1, 2, 9, 10, 30)
    ]
    together = LogisticProbes(**EXACT).solve(problems)
    for problem, fit in zip(problems, together, strict=True):
        (alone,) = LogisticProbes(**EXACT).solve([problem])
        np.testing.assert_allclose(fit.coef, alone.coef, atol=1e-5)


@pytest.mark.parametrize("settings", [{}, {"class_weight": "balanced"}])
def test_rows_in_parts_that_several_problems_share_give_the_same_answers(settings):
    X, y = make(rows=600, dim=20)
    X = X + 100 * np.arange(20)
    first, second, third = np.arange(200), np.arange(200, 350), np.arange(350, 500)
    test = np.arange(500, 600)
    pairs = [(first, second), (first, third), (second, third)]
    sizes = (2, 20)
    in_parts = [Problem(X, y, pair, test, slice(0, size)) for pair in pairs for size in sizes]
    joined = [Problem(X, y, np.concatenate(pair), test, slice(0, size)) for pair in pairs for size in sizes]
    shared = LogisticProbes(tol=1e-9, **settings).solve(in_parts)
    for ours, alone in zip(shared, LogisticProbes(**EXACT, **settings).solve(joined), strict=True):
        np.testing.assert_allclose(ours.coef, alone.coef, atol=1e-4)
        np.testing.assert_allclose(ours.intercept, alone.intercept, rtol=1e-3)


def test_the_sizes_of_chunks_do_not_change_the_answers(monkeypatch):
    X, y = make(classes=4, dim=20)
    train, test = split()
    problems = [Problem(X, y, train, test, slice(0, size)) for size in range(1, 21)]
    whole = LogisticProbes(multiclass="ovr", **EXACT).fit_score(problems)
    monkeypatch.setattr(plan, "_MARGINS", 5000)
    monkeypatch.setattr(plan, "_FEATURES", 1000)
    pieces = LogisticProbes(multiclass="ovr", **EXACT).fit_score(problems)
    np.testing.assert_allclose(pieces.accuracy, whole.accuracy)
    np.testing.assert_allclose(pieces.loss, whole.loss, rtol=1e-8)


def test_several_threads_give_exactly_what_one_gives():
    X, y = make(rows=300)
    problems = [
        Problem(X, y, np.arange(start, start + 200), np.arange(200), slice(0, size))
        for start in range(0, 100, 5)
        for size in (1, 12)
    ]
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        single = LogisticProbes().fit_score(problems)
        torch.set_num_threads(3)
        several = LogisticProbes().fit_score(problems)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(threads)
    assert single.equals(several)


def test_what_did_not_converge_says_so():
    X, y = make(dim=40)
    train, test = split()
    frame = LogisticProbes(max_iter=1, tol=1e-9).fit_score([Problem(X, y, train, test)])
    assert not frame.converged.item()
    assert frame.gap.item() > 1e-9


def test_separable_classes_converge_to_the_penalised_optimum():
    X, y = make(gap=20.0, dim=30)
    train, test = split()
    (fit,) = LogisticProbes(tol=1e-9).solve([Problem(X, y, train, test)])
    np.testing.assert_allclose(fit.coef, sklearn_fit(X[train], y[train]).coef_, atol=1e-4)


def test_badly_scaled_and_constant_columns_and_large_offsets_do_no_harm():
    X, y = make(dim=8)
    X = X * np.array([1e-3, 1e-2, 0.1, 1, 10, 100, 1, 1])
    X[:, 6] = 4.0
    X += 1e6 * X.std(axis=0)
    train, test = split()
    fits = LogisticProbes(tol=1e-8).solve([Problem(X, y, train, test, slice(0, size)) for size in (3, 8)])
    for fit in fits:
        chosen = X[train][:, fit.problem.columns]
        centred = chosen - chosen.mean(axis=0)  # the same optimum, and easier on scikit-learn's solver
        scale = np.where(centred.std(axis=0) > 0, centred.std(axis=0), 1)
        coef = fit.coef * scale
        signs = 2 * (y[train] == "c1") - 1
        gradient = centred.T @ (-signs / (1 + np.exp(signs * (chosen @ fit.coef[0] + fit.intercept)))) + fit.coef[0]
        assert fit.converged and np.isfinite(coef).all()
        assert np.abs(gradient / np.maximum(scale, 1)).max() < 1e-3


def test_more_columns_than_rows():
    X, y = make(rows=40, dim=100)
    train, test = split(40)
    (fit,) = LogisticProbes(tol=1e-9).solve([Problem(X, y, train, test)])
    np.testing.assert_allclose(fit.coef, sklearn_fit(X[train], y[train]).coef_, atol=1e-4)


def test_wide_single_problems_take_the_diagonal_way_and_arrive_too():
    X, y = make(rows=500, dim=200)
    train, test = split(500)
    (fit,) = LogisticProbes(tol=1e-9).solve([Problem(X, y, train, test)])
    np.testing.assert_allclose(fit.coef, sklearn_fit(X[train], y[train]).coef_, atol=1e-4)


def test_one_class_is_answered_without_a_fit():
    X, y = make()
    train, test = split()
    y[train] = "c1"
    frame = LogisticProbes().fit_score([Problem(X, y, train, test), Problem(X, y, test, train, slice(0, 3))])
    assert frame.accuracy[0] == (y[test] == "c1").mean() == frame.majority[0]
    assert frame.converged.all() and frame.iterations[0] == 0 and frame.classes.tolist() == [1, 2]


def test_without_test_rows_scores_are_unknown():
    X, y = make()
    frame = LogisticProbes().fit_score([Problem(X, y, np.arange(100), [])])
    assert np.isnan(frame.accuracy.item()) and frame.n_test.item() == 0


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "tensor", "memmap", "list of rows"])
def test_arrays_of_any_kind_are_read(kind, tmp_path):
    X, y = make()
    train, test = split()
    if kind == "memmap":
        given = np.memmap(tmp_path / "X", dtype=np.float32, mode="w+", shape=X.shape)
        given[:] = X
    elif kind == "list of rows":
        given, train, test = X, train.tolist(), slice(300, 400)
    else:
        given = X.astype(np.float16) if kind == "float16" else torch.from_numpy(X)
        given = given.bfloat16() if kind == "bfloat16" else given
    found = LogisticProbes().fit_score([Problem(given, y.tolist(), train, test)])
    exact = LogisticProbes().fit_score([Problem(X, y, train, test)])
    assert found.accuracy.item() == pytest.approx(exact.accuracy.item(), abs=0.03)
    assert found.n_test.item() == 100


def test_nothing_is_warned_of_and_nothing_is_changed():
    X, y = make()
    X.setflags(write=False)
    kept = X.copy()
    train, test = split()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LogisticProbes(controls=1).fit_score([Problem(X, y, train, test)])
    np.testing.assert_array_equal(X, kept)


def broken(kind):
    X, y = make()
    train, test = split()
    labels = y.astype(object)
    labels[4] = None
    bad = X.copy()
    bad[17, 3] = np.nan
    return {
        "NaN": lambda: Problem(bad, y, train, test),
        "no rows": lambda: Problem(X, y, [], test),
        "far rows": lambda: Problem(X, y, [0, 400], test),
        "no label": lambda: Problem(X, labels, train, test),
        "no column": lambda: Problem(X, y, train, test, [12]),
        "twice": lambda: Problem(X, y, train, test, [1, 1]),
        "empty": lambda: Problem(X, y, train, test, slice(3, 3)),
        "labels": lambda: Problem(X, y[:-1], train, test),
        "name": lambda: Problem(X, y, train, test, name={"accuracy": 1}),
        "flat": lambda: Problem(X[:, 0], y, train, test),
    }[kind]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("NaN", "row 17"),
        ("no rows", "no training rows"),
        ("far rows", "between 0 and 399"),
        ("no label", "no label"),
        ("no column", "no column 12"),
        ("twice", "named twice"),
        ("empty", "no columns"),
        ("labels", "399 labels for 400 rows"),
        ("name", "'accuracy'"),
        ("flat", "two are needed"),
    ],
)
def test_mistakes_are_named(kind, message):
    with pytest.raises(IsoglossError, match=message):
        LogisticProbes().fit_score([broken(kind)()])


@pytest.mark.parametrize("settings", [{"C": 0}, {"multiclass": "ovo"}, {"dtype": "float16"}, {"tol": -1.0}])
def test_impossible_settings_are_refused(settings):
    X, y = make()
    with pytest.raises(IsoglossError, match="LogisticProbes"):
        LogisticProbes(**settings).fit(X, y)
