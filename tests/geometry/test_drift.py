import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.geometry.drift import drift


def states(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and two orthonormal directions."""
    return rng.normal(size=(200, 6)) + 3.0, np.linalg.qr(rng.normal(size=(6, 2)))[0].T


def test_states_that_did_not_move_have_no_drift():
    rows, directions = states(np.random.default_rng(0))
    found = drift(rows, rows, directions, rows.mean(axis=0))
    assert (found.inside, found.outside, found.n) == (0.0, 0.0, 200)


def test_a_move_along_the_directions_is_inside_and_any_other_is_outside():
    rng = np.random.default_rng(1)
    rows, directions = states(rng)
    inside = rng.normal(size=(200, 2)) @ directions
    found = drift(rows, rows + inside, directions, rows.mean(axis=0))
    assert found.inside > 0.5 and found.outside == pytest.approx(0.0, abs=1e-6)
    noise = rng.normal(size=(200, 6))
    outside = noise - noise @ directions.T @ directions
    found = drift(rows, rows + outside, directions, rows.mean(axis=0))
    assert found.outside > 0.5 and found.inside == pytest.approx(0.0, abs=1e-6)


def test_drift_is_a_share_of_the_spread_as_loops_would_have_it():
    rng = np.random.default_rng(2)
    rows, directions = states(rng)
    moved, centre = rows + rng.normal(size=rows.shape), rows.mean(axis=0)
    above = sum(float((direction @ (b - a)) ** 2) for a, b in zip(rows, moved, strict=True) for direction in directions)
    below = sum(float((direction @ (a - centre)) ** 2) for a in rows for direction in directions)
    assert drift(rows, moved, directions, centre).inside == pytest.approx(np.sqrt(above / below))


def test_states_without_spread_have_no_share():
    rows = np.ones((5, 3))
    assert np.isnan(drift(rows, rows + 1, np.eye(3)[:1], np.ones(3)).inside)


def test_unlike_shapes_and_slanted_directions_are_refused():
    rows = np.ones((5, 3))
    with pytest.raises(IsoglossError, match="before against"):
        drift(rows, rows[:4], np.eye(3)[:1], np.ones(3))
    with pytest.raises(IsoglossError, match="orthonormal"):
        drift(rows, rows, 2 * np.eye(3)[:1], np.ones(3))
