"""The polar factor by Gram matrices, inverses and bases: each against the factor that the matrix was made from."""

import numpy as np
import pytest
import scipy.linalg

from isogloss.geometry import iterative_normalisation, polar
from isogloss.geometry.polar import directions_of, directions_of_rows

EPS = np.finfo(np.float64).eps


def orthonormal(rng, n, columns):
    return np.linalg.qr(rng.normal(size=(n, columns)))[0]


def rows_with(condition, n=60, dim_x=90, dim_y=75):
    """Rows of which both sides have this condition and the same weak sentences, and the factor of their X^T Y."""
    rng = np.random.default_rng(0)
    sentences, left, right = orthonormal(rng, n, n), orthonormal(rng, dim_x, n), orthonormal(rng, dim_y, n)
    scales = np.geomspace(5, 5 / condition, n)
    return sentences * scales @ left.T, sentences * scales @ right.T, left @ right.T


def whole_factor(X, Y, dropped=0):
    """``U V^T`` of the whole cross product, on the span of the rows but for ``dropped`` directions."""
    U, _, V = scipy.linalg.svd(X.T @ Y)
    rank = len(X) - dropped
    return U[:, :rank] @ V[:rank]


def assert_factor(directions, expected, atol):
    left, right = directions
    assert np.abs(left @ right.T - expected).max() < atol
    for side in directions:
        assert np.abs(side.T @ side - np.eye(side.shape[1])).max() < 10 * atol


@pytest.fixture
def used(monkeypatch):
    """The names of the decompositions that served, in order."""
    names = []

    def watch(module, name):
        plain = getattr(module, name)

        def watched(*args, **settings):
            names.append(name)
            return plain(*args, **settings)

        monkeypatch.setattr(module, name, watched)

    watch(polar.np.linalg, "eigh")
    watch(polar.np.linalg, "svd")
    watch(polar.scipy.linalg, "qr")
    watch(polar.lapack, "dgetri")
    return names


# A Gram matrix of X^T Y has the fourth power of the rows' condition, a Gram matrix of rows and X^T Y itself its square.
@pytest.mark.parametrize(
    ("condition", "ways", "atol"),
    [
        (3, ["eigh"], 1e-13),
        (80, ["eigh"], 1e-10),
        (120, ["dgetri", "eigh"], 1e-10),
        (2_000, ["dgetri", "eigh"], 1e-9),
        (8_000, ["svd"], 1e-8),
        (20_000, ["qr", "qr", "svd"], 1e-8),
        (1e6, ["qr", "qr", "svd"], 1e-8),
    ],
)
def test_the_factor_of_few_rows_is_right_on_both_sides_of_each_threshold(used, condition, ways, atol):
    X, Y, expected = rows_with(condition)
    assert_factor(directions_of_rows(X, Y), expected, atol)
    assert used == ways


@pytest.mark.parametrize("shape", ["even", "one weak", "one strong"])
@pytest.mark.parametrize("condition", [1, 1e2, 1e4, 1e6, 1e9])
def test_the_factor_of_a_square_is_as_precise_as_by_a_singular_value_decomposition(used, shape, condition):
    rng = np.random.default_rng(1)
    left, right = orthonormal(rng, 80, 80), orthonormal(rng, 80, 80)
    singular = np.geomspace(1, 1 / condition, 80)
    if shape != "even":
        singular[1:-1] = 1 if shape == "one weak" else 1 / condition
    cross = left * singular @ right.T
    assert_factor(directions_of(cross, 100), left @ right.T, 20 * EPS * (10 + condition))
    assert used == (["dgetri", "eigh"] if condition < 1e8 else ["svd"])


def test_a_rectangle_and_a_singular_square_are_left_to_the_singular_value_decomposition(used):
    rng = np.random.default_rng(2)
    for cross in (rng.normal(size=(9, 6)), np.diag([3.0, 2.0, 0.0]), np.zeros((3, 3))):
        left, right = directions_of(cross, 100)
        narrow = min(cross.shape)
        np.testing.assert_allclose(left.T @ left, np.eye(narrow), atol=1e-12)
        np.testing.assert_allclose(right.T @ right, np.eye(narrow), atol=1e-12)
        assert np.trace(left.T @ cross @ right) == pytest.approx(np.linalg.norm(cross, "nuc"))
    assert used == ["svd"] * 3


@pytest.mark.parametrize("strong", [10, 1e3])
def test_strong_directions_that_the_sides_do_not_share_count_in_the_condition(strong):
    """X^T Y is then far smaller than its summands, and their rounding, not its own, decides about the precision."""
    rng = np.random.default_rng(3)
    first, second, *_ = sentences = orthonormal(rng, 40, 40).T
    X, Y = (
        sentences.T @ orthonormal(rng, 60, 40).T + strong * np.outer(one, orthonormal(rng, 60, 1))
        for one in (first, second)
    )
    assert_factor(directions_of_rows(X, Y), whole_factor(X, Y), 1e-9)


def normalised(rows, spectrum, seed=0, dim=64):
    """Rows of float32 as ``align`` has them: unit length, and a mean that ten rounds leave."""
    rng = np.random.default_rng(seed)
    scales = np.arange(1, dim + 1) ** -spectrum
    X = rng.normal(size=(rows, dim)) * scales + scales
    Y = X @ orthonormal(rng, dim, dim) + 0.3 * rng.normal(size=X.shape) * scales
    return tuple(iterative_normalisation(part.astype(np.float32)).astype(np.float64) for part in (X, Y))


def test_normalised_rows_need_no_bases_and_their_mean_is_left_out_as_noise(used):
    X, Y = normalised(40, 0.5)
    directions = directions_of_rows(X, Y)
    assert directions[0].shape == (64, 39) and used == ["eigh"]
    assert_factor(directions, whole_factor(X, Y, dropped=1), 1e-10)


@pytest.mark.parametrize("size", [1e-1, 1e-3, 1e-5])
def test_a_small_mean_that_stands_out_of_the_noise_stays_in_the_map(size):
    rng = np.random.default_rng(4)
    X, Y = (rng.normal(size=(30, 50)) for _ in range(2))
    X, Y = (part - part.mean(axis=0) + size * rng.normal(size=50) for part in (X, Y))
    left, right = directions_of_rows(X, Y)
    assert left.shape == (50, 30)
    assert_factor((left, right), whole_factor(X, Y), 1e-6)  # the whole product is that imprecise itself


def test_a_mean_on_one_side_only_adds_nothing():
    rng = np.random.default_rng(5)
    X, Y = rng.normal(size=(30, 50)), rng.normal(size=(30, 50)) + 1
    X -= X.mean(axis=0)
    assert_factor(directions_of_rows(X, Y), whole_factor(X, Y, dropped=1), 1e-10)


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_rows_of_zeros_leave_no_directions_and_a_single_row_one(rows):
    nothing = np.zeros((rows, 8))
    assert [side.shape for side in directions_of_rows(nothing, nothing)] == [(8, 0), (8, 0)]
    X, Y = nothing.copy(), nothing.copy()
    X[0, 2], Y[0, 4] = 3, -2
    left, right = directions_of_rows(X, Y)
    assert np.argwhere(np.abs(left @ right.T) > 1e-12).tolist() == [[2, 4]]
    assert (left @ right.T)[2, 4] == pytest.approx(-1)
