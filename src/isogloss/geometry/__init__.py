"""Pure numerics on arrays: moments, language subspaces, similarity, alignment, retrieval. Knows nothing of models."""

from typing import TYPE_CHECKING

from isogloss.lazy import on_first_use

if TYPE_CHECKING:
    from isogloss.geometry.alignment import AlignedRetrieval, AlignmentTask, aligned_retrieval
    from isogloss.geometry.cross_moments import CrossMoments
    from isogloss.geometry.densray import DensRay
    from isogloss.geometry.induction import Induced, Vocabulary, induce
    from isogloss.geometry.kernel_alignment import CkaGrid, SmallSampleWarning, cka, cka_grid, cka_layers
    from isogloss.geometry.lda import LDA
    from isogloss.geometry.minibatch import MinibatchCKA
    from isogloss.geometry.moments import Moments
    from isogloss.geometry.neighbours import cosine, csls, inverted_softmax, nearest
    from isogloss.geometry.neutral import Neutraliser
    from isogloss.geometry.precision import DictionaryQueries, dictionary_queries, precision_at
    from isogloss.geometry.procrustes import Procrustes, iterative_normalisation
    from isogloss.geometry.retrieval import Retrieval, mexa, retrieval_grid
    from isogloss.geometry.similarity_measures import similarity
    from isogloss.geometry.space_map import SpaceMap
    from isogloss.geometry.spread import (
        Rogues,
        effective_dimension,
        isotropy,
        language_share,
        mean_pair_cosine,
        participation_ratio,
        rogue_dimensions,
    )

__all__ = [
    "LDA",
    "AlignedRetrieval",
    "AlignmentTask",
    "CkaGrid",
    "CrossMoments",
    "DensRay",
    "DictionaryQueries",
    "Induced",
    "MinibatchCKA",
    "Moments",
    "Neutraliser",
    "Procrustes",
    "Retrieval",
    "Rogues",
    "SmallSampleWarning",
    "SpaceMap",
    "Vocabulary",
    "aligned_retrieval",
    "cka",
    "cka_grid",
    "cka_layers",
    "cosine",
    "csls",
    "dictionary_queries",
    "effective_dimension",
    "induce",
    "inverted_softmax",
    "isotropy",
    "iterative_normalisation",
    "language_share",
    "mean_pair_cosine",
    "mexa",
    "nearest",
    "participation_ratio",
    "precision_at",
    "retrieval_grid",
    "rogue_dimensions",
    "similarity",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "alignment": ("AlignedRetrieval", "AlignmentTask", "aligned_retrieval"),
        "kernel_alignment": ("CkaGrid", "SmallSampleWarning", "cka", "cka_grid", "cka_layers"),
        "cross_moments": ("CrossMoments",),
        "densray": ("DensRay",),
        "induction": ("Induced", "Vocabulary", "induce"),
        "lda": ("LDA",),
        "minibatch": ("MinibatchCKA",),
        "moments": ("Moments",),
        "neighbours": ("cosine", "csls", "inverted_softmax", "nearest"),
        "neutral": ("Neutraliser",),
        "precision": ("DictionaryQueries", "dictionary_queries", "precision_at"),
        "procrustes": ("Procrustes", "iterative_normalisation"),
        "retrieval": ("Retrieval", "mexa", "retrieval_grid"),
        "similarity_measures": ("similarity",),
        "space_map": ("SpaceMap",),
        "spread": (
            "Rogues",
            "effective_dimension",
            "isotropy",
            "language_share",
            "mean_pair_cosine",
            "participation_ratio",
            "rogue_dimensions",
        ),
    },
)
