"""Topics without labels: clusters of the sentences of one language by their character n-grams.

They belong to no model, so that all models are asked the same: trained on a topic in one language, does a classifier
know it in another?
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

TOPICS = 8
SIZE = 50  # dimensions of the n-gram space that is clustered


def topics_of(texts: Sequence[str], seed: int = 0) -> NDArray[np.int64]:
    """The topic of each sentence, n."""
    from sklearn.cluster import KMeans
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    grams = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True, max_features=20_000)
    counts = grams.fit_transform(texts)
    size = min(SIZE, min(counts.shape) - 1)
    space = TruncatedSVD(size, random_state=seed).fit_transform(counts)
    found = KMeans(min(TOPICS, len(texts)), n_init=4, random_state=seed).fit_predict(space)
    return np.asarray(found, np.int64)


def carried_over(
    vectors: Sequence[NDArray[np.float32]], source: int, texts: Sequence[str], fitted: int, seed: int = 0
) -> NDArray[np.float64]:
    """Languages x (n - fitted): whether a classifier (ridge regression on unit vectors) that learnt the topics of the
    first ``fitted`` sentences of the ``source`` language names the topic of each further sentence in each language."""
    from sklearn.linear_model import RidgeClassifier
    from sklearn.preprocessing import normalize

    topics = topics_of(texts, seed)
    probe = RidgeClassifier(alpha=0.1, class_weight="balanced").fit(
        normalize(vectors[source][:fitted]), topics[:fitted]
    )
    right = [probe.predict(normalize(rows[fitted:])) == topics[fitted:] for rows in vectors]
    return np.stack(right).astype(np.float64)
