"""Words follow intervals: made-up estimates, and the sentence that each must give."""

from functools import partial

import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.probes.statistics import Estimate, Scale, lead, paired_permutation, smallest_p, verdict
from isogloss.probes.statistics.verdicts import POINTS, best_of, beyond_rivals, changed, compared, listed, named, shows

NONE = np.nan
LESS = Scale("points", 1, higher_is_better=False)
NEITHER = Scale("points", 1, higher_is_better=None)
RHO = Scale("", 2, higher_is_better=None)
PERCENT = Scale("%", 1)
COARSE = Scale("points", 1, negligible=1.0)


def of(value, low=NONE, high=NONE, n=12, over="languages"):
    return Estimate(value, low, high, n, over=over)


one, three = partial(of, n=1, over="seeds"), partial(of, n=3, over="seeds")
versus = partial(compared, "A", "B")

LAYERS = {1: of(20, 18, 22), 2: of(40, 38, 42), 3: of(41, 39, 43), 4: of(30, 28, 32), 5: of(40.5, 38.5, 42.5)}
FLAT = {2: of(6.2, 5.8, 6.6), 3: of(6.1, 5.7, 6.5), 4: of(6.3, 5.9, 6.7)}
CLEAR = {1: of(10, 9, 11), 2: of(30, 29, 31), 3: of(20, 19, 21)}
ONE_SEED = {1: one(10), 2: one(12)}


def chosen(options, best=None, scale=POINTS):
    return lead(options, best=best, scale=scale)


SENTENCES = [
    # First against second.
    (versus(of(3.2, 1.0, 5.4)), "A is better than B by 3.2 points [1.0, 5.4] (n = 12 languages)"),
    (versus(of(-3.2, -5.4, -1.0)), "A is worse than B by 3.2 points [1.0, 5.4] (n = 12 languages)"),
    (versus(of(3.2, 1.0, 5.4), LESS), "A is worse than B by 3.2 points [1.0, 5.4] (n = 12 languages)"),
    (versus(of(-3.2, -5.4, -1.0), LESS), "A is better than B by 3.2 points [1.0, 5.4] (n = 12 languages)"),
    (versus(of(3.2, 1.0, 5.4), NEITHER), "A is higher than B by 3.2 points [1.0, 5.4] (n = 12 languages)"),
    (versus(of(-3.2, -5.4, -1.0), NEITHER), "A is lower than B by 3.2 points [1.0, 5.4] (n = 12 languages)"),
    (versus(three(0.5, -8.8, 9.7)), "A and B are tied: +0.5 points [-8.8, 9.7] (n = 3 seeds)"),
    (versus(three(0.0, -0.5, 0.6)), "A and B are tied: +0.0 points [-0.5, 0.6] (n = 3 seeds)"),
    (versus(three(-0.01, -0.5, 0.5)), "A and B are tied: +0.0 points [-0.5, 0.5] (n = 3 seeds)"),
    (versus(of(0.04, 0.01, 0.07)), "A and B are tied: +0.0 points [0.0, 0.1], too small to matter (n = 12 languages)"),
    (
        versus(of(0.7, 0.4, 0.9), COARSE),
        "A and B are tied: +0.7 points [0.4, 0.9], too small to matter (n = 12 languages)",
    ),
    (versus(of(1.7, 1.4, 2.0), COARSE), "A is better than B by 1.7 points [1.4, 2.0] (n = 12 languages)"),
    (versus(one(19.0)), "A against B: too few observations to tell (+19.0 points, n = 1 seed)"),
    (
        versus(of(19.0, 4, 34, n=5), smallest=smallest_p(5)),
        "A against B: too few observations to tell (+19.0 points, n = 5 languages)",
    ),
    (
        versus(of(19.0, 4, 34, n=6), smallest=smallest_p(6)),
        "A is better than B by 19.0 points [4.0, 34.0] (n = 6 languages)",
    ),
    (
        versus(of(19.0, 4, 34, n=10), smallest=smallest_p(10, tests=27)),
        "A against B: too few observations to tell (+19.0 points, n = 10 languages)",
    ),
    (versus(Estimate(2.0, 1.0, 3.0, 1500)), "A is better than B by 2.0 points [1.0, 3.0] (n = 1,500)"),
    (versus(of(0.0, 0.0, 0.0)), "A and B are tied: +0.0 points [0.0, 0.0] (n = 12 languages)"),
    (versus(of(-22.6, -24.0, -21.2)), "A is worse than B by 22.6 points [21.2, 24.0] (n = 12 languages)"),
    # What a treatment does.
    (changed(of(-12.3, -14.4, -10.1)), "costs 12.3 points [10.1, 14.4]"),
    (changed(of(12.3, 10.1, 14.4)), "gains 12.3 points [10.1, 14.4]"),
    (changed(of(12.3, 10.1, 14.4), LESS), "costs 12.3 points [10.1, 14.4]"),
    (changed(of(-0.5, -9.7, 8.8)), "makes no measurable difference (-0.5 points [-9.7, 8.8])"),
    (changed(of(0.0, -0.5, 0.6)), "makes no measurable difference (+0.0 points [-0.5, 0.6])"),
    (changed(of(-0.04, -0.07, -0.01)), "makes a negligible difference (+0.0 points [-0.1, 0.0])"),
    (changed(one(-5.0)), "changes by -5.0 points (too few observations to tell)"),
    (changed(of(-5.0, -9.0, -1.0), NEITHER), "takes 5.0 points [1.0, 9.0]"),
    # Whether an expected effect is there.
    (shows("kinship", of(0.4, 0.1, 0.6), RHO), "kinship shows: +0.40 [0.10, 0.60] (n = 12 languages)"),
    (
        shows("kinship", of(-0.4, -0.6, -0.1), RHO),
        "kinship shows the other way round: -0.40 [-0.60, -0.10] (n = 12 languages)",
    ),
    (shows("kinship", of(0.1, -0.2, 0.4), RHO), "kinship does not show: +0.10 [-0.20, 0.40] (n = 12 languages)"),
    (
        shows("kinship", of(1.0, n=3), RHO),
        "whether kinship shows is open: too few observations to tell (+1.00, n = 3 languages)",
    ),
    # The best of several.
    (best_of(chosen(CLEAR), CLEAR[2], scale=PERCENT), "layer 2 is best of 3: 30.0% [29.0, 31.0] (n = 12 languages)"),
    (
        best_of(chosen(CLEAR, scale=LESS), CLEAR[1], scale=LESS),
        "layer 1 is best of 3: 10.0 points [9.0, 11.0] (n = 12 languages)",
    ),
    (
        best_of(chosen(LAYERS), LAYERS[3]),
        "layer 3 of 5 (tied with layers 2 and 5): 41.0 points [39.0, 43.0] (n = 12 languages)",
    ),
    (
        best_of(chosen(FLAT, best=3), FLAT[3], scale=PERCENT),
        "no layer of 3 stands out: layer 3 has 6.1% [5.7, 6.5] (n = 12 languages), the others tie with it",
    ),
    (
        best_of(chosen(LAYERS, best=4), LAYERS[4]),
        "layer 4 of 5 (layers 2, 3 and 5 are ahead): 30.0 points [28.0, 32.0] (n = 12 languages)",
    ),
    (
        best_of(chosen(ONE_SEED), ONE_SEED[2]),
        "layer 2 of 2 (too few observations to tell it from layer 1): 12.0 points (n = 1 seed)",
    ),
    (best_of(chosen({7: of(4, 3, 5)}), of(4, 3, 5)), "layer 7: 4.0 points [3.0, 5.0] (n = 12 languages)"),
    (named(chosen(LAYERS)), "layer 3 (tied with layers 2 and 5)"),
    (named(chosen(CLEAR)), "layer 2"),
    (named(chosen(FLAT), kind="pair"), "pair 4 (tied with both others)"),
    (beyond_rivals(chosen(CLEAR)), ", more than any other layer"),
    (beyond_rivals(chosen(LAYERS)), ", tied with layers 2 and 5"),
    (beyond_rivals(chosen({7: of(4, 3, 5)})), ""),
    (
        named(chosen({"en": of(56.3, 54, 58.6), "ru": of(55.6, 53.2, 58.0), "de": of(40, 38, 42)}), "source"),
        "source en (tied with source ru)",
    ),
]


@pytest.mark.parametrize(("said", "expected"), SENTENCES, ids=range(len(SENTENCES)))
def test_each_estimate_gives_its_sentence(said, expected):
    assert said == expected


def test_the_table_has_at_least_forty_sentences():
    assert len(SENTENCES) >= 40


def test_the_smallest_p_is_what_the_permutation_test_can_reach():
    for n in range(1, 9):
        assert smallest_p(n) == paired_permutation(np.arange(1.0, n + 1), np.zeros(n)).p
    assert smallest_p(0) == 1.0 and smallest_p(3, tests=27) == 1.0
    assert smallest_p(5) > 0.05 >= smallest_p(6)


def test_paired_gaps_separate_what_intervals_of_levels_do_not():
    """Layers measured on the same languages differ surely although their levels' intervals overlap."""
    wide = {1: of(40, 30, 50), 2: of(45, 35, 55)}
    assert lead(wide).ties == (1,)
    assert lead(wide, gap=lambda a, b: of(5.0 * (a - b), 5.0 * (a - b) - 1, 5.0 * (a - b) + 1)).alone


@pytest.mark.parametrize("broken", [of(NONE, NONE, NONE, n=0), of(1.0, NONE, 2.0), of(1.0, 0.5, np.inf)])
def test_no_interval_no_verdict(broken):
    assert verdict(broken) == "too few to tell"


def test_lists_read_as_people_write_them():
    assert listed([1, 2, 3, 5]) == "1-3 and 5"
    assert listed([1, 2]) == "1 and 2"
    assert listed(["en", "de", "fr"]) == "en, de and fr"
    with pytest.raises(IsoglossError):
        lead({})
