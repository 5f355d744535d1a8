"""Pure numerics on arrays: moments, language subspaces, similarity, alignment, retrieval. Knows nothing of models."""

from isogloss.geometry.cka import CkaGrid, SmallSampleWarning, cka, cka_grid, cka_layers
from isogloss.geometry.cross_moments import CrossMoments
from isogloss.geometry.densray import DensRay
from isogloss.geometry.lda import LDA
from isogloss.geometry.minibatch import MinibatchCKA
from isogloss.geometry.moments import Moments
from isogloss.geometry.neutral import Neutraliser
from isogloss.geometry.procrustes import Procrustes, iterative_normalisation
from isogloss.geometry.similarity import similarity

__all__ = [
    "LDA",
    "CkaGrid",
    "CrossMoments",
    "DensRay",
    "MinibatchCKA",
    "Moments",
    "Neutraliser",
    "Procrustes",
    "SmallSampleWarning",
    "cka",
    "cka_grid",
    "cka_layers",
    "iterative_normalisation",
    "similarity",
]
