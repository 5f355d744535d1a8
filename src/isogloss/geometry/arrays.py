"""What goes into the numerics: finite matrices of rows, and labels; anything else is refused with its place named."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.errors import IsoglossError

Matrix = NDArray[np.floating[Any]]
Vector = NDArray[np.floating[Any]]
Indices = NDArray[np.intp]


def as_matrix(X: Any, name: str = "X", rows: int = 1, check: bool = True) -> Matrix:
    """``X`` as a finite ``n x d`` array of float32 or float64, without a copy where possible.

    Takes arrays, frames and torch tensors; half precision (float16, bfloat16) is widened to float32, so that
    the dtype of the states decides about rounding of the input only. At least ``rows`` rows are required.
    ``check=False`` leaves NaN to the caller.
    """
    matrix = _as_floats(X)
    if matrix.ndim != 2:
        raise IsoglossError(
            f"{name} has {matrix.ndim} dimensions, two are needed: rows x features",
            remedy="select one layer, for example states[:, layer]",
        )
    if matrix.shape[0] < rows or matrix.shape[1] < 1:
        raise IsoglossError(f"{name} is {matrix.shape[0]} x {matrix.shape[1]}; at least {rows} x 1 is needed")
    if check:
        refuse_nonfinite(matrix, name)
    return matrix


def _as_floats(X: Any) -> Matrix:
    if hasattr(X, "detach"):  # a torch tensor; numpy has no bfloat16
        X = X.detach().cpu()
        X = (X.float() if X.itemsize == 2 else X).numpy()
    array = np.asarray(X)
    if array.dtype in (np.float32, np.float64):
        return array
    if array.dtype == np.float16:
        return array.astype(np.float32)
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise IsoglossError(f"an array of numbers is needed, not {array.dtype}") from error


def refuse_nonfinite(X: Matrix, name: str = "X") -> None:
    """Raise for NaN or infinity in ``X``, naming the first such row. One fast sum tells whether to look closer."""
    with np.errstate(all="ignore"):
        suspicious = not np.isfinite(X.sum())
    if not suspicious:
        return
    bad = np.flatnonzero(~np.isfinite(X).all(axis=1))
    if bad.size:
        row = int(bad[0])
        column = int(np.flatnonzero(~np.isfinite(X[row]))[0])
        raise IsoglossError(
            f"NaN or infinity in row {row}, column {column} ({bad.size} of {X.shape[0]} rows are affected)",
            where=name,
            remedy="drop these rows, or look for an empty text or an overflow in half precision",
        )


def as_labels(y: Any, n: int) -> tuple[list[Any], Indices]:
    """The sorted classes in ``y``, as plain Python values, and for each of the ``n`` rows the index of its class."""
    labels = np.asarray(y.detach().cpu() if hasattr(y, "detach") else y)
    if labels.shape != (n,):
        raise IsoglossError(f"y has shape {labels.shape}, a label for each of the {n} rows is needed")
    missing = np.flatnonzero(pd.isna(labels))
    if missing.size:
        raise IsoglossError(f"the label of row {int(missing[0])} is missing", where="y")
    codes, classes = pd.factorize(labels, sort=True)
    return np.asarray(classes).tolist(), codes.astype(np.intp)


def as_pair(X: Any, Y: Any, rows: int = 1) -> tuple[Matrix, Matrix]:
    """Two matrices with aligned rows: row i of ``X`` and row i of ``Y`` belong together."""
    first, second = as_matrix(X, "X", rows), as_matrix(Y, "Y", rows)
    if first.shape[0] != second.shape[0]:
        raise IsoglossError(
            f"X has {first.shape[0]} rows and Y has {second.shape[0]}",
            remedy="row i of both must be the same sentence or word",
        )
    return first, second


def unit_rows(X: Matrix) -> Matrix:
    """``X`` with every row at length one; a row of zeros stays zero."""
    norms = np.sqrt(np.einsum("ij,ij->i", X, X))
    return X / np.where(norms > 0, norms, 1)[:, None]
