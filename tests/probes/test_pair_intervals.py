"""Intervals over languages and sentences: do they cover, and do they agree with slower computations?"""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from isogloss.errors import IsoglossError
from isogloss.probes.statistics import bootstrap_mean, over_pairs, over_seeds, over_seeds_and_pairs, over_sentences

DRAWS = 1000


def tables(languages, sources, targets, rest, seed=0, skewed=False):
    """1,000 tables of mean zero with random effects of both sides."""
    rng = np.random.default_rng(seed)
    draw = (lambda shape: rng.exponential(size=shape) - 1) if skewed else (lambda shape: rng.normal(size=shape))
    values = sources * draw((DRAWS, languages, 1)) + targets * draw((DRAWS, 1, languages))
    values = values + rest * rng.normal(size=(DRAWS, languages, languages))
    values[:, np.arange(languages), np.arange(languages)] = np.nan
    return values


def coverage(values):
    found = [over_pairs(table) for table in values]
    return np.mean([one.low <= 0 <= one.high for one in found])


@pytest.mark.parametrize("languages", [8, 12, 58])
@pytest.mark.parametrize(("sources", "targets", "rest"), [(1, 1, 0.5), (1, 0, 0.5), (0, 1, 1), (0.5, 0.5, 1)])
def test_the_interval_over_languages_covers_the_population_mean(languages, sources, targets, rest):
    assert 0.92 <= coverage(tables(languages, sources, targets, rest)) <= 0.98


def test_skewed_languages_cost_little_coverage():
    assert coverage(tables(12, 1, 1, 0.5, skewed=True)) >= 0.90


def test_drawing_pairs_as_if_independent_does_not_cover():
    """Why this function exists: with 12 languages the old interval misses the mean more often than it holds it."""
    held = 0
    for table in tables(12, 1, 1, 0.5)[:200]:
        found = bootstrap_mean(table[np.isfinite(table)], resamples=300)
        held += found.low <= 0 <= found.high
    assert held / 200 < 0.7


def test_the_variance_is_that_of_variance_components_worked_out_from_products():
    """A twin: covariances of pairs that share a language, and of a pair with itself, without mean squares."""
    values = tables(9, 1, 1, 0.7)[0]
    pairs = (values + values.T) / 2
    mean = np.nanmean(pairs)
    gaps = pairs - mean
    K = len(pairs)
    rows = [(i, j) for i in range(K) for j in range(i + 1, K)]
    shared = [gaps[a] * gaps[b] for a in rows for b in rows if len({*a, *b}) == 3]
    own = [gaps[a] ** 2 for a in rows]
    apart = [gaps[a] * gaps[b] for a in rows for b in rows if len({*a, *b}) == 4]
    # E[gap_a gap_b] = cov(a, b) - var(mean) + ..., so the differences of the three means are free of the mean.
    between = np.mean(shared) - np.mean(apart)  # var(c)
    rest = np.mean(own) - 2 * np.mean(shared) + np.mean(apart)  # var(e)
    expected = 4 * between / K + 2 * rest / (K * (K - 1))
    found = over_pairs(values)
    half = (found.high - found.low) / 2 / stats.t.ppf(0.975, K - 1)
    assert half**2 == pytest.approx(expected)
    assert found.value == pytest.approx(np.nanmean(values))
    assert (found.n, found.over) == (9, "languages")


def test_the_jackknife_for_missing_pairs_comes_close_to_the_whole_table():
    values = tables(30, 1, 1, 0.3)[0]
    whole = over_pairs(values)
    holed = values.copy()
    holed[0, 1] = holed[1, 0] = np.nan
    found = over_pairs(holed)
    assert (found.low, found.high) == pytest.approx((whole.low, whole.high), abs=0.05 * (whole.high - whole.low))


def test_the_interval_covers_with_a_tenth_of_the_pairs_missing():
    values = tables(12, 1, 1, 0.5)
    values[:, [0, 3, 5, 7, 8, 2], [1, 4, 9, 10, 11, 6]] = values[:, [1, 4, 9, 10, 11, 6], [0, 3, 5, 7, 8, 2]] = np.nan
    assert 0.92 <= coverage(values) <= 0.98


def test_one_direction_serves_where_the_other_was_not_measured():
    values = tables(6, 1, 1, 1)[0]
    both = (values + values.T) / 2
    upper = np.where(np.triu(np.ones((6, 6), bool), 1), both, np.nan)
    one, other = over_pairs(upper), over_pairs(both)
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


def test_what_cannot_be_known_is_not_a_number():
    two = over_pairs([[np.nan, 0.4], [0.6, np.nan]])
    assert two.value == 0.5 and np.isnan(two.low) and two.n == 2
    star = np.full((5, 5), np.nan)
    star[0, 1:] = 0.3  # only from one language: other languages' pairs are unknown
    assert np.isnan(over_pairs(star).low)
    assert over_pairs(np.ones((4, 4))).high == 1.0
    assert over_pairs([[0, 1, 1], [1, 0, 0.2], [1, 1, 0]], limits=(0, 1)).high == 1.0
    assert over_pairs(tables(4, 1, 1, 1)[0], units="encoders").over == "encoders"


@pytest.mark.parametrize("values", [[[1.0]], [[1.0, 2.0]], [[np.nan, np.nan], [np.nan, np.nan]], [[0, np.inf], [1, 0]]])
def test_tables_that_are_none_are_refused(values):
    with pytest.raises(IsoglossError):
        over_pairs(values)


def test_sentences_are_drawn_for_all_pairs_together():
    rng = np.random.default_rng(0)
    hard = rng.random(200)  # a sentence is hard in all languages or in none
    hits = (rng.random((30, 200)) < hard).astype(float)
    joint, naive = over_sentences(hits), bootstrap_mean(hits.ravel())
    assert joint.value == pytest.approx(hits.mean())
    assert joint.high - joint.low > 2 * (naive.high - naive.low)
    assert (joint.n, joint.over) == (200, "sentences")
    by_sentence = hits.mean(axis=0)
    error = by_sentence.std(ddof=1) / np.sqrt(200)
    assert joint.high - joint.low == pytest.approx(2 * 1.96 * error, rel=0.08)


def test_sentences_that_some_pairs_lack_count_where_they_are():
    hits = np.array([[[np.nan, np.nan, np.nan], [1.0, 0.0, 1.0]], [[1.0, 1.0, np.nan], [np.nan, np.nan, np.nan]]])
    assert over_sentences(hits).value == pytest.approx(4 / 5)
    assert np.isnan(over_sentences([[1.0], [0.0]]).low)
    with pytest.raises(IsoglossError):
        over_sentences([[np.nan, np.nan]])
    with pytest.raises(IsoglossError):
        over_sentences([1.0, 2.0])


def test_the_interval_over_sentences_covers_the_mean_of_these_languages():
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(300):
        ease = rng.beta(2, 2, size=150)
        hits = (rng.random((12, 150)) < ease).astype(float)
        found = over_sentences(hits)
        held += found.low <= 0.5 <= found.high
    assert 0.91 <= held / 300 <= 0.98


def seeds_by_pairs(languages, seeds, asked, effect=1.0, of_seed=0.5, draws=400):
    """Scores of mean zero, seeds x pairs: effects of both languages, of the seed, and a rest; each seed asks some."""
    pairs = list(combinations(range(languages), 2))
    for draw in range(draws):
        rng = np.random.default_rng(draw)
        of_language = effect * rng.normal(size=languages)
        pair = np.array([of_language[one] + of_language[other] for one, other in pairs]) + 0.5 * rng.normal(
            size=len(pairs)
        )
        table = pair + of_seed * rng.normal(size=(seeds, 1)) + 0.5 * rng.normal(size=(seeds, len(pairs)))
        if asked < len(pairs):
            for row in table:
                row[rng.permutation(len(pairs))[asked:]] = np.nan
        yield table, pairs


@pytest.mark.parametrize(
    ("languages", "seeds", "asked"), [(8, 3, 28), (8, 3, 20), (12, 5, 66), (12, 3, 40), (20, 3, 40)]
)
@pytest.mark.parametrize(("effect", "of_seed"), [(1.0, 0.5), (0.3, 1.0), (1.0, 0.0)])
def test_over_seeds_and_languages_covers_the_population_mean(languages, seeds, asked, effect, of_seed):
    found = [over_seeds_and_pairs(*one) for one in seeds_by_pairs(languages, seeds, asked, effect, of_seed)]
    assert {one.over for one in found} == {"seeds and languages"}
    assert {one.n for one in found} == {min(seeds, languages)}
    assert np.mean([one.low <= 0 <= one.high for one in found]) >= 0.92


def test_pairs_as_items_of_their_own_do_not_cover():
    held = [over_seeds(table) for table, _ in seeds_by_pairs(12, 5, 66, draws=200)]
    assert np.mean([one.low <= 0 <= one.high for one in held]) < 0.85


def test_what_the_interval_is_over_is_what_is_known():
    table, pairs = next(seeds_by_pairs(6, 4, 15))
    one_seed = over_seeds_and_pairs(table[:1], pairs)
    square = np.full((6, 6), np.nan)
    square[tuple(np.transpose(pairs))] = table[0]
    assert (one_seed.low, one_seed.high, one_seed.over) == pytest.approx(
        (over_pairs(square).low, over_pairs(square).high, "languages")
    )
    two_languages = over_seeds_and_pairs(table[:, :1], pairs[:1])
    assert two_languages.over == "seeds" and two_languages.low == pytest.approx(over_seeds(table[:, 0]).low)
    nothing = over_seeds_and_pairs(table[:1, :1], pairs[:1])
    assert np.isnan(nothing.low) and nothing.value == table[0, 0]
    with pytest.raises(IsoglossError, match="seeds x pairs"):
        over_seeds_and_pairs(table, pairs[:3])
