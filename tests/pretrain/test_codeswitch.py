"""Code-switching: shares, the cap, weights, whole words only, and the errors of a wrong dictionary."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from isogloss.corpora.records import Dictionary
from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe, pretrain
from isogloss.pretrain.batches import Sampler
from isogloss.pretrain.codeswitch import Switch
from isogloss.pretrain.folders import Folders
from isogloss.pretrain.prepare import Corpus, open_corpus, prepare

Texts = dict[str, list[str]]


@pytest.fixture
def corpus(two_languages: Texts, tiny_recipe: Recipe, out: Path) -> Corpus:
    prepare(tiny_recipe, two_languages, Folders(out))
    return open_corpus(tiny_recipe, list(two_languages), Folders(out))


def words_of(texts: Texts, language: str) -> list[str]:
    counts = Counter(word for row in texts[language] for word in row.split() if word not in ".7")
    return [word for word, _ in counts.most_common()]


def switched(corpus: Corpus, recipe: Recipe, dictionary: Dictionary, steps: int = 60) -> tuple[list[str], list[str]]:
    """Words before and after, of all batches of the source language."""
    switch, sampler = Switch.of([dictionary], corpus, recipe), Sampler(corpus, recipe)
    before, after = [], []
    for step in range(steps):
        language, rows = sampler.draw(step)
        changed = switch.apply(language, rows, np.random.default_rng(step))
        tokeniser = corpus.tokenisers.by_language[language]
        if language == dictionary.source:
            before += [word for row in rows for word in tokeniser.decode(row.tolist()).split()]
            after += [word for row in changed for word in tokeniser.decode(row.tolist()).split()]
        else:
            assert np.array_equal(rows, changed)
    return before, after


def test_three_in_ten_dictionary_words_are_replaced(two_languages: Texts, tiny_recipe: Recipe, corpus: Corpus) -> None:
    recipe = tiny_recipe.changed(codeswitch={"limit": 1.0}, data={"length": 40})
    source, target = words_of(two_languages, "qaa")[3], words_of(two_languages, "qab")[0]
    before, after = switched(corpus, recipe, Dictionary("qaa", "qab", ((source, target),)))
    assert before.count(target) == 0
    assert after.count(target) / before.count(source) == pytest.approx(0.3, abs=0.06)


def test_at_most_so_much_of_a_batch_is_replaced(two_languages: Texts, tiny_recipe: Recipe, corpus: Corpus) -> None:
    recipe = tiny_recipe.changed(codeswitch={"share": 1.0})
    target = min(words_of(two_languages, "qab"), key=len)
    entries = tuple((word, target) for word in words_of(two_languages, "qaa"))
    before, after = switched(corpus, recipe, Dictionary("qaa", "qab", entries))
    assert after.count(target) / len(before) == pytest.approx(0.15, abs=0.01)


def test_translations_are_drawn_by_weight(two_languages: Texts, tiny_recipe: Recipe, corpus: Corpus) -> None:
    recipe = tiny_recipe.changed(codeswitch={"share": 1.0, "limit": 1.0})
    source, (often, seldom) = words_of(two_languages, "qaa")[0], words_of(two_languages, "qab")[:2]
    dictionary = Dictionary("qaa", "qab", ((source, often), (source, seldom)), (3.0, 1.0))
    _, after = switched(corpus, recipe, dictionary)
    assert after.count(source) == 0
    assert after.count(often) / (after.count(often) + after.count(seldom)) == pytest.approx(0.75, abs=0.05)


def test_a_word_in_lower_case_stands_for_the_capitalised_one_unless_the_dictionary_has_it(
    two_languages: Texts, tiny_recipe: Recipe, out: Path
) -> None:
    capitals = {language: [row[:1].upper() + row[1:] for row in rows] for language, rows in two_languages.items()}
    prepare(tiny_recipe, capitals, Folders(out))
    corpus = open_corpus(tiny_recipe, list(capitals), Folders(out))
    recipe = tiny_recipe.changed(codeswitch={"share": 1.0, "limit": 1.0}, data={"length": 40})
    first, second = [word for word, _ in Counter(row.split()[0] for row in capitals["qaa"]).most_common(2)]
    target, other = words_of(two_languages, "qab")[:2]
    entries = ((first.lower(), target), (second.lower(), target), (second, other))
    before, after = switched(corpus, recipe, Dictionary("qaa", "qab", entries))
    assert before.count(first) and before.count(second)
    assert not after.count(first) and after.count(target.capitalize()) == before.count(first)
    assert not after.count(second) and after.count(other) == before.count(second)
    assert after.count(target) == before.count(first.lower()) + before.count(second.lower())


def test_rows_never_grow_and_padding_is_left_out_of_attention(
    two_languages: Texts, tiny_recipe: Recipe, corpus: Corpus, out: Path
) -> None:
    long_word = max(words_of(two_languages, "qab"), key=len) * 2
    entries = tuple((word, long_word) for word in words_of(two_languages, "qaa"))
    dictionary = Dictionary("qaa", "qab", entries)
    switch, sampler = Switch.of([dictionary], corpus, tiny_recipe), Sampler(corpus, tiny_recipe)
    for step in range(20):
        language, rows = sampler.draw(step)
        assert switch.apply(language, rows, np.random.default_rng(0)).shape[1] <= rows.shape[1]
    result = pretrain(tiny_recipe, two_languages, out / "run", dictionaries=[dictionary])
    assert result.steps == 12


def test_validation_text_is_never_switched(two_languages: Texts, tiny_recipe: Recipe, out: Path) -> None:
    recipe = tiny_recipe.changed(training={"learning_rate": 1e-12, "steps": 1, "warmup": 1})
    target = words_of(two_languages, "qab")[0]
    dictionary = Dictionary("qaa", "qab", tuple((word, target) for word in words_of(two_languages, "qaa")))
    plain = pretrain(recipe, two_languages, out / "plain")
    mixed = pretrain(recipe, two_languages, out / "mixed", dictionaries=[dictionary])
    assert plain.perplexities == pytest.approx(mixed.perplexities, rel=1e-6)


def test_a_dictionary_whose_words_no_text_has_is_an_error(tiny_recipe: Recipe, corpus: Corpus) -> None:
    with pytest.raises(IsoglossError, match="no word of this dictionary is in the text of 'qaa'"):
        Switch.of([Dictionary("qaa", "qab", (("zzz", "mo"),))], corpus, tiny_recipe)


def test_a_dictionary_of_a_language_without_text_is_an_error(tiny_recipe: Recipe, corpus: Corpus) -> None:
    with pytest.raises(IsoglossError, match="unknown language 'deu'"):
        Switch.of([Dictionary("deu", "qab", (("ba", "mo"),))], corpus, tiny_recipe)
