"""The contract every estimator of geometry and probes keeps; new ones are found in the packages' ``__all__``.

An estimator is a subclass of scikit-learn's BaseEstimator with a ``fit``. What ``fit`` takes is read off its signature:
``fit(X, y)`` gets labels, ``fit(X, Y)`` aligned rows of a second space, ``fit(X)`` rows alone.
"""

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

import isogloss.geometry
import isogloss.probes
from isogloss.errors import IsoglossError

ROWS, DIM, LANGUAGES = 60, 8, 3
# What an estimator cannot do without: parameters by name, for the languages l0, l1, l2, ... of the rows below.
SETTINGS = {
    "Typology": {"features": {"order": {"l0": "SOV", "l1": "SVO", "l2": "SVO"}}},
    "LanguageSimilarity": {"families": {"l0": "north", "l1": "north", "l2": "south"}, "singletons": "keep"},
}


def estimators() -> list[type[BaseEstimator]]:
    """Every public estimator of both packages."""
    public = [getattr(package, name) for package in (isogloss.geometry, isogloss.probes) for name in _names(package)]
    kinds = [kind for kind in public if inspect.isclass(kind) and issubclass(kind, BaseEstimator)]
    return sorted({kind for kind in kinds if hasattr(kind, "fit")}, key=lambda kind: kind.__name__)


def _names(package):
    return getattr(package, "__all__", [])


def make_rows(rows=ROWS, dim=DIM, languages=LANGUAGES, dtype=np.float64):
    rng = np.random.default_rng(0)
    y = np.arange(rows) % languages
    X = rng.normal(size=(rows, dim)) + 3 * rng.normal(size=(languages, dim))[y]
    return X.astype(dtype), np.array([f"l{i}" for i in y])


def arguments(function, X, y):
    """What ``function`` takes after the rows: labels for ``y``, aligned rows for ``Y``."""
    rotation, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(X.shape[1], X.shape[1])))
    offered = {"X": X, "y": y, "Y": (X @ rotation).astype(X.dtype)}
    return [offered[name] for name in inspect.signature(function).parameters if name in offered]


def make(kind):
    return kind(**SETTINGS.get(kind.__name__, {}))


def fit(kind, X, y):
    estimator = make(kind)
    return estimator.fit(*arguments(estimator.fit, X, y))


def fitted_values(estimator):
    return {name: value for name, value in vars(estimator).items() if name.endswith("_")}


def outputs(estimator, X, y):
    """All that the estimator says about rows."""
    names = [name for name in ("transform", "predict", "predict_proba", "score") if hasattr(estimator, name)]
    return {name: getattr(estimator, name)(*arguments(getattr(estimator, name), X, y)) for name in names}


def assert_finite(values):
    for name, value in values.items():
        if isinstance(value, (float, np.ndarray)) and np.asarray(value).dtype.kind == "f":
            assert np.isfinite(value).all(), name


def assert_finite_or_refused(kind, X, y):
    """A degenerate case has a plain message or a finite result, never NaN and never another exception."""
    try:
        estimator = fit(kind, X, y)
    except IsoglossError as refusal:
        assert len(str(refusal)) > 20
        return
    assert_finite(fitted_values(estimator))
    assert_finite(outputs(estimator, X, y))


@pytest.fixture(params=estimators(), ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


def test_there_are_estimators_to_check():
    assert {"DensRay", "LDA", "Neutraliser", "Procrustes"} <= {kind.__name__ for kind in estimators()}


def test_parameters_are_kept_untouched_and_clone_copies_them(kind):
    estimator = make(kind)
    before = estimator.get_params()
    copy = clone(estimator)
    assert copy.get_params() == before and not fitted_values(copy)
    X, y = make_rows()
    estimator.fit(*arguments(estimator.fit, X, y))
    assert estimator.get_params() == before, "fit must not change parameters"
    assert fitted_values(estimator) and not fitted_values(clone(estimator))


def test_fit_returns_the_estimator_and_twice_gives_the_same(kind):
    X, y = make_rows()
    estimator = make(kind)
    assert estimator.fit(*arguments(estimator.fit, X, y)) is estimator
    first = {name: np.copy(value) for name, value in fitted_values(estimator).items()}
    said = outputs(estimator, X, y)
    estimator.fit(*arguments(estimator.fit, X, y))
    for name, value in fitted_values(estimator).items():
        np.testing.assert_array_equal(np.asarray(value), first[name], err_msg=name)
    for name, value in outputs(estimator, X, y).items():
        np.testing.assert_array_equal(value, said[name], err_msg=name)


def test_input_is_not_modified_and_may_be_read_only(kind):
    X, y = make_rows()
    kept_X, kept_y = X.copy(), y.copy()
    X.setflags(write=False)
    y.setflags(write=False)
    outputs(fit(kind, X, y), X, y)
    np.testing.assert_array_equal(X, kept_X)
    np.testing.assert_array_equal(y, kept_y)


def test_float32_gives_what_float64_gives_and_stays_float32(kind):
    X, y = make_rows()
    exact = outputs(fit(kind, X, y), X, y)
    narrow = X.astype(np.float32)
    for name, value in outputs(fit(kind, narrow, y), narrow, y).items():
        if np.asarray(value).dtype.kind == "f":
            np.testing.assert_allclose(value, exact[name], rtol=1e-3, atol=1e-3, err_msg=name)
        if name == "transform":
            assert value.dtype == np.float32


def test_one_class(kind):
    X, _ = make_rows()
    assert_finite_or_refused(kind, X, np.array(["l0"] * ROWS))


def test_one_sample_a_class(kind):
    X, _ = make_rows()
    assert_finite_or_refused(kind, X, np.array([f"l{i:02d}" for i in range(ROWS)]))


def test_a_constant_feature(kind):
    X, y = make_rows()
    X[:, 2] = 5.0
    assert_finite(outputs(fit(kind, X, y), X, y))


def test_more_dimensions_than_rows(kind):
    X, y = make_rows(rows=12, dim=30)
    assert_finite(outputs(fit(kind, X, y), X, y))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_are_refused_with_the_row_named(kind, bad):
    X, y = make_rows()
    X[17, 3] = bad
    with pytest.raises(IsoglossError, match="row 17"):
        fit(kind, X, y)
    good, y = make_rows()
    estimator = fit(kind, good, y)
    for name in ("transform", "predict", "predict_proba", "score"):
        if hasattr(estimator, name):
            with pytest.raises(IsoglossError, match="row 17"):
                getattr(estimator, name)(*arguments(getattr(estimator, name), X, y))
