"""Typology: both splits, the majority beside the score, and what is left out."""

import numpy as np
import pandas as pd
import pytest

from isogloss.errors import IsoglossError
from isogloss.probes import Typology, column_sets

LANGUAGES = [f"l{number:02d}" for number in range(20)]


def make(encoded=True, rows=60, dim=12, seed=0):
    """Languages far apart; the first axis holds the feature 'order' only if it is encoded."""
    rng = np.random.default_rng(seed)
    order = np.array(["SOV", "SVO"])[np.arange(20) % 2]
    means = 4 * rng.normal(size=(20, dim))
    means[:, 0] = np.where(order == "SOV", 5, -5) if encoded else 0
    y = np.repeat(LANGUAGES, rows)
    X = np.repeat(means, rows, axis=0) + rng.normal(size=(len(y), dim))
    return X, y, pd.DataFrame({"order": order}, index=LANGUAGES)


def test_a_feature_that_is_encoded_is_read_in_languages_never_seen():
    X, y, features = make(encoded=True)
    tokens = Typology(features, seeds=2).fit(X, y)
    languages = Typology(features, seeds=5, split="languages").fit(X, y)
    assert tokens.f1_.value > 0.98
    assert languages.f1_.value > 0.9
    assert languages.frame_.split.unique().tolist() == ["languages"]


def test_a_feature_that_is_not_encoded_passes_with_tokens_held_out_and_fails_with_languages_held_out():
    X, y, features = make(encoded=False, dim=30)
    tokens = Typology(features, seeds=2).fit(X, y)
    languages = Typology(features, seeds=10, split="languages").fit(X, y)
    assert tokens.f1_.value > 0.9, "languages are told apart, and their values known by heart"
    assert languages.f1_.value < 0.75
    assert tokens.f1_.value > tokens.majority_.value + 0.3


def test_the_majority_stands_beside_the_score():
    X, y, _ = make()
    features = pd.DataFrame({"tone": ["yes"] * 5 + ["no"] * 15}, index=LANGUAGES)
    fitted = Typology(features, seeds=2).fit(X, y)
    assert fitted.majority_.value == pytest.approx(0.75)
    assert fitted.frame_.gain.to_numpy() == pytest.approx(fitted.frame_.f1 - fitted.frame_.majority)
    assert {"f1", "f1_low", "majority", "gain_high"} <= set(fitted.summary_.columns)


def test_languages_without_a_value_are_left_out():
    X, y, features = make()
    features["order"] = features["order"].where(np.arange(20) < 8)
    fitted = Typology(features, seeds=1, train=20 * 30, test=20 * 10).fit(X, y)
    assert fitted.frame_.languages.item() == 8
    assert fitted.frame_.n_train.item() == 8 * 30 and fitted.frame_.n_test.item() == 8 * 10


def test_held_out_languages_give_no_training_row():
    X, y, features = make()
    fitted = Typology(features, seeds=1, split="languages", train=20 * 30, test=20 * 10).fit(X, y)
    assert fitted.frame_.n_train.item() == 16 * 30
    assert fitted.frame_.n_test.item() == 4 * 10


def test_features_that_cannot_be_asked_about_are_named_with_the_reason():
    X, y, features = make()
    features["constant"] = "same"
    features["rare"] = pd.Series({"l00": "a", "l01": "b"})
    fitted = Typology(features, seeds=1, split="languages").fit(X, y)
    assert fitted.skipped_ == {"constant": "1 value(s) among these languages", "rare": "2 languages, 3 are needed"}
    assert fitted.frame_.feature.tolist() == ["order"]


def test_several_values_are_asked_one_against_the_rest_in_every_column_set():
    X, y, _ = make()
    features = {
        "three": {name: "abc"[number % 3] for number, name in enumerate(LANGUAGES)},
        "two": {name: "ab"[number % 2] for number, name in enumerate(LANGUAGES)},
    }
    sets = column_sets(12, [2, 12], ["first"])
    fitted = Typology(features, seeds=2, columns=sets).fit(X, y)
    assert len(fitted.frame_) == 2 * 2 * 2
    assert set(fitted.frame_.classes) == {2, 3}
    assert fitted.summary_.n.tolist() == [4, 4]
    assert fitted.frame_.converged.all()


def test_mistakes_are_named():
    X, y, features = make()
    with pytest.raises(IsoglossError, match="same codes"):
        Typology(features.rename(index=str.upper)).fit(X, y)
    with pytest.raises(IsoglossError, match="no features"):
        Typology().fit(X, y)
    with pytest.raises(IsoglossError, match="did you mean 'tokens'"):
        Typology(features, split="token").fit(X, y)
