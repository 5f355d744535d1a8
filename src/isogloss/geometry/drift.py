"""How far states have moved since pretraining: inside a subspace, such as that of languages, and outside it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import as_matrix


@dataclass(frozen=True)
class Drift:
    """The move as a share of the spread in the same part of the space: 0 is unmoved; ``n`` rows were compared."""

    inside: float
    outside: float
    n: int


def drift(before: Any, after: Any, directions: Any, centre: Any) -> Drift:
    """Root mean squares of ``after - before`` (n x d, the same rows) over those of ``before - centre`` (d).

    ``directions`` (k x d, orthonormal rows) span the subspace. Where rows have no spread there is no share: NaN.
    """
    first, second, basis = (as_matrix(array).astype(np.float64) for array in (before, after, directions))
    if first.shape != second.shape:
        raise IsoglossError(f"{first.shape} states before against {second.shape} after", where="drift")
    if not np.allclose(basis @ basis.T, np.eye(len(basis)), atol=1e-4):
        raise IsoglossError("directions must be orthonormal", where="drift", remedy="DensRay's components are")
    moved, spread = second - first, first - np.asarray(centre, dtype=np.float64)
    shares = [_share(a, b) for a, b in zip(_parts(moved, basis), _parts(spread, basis), strict=True)]
    return Drift(shares[0], shares[1], len(first))


def _parts(rows: NDArray[np.float64], basis: NDArray[np.float64]) -> tuple[float, float]:
    """Sums of squares inside the subspace and outside it."""
    inside = float(((rows @ basis.T) ** 2).sum())
    return inside, max(0.0, float((rows**2).sum()) - inside)


def _share(above: float, below: float) -> float:
    return float(np.sqrt(above / below)) if below > 0 else float("nan")
