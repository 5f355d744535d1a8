import numpy as np

from isogloss.geometry import DensRay, Moments, Neutraliser, Procrustes, cka, csls, precision_at

rng = np.random.default_rng(0)
meaning = rng.normal(size=(200, 16))
english, german = (meaning + 0.1 * rng.normal(size=(200, 16)) + 3 * rng.normal(size=16) for _ in range(2))
rows, codes = np.vstack([english, german]), np.repeat(["en", "de"], 200)

print(cka(english, german, kind="unbiased"))  # how alike two sets of states are
subspace = DensRay().fit(rows, codes)  # the directions in which languages differ, best first
neutral = Neutraliser("leace").fit(Moments.of(rows, codes)).transform(rows)  # states without the language
mapped = Procrustes().fit(german[:100], english[:100]).transform(german[100:])
scores, found = csls(mapped, english[100:], k=10, top=10)
print(precision_at(found, at=(1, 5)))  # share of translations found
