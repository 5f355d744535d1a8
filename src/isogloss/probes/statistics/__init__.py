"""Statistics used everywhere: every number with its spread and its n, every comparison with its test."""

from isogloss.probes.statistics.comparisons import Comparison, holm, paired_permutation
from isogloss.probes.statistics.correlations import Correlation, pearson, spearman
from isogloss.probes.statistics.estimates import (
    Estimate,
    bootstrap,
    bootstrap_mean,
    bootstrap_ratio,
    over_seeds,
    share_difference,
    wilson,
)

__all__ = [
    "Comparison",
    "Correlation",
    "Estimate",
    "bootstrap",
    "bootstrap_mean",
    "bootstrap_ratio",
    "holm",
    "over_seeds",
    "paired_permutation",
    "pearson",
    "share_difference",
    "spearman",
    "wilson",
]
