"""Word vectors from co-occurrence counts of plain text: PPMI and a truncated SVD.

What skip-gram with negative sampling factorises implicitly (Levy and Goldberg 2014) is factorised here outright, with
the settings that make both perform alike (Levy et al. 2015): a window that counts near words more, smoothed contexts,
and singular values at half their power. Exact and without chance, so that a baseline needs no seed.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import scipy.linalg
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.linalg import svds

from isogloss.corpora.vectors import WordVectors
from isogloss.errors import IsoglossError

SMOOTHING = 0.75  # contexts are weighed by their count to this power
DENSE = 3_000  # words up to which all singular values are cheap


def ppmi_vectors(
    sentences: Sequence[Sequence[str]], size: int = 300, window: int = 5, most: int = 200_000, least: int = 2
) -> WordVectors:
    """Vectors, at most ``size`` wide, of the ``most`` frequent words that occur ``least`` times; frequent first."""
    counts = Counter(word for sentence in sentences for word in sentence)
    words = [word for word, count in counts.most_common(most) if count >= least]
    if len(words) < 3:
        raise IsoglossError(
            f"{len(words)} words occur {least} times or more: too few for vectors",
            where="text",
            remedy="give more sentences",
        )
    pairs = cooccurrences(sentences, words, window)
    vectors = factorise(ppmi(pairs), min(size, len(words) - 1))
    return WordVectors(tuple(words), vectors.astype(np.float32), {"words too rare": len(counts) - len(words)})


def cooccurrences(sentences: Sequence[Sequence[str]], words: Sequence[str], window: int) -> scipy.sparse.csr_matrix:
    """How often word j stands within ``window`` of word i, words x words; at distance k it counts 1 - (k-1)/window."""
    place = {word: number for number, word in enumerate(words)}
    lengths = [len(sentence) for sentence in sentences]
    ids = np.fromiter((place.get(word, -1) for sentence in sentences for word in sentence), np.int64, sum(lengths))
    home = np.repeat(np.arange(len(lengths)), lengths)
    total = scipy.sparse.csr_matrix((len(words), len(words)))
    for distance in range(1, window + 1):
        left, right = ids[:-distance], ids[distance:]
        kept = (home[:-distance] == home[distance:]) & (left >= 0) & (right >= 0)
        weights = np.full(int(kept.sum()), 1 - (distance - 1) / window)
        near = scipy.sparse.csr_matrix((weights, (left[kept], right[kept])), shape=total.shape)
        total = total + near + near.T
    return total.tocsr()


def ppmi(pairs: scipy.sparse.csr_matrix) -> scipy.sparse.csr_matrix:
    """``max(0, log p(i, j) / (p(i) p(j)^0.75 / sum p^0.75))``, where pairs were seen at all."""
    rows = np.asarray(pairs.sum(axis=1)).ravel()
    contexts = np.asarray(pairs.sum(axis=0)).ravel() ** SMOOTHING
    shares = contexts / contexts.sum()
    seen = pairs.tocoo()
    information = np.log(seen.data / (rows[seen.row] * shares[seen.col]))
    kept = information > 0
    return scipy.sparse.csr_matrix((information[kept], (seen.row[kept], seen.col[kept])), shape=pairs.shape)


def factorise(matrix: scipy.sparse.csr_matrix, size: int) -> NDArray[np.float64]:
    """``U sqrt(S)`` of the ``size`` largest singular values, rows x size."""
    if matrix.shape[0] <= DENSE:
        left, singular, _ = scipy.linalg.svd(matrix.toarray(), full_matrices=False)
        return np.asarray(left[:, :size] * np.sqrt(singular[:size]))
    left, singular, _ = svds(matrix, k=size, v0=np.ones(matrix.shape[0]))
    order = np.argsort(-singular)
    return np.asarray(left[:, order] * np.sqrt(singular[order]))
