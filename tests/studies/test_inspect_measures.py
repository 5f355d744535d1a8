"""Measures on states whose truth is known by construction."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from isogloss.geometry import cka
from isogloss.languages import try_language
from isogloss.probes import layer_measures
from isogloss.probes.layer_measures import layers_alike, measure, standardise
from isogloss.studies.inspect.cells import Inspected, TokenCounts
from isogloss.studies.inspect.findings import kinship
from isogloss.studies.inspect.view import ModelView, choose_layer

LANGUAGES = ("en", "de", "ru")
N, D = 120, 24


def content(noise: float, seed: int = 0, rogue: float = 0.0, shift: float = 3.0) -> dict[str, np.ndarray]:
    """States of three languages: shared content, a mean of its own each, noise, and dimensions of large variance."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(N, D))
    found = {}
    for language in LANGUAGES:
        rows = shared + noise * rng.normal(size=(N, D)) + shift * rng.normal(size=D)
        rows[:, :3] += rogue * rng.normal(size=(N, 3))
        found[language] = rows.astype(np.float32)
    return found


def layers(*each: dict[str, np.ndarray]) -> dict[str, tuple[np.ndarray, ...]]:
    return {language: tuple(layer[language] for layer in each) for language in LANGUAGES}


def mean_of(frame: pd.DataFrame, measure_name: str, layer: int = 0) -> float:
    rows = frame[(frame["measure"] == measure_name) & (frame["layer"] == layer) & ~frame["fitted"]]
    assert len(rows)
    return float(rows["value"].mean())


def view(frame: pd.DataFrame, depth: int) -> ModelView:
    tokens = tuple(TokenCounts(language, N, 10 * N, 50 * N, 20 * N, 0, 0, 0) for language in LANGUAGES)
    record = Inspected(tuple(map(str, range(depth))), LANGUAGES, tokens, 30, 90, "float32")
    return choose_layer("m", record, frame, pd.DataFrame(), {})


def test_a_language_mean_hurts_plain_cosine_and_centring_mends_it():
    frame = measure(layers(content(noise=0.2)), fitted=30, seed=0)
    assert mean_of(frame, "retrieval_centred") == 1.0
    assert mean_of(frame, "retrieval_raw") < 0.9
    assert mean_of(frame, "retrieval_neutralised") > mean_of(frame, "retrieval_raw")
    assert mean_of(frame, "cosine_raw") > mean_of(frame, "cosine_others_raw")


def test_language_identity_is_found_where_it_is_and_not_where_it_is_not():
    apart = measure(layers(content(noise=0.2, shift=3.0)), fitted=30, seed=0)
    alike = measure(layers(content(noise=0.2, shift=0.0)), fitted=30, seed=0)
    assert mean_of(apart, "identification") == 1.0
    assert mean_of(apart, "identification_pair") == 1.0
    assert mean_of(alike, "identification") < 0.55
    assert mean_of(apart, "language_share") > 0.5
    assert abs(mean_of(alike, "language_share")) < 0.02
    assert 1.0 <= mean_of(apart, "language_dimensions") <= 2.0  # three means span two dimensions


def test_identities_are_the_same_whether_layers_are_probed_together_or_alone(monkeypatch):
    states = layers(content(noise=0.5, shift=0.1), content(noise=1.0, seed=1, shift=0.2), content(noise=2.0, seed=2))
    together = pd.DataFrame(layer_measures.identifications(states, fitted=40, seed=0))
    monkeypatch.setattr(layer_measures, "PROBED_BYTES", 1)
    alone = pd.DataFrame(layer_measures.identifications(states, fitted=40, seed=0))
    pd.testing.assert_frame_equal(together, alone, atol=0.005)  # a row that lies on the border
    assert together["layer"].value_counts().to_dict() == {0: 4, 1: 4, 2: 4}  # all languages, and three pairs
    assert set(together[together["source"] == ""]["n"]) == {3 * (N - 40)}


def test_unrelated_rows_have_no_unbiased_cka_though_the_linear_form_is_high():
    rng = np.random.default_rng(0)
    noise = {language: rng.normal(size=(N, D)).astype(np.float32) for language in LANGUAGES}
    frame = measure(layers(noise), fitted=30, seed=0)
    assert abs(mean_of(frame, "cka_unbiased")) < 0.05
    assert mean_of(frame, "cka_linear") > 0.15
    assert mean_of(frame, "retrieval_centred") < 0.05


def test_rogue_dimensions_drown_plain_measures_but_not_the_standardised_ones():
    frame = measure(layers(content(noise=0.2, rogue=60.0, shift=0.0)), fitted=30, seed=0)
    assert mean_of(frame, "rogue_share") > 0.9
    assert mean_of(frame, "retrieval_centred") < 0.5
    assert mean_of(frame, "retrieval_standardised") > 0.95
    assert mean_of(frame, "cka_unbiased") < 0.2 < mean_of(frame, "cka_unbiased_standardised")


def test_the_layer_is_chosen_on_the_fitted_sentences_alone():
    good, bad = content(noise=0.3, seed=1), content(noise=4.0, seed=2)
    swapped = layers(
        {language: np.concatenate([bad[language][:30], good[language][30:]]) for language in LANGUAGES},
        {language: np.concatenate([good[language][:30], bad[language][30:]]) for language in LANGUAGES},
    )
    frame = measure(swapped, fitted=30, seed=0)
    assert mean_of(frame, "retrieval_standardised", 0) > mean_of(frame, "retrieval_standardised", 1)
    assert view(frame, depth=2).layer == 1  # the worse one on the test part: the choice never looked there


def test_every_pair_and_direction_is_there_with_its_n_and_interval():
    frame = measure(layers(content(noise=1.0)), fitted=30, seed=0)
    rows = frame[(frame["measure"] == "retrieval_raw") & ~frame["fitted"]]
    assert set(zip(rows["source"], rows["target"], strict=True)) == {
        (a, b) for a in LANGUAGES for b in LANGUAGES if a != b
    }
    assert (rows["n"] == 90).all()
    assert ((rows["low"] <= rows["value"]) & (rows["value"] <= rows["high"])).all()


def test_by_language_averages_exactly_the_pairs_a_language_is_in():
    found = view(measure(layers(content(noise=1.0)), fitted=30, seed=0), depth=1)
    pairs = found.by_pair("retrieval_standardised")
    expected = np.mean([value for pair, value in pairs.items() if "de" in pair])
    assert found.by_language()["de"] == pytest.approx(expected)
    assert sum("de" in pair for pair in pairs) == 4


def test_layers_are_compared_in_one_language_and_between_two():
    states = layers(content(noise=0.2), content(noise=3.0, seed=1), content(noise=0.2))
    frame = layers_alike(states, fitted=30, seed=0).set_index(["compared", "layer", "other"])
    rows = {language: [standardise(layer[30:]) for layer in each] for language, each in states.items()}
    between = [cka(rows[a][0], rows[b][1], kind="unbiased") for a in LANGUAGES for b in LANGUAGES if a != b]
    within = [cka(rows[a][0], rows[a][1], kind="unbiased") for a in LANGUAGES]
    assert frame.loc[("two languages", 0, 1), "value"] == pytest.approx(np.mean(between), abs=1e-6)
    assert frame.loc[("one language", 0, 1), "value"] == pytest.approx(np.mean(within), abs=1e-6)
    assert frame.loc[("one language", 0, 2), "value"] == pytest.approx(1)  # the same layer twice
    assert frame.loc[("two languages", 0, 2), "value"] > frame.loc[("two languages", 1, 1), "value"]
    assert set(frame["n"]) == {N - 30}


def test_kinship_is_counted_among_languages_that_have_a_relative():
    codes = ("de", "nl", "en", "es", "it", "ja")
    measures = pd.DataFrame({"layer": [0], "measure": ["retrieval_standardised"], "value": [1.0], "fitted": [True]})
    base = view(measures, depth=1)
    seen = replace(
        base, record=replace(base.record, languages=codes), known={code: try_language(code) for code in codes}
    )
    near = {"de": "nl", "nl": "de", "en": "es", "es": "it", "it": "es", "ja": "en"}  # English errs, Japanese is alone
    alike = {one: {other: float(near[one] == other) for other in codes if other != one} for one in codes}
    (said,) = kinship(seen, alike)
    assert said.effect == pytest.approx(80) and said.n == 5 and "4 of the 5 languages" in said.text
    assert "chance: 32%" in said.text  # of five others two (Germanic) or one (Romance) are relatives
    assert kinship(replace(seen, known={code: try_language(code) for code in ("de", "nl", "ja")}), alike) == []
