"""Impossible knobs are refused, by name and with a remedy."""

from dataclasses import replace

import pytest

from isogloss.corpora.lab import PRESETS, Lab, LabConfig, preset
from isogloss.errors import IsoglossError

IMPOSSIBLE = [
    ("anchors", -0.1),
    ("anchors", 1.5),
    ("noise", 2.0),
    ("homonyms", -1.0),
    ("distance", 7.0),
    ("cognates", float("nan")),
    ("languages", 0),
    ("languages", 9999),
    ("families", 3),
    ("families", 0),
    ("lexicon", 5),
    ("zipf", -1.0),
    ("domains", 0),
    ("seed", -1),
    ("order", ("SVX",)),
    ("order", ()),
    ("order", ("SVO", "SOV", "VSO")),
    ("rigidity", (0.2,)),
    ("rigidity", ()),
    ("case", ("ergative",)),
    ("script", ("runes",)),
    ("anchor_kinds", ("verbs",)),
    ("punctuation", "none"),
]


@pytest.mark.parametrize(("knob", "value"), IMPOSSIBLE)
def test_an_impossible_value_is_refused_by_the_knobs_name(knob: str, value: object) -> None:
    with pytest.raises(IsoglossError) as refusal:
        replace(LabConfig(), **{knob: value})  # type: ignore[arg-type]
    assert f"'{knob}'" in str(refusal.value)
    assert refusal.value.remedy


def test_more_anchors_than_words_of_their_kind_are_refused() -> None:
    with pytest.raises(IsoglossError, match="anchors are asked for") as refusal:
        Lab(LabConfig(anchors=0.2, anchor_kinds=("numbers",)))
    assert refusal.value.where == "knob 'anchors'"
    assert "at most 0.0" in (refusal.value.remedy or "")


def test_knobs_can_be_set_from_text() -> None:
    config = LabConfig().with_settings({"order": "SVO, SOV", "anchors": "0.25", "lexicon": "300", "rigidity": "0.75"})
    assert config.order == ("SVO", "SOV")
    assert (config.anchors, config.lexicon, config.rigidity) == (0.25, 300, (0.75,))


def test_a_misspelt_knob_names_the_nearest_one() -> None:
    with pytest.raises(IsoglossError, match="did you mean 'anchors'"):
        LabConfig().with_settings({"anchor": "0.2"})


def test_a_value_of_the_wrong_kind_is_refused() -> None:
    with pytest.raises(IsoglossError, match="'many' is not a valid int"):
        LabConfig().with_settings({"lexicon": "many"})


def test_an_unknown_preset_language_pool_part_or_domain_is_refused() -> None:
    with pytest.raises(IsoglossError, match="did you mean 'twins'"):
        preset("twin")
    lab = Lab(preset("twins"))
    for ask in (
        lambda: lab.text("qaz", 1),
        lambda: lab.parallel(1, pool="easy"),
        lambda: lab.text("qaa", 1, part="dev"),
        lambda: lab.text("qaa", 1, domain=9),
    ):
        with pytest.raises(IsoglossError):
            ask()


def test_a_pool_larger_than_the_world_is_refused() -> None:
    tiny = Lab(LabConfig(lexicon=60, zipf=3.0, selection=4.0))
    with pytest.raises(IsoglossError, match="too few different meanings"):
        tiny.parallel(1_000_000, pool="hard")


def test_grammar_knobs_are_dealt_in_turn_and_languages_to_families_in_runs() -> None:
    config = LabConfig(languages=5, families=2, order=("SVO", "SOV"))
    assert [config.language(i).order for i in range(5)] == ["SVO", "SOV", "SVO", "SOV", "SVO"]
    assert [config.family(i) for i in range(5)] == [0, 0, 0, 1, 1]


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_speaks(name: str) -> None:
    lab = Lab(preset(name))
    assert all(len(lab.text(code, 3)) == 3 for code in lab.codes)


def test_families_is_six_languages_in_three_families() -> None:
    lab = Lab(preset("families"))
    assert [language.family for language in lab.languages] == [f for f in dict.fromkeys(
        language.family for language in lab.languages) for _ in range(2)]  # fmt: skip
    assert len({language.family for language in lab.languages}) == 3
    assert len({language.name for language in lab.languages}) == 6


def test_many_languages_can_be_made() -> None:
    lab = Lab(LabConfig(languages=30, families=6))
    assert lab.codes[:2] == ("qaa", "qab")
    assert lab.codes[-1] == "qbd"
    assert all(lab.text(code, 1) for code in lab.codes)
