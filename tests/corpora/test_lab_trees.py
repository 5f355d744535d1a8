"""Trees are valid Universal Dependencies, whatever the grammar."""

import conllu
import pytest

from isogloss.corpora.lab import PRESETS, Lab, LabConfig, preset
from isogloss.corpora.records import Tree
from isogloss.corpora.write import conllu_block

UPOS = {
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ",
    "SYM", "VERB", "X",
}  # fmt: skip
RELATIONS = {
    "acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound", "conj", "cop",
    "csubj", "dep", "det", "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list", "mark",
    "nmod", "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "punct", "reparandum", "root", "vocative", "xcomp",
}  # fmt: skip
SUBTYPES = {"acl:relcl", "aux:pass", "nsubj:pass", "obl:agent"}
GRAMMARS = [
    LabConfig(order=("VSO",), adposition=("post",), relative=("RN",), genitive=("GN",), rigidity=(0.6,)),
    LabConfig(order=("OVS",), case=("suffix",), agreement=("full",), tense=("particle",), adjective=("NA",)),
    *(preset(name) for name in PRESETS),
]


def has_cycle(tree: Tree) -> bool:
    for start in range(1, len(tree.words) + 1):
        node, steps = start, 0
        while node and steps <= len(tree.words):
            node, steps = tree.heads[node - 1], steps + 1
        if node:
            return True
    return False


def crosses(tree: Tree) -> bool:
    arcs = [(min(i, h), max(i, h)) for i, h in enumerate(tree.heads, 1)]
    return any(a < c < b < d for a, b in arcs for c, d in arcs)


@pytest.mark.parametrize("config", GRAMMARS)
def test_every_tree_has_one_root_no_cycle_and_no_crossing_arc(config: LabConfig) -> None:
    lab = Lab(config)
    for tree in (tree for code in lab.codes[:3] for tree in lab.trees(code, 250)):
        assert tree.heads.count(0) == 1
        assert tree.relations[tree.heads.index(0)] == "root"
        assert tree.relations.count("root") == 1
        assert all(0 <= head <= len(tree.words) for head in tree.heads)
        assert not has_cycle(tree)
        assert not crosses(tree)


@pytest.mark.parametrize("config", GRAMMARS)
def test_tags_and_relations_are_universal(config: LabConfig) -> None:
    trees = Lab(config).trees("qab", 500)
    relations = {relation for tree in trees for relation in tree.relations}
    assert {tag for tree in trees for tag in tree.upos} <= UPOS
    assert {relation for relation in relations if ":" in relation} <= SUBTYPES
    assert {relation.partition(":")[0] for relation in relations} <= RELATIONS
    assert len(relations) > 15


def test_the_conllu_package_reads_what_is_written() -> None:
    trees = Lab(preset("families")).trees("qad", 200)
    parsed = conllu.parse("".join(map(conllu_block, trees)))
    assert len(parsed) == 200
    for tree, sentence in zip(trees, parsed, strict=True):
        assert tuple(token["form"] for token in sentence) == tree.words
        assert tuple(token["head"] for token in sentence) == tree.heads
        assert tuple(token["deprel"] for token in sentence) == tree.relations
        assert tuple(token["upos"] for token in sentence) == tree.upos
        assert sentence.metadata["text"] == tree.text == " ".join(tree.words)
        assert sentence.to_tree().token["deprel"] == "root"


def test_sentences_are_of_a_natural_length() -> None:
    lengths = [len(tree.words) for tree in Lab(preset("twins")).trees("qaa", 2_000)]
    assert 7 < sum(lengths) / len(lengths) < 11


def test_feats_say_what_the_endings_mark() -> None:
    config = LabConfig(case=("suffix",), agreement=("full",))
    lab = Lab(config)
    suffixes = lab.language("qaa").lexicon.suffixes
    seen = 0
    for tree in lab.trees("qaa", 500):
        for word, lemma, tag, feats in zip(tree.words, tree.lemmas, tree.upos, tree.feats, strict=True):
            if tag == "NOUN" and "Number=Plur" in feats and "Case=Nom" in feats:
                assert word == lemma + suffixes["plural"]
                seen += 1
            if tag == "VERB" and "Tense=Past" in feats and "Number=Sing" in feats:
                assert word in {lemma + suffixes["past"], lemma}
                seen += 1
    assert seen > 100


def test_entities_are_well_formed_bio_with_all_types() -> None:
    sentences = Lab(preset("families")).entities("qae", 2_000)
    tags = {tag for sentence in sentences for tag in sentence.tags}
    assert tags == {"O"} | {f"{b}-{kind}" for b in "BI" for kind in ("PER", "LOC", "ORG")}
    for sentence in sentences:
        before = "O"
        for tag in sentence.tags:
            if tag.startswith("I-"):
                assert before[2:] == tag[2:]
            before = tag
    assert 0.25 < sum(any(tag != "O" for tag in s.tags) for s in sentences) / 2_000 < 0.75
