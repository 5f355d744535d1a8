"""Frames for figures of kind ``dendrogram``: a clustering's merges as a tree of named nodes."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike


def tree_of_merges(merges: ArrayLike, labels: Sequence[str], families: Sequence[str] | None = None) -> pd.DataFrame:
    """A row a node (node, parent, label, height, family) from SciPy's linkage matrix ((n-1) x 4) of n ``labels``."""
    steps = np.asarray(merges, dtype=np.float64).reshape(-1, 4)
    if len(steps) != len(labels) - 1:
        raise ValueError(f"{len(labels)} labels need {len(labels) - 1} merges, not {len(steps)}")
    parents = [""] * (len(labels) + len(steps))
    heights = [0.0] * len(labels)
    for step, (left, right, height, _) in enumerate(steps):
        parents[int(left)] = parents[int(right)] = str(len(labels) + step)
        heights.append(float(height))
    inner = [""] * len(steps)
    return pd.DataFrame(
        {
            "node": [str(node) for node in range(len(parents))],
            "parent": parents,
            "label": [*labels, *inner],
            "height": heights,
            "family": [*(families or [""] * len(labels)), *inner],
        }
    )
