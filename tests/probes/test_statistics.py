"""Each statistic against scipy, a closed form, or full enumeration."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isogloss.errors import IsoglossError
from isogloss.probes.statistics import (
    Estimate,
    bootstrap,
    bootstrap_mean,
    bootstrap_ratio,
    holm,
    over_seeds,
    paired_permutation,
    pearson,
    share_difference,
    spearman,
    wilson,
)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.mark.parametrize(("successes", "n"), [(0, 10), (3, 10), (10, 10), (997, 1000), (1, 1)])
def test_wilson_agrees_with_scipy(successes, n):
    interval = stats.binomtest(successes, n).proportion_ci(method="wilson")
    ours = wilson(successes, n)
    assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high), abs=1e-12)
    assert ours.value == successes / n
    assert ours.n == n


def test_a_difference_of_shares_is_newcombes():
    """His first example (1998, table II, method 10): 56 of 70 and 48 of 80."""
    found = share_difference(wilson(56, 70), wilson(48, 80))
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)
    turned = share_difference(wilson(48, 80), wilson(56, 70))
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))


def test_wilson_without_trials_knows_nothing_and_refuses_the_impossible():
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)
    with pytest.raises(IsoglossError):
        wilson(5, 4)


@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_bootstrap_mean_agrees_with_scipy(interval, rng):
    values = rng.lognormal(size=120)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method={"bca": "BCa"}.get(interval, interval), rng=3
    ).confidence_interval
    ours = bootstrap_mean(values, interval=interval, resamples=20_000)
    width = theirs.high - theirs.low
    assert ours.value == pytest.approx(values.mean())
    assert abs(ours.low - theirs.low) < 0.03 * width
    assert abs(ours.high - theirs.high) < 0.03 * width


def test_counts_of_distinct_values_give_the_same_interval_as_rows(rng):
    hits = rng.random(400) < 0.7
    jittered = hits + 1e-9 * np.arange(400)  # all rows distinct: the other path
    few, many = bootstrap_mean(hits, resamples=20_000), bootstrap_mean(jittered, resamples=20_000)
    assert (few.low, few.high) == pytest.approx((many.low, many.high), abs=0.004)


def test_whole_sentences_are_drawn_when_groups_are_given(rng):
    sentence = np.repeat(np.arange(50), 40)
    values = np.repeat(rng.random(50), 40)  # tokens of one sentence all alike: fifty observations, not 2,000
    by_token, by_sentence = bootstrap_mean(values), bootstrap_mean(values, sentence)
    once = bootstrap_mean(values[::40])
    assert by_sentence.n == 50
    assert by_sentence.high - by_sentence.low > 5 * (by_token.high - by_token.low)
    assert by_sentence.high - by_sentence.low == pytest.approx(once.high - once.low, rel=0.1)


def test_a_ratio_is_the_mean_over_unequal_sentences():
    right, tokens = np.array([3.0, 0, 5]), np.array([4.0, 2, 9])
    ours = bootstrap_ratio(right, tokens)
    assert ours.value == pytest.approx(8 / 15)
    assert 0 <= ours.low <= ours.value <= ours.high <= 3 / 4
    with pytest.raises(IsoglossError, match="sum to zero"):
        bootstrap_ratio([1.0, 1.0], [0.0, 0.0])


def test_any_statistic_can_be_bootstrapped_by_index(rng):
    values = rng.normal(size=200)
    ours = bootstrap(lambda rows: float(values[rows].mean()), 200, resamples=2000)
    closed = bootstrap_mean(values)
    assert (ours.low, ours.high) == pytest.approx((closed.low, closed.high), abs=0.03)


def test_a_constant_has_an_interval_of_no_width():
    for interval in ("percentile", "bca"):
        assert bootstrap_mean(np.ones(30), interval=interval) == Estimate(1.0, 1.0, 1.0, 30)


def test_the_same_random_state_gives_the_same_interval(rng):
    values = rng.normal(size=90)
    assert bootstrap_mean(values, random_state=4) == bootstrap_mean(values, random_state=4)
    assert bootstrap_mean(values, random_state=4) != bootstrap_mean(values, random_state=5)


def test_values_that_are_not_finite_are_refused_with_their_row():
    with pytest.raises(IsoglossError, match="row 2"):
        bootstrap_mean([1.0, 2.0, np.nan])
    with pytest.raises(IsoglossError, match="row 1"):
        over_seeds([[1.0, 2.0], [np.inf, 0.0]])
    with pytest.raises(IsoglossError, match="shape"):
        bootstrap_mean([])
    with pytest.raises(IsoglossError, match="did you mean 'bca'"):
        bootstrap_mean([1.0, 2.0], interval="bcaa")


def test_scores_a_seed_give_students_interval(rng):
    scores = rng.normal(size=5)
    theirs = stats.t.interval(0.95, 4, scores.mean(), stats.sem(scores))
    ours = over_seeds(scores)
    assert (ours.low, ours.high) == pytest.approx(theirs)
    assert over_seeds(scores[:1]).value == scores[0]
    assert np.isnan(over_seeds(scores[:1]).low)


def test_fixed_items_leave_only_the_spread_of_seeds(rng):
    table = rng.normal(size=(5, 1)) * 0.1 + rng.normal(size=20) * 10
    fixed, crossed = over_seeds(table, items="fixed"), over_seeds(table)
    assert (fixed.low, fixed.high) == pytest.approx(
        stats.t.interval(0.95, 4, table.mean(), stats.sem(table.mean(axis=1)))
    )
    assert crossed.high - crossed.low > 10 * (fixed.high - fixed.low)


def test_intervals_over_seeds_and_items_hold_the_truth_about_as_often_as_they_say():
    draws = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        seeds, items = draws.normal(size=(5, 1)) * 0.5, draws.normal(size=(1, 40))
        estimate = over_seeds(seeds + items + draws.normal(size=(5, 40)))
        held += estimate.low <= 0 <= estimate.high
    assert 0.91 <= held / 400 <= 0.99


def test_an_interval_ends_where_a_score_can_go_no_further():
    estimate = over_seeds([0.9, 1.0, 0.95], limits=(0, 1))
    assert estimate.high == 1.0 and estimate.low == over_seeds([0.9, 1.0, 0.95]).low
    assert over_seeds([0.9, 1.0, 0.95]).high > 1.0


def test_items_alone_make_the_interval_of_one_seed(rng):
    scores = rng.normal(size=30)
    ours = over_seeds(scores[None])
    assert (ours.low, ours.high) == pytest.approx(stats.t.interval(0.95, 29, scores.mean(), stats.sem(scores)))


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_few_pairs_are_tested_by_full_enumeration(alternative, rng):
    a, b = rng.normal(size=8), rng.normal(size=8) - 0.5
    gaps = a - b
    sums = np.array([np.dot(signs, gaps) for signs in product([1, -1], repeat=8)])
    extreme = {
        "two-sided": np.abs(sums) >= abs(gaps.sum()) - 1e-9,
        "greater": sums >= gaps.sum() - 1e-9,
        "less": sums <= gaps.sum() + 1e-9,
    }[alternative]
    ours = paired_permutation(a, b, alternative=alternative)
    assert ours.exact
    assert ours.p == extreme.mean()


def test_many_pairs_agree_with_scipys_permutation_test(rng):
    a = rng.normal(size=60)
    b = a + rng.normal(size=60) * 0.5 - 0.12
    theirs = stats.permutation_test(
        (a, b),
        lambda x, y, axis: (x - y).mean(axis),
        permutation_type="samples",
        n_resamples=20_000,
        rng=1,
        vectorized=True,
    )
    ours = paired_permutation(a, b, permutations=20_000)
    assert not ours.exact
    assert ours.p == pytest.approx(theirs.pvalue, abs=0.012)
    assert ours.difference.value == pytest.approx((a - b).mean())


def test_groups_are_swapped_whole(rng):
    a, b = rng.normal(size=12), rng.normal(size=12)
    seed = np.repeat([0, 1, 2], 4)
    sums = np.array([a[seed == s].sum() - b[seed == s].sum() for s in range(3)])
    assert paired_permutation(a, b, seed).p == paired_permutation(sums, np.zeros(3)).p


def test_identical_conditions_do_not_differ(rng):
    scores = rng.normal(size=100)
    assert paired_permutation(scores, scores).p == 1.0
    with pytest.raises(IsoglossError):
        paired_permutation(scores, scores[:-1])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_rejects_what_the_step_down_procedure_rejects(p_values):
    p, level = np.array(p_values), 0.05
    rejected = np.zeros(len(p), bool)
    for step, index in enumerate(np.argsort(p, kind="stable")):
        if p[index] * (len(p) - step) > level:
            break
        rejected[index] = True
    assert ((holm(p) <= level) == rejected).all()


def test_holm_on_a_known_case():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    with pytest.raises(IsoglossError, match="row 1"):
        holm([0.5, 1.5])


def test_pearson_agrees_with_scipy(rng):
    x = rng.normal(size=30)
    y = x + rng.normal(size=30)
    theirs = stats.pearsonr(x, y)
    ours = pearson(x, y)
    assert (ours.value, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval()))


def test_spearmans_interval_is_wider_than_fishers_for_pearson_on_ranks(rng):
    x = rng.normal(size=40)
    y = x + rng.normal(size=40) * 0.5
    ours, ranks = spearman(x, y), pearson(stats.rankdata(x), stats.rankdata(y))
    assert ours.value == pytest.approx(ranks.value)
    assert ours.low < ranks.low < ours.value < ranks.high < ours.high


@pytest.mark.parametrize("measure", [pearson, spearman])
def test_bootstrap_intervals_of_correlations_agree_with_scipy(measure, rng):
    x = rng.normal(size=80)
    y = x + rng.normal(size=80)
    function = stats.pearsonr if measure is pearson else stats.spearmanr
    theirs = stats.bootstrap(
        (x, y),
        lambda a, b: function(a, b).statistic,
        paired=True,
        vectorized=False,
        n_resamples=2000,
        method="percentile",
        rng=1,
    ).confidence_interval
    ours = measure(x, y, interval="bootstrap")
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=0.03)


def test_correlations_treat_the_degenerate_cases():
    assert np.isnan(pearson([1, 1, 1], [1, 2, 3]).value)
    perfect = pearson([1, 2, 3, 4], [2, 4, 6, 8])
    assert perfect.low == pytest.approx(1.0) and perfect.high == pytest.approx(1.0)
    few = spearman([1, 2, 3], [1, 3, 2])
    assert few.value == pytest.approx(0.5) and np.isnan(few.low)


def test_an_estimate_reads_as_a_sentence_would_say_it():
    assert str(Estimate(0.8124, 0.8011, 0.8233, 1500)) == "0.812 [0.801, 0.823] (n = 1,500)"


def test_a_single_unit_has_no_interval():
    for found in (
        bootstrap_mean([0.7]),
        bootstrap_mean([0.6, 0.8], groups=["one", "one"]),
        bootstrap_ratio([7], [10]),
        bootstrap(lambda rows: 0.7, 1),
    ):
        assert found.value == pytest.approx(0.7) and found.n == 1
        assert np.isnan(found.low) and np.isnan(found.high)
    assert str(bootstrap_mean([0.7])) == "0.700 (n = 1, no interval)"
