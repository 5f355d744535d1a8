import numpy as np

from isogloss.probes import LanguageIdentity, LogisticProbes, cluster_agreement, column_sets

rng = np.random.default_rng(0)
codes = np.repeat(["de", "en", "fi"], 100)
rows = rng.normal(size=(300, 8)) + 2 * rng.normal(size=(3, 8)).repeat(100, axis=0)

probe = LogisticProbes().fit(rows[::2], codes[::2])
print(probe.score(rows[1::2], codes[1::2]))  # accuracy on rows that it did not see
first = column_sets(8, [1, 4], ["first", "random"])  # which dimensions to look at
print(LanguageIdentity(pairs=3, columns=first, seeds=2, train=40, test=20).fit(rows, codes).summary_)
print(cluster_agreement(rows, codes, runs=3).v_measure)
