"""Probes: what can be read off vectors, and how sure one may be of it. Arrays in, tidy frames out."""

from typing import TYPE_CHECKING

from isogloss.lazy import on_first_use

if TYPE_CHECKING:
    from isogloss.probes import statistics
    from isogloss.probes.clusters import Agreement, cluster_agreement, sample_evenly
    from isogloss.probes.columns import ColumnSet, column_sets
    from isogloss.probes.identity import LanguageIdentity
    from isogloss.probes.logistic import Fit, LogisticProbes, Problem
    from isogloss.probes.maps import map2d, maps2d
    from isogloss.probes.similarity import Dendrogram, LanguageSimilarity
    from isogloss.probes.typology import Typology

__all__ = [
    "Agreement",
    "ColumnSet",
    "Dendrogram",
    "Fit",
    "LanguageIdentity",
    "LanguageSimilarity",
    "LogisticProbes",
    "Problem",
    "Typology",
    "cluster_agreement",
    "column_sets",
    "map2d",
    "maps2d",
    "sample_evenly",
    "statistics",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "clusters": ("Agreement", "cluster_agreement", "sample_evenly"),
        "columns": ("ColumnSet", "column_sets"),
        "identity": ("LanguageIdentity",),
        "logistic": ("Fit", "LogisticProbes", "Problem"),
        "maps": ("map2d", "maps2d"),
        "similarity": ("Dendrogram", "LanguageSimilarity"),
        "typology": ("Typology",),
    },
    folders=("statistics",),
)
