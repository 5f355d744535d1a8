"""Clusters found by k-means, and how far they agree with labels (Tanti21 Table 3)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import Indices, as_labels, as_matrix
from isogloss.probes.statistics import Estimate, over_seeds


@dataclass(frozen=True)
class Agreement:
    """Means over runs of k-means from scratch, with intervals over runs. ARI is zero for chance, V-measure is not."""

    v_measure: Estimate
    homogeneity: Estimate
    completeness: Estimate
    ari: Estimate
    clusters: int
    rows: int


def cluster_agreement(
    X: Any, labels: Any, *, clusters: int | None = None, runs: int = 10, random_state: int = 0
) -> Agreement:
    """Cluster ``X`` (n x d) into as many clusters as there are ``labels`` (n) unless said, ``runs`` times."""
    rows = as_matrix(X)
    names, codes = as_labels(labels, len(rows))
    wanted = len(names) if clusters is None else clusters
    if not 1 <= wanted <= len(rows):
        raise IsoglossError(f"{wanted} clusters of {len(rows)} rows", where="clusters")
    scores = np.array([_run(rows, codes, wanted, random_state + run) for run in range(runs)])
    homogeneity, completeness, v_measure, ari = (over_seeds(column, limits=(-1, 1)) for column in scores.T)
    return Agreement(v_measure, homogeneity, completeness, ari, wanted, len(rows))


def _run(X: Any, codes: Indices, clusters: int, seed: int) -> tuple[float, ...]:
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_rand_score, homogeneity_completeness_v_measure

    found = KMeans(clusters, n_init=1, random_state=seed).fit_predict(X)
    return (*homogeneity_completeness_v_measure(codes, found), adjusted_rand_score(codes, found))


def sample_evenly(*groups: Any, limit: int, random_state: int = 0) -> Indices:
    """At most ``limit`` rows of each combination of ``groups`` (label and language, say), as sorted row numbers."""
    keys = [np.unique(np.asarray(group), return_inverse=True)[1] for group in groups]
    if len({len(key) for key in keys}) != 1:
        raise IsoglossError("groups of different lengths", remedy="give one value per row in each group")
    _, cell = np.unique(np.stack(keys, axis=1), axis=0, return_inverse=True)
    order = np.random.default_rng(random_state).permutation(len(cell))
    by_cell = order[np.argsort(cell[order], kind="stable")]
    starts = np.searchsorted(cell[by_cell], cell[by_cell])
    return np.sort(by_cell[np.arange(len(by_cell)) - starts < limit])
