"""Language similarity: do the centroids of languages form their families? (Liang21 LS)"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

from isogloss.errors import IsoglossError, unknown_name
from isogloss.geometry.arrays import Indices, Matrix, as_labels, as_matrix
from isogloss.geometry.estimator import Estimator

LINKAGES = ("single", "complete", "average", "weighted", "centroid", "median", "ward")


@dataclass(frozen=True)
class Dendrogram:
    """A tree ready to be drawn: leaves from left to right, and for each joint four points ``(x, y)``."""

    leaves: list[Any]
    x: NDArray[np.float64]  # joints x 4
    y: NDArray[np.float64]  # joints x 4


class LanguageSimilarity(Estimator):
    """Hierarchical clustering of language centroids, and its agreement with ``families`` (language -> family).

    The defaults are those of the paper's released code: single linkage on cosine distance, languages whose
    family (there: genus) has no second language left out, as many clusters as there are families. After ``fit``:
    ``tree_`` (scipy's linkage), ``languages_``, ``centroids_``, ``cophenetic_`` (how well the tree keeps the
    distances) and, with families, ``clusters_``, ``v_measure_``, ``homogeneity_``, ``completeness_``,
    ``chance_`` (the mean V-measure of shuffled families, far from zero for few languages) and ``p_``.
    """

    def __init__(
        self,
        families: Mapping[Any, Any] | None = None,
        *,
        linkage: Literal["single", "complete", "average", "weighted", "centroid", "median", "ward"] = "single",
        metric: str = "cosine",
        singletons: Literal["drop", "keep"] = "drop",
        centre: bool = False,
        shuffles: int = 200,
        random_state: int = 0,
    ) -> None:
        self.families = families
        self.linkage = linkage
        self.metric = metric
        self.singletons = singletons
        self.centre = centre
        self.shuffles = shuffles
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """``X`` is n x d, ``y`` the language of each row (one row per language where they are centroids already)."""
        if self.linkage not in LINKAGES:
            raise unknown_name("linkage", self.linkage, LINKAGES, where="LanguageSimilarity")
        if self.singletons not in ("drop", "keep"):
            raise unknown_name("singletons", self.singletons, ["drop", "keep"], where="LanguageSimilarity")
        rows = as_matrix(X)
        languages, codes = as_labels(y, len(rows))
        centroids = _centroids(rows, codes, len(languages))
        kept = self._kept(languages)
        if len(kept) < 2:
            raise IsoglossError(
                f"{len(kept)} language(s) to cluster, two are needed",
                where="families" if self.families else "y",
                remedy="give families that have two languages each, or singletons='keep'",
            )
        self.n_features_in_ = rows.shape[1]
        self.languages_ = [languages[number] for number in kept]
        self.centroids_ = centroids[kept] - (centroids[kept].mean(axis=0) if self.centre else 0)
        distances = self._distances()
        self.tree_ = hierarchy.linkage(distances, method=self.linkage)
        self.cophenetic_ = _cophenetic(self.tree_, distances)
        if self.families is not None:
            self._compare(np.array([str(self.families[language]) for language in self.languages_]))
        return self

    def dendrogram(self) -> Dendrogram:
        """The tree's joints and leaves as coordinates."""
        drawn = hierarchy.dendrogram(self.tree_, no_plot=True)
        leaves = [self.languages_[number] for number in drawn["leaves"]]
        return Dendrogram(leaves, np.array(drawn["icoord"]), np.array(drawn["dcoord"]))

    def _kept(self, languages: list[Any]) -> list[int]:
        """The languages to cluster, by number: those with a family, and with company in it unless kept alone."""
        if self.families is None:
            return list(range(len(languages)))
        known = [language for language in languages if language in self.families]
        sizes: dict[Any, int] = {}
        for language in known:
            sizes[self.families[language]] = sizes.get(self.families[language], 0) + 1
        least = 2 if self.singletons == "drop" else 1
        return [languages.index(language) for language in known if sizes[self.families[language]] >= least]

    def _distances(self) -> NDArray[np.float64]:
        lengths = np.linalg.norm(self.centroids_, axis=1)
        if self.metric == "cosine" and (lengths == 0).any():
            language = self.languages_[int(np.argmin(lengths))]
            raise IsoglossError("the centroid is zero: it has no direction", where=f"language {language}")
        try:
            return np.asarray(pdist(self.centroids_, metric=self.metric), dtype=np.float64)
        except ValueError as error:
            raise IsoglossError(str(error), where="metric", remedy="cosine, euclidean, correlation, ...") from error

    def _compare(self, families: NDArray[np.str_]) -> None:
        """Cut the tree into as many clusters as families with two languages or more, and compare."""
        names, sizes = np.unique(families, return_counts=True)
        wanted = max(1, int((sizes >= 2).sum()) if self.singletons == "drop" else len(names))
        self.clusters_ = hierarchy.fcluster(self.tree_, wanted, criterion="maxclust")
        from sklearn.metrics import homogeneity_completeness_v_measure

        scores = homogeneity_completeness_v_measure(families, self.clusters_)
        self.homogeneity_, self.completeness_, self.v_measure_ = map(float, scores)
        self.chance_, self.p_ = self._chance(families)

    def _chance(self, families: NDArray[np.str_]) -> tuple[float, float]:
        """The mean V-measure of shuffled families, and how often they reach the real one's.

        Shuffling leaves the entropies H as they are, so that only the mutual information I is recomputed:
        V = 2 I / (H(families) + H(clusters)).
        """
        rng = np.random.default_rng(self.random_state)
        codes = np.unique(families, return_inverse=True)[1]
        real = _information(codes, self.clusters_)
        shuffled = np.array([_information(rng.permutation(codes), self.clusters_) for _ in range(self.shuffles)])
        entropies = _information(codes, codes) + _information(self.clusters_, self.clusters_)
        chance = 2 * float(shuffled.mean()) / entropies if entropies > 0 else 1.0
        return chance, float((1 + np.sum(shuffled >= real - 1e-12)) / (1 + self.shuffles))


def _information(first: NDArray[np.integer[Any]], second: NDArray[np.integer[Any]]) -> float:
    """Mutual information of two labellings (n each), in nats; of a labelling with itself: its entropy."""
    width = int(second.max()) + 1
    joint = np.bincount(first * width + second, minlength=(int(first.max()) + 1) * width).reshape(-1, width)
    shares = joint / len(first)
    expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    seen = shares > 0
    return float((shares[seen] * np.log(shares[seen] / expected[seen])).sum())


def _centroids(X: Matrix, codes: Indices, count: int) -> NDArray[np.float64]:
    """count x d means of the rows of each language."""
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(count))
    sums = np.add.reduceat(X[order].astype(np.float64, copy=False), starts, axis=0)
    return np.asarray(sums / np.bincount(codes, minlength=count)[:, None])


def _cophenetic(tree: NDArray[np.float64], distances: NDArray[np.float64]) -> float:
    """The correlation of the tree's distances with the real ones; 1 where either is constant and they agree."""
    heights = hierarchy.cophenet(tree)
    if np.ptp(heights) == 0 or np.ptp(distances) == 0:
        return float(np.allclose(heights, distances))
    return float(np.corrcoef(heights, distances)[0, 1])
