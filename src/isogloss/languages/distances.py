"""How far apart two languages are by what is known of their grammar."""

import math

from isogloss.languages.wals import Wals

LEAST_SHARED = 5  # features that both must have, or nothing can be said


def typological_distance(wals: Wals, one: str, other: str) -> float:
    """The share of features known of both languages in which they differ; NaN where fewer than five are known."""
    first, second = wals.values(one), wals.values(other)
    shared = [feature for feature in first if feature in second]
    if len(shared) < LEAST_SHARED:
        return math.nan
    return sum(first[feature] != second[feature] for feature in shared) / len(shared)


def same_family(wals: Wals, one: str, other: str) -> float:
    """1 where both are of one family, 0 where they are not; NaN where a family is not known."""
    families = [wals.describe(code).family for code in (one, other)]
    return float(families[0] == families[1]) if all(families) else math.nan
