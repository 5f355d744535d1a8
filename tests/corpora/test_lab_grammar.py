"""Grammar knobs do what they say, counted from the trees."""

from collections import Counter
from dataclasses import replace

import pytest

from isogloss.corpora.lab import Lab, LabConfig
from isogloss.corpora.lab.knobs import ORDERS
from isogloss.corpora.records import Tree


def first_of(lab: Lab, n: int = 1_500) -> list[Tree]:
    return lab.trees("qaa", n)


def clause_orders(trees: list[Tree]) -> Counter[str]:
    """Orders of subject, verb and object of active transitive clauses."""
    found: Counter[str] = Counter()
    for tree in trees:
        root = tree.heads.index(0)
        parts = {"V": root}
        for i, (head, relation) in enumerate(zip(tree.heads, tree.relations, strict=True)):
            if head == root + 1 and relation in {"nsubj", "obj"}:
                parts["S" if relation == "nsubj" else "O"] = i
        if len(parts) == 3 and tree.upos[root] == "VERB":
            found["".join(sorted(parts, key=parts.__getitem__))] += 1
    return found


def before_head(trees: list[Tree], relation: str, tag: str) -> float:
    """Share of dependents of a kind that stand before their head."""
    sides = [
        i + 1 < tree.heads[i]
        for tree in trees
        for i in range(len(tree.words))
        if tree.relations[i] == relation and tree.upos[i] == tag
    ]
    assert len(sides) > 30
    return sum(sides) / len(sides)


@pytest.mark.parametrize("order", ORDERS)
def test_a_rigid_language_has_one_order(order: str) -> None:
    lab = Lab(LabConfig(languages=1, families=1, order=(order,), script=("latin",)))
    assert set(clause_orders(first_of(lab))) == {order}


@pytest.mark.parametrize("rigidity", [0.6, 0.75, 0.9])
def test_rigidity_is_the_share_of_the_basic_order(rigidity: float) -> None:
    lab = Lab(LabConfig(order=("SOV",), minority=("OSV",), rigidity=(rigidity,)))
    orders = clause_orders(first_of(lab, 4_000))
    assert set(orders) == {"SOV", "OSV"}
    assert orders["SOV"] / orders.total() == pytest.approx(rigidity, abs=0.04)


@pytest.mark.parametrize(("knob", "value", "relation", "tag", "share"), [
    ("adjective", "AN", "amod", "ADJ", 1.0), ("adjective", "NA", "amod", "ADJ", 0.0),
    ("adposition", "pre", "case", "ADP", 1.0), ("adposition", "post", "case", "ADP", 0.0),
    ("genitive", "GN", "nmod", "NOUN", 1.0), ("genitive", "NG", "nmod", "NOUN", 0.0),
    ("relative", "NR", "acl:relcl", "VERB", 0.0), ("relative", "RN", "acl:relcl", "VERB", 1.0),
])  # fmt: skip
def test_modifiers_stand_where_the_knob_says(knob: str, value: str, relation: str, tag: str, share: float) -> None:
    lab = Lab(replace(LabConfig(), **{knob: (value,)}))  # type: ignore[arg-type]
    assert before_head(first_of(lab), relation, tag) == share


@pytest.mark.parametrize(("article", "words"), [("none", 0), ("definite", 1), ("both", 2)])
def test_articles_are_those_asked_for(article: str, words: int) -> None:
    lab = Lab(LabConfig(article=(article,)))
    language = lab.language("qaa")
    articles = {language.word("the"), language.word("a")}
    used = {word for tree in first_of(lab) for word, tag in zip(tree.words, tree.upos, strict=True) if tag == "DET"}
    assert len(used & articles) == words


def forms_by_relation(trees: list[Tree], relation: str) -> list[tuple[str, str]]:
    return [
        (tree.words[i], tree.lemmas[i])
        for tree in trees
        for i in range(len(tree.words))
        if tree.relations[i] == relation and tree.upos[i] == "NOUN"
    ]


def test_case_suffixes_mark_objects_and_not_subjects() -> None:
    lab = Lab(LabConfig(case=("suffix",), plural=("none",)))
    ending = lab.language("qaa").lexicon.suffixes["accusative"]
    trees = first_of(lab)
    assert ending
    assert all(word == lemma + ending for word, lemma in forms_by_relation(trees, "obj"))
    assert all(word == lemma for word, lemma in forms_by_relation(trees, "nsubj"))


def test_a_case_particle_follows_every_object() -> None:
    lab = Lab(LabConfig(case=("particle",)))
    particle = lab.language("qaa").word("accusative")
    trees = [tree for tree in first_of(lab) if "obj" in tree.relations]
    assert all(tree.words.count(particle) == tree.relations.count("obj") for tree in trees)


def test_without_case_plural_and_tense_words_do_not_change() -> None:
    lab = Lab(LabConfig(plural=("none",), tense=("none",)))
    for tree in first_of(lab):
        assert tree.words == tree.lemmas


def test_tense_can_be_an_auxiliary() -> None:
    lab = Lab(LabConfig(tense=("particle",)))
    language = lab.language("qaa")
    relations = Counter(
        relation
        for tree in first_of(lab)
        for word, relation in zip(tree.words, tree.relations, strict=True)
        if word in {language.word("past"), language.word("future")}
    )
    assert set(relations) == {"aux"}
    assert relations.total() > 500


def test_verbs_agree_with_plural_subjects() -> None:
    lab = Lab(LabConfig(agreement=("verb",), tense=("none",)))
    suffixes = lab.language("qaa").lexicon.suffixes
    seen = Counter()
    for tree in first_of(lab):
        root = tree.heads.index(0)
        subjects = [
            i for i, r in enumerate(tree.relations) if r in {"nsubj", "nsubj:pass"} and tree.heads[i] == root + 1
        ]
        if tree.upos[root] == "VERB" and subjects and tree.upos[subjects[0]] == "NOUN":
            plural = tree.words[subjects[0]] == tree.lemmas[subjects[0]] + suffixes["plural"]
            agreeing = tree.words[root] == tree.lemmas[root] + suffixes["agreement"]
            seen[plural, agreeing] += 1
    assert seen[True, True] > 50
    assert seen[False, False] > 50
    assert seen[True, False] == seen[False, True] == 0


def inflected_adjectives(trees: list[Tree]) -> int:
    words = [row for tree in trees for row in zip(tree.words, tree.lemmas, tree.upos, strict=True)]
    return sum(word != lemma for word, lemma, tag in words if tag == "ADJ")


def test_adjectives_agree_when_agreement_is_full() -> None:
    plain, full = (first_of(Lab(LabConfig(agreement=(value,)))) for value in ("verb", "full"))
    assert inflected_adjectives(plain) == 0
    assert inflected_adjectives(full) > 100


def test_domains_talk_of_different_things() -> None:
    lab = Lab(LabConfig(domains=2, domain_contrast=20.0))
    counts = [Counter(w for line in lab.text("qaa", 2_000, domain=d) for w in line.split()) for d in (0, 1)]
    nouns = [lab.language("qaa").lexicon.lemmas[i] for i in lab.world.concepts.of("noun")[:40]]
    first, second = ([c[noun] for noun in nouns] for c in counts)
    at_home = [max(a, b) / (a + b) for a, b in zip(first, second, strict=True) if a + b > 20]
    assert sum(at_home) / len(at_home) > 0.75
