"""Frames for figures of the kinds ``dendrogram`` and ``tree``: clusterings and families as trees of named nodes."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform


def tree_of_merges(merges: ArrayLike, labels: Sequence[str], families: Sequence[str] | None = None) -> pd.DataFrame:
    """A row per node (node, parent, label, height, family) from SciPy's linkage matrix ((n-1) x 4) of n ``labels``."""
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


def tree_of_similarities(similarity: Mapping[str, Mapping[str, float]], families: Mapping[str, str]) -> pd.DataFrame:
    """The same from the similarity of each name with each other one: average linkage of one minus it."""
    names = list(similarity)
    return tree_of_merges(_merges(similarity), names, [families.get(name, "") for name in names])


def order_of_similarities(similarity: Mapping[str, Mapping[str, float]]) -> list[str]:
    """The names in the order of that tree's leaves, so that those alike stand together."""
    names = list(similarity)
    return [names[leaf] for leaf in leaves_list(_merges(similarity))] if len(names) > 2 else names


def _merges(similarity: Mapping[str, Mapping[str, float]]) -> NDArray[np.float64]:
    rows = [[0.0 if one == other else 1 - near[other] for other in similarity] for one, near in similarity.items()]
    # A language whose vectors are all equal is like no other: it joins last, as one of similarity zero would.
    distances = squareform(np.clip(np.nan_to_num(np.array(rows), nan=1.0), 0.0, None), checks=False)
    return np.asarray(linkage(distances, method="average", optimal_ordering=True))


def tree_of_families(leaves: pd.DataFrame, values: Sequence[str]) -> pd.DataFrame:
    """A row per node (node, parent, label, family and ``values``): languages under their families, families in order.

    ``leaves`` has the columns language, family and ``values``; an empty family is unknown.
    """
    named = leaves.assign(family=leaves["family"].where(leaves["family"] != "", "family unknown"))
    groups = list(dict.fromkeys(named["family"]))
    inner = pd.DataFrame({"node": [f"family {name}" for name in groups], "label": groups, "family": groups})
    under = named.sort_values("family", key=lambda names: names.map(groups.index), kind="stable")
    codes = under["language"].astype(str).tolist()
    outer = under[["family", *values]].assign(node=codes, label=codes)
    root = pd.DataFrame({"node": ["root"], "label": [""], "family": [""], "parent": [""]})
    tree = pd.concat([root, inner.assign(parent="root"), outer.assign(parent="family " + outer["family"])])
    return tree[["node", "parent", "label", "family", *values]].reset_index(drop=True)
