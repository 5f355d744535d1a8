"""Pure numerics on arrays: moments, language subspaces, similarity, alignment, retrieval. Knows nothing of models."""

from isogloss.geometry.alignment import AlignedRetrieval, AlignmentTask, aligned_retrieval
from isogloss.geometry.cka import CkaGrid, SmallSampleWarning, cka, cka_grid, cka_layers
from isogloss.geometry.cross_moments import CrossMoments
from isogloss.geometry.densray import DensRay
from isogloss.geometry.induction import Induced, Vocabulary, induce
from isogloss.geometry.lda import LDA
from isogloss.geometry.minibatch import MinibatchCKA
from isogloss.geometry.moments import Moments
from isogloss.geometry.neighbours import cosine, csls, inverted_softmax, nearest
from isogloss.geometry.neutral import Neutraliser
from isogloss.geometry.precision import DictionaryQueries, dictionary_queries, precision_at
from isogloss.geometry.procrustes import Procrustes, iterative_normalisation
from isogloss.geometry.retrieval import Retrieval, mexa, retrieval_grid
from isogloss.geometry.similarity import similarity
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
