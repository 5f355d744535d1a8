"""Language identity: pairs, all languages at once, splits and summaries."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from isogloss.errors import IsoglossError
from isogloss.probes import LanguageIdentity, column_sets
from isogloss.probes.identity import _join
from isogloss.probes.splits import split_by_language


def make(languages=4, rows=200, dim=6, gap=1.0, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([f"l{number}" for number in range(languages)], rows)
    means = gap * rng.normal(size=(languages, dim))
    return rng.normal(size=(len(y), dim)) + np.repeat(means, rows, axis=0), y


def test_languages_far_apart_are_told_apart_and_equal_ones_are_not():
    far = LanguageIdentity(seeds=2).fit(*make(gap=10.0))
    same = LanguageIdentity(seeds=2).fit(*make(gap=0.0, rows=800))
    assert far.accuracy_.value == 1.0
    assert same.accuracy_.value == pytest.approx(0.5, abs=0.06)
    assert same.accuracy_.low < 0.5 < same.accuracy_.high


def test_each_probe_scores_as_scikit_learn_does_on_the_same_rows():
    X, y = make()
    fitted = LanguageIdentity(seeds=2, pairs="all", tol=1e-6).fit(X, y)
    names = sorted(set(y))
    codes = np.searchsorted(names, y)
    for row in fitted.frame_.itertuples():
        splits = split_by_language(codes, names, 4000, 1000, row.seed)
        pair = [splits[names.index(name)] for name in row.pair.split("-")]
        parts, test = _join(pair, balanced=True)
        train = np.concatenate(parts)
        assert row.accuracy == pytest.approx(
            LogisticRegression(tol=1e-8).fit(X[train], y[train]).score(X[test], y[test])
        )


def test_the_same_pairs_are_asked_with_every_seed_and_column_set():
    sets = column_sets(6, [1, 3], ["first", "random"])
    fitted = LanguageIdentity(pairs=4, seeds=3, columns=sets).fit(*make())
    assert len(fitted.frame_) == 4 * 3 * len(sets)
    by_pair = fitted.frame_.groupby("pair").size()
    assert len(by_pair) == 4 and (by_pair == 3 * len(sets)).all()
    assert fitted.summary_[["kind", "x"]].to_numpy().tolist() == [
        ["first", 1],
        ["random", 1],
        ["first", 3],
        ["random", 3],
    ]
    assert (fitted.summary_.accuracy_low <= fitted.summary_.accuracy).all()
    assert (fitted.summary_.n == 12).all()
    first = fitted.frame_[(fitted.frame_.kind == "first") & (fitted.frame_.x == 1)]
    assert fitted.accuracy_.value == pytest.approx(first.accuracy.mean())


def test_pairs_may_be_named():
    fitted = LanguageIdentity(pairs=[("l0", "l3"), ("l2", "l1")], seeds=1).fit(*make())
    assert fitted.frame_.pair.tolist() == ["l0-l3", "l2-l1"]
    with pytest.raises(IsoglossError, match="unknown language 'l9'"):
        LanguageIdentity(pairs=[("l0", "l9")]).fit(*make())


def test_all_languages_at_once():
    fitted = LanguageIdentity("all-way", seeds=2).fit(*make(gap=10.0))
    assert fitted.frame_.classes.tolist() == [4, 4]
    assert fitted.frame_.pair.unique().tolist() == ["all"]
    assert fitted.accuracy_.value > 0.99


def test_a_pair_is_cut_to_equal_sizes_so_that_guessing_gives_one_half():
    X, y = make(languages=2)
    few = np.concatenate([np.arange(200), np.arange(200, 240)])
    fitted = LanguageIdentity(seeds=2).fit(X[few], y[few])
    assert fitted.frame_.majority.tolist() == [0.5, 0.5]
    assert fitted.frame_.n_train.tolist() == [64, 64]


def test_sentences_kept_whole_cannot_be_recognised_again():
    rng = np.random.default_rng(0)
    sentence = np.repeat(np.arange(40), 10)
    y = np.where(sentence % 2, "a", "b")  # the language says nothing; only the sentence is marked
    X = rng.normal(size=(40, 30))[sentence] + 0.01 * rng.normal(size=(400, 30))
    torn = LanguageIdentity(seeds=3).fit(X, y)
    whole = LanguageIdentity(seeds=3).fit(X, y, groups=sentence)
    assert torn.accuracy_.value > 0.9
    assert whole.accuracy_.value < 0.8


def test_controls_show_how_selective_the_probe_is():
    fitted = LanguageIdentity(seeds=2, controls=2).fit(*make(gap=3.0))
    assert fitted.summary_.selectivity.item() > 0.3
    assert fitted.summary_.control_accuracy.item() == pytest.approx(0.5, abs=0.1)


def test_rows_a_probe_are_limited_and_split_as_asked():
    fitted = LanguageIdentity(train=80, test=20, seeds=1).fit(*make())
    assert (fitted.frame_.n_train == 80).all() and (fitted.frame_.n_test == 20).all()


def test_mistakes_are_named():
    X, y = make()
    with pytest.raises(IsoglossError, match="nothing to distinguish"):
        LanguageIdentity().fit(X[:200], y[:200])
    with pytest.raises(IsoglossError, match="did you mean 'pairwise'"):
        LanguageIdentity("pairwse").fit(X, y)
    with pytest.raises(IsoglossError, match="language l3"):
        LanguageIdentity().fit(X[:601], y[:601])


def test_splits_are_disjoint_follow_the_seed_and_keep_the_proportion():
    codes = np.repeat([0, 1], [100, 1000])
    first, second = split_by_language(codes, ["a", "b"], 400, 100, seed=1)
    assert not set(first.train) & set(first.test)
    assert (len(first.train), len(first.test)) == (80, 20)
    assert (len(second.train), len(second.test)) == (400, 100)
    assert (codes[first.train] == 0).all() and (codes[second.test] == 1).all()
    again, _ = split_by_language(codes, ["a", "b"], 400, 100, seed=1)
    other, _ = split_by_language(codes, ["a", "b"], 400, 100, seed=2)
    assert (again.train == first.train).all() and (np.sort(other.train) != np.sort(first.train)).any()


def test_groups_are_never_torn_apart():
    groups = np.repeat(np.arange(30), 7)
    (split,) = split_by_language(np.zeros(210, int), ["a"], 80, 20, seed=0, groups=groups)
    assert not set(groups[split.train]) & set(groups[split.test])


def test_column_sets_of_each_kind():
    sets = column_sets(50, [1, 20, 30], ["first", "next", "window", "random"], draws=2)
    named = {(one.kind, one.x, one.draw): one.columns for one in sets}
    assert named["first", 20, 0] == slice(0, 20)
    assert named["next", 20, 0] == slice(20, 40)
    assert named["window", 30, 0] == slice(20, 30)
    assert ("next", 30, 0) not in named and ("window", 1, 0) not in named  # they do not fit
    assert len(set(named["random", 30, 1])) == 30 and named["random", 30, 0] != named["random", 30, 1]
    assert column_sets(50, [20], ["random"]) == column_sets(50, [20], ["random"])
    with pytest.raises(IsoglossError, match="no 51 columns"):
        column_sets(50, [51])
    with pytest.raises(IsoglossError, match="did you mean 'first'"):
        column_sets(50, [5], ["frist"])
