"""Joint moments of aligned rows: row i of X and row i of Y are the same sentence or word in two spaces."""

from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import Matrix, as_pair
from isogloss.geometry.gathering import SLAB
from isogloss.geometry.storage import read_arrays, write_arrays

Float64 = NDArray[np.float64]


class CrossMoments:
    """Count, means and centred products ``X^T X``, ``Y^T Y``, ``X^T Y`` of aligned rows; mergeable with ``+``.

    Enough for linear CKA and Procrustes on corpora of any size: memory is ``d_x^2 + d_y^2 + d_x d_y`` numbers.
    """

    def __init__(self) -> None:
        self.count = 0
        self.mean_x: Float64 = np.zeros(0)
        self.mean_y: Float64 = np.zeros(0)
        self.xx: Float64 = np.zeros((0, 0))
        self.yy: Float64 = np.zeros((0, 0))
        self.xy: Float64 = np.zeros((0, 0))

    @classmethod
    def of(cls, X: Any, Y: Any) -> Self:
        """The joint moments of two arrays, ``n x d_x`` and ``n x d_y``."""
        return cls().update(X, Y)

    def update(self, X: Any, Y: Any) -> Self:
        """Take in aligned rows."""
        first, second = as_pair(X, Y)
        self._open(first.shape[1], second.shape[1])
        for start in range(0, len(first), SLAB):
            part = slice(start, start + SLAB)
            x, mean_x, rest_x = _shift(first[part])
            y, mean_y, rest_y = _shift(second[part])
            n = len(x)
            self._absorb(
                n,
                mean_x + rest_x,
                mean_y + rest_y,
                (x.T @ x) - n * np.outer(rest_x, rest_x),
                (y.T @ y) - n * np.outer(rest_y, rest_y),
                (x.T @ y) - n * np.outer(rest_x, rest_y),
            )
        return self

    def __add__(self, other: "CrossMoments") -> "CrossMoments":
        """One pass over both, to rounding."""
        merged = CrossMoments()
        for part in (self, other):
            if part.count:
                merged._open(part.mean_x.size, part.mean_y.size)
                merged._absorb(part.count, part.mean_x, part.mean_y, part.xx, part.yy, part.xy)
        return merged

    def save(self, path: str | Path) -> None:
        """Write to a safetensors file."""
        arrays = {name: getattr(self, name) for name in ("mean_x", "mean_y", "xx", "yy", "xy")}
        write_arrays(path, arrays, {"kind": "cross moments", "count": self.count})

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what ``save`` wrote."""
        arrays, header = read_arrays(path, "cross moments")
        moments = cls()
        moments.count = int(header["count"])
        for name, array in arrays.items():
            setattr(moments, name, array)
        return moments

    def _open(self, dim_x: int, dim_y: int) -> None:
        if not self.count:
            self.mean_x, self.mean_y = np.zeros(dim_x), np.zeros(dim_y)
            self.xx, self.yy = np.zeros((dim_x, dim_x)), np.zeros((dim_y, dim_y))
            self.xy = np.zeros((dim_x, dim_y))
        elif (dim_x, dim_y) != self.xy.shape:
            raise IsoglossError(f"rows have {dim_x} and {dim_y} features, those before had {self.xy.shape}")

    def _absorb(self, n: int, mean_x: Matrix, mean_y: Matrix, xx: Matrix, yy: Matrix, xy: Matrix) -> None:
        joint = self.count + n
        weight = self.count * n / joint
        dx, dy = mean_x - self.mean_x, mean_y - self.mean_y
        self.xx += xx + weight * np.outer(dx, dx)
        self.yy += yy + weight * np.outer(dy, dy)
        self.xy += xy + weight * np.outer(dx, dy)
        self.mean_x += dx * (n / joint)
        self.mean_y += dy * (n / joint)
        self.count = joint


def _shift(rows: Matrix) -> tuple[Matrix, Matrix, Float64]:
    """Rows near zero, the shift, and the mean that rounding of the shift left in them."""
    mean = rows.mean(axis=0)
    shifted = rows - mean
    return shifted, mean, shifted.mean(axis=0, dtype=np.float64)
