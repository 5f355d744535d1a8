"""Pure numerics on arrays: moments, language subspaces, similarity, alignment, retrieval. Knows nothing of models."""

from isogloss.geometry.cross_moments import CrossMoments
from isogloss.geometry.densray import DensRay
from isogloss.geometry.lda import LDA
from isogloss.geometry.moments import Moments
from isogloss.geometry.neutral import Neutraliser
from isogloss.geometry.procrustes import Procrustes, iterative_normalisation

__all__ = ["LDA", "CrossMoments", "DensRay", "Moments", "Neutraliser", "Procrustes", "iterative_normalisation"]
