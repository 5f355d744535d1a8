import numpy as np

from isogloss.probes.statistics import compared, over_seeds, paired_permutation, verdict, wilson

print(wilson(47, 50))  # a share of 94%, with its interval
rng = np.random.default_rng(0)
before, after = rng.normal(80, 1, size=12), rng.normal(83, 1, size=12)
gap = over_seeds((after - before)[:, None], items="fixed")  # an Estimate: value, low, high, n
print(verdict(gap))  # better, worse, tied or too few to tell
print(compared("fine-tuned", "frozen", gap))  # the same as a sentence
print(paired_permutation(after, before).p)
