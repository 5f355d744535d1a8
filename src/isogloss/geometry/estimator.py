"""The base of all estimators here: scikit-learn's contract, with types."""

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import Matrix, as_matrix


def check_dims(dims: int | None) -> None:
    """Refuse a number of directions below one; None stands for all."""
    if dims is not None and dims < 1:
        raise IsoglossError(f"dims = {dims} is not a number of directions", remedy="one or more, or None for all")


class Estimator(BaseEstimator):  # type: ignore[misc]
    """Parameters are set in ``__init__`` and left alone; ``fit`` sets attributes that end in an underscore."""

    n_features_in_: int

    def _fitted_rows(self, X: Any) -> Matrix:
        """``X`` checked against what ``fit`` saw: n x d with the same d."""
        if not hasattr(self, "n_features_in_"):
            raise NotFittedError(f"{type(self).__name__} is not fitted yet: call fit first")
        rows = as_matrix(X)
        if rows.shape[1] != self.n_features_in_:
            raise IsoglossError(
                f"{type(self).__name__} was fitted on {self.n_features_in_} features, X has {rows.shape[1]}",
                remedy="fit and transform states of the same layer of the same model",
            )
        return rows
