"""Words: anchors as many as asked, nothing else shared, cognates by rule, frequent words short."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from isogloss.corpora.lab import PRESETS, Lab, LabConfig, preset
from isogloss.corpora.lab.phonology import CONSONANTS, SCRIPTS, VOWELS


def vocabulary(lab: Lab, code: str, n: int = 3_000) -> set[str]:
    return {word for line in lab.text(code, n) for word in line.split()}


@pytest.mark.parametrize("seed", range(3))
def test_twins_share_no_string_and_no_letter(seed: int) -> None:
    lab = Lab(preset("twins", seed))
    first, second = (vocabulary(lab, code) for code in lab.codes)
    assert not first & second
    assert not set("".join(first)) & set("".join(second))


@pytest.mark.parametrize("families", [1, 3])
def test_languages_of_one_script_share_no_form_without_anchors(families: int) -> None:
    lab = Lab(LabConfig(languages=3, families=families, case=("suffix",), agreement=("full",)))
    forms = [set(language.forms.tolist()) for language in lab.languages]
    for first, second in combinations(forms, 2):
        assert not first & second


@pytest.mark.parametrize("share", [0.0, 0.1, 0.2, 0.5])
def test_anchors_are_the_share_asked_for(share: float) -> None:
    lab = Lab(replace(preset("families"), anchors=share))
    content = lab.world.concepts.content
    for a, b in combinations(lab.languages, 2):
        same = [i for i in range(content) if a.lexicon.lemmas[i] == b.lexicon.lemmas[i]]
        assert len(same) == round(share * content)


@pytest.mark.parametrize(("kinds", "prefixes"), [(("names",), ("given", "surname", "town", "firm")),
                                                  (("numbers",), ("number",)),
                                                  (("cognates",), ("noun", "place", "transitive", "intransitive",
                                                                   "adjective", "adverb"))])  # fmt: skip
def test_anchors_are_of_the_kind_asked_for(kinds: tuple[str, ...], prefixes: tuple[str, ...]) -> None:
    lab = Lab(LabConfig(anchors=0.03, anchor_kinds=kinds))
    anchored = [lab.world.concepts.glosses[i] for i in lab.languages[0].lexicon.anchored]
    assert anchored
    assert all(gloss.startswith(prefixes) for gloss in anchored)


def test_an_anchor_is_the_same_string_in_all_its_forms() -> None:
    lab = Lab(LabConfig(anchors=0.3, case=("suffix",), agreement=("full",)))
    for concept in lab.languages[0].lexicon.anchored:
        assert len({form for language in lab.languages for form in language.lexicon.forms[concept]}) == 1


def test_sisters_inherit_words_by_regular_sound_change() -> None:
    lab = Lab(LabConfig(languages=2, families=1, cognates=1.0, homonyms=0.0))
    first, second = (language.lexicon.lemmas for language in lab.languages)
    table: dict[str, str] = {}
    regular = 0
    for a, b in zip(first, second, strict=True):
        changed = len(a) == len(b) and all(table.setdefault(x, y) == y for x, y in zip(a, b, strict=True))
        regular += changed
    assert regular > 0.9 * len(first)


def test_distance_is_the_share_of_consonants_that_change() -> None:
    changes = []
    for distance in (0.0, 0.5, 1.0):
        lab = Lab(LabConfig(languages=2, families=1, cognates=1.0, homonyms=0.0, distance=distance))
        first, second = (language.lexicon.lemmas for language in lab.languages)
        pairs = [(x, y) for a, b in zip(first, second, strict=True) if len(a) == len(b)
                 for x, y in zip(a, b, strict=True) if x in CONSONANTS]  # fmt: skip
        changes.append(np.mean([x != y for x, y in pairs]))
    assert changes[0] < 0.05
    assert 0.3 < changes[1] < 0.75
    assert changes[2] > 0.95


def test_homonyms_are_the_share_asked_for() -> None:
    lab = Lab(LabConfig(homonyms=0.15))
    concepts = lab.world.concepts
    for language in lab.languages:
        lemmas = language.lexicon.lemmas
        nouns = {lemmas[i] for i in concepts.of("noun")}
        others = [lemmas[i] for c in ("transitive", "intransitive", "adjective") for i in concepts.of(c)]
        assert np.mean([word in nouns for word in others]) == pytest.approx(0.15, abs=0.03)


def test_without_homonyms_every_concept_has_its_own_word() -> None:
    for language in Lab(LabConfig(homonyms=0.0)).languages:
        assert len(set(language.lexicon.lemmas)) == len(language.lexicon.lemmas)


def test_frequent_words_are_short() -> None:
    lab = Lab(preset("families"))
    concepts = lab.world.concepts
    for language in lab.languages:
        length = [len(language.lexicon.lemmas[i]) for i in concepts.of("noun")]
        assert np.mean(length[:40]) < np.mean(length[48:])


def test_the_lexicon_grows_with_its_knob_and_zipf_shapes_it() -> None:
    small, large = (Lab(LabConfig(lexicon=size)).world.concepts.content for size in (110, 880))
    assert small == pytest.approx(110, rel=0.1)
    assert large == pytest.approx(880, rel=0.05)
    shares = []
    for exponent in (0.0, 1.0, 2.0):
        lab = Lab(LabConfig(zipf=exponent, homonyms=0.0, selection=0.0, domains=1))
        words = [word for line in lab.text("qaa", 3_000) for word in line.split()]
        top = set(lab.languages[0].lexicon.forms[:8].ravel())
        shares.append(np.mean([word in top for word in words]))
    assert shares[0] < shares[1] < shares[2]


def test_scripts_write_every_sound_with_a_letter_of_their_own() -> None:
    for letters in SCRIPTS.values():
        assert len(set(letters)) == len(letters) == len(CONSONANTS + VOWELS)
    for a, b in combinations(SCRIPTS.values(), 2):
        assert not set(a) & set(b)


def test_syllables_have_the_shapes_asked_for() -> None:
    lab = Lab(LabConfig(languages=1, families=1, syllables=("CV",), script=("latin",), homonyms=0.0))
    for word in lab.languages[0].lexicon.lemmas[: lab.world.concepts.content]:
        assert all((letter in VOWELS) == bool(i % 2) for i, letter in enumerate(word)), word


def test_noise_replaces_its_share_of_words_and_only_in_plain_text() -> None:
    clean, noisy = Lab(preset("twins")), Lab(replace(preset("twins"), noise=0.2))
    before, after = clean.text("qaa", 500), noisy.text("qaa", 500)
    pairs = [(x, y) for a, b in zip(before, after, strict=True) for x, y in zip(a.split(), b.split(), strict=True)]
    assert np.mean([x != y for x, y in pairs]) == pytest.approx(0.2 * 0.87, abs=0.03)
    assert clean.trees("qaa", 50) == noisy.trees("qaa", 50)


@pytest.mark.parametrize("name", PRESETS)
def test_no_two_languages_look_alike(name: str) -> None:
    lab = Lab(preset(name))
    assert len({language.lexicon.phonology.consonants + language.lexicon.phonology.vowels + language.grammar.script
                for language in lab.languages}) == len(lab.languages)  # fmt: skip
