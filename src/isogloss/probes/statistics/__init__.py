"""Statistics used everywhere: every number with its spread and its n, every comparison with its test."""

from isogloss.probes.statistics.comparisons import (
    Comparison,
    holm,
    p_of_interval,
    p_of_intervals,
    paired_permutation,
)
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
from isogloss.probes.statistics.pairs import over_pairs, over_seeds_and_pairs, over_sentences
from isogloss.probes.statistics.verdicts import Lead, Scale, compared, lead, smallest_p, verdict

__all__ = [
    "Comparison",
    "Correlation",
    "Estimate",
    "Lead",
    "Scale",
    "bootstrap",
    "bootstrap_mean",
    "bootstrap_ratio",
    "compared",
    "holm",
    "lead",
    "over_pairs",
    "over_seeds",
    "over_seeds_and_pairs",
    "over_sentences",
    "p_of_interval",
    "p_of_intervals",
    "paired_permutation",
    "pearson",
    "share_difference",
    "smallest_p",
    "spearman",
    "verdict",
    "wilson",
]
