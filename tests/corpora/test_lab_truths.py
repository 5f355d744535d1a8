"""What is known of two languages: dictionaries, alignments, pools, typology, families."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from isogloss.corpora.lab import PRESETS, Lab, LabConfig, bag_of_tags_retrieval, preset
from isogloss.corpora.lab.typology import FEATURES
from isogloss.corpora.records import Tree, WordAlignment


@pytest.mark.parametrize("name", PRESETS)
def test_aligned_words_are_translations(name: str) -> None:
    lab = Lab(preset(name))
    for a, b in list(combinations(lab.codes, 2))[:4]:
        known = set(lab.dictionary(a, b, forms=True).entries)
        stops = (lab.language(a).word("stop"), lab.language(b).word("stop"))
        inflected = {
            (form, other)
            for i in range(lab.world.concepts.total)
            for form in set(lab.language(a).lexicon.forms[i])
            for other in set(lab.language(b).lexicon.forms[i])
        }
        for row in lab.alignments(a, b, 100):
            for i, j in row.sure:
                pair = row.first[i], row.second[j]
                assert pair in known or pair == stops or pair in inflected


def test_every_content_word_is_aligned_exactly_once() -> None:
    lab = Lab(preset("families"))
    trees = lab.parallel_trees(100, ["qaa", "qad"])
    for row, a, b in zip(lab.alignments("qaa", "qad", 100), trees["qaa"], trees["qad"], strict=True):
        assert row.first == a.words
        assert row.second == b.words
        content = [i for i, tag in enumerate(a.upos) if tag in {"NOUN", "VERB", "ADJ", "ADV", "PROPN", "NUM"}]
        assert sorted(i for i, _ in row.sure if i in content) == content
        assert len({j for _, j in row.sure}) == len(row.sure)
        assert all(a.upos[i] == b.upos[j] for i, j in row.sure)


def is_straight(row: WordAlignment) -> bool:
    return sorted(row.sure) == sorted(row.sure, key=lambda link: link[1])


def test_alignments_follow_word_order() -> None:
    crossed, straight = LabConfig(order=("SVO", "SOV")), LabConfig(order=("SVO",))
    shares = [np.mean([is_straight(r) for r in Lab(c).alignments("qaa", "qab", 200)]) for c in (crossed, straight)]
    assert shares[0] < 0.5
    assert shares[1] > 0.75  # adverbials move to the front now and then, on either side


def concepts_named(lab: Lab, code: str, trees: list[Tree]) -> list[set[int]]:
    """The concepts of each sentence's nouns, names and numbers, looked up by their lemmas."""
    concept = {lemma: number for number, lemma in enumerate(lab.language(code).lexicon.lemmas)}
    named = {"NOUN", "PROPN", "NUM"}
    return [{concept[w] for w, tag in zip(tree.lemmas, tree.upos, strict=True) if tag in named} for tree in trees]


@pytest.mark.parametrize("pool", ["natural", "hard"])
def test_parallel_rows_say_the_same_and_no_two_rows_do(pool: str) -> None:
    lab = Lab(replace(preset("families"), homonyms=0.0))
    trees = lab.parallel_trees(200, pool=pool)
    texts = lab.parallel(200, pool=pool).texts
    first = concepts_named(lab, "qaa", trees["qaa"])
    for code in lab.codes:
        assert [tree.text for tree in trees[code]] == list(texts[code])
        assert concepts_named(lab, code, trees[code]) == first
        assert len(set(texts[code])) == 200


def test_the_hard_pool_hides_structure_and_the_natural_one_does_not() -> None:
    for name in PRESETS:
        lab = Lab(preset(name))
        hard, natural = (lab.parallel_trees(500, lab.codes[:2], pool=pool) for pool in ("hard", "natural"))
        a, b = lab.codes[:2]
        assert bag_of_tags_retrieval(hard[a], hard[b]) <= 0.012
        assert bag_of_tags_retrieval(natural[a], natural[b]) > 0.25


def test_the_hard_pool_has_five_templates_with_the_same_function_words() -> None:
    trees = Lab(preset("twins")).parallel_trees(500, ["qaa"], pool="hard")["qaa"]
    content = {"NOUN", "VERB", "ADJ", "ADV"}
    skeletons = [
        tuple(sorted(tag if tag in content else word for word, tag in zip(tree.words, tree.upos, strict=True)))
        for tree in trees
    ]
    counts = {skeleton: skeletons.count(skeleton) for skeleton in set(skeletons)}
    assert len(counts) == 5
    assert set(counts.values()) == {100}


def test_retrieval_by_tags_counts_ties_by_chance() -> None:
    trees = Lab(preset("twins")).parallel_trees(40, ["qaa"])["qaa"]
    assert bag_of_tags_retrieval(trees[:1] * 10, trees[:1] * 10) == pytest.approx(0.1)


def test_dictionaries_hold_every_word_both_languages_use() -> None:
    lab = Lab(preset("families"))
    rows = lab.dictionary("qaa", "qac").entries
    with_article, without = lab.language("qaa"), lab.language("qac")
    sources = {source for source, _ in rows}
    assert set(with_article.lexicon.lemmas[: lab.world.concepts.content]) <= sources
    if without.grammar.article == "none":
        assert with_article.word("the") not in sources
    assert (with_article.word("animal"), without.word("animal")) in rows


@pytest.mark.parametrize(("knob", "value", "code"), [
    ("order", "SVO", "81A-2"), ("order", "SOV", "81A-1"), ("order", "VSO", "81A-3"), ("adjective", "NA", "87A-2"),
    ("adjective", "AN", "87A-1"), ("adposition", "post", "85A-1"), ("adposition", "pre", "85A-2"),
    ("genitive", "GN", "86A-1"), ("relative", "RN", "90A-2"), ("article", "none", "37A-5"),
    ("article", "both", "38A-1"), ("oblique", "XV", "84A-2"), ("oblique", "VX", "84A-1"),
    ("case", "suffix", "49A-4"), ("case", "none", "98A-1"), ("plural", "none", "33A-9"), ("tense", "suffix", "69A-2"),
])  # fmt: skip
def test_typology_is_read_off_the_grammar_under_wals_numbers(knob: str, value: str, code: str) -> None:
    lab = Lab(LabConfig(**{knob: (value,)}))  # type: ignore[arg-type]
    assert code in {feature.code for feature in lab.features() if feature.language == "qaa"}


def test_every_language_has_every_feature() -> None:
    lab = Lab(preset("families"))
    assert len(lab.features()) == len(FEATURES) * 6
    assert all(feature.label for feature in lab.features())


def test_families_differ_in_typology() -> None:
    lab = Lab(preset("families"))
    values = {}
    for feature in lab.features():
        values.setdefault(feature.feature, set()).add(feature.value)
    assert sum(len(found) > 1 for found in values.values()) >= 5


def test_the_family_tree_is_in_newicks_notation() -> None:
    tree = Lab(preset("families")).family_tree()
    assert tree.startswith("((qaa,qab)")
    assert tree.endswith(");")
    assert tree.count("(") == tree.count(")") == 4
