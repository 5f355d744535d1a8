"""Two-dimensional maps by t-SNE that can be compared: a fixed seed, and a start that several maps share."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import Matrix, as_matrix

Points = NDArray[np.float64]
_SPREAD = 1e-4  # of the start's first axis: t-SNE wants a small one


def map2d(
    X: Any, *, start: Points | None = None, perplexity: float = 30.0, metric: str = "euclidean", random_state: int = 0
) -> Points:
    """n x 2 places for the rows of ``X`` (n x d), from their principal components unless ``start`` (n x 2) is given.

    ``perplexity`` is lowered where there are too few rows for it.
    """
    from sklearn.manifold import TSNE

    rows = as_matrix(X, rows=3)
    begin = principal_start(rows) if start is None else np.asarray(start, dtype=np.float64)
    if begin.shape != (len(rows), 2):
        raise IsoglossError(f"start is {begin.shape}, a place (n x 2) for each of {len(rows)} rows is needed")
    method = TSNE(
        perplexity=min(perplexity, (len(rows) - 1) / 3),
        init=_scaled(begin).astype(np.float32),
        metric=metric,
        learning_rate="auto",
        random_state=random_state,
    )
    return np.asarray(method.fit_transform(rows.astype(np.float32)), dtype=np.float64)


def maps2d(
    spaces: Mapping[str, Any], *, perplexity: float = 30.0, metric: str = "euclidean", random_state: int = 0
) -> dict[str, Points]:
    """Maps of the same rows in several spaces (before and after), all begun from the first one's components."""
    start: Points | None = None
    found = {}
    for name, X in spaces.items():
        rows = as_matrix(X, name, rows=3)
        start = principal_start(rows) if start is None else start
        found[name] = map2d(rows, start=start, perplexity=perplexity, metric=metric, random_state=random_state)
    return found


def principal_start(X: Matrix) -> Points:
    """n x 2: the first two principal components, signs fixed by the largest loading; noise-free and repeatable."""
    centred = X.astype(np.float64) - X.mean(axis=0, dtype=np.float64)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:2] * np.sign(axes[np.arange(len(axes[:2])), np.abs(axes[:2]).argmax(axis=1)])[:, None]
    points = centred @ axes.T
    return np.pad(points, ((0, 0), (0, 2 - points.shape[1])))


def _scaled(points: Points) -> Points:
    spread = float(points[:, 0].std())
    return points * (_SPREAD / spread) if spread > 0 else points


def language_moves(spaces: dict[str, NDArray[np.float32]], languages: NDArray[np.str_]) -> pd.DataFrame:
    """Centroids of languages in the first space (x, y) and in each other one (x_to, y_to), on shared axes.

    Every space is centred and scaled to a spread of one, so that a language in the middle is one like all others.
    """
    codes = np.unique(languages)
    centroids = np.concatenate([_centroids(states, languages, codes) for states in spaces.values()])
    places = principal_start(centroids).reshape(len(spaces), len(codes), 2)
    return pd.DataFrame(
        [
            (name, code, *places[0, number], *places[space, number])
            for space, name in enumerate(spaces)
            if space
            for number, code in enumerate(codes)
        ],
        columns=["condition", "language", "x", "y", "x_to", "y_to"],
    )


def _centroids(
    states: NDArray[np.float32], languages: NDArray[np.str_], codes: NDArray[np.str_]
) -> NDArray[np.float64]:
    centred = states.astype(np.float64) - states.mean(axis=0, dtype=np.float64)
    spread = np.sqrt((centred**2).sum(axis=1).mean()) or 1.0
    return np.stack([centred[languages == code].mean(axis=0) / spread for code in codes])
