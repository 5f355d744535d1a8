"""Few-shot prompts from dictionaries: what they say, what they leave out."""

import pytest

from isogloss.corpora.records import Dictionary
from isogloss.corpora.translation_prompts import SAME_STRING, join_concepts, write_prompts
from isogloss.errors import IsoglossError

NAMES = {"en": "English", "de": "Deutsch", "fr": "français"}
DE = [
    "water",
    "Wasser",
    "tree",
    "Baum",
    "hotel",
    "Hotel",
    "book",
    "Buch",
    "dog",
    "Hund",
    "tree",
    "Bäume",
    "sky",
    "Himmel",
]
FR = ["tree", "arbre", "water", "eau", "hotel", "hôtel", "book", "livre", "dog", "chien"]
EN_DE = Dictionary("en", "de", tuple(zip(DE[::2], DE[1::2], strict=True)))
EN_FR = Dictionary("en", "fr", tuple(zip(FR[::2], FR[1::2], strict=True)))


def test_concepts_are_words_of_all_dictionaries_without_shared_strings() -> None:
    concepts, left_out = join_concepts([EN_DE, EN_FR], "en")
    assert [concept.pivot for concept in concepts] == ["water", "tree", "book", "dog"]
    assert concepts[1].words == {"en": ("tree",), "de": ("Baum", "Bäume"), "fr": ("arbre",)}
    assert left_out == {SAME_STRING: 1}  # hotel, Hotel


def test_a_prompt_shows_other_words_and_ends_before_the_answer() -> None:
    concepts, _ = join_concepts([EN_DE, EN_FR], "en")
    prompts = write_prompts(concepts, "de", "fr", NAMES, shots=2)
    assert [prompt.concept for prompt in prompts] == concepts
    for prompt in prompts:
        *examples, last = prompt.text.split("\n")
        assert last == f'Deutsch: "{prompt.concept.words["de"][0]}" - français: "'
        assert len(examples) == len(set(examples)) == 2
        assert prompt.concept.words["fr"][0] not in prompt.text
    assert prompts == write_prompts(concepts, "de", "fr", NAMES, shots=2)
    assert prompts != write_prompts(concepts, "de", "fr", NAMES, shots=2, seed=1)


def test_without_examples_a_prompt_may_be_the_word_alone() -> None:
    concepts, _ = join_concepts([EN_DE, EN_FR], "en")
    prompts = write_prompts(concepts, "de", "fr", NAMES, shots=0, template="{source} {target}")
    assert [prompt.text for prompt in prompts] == ["Wasser", "Baum", "Buch", "Hund"]


@pytest.mark.parametrize("template", ["{target} {source}", "{source}", "{source} {target} {else}", "{source {target}"])
def test_a_template_that_asks_nothing_is_refused(template: str) -> None:
    concepts, _ = join_concepts([EN_DE, EN_FR], "en")
    with pytest.raises(IsoglossError, match="template"):
        write_prompts(concepts, "de", "fr", NAMES, template=template)


def test_too_few_words_are_refused() -> None:
    concepts, _ = join_concepts([EN_DE, EN_FR], "en")
    with pytest.raises(IsoglossError, match="too few"):
        write_prompts(concepts, "de", "fr", NAMES, shots=4)
