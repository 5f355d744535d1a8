"""Training text never repeats test meanings and is never parallel; the same seed gives the same bytes."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.corpora.lab import PRESETS, Lab, LabConfig, preset
from isogloss.corpora.lab.chance import Stream
from isogloss.corpora.lab.habits import draw
from isogloss.corpora.lab.meanings import PARTS
from isogloss.corpora.write import conllu_block
from isogloss.errors import IsoglossError


def sample(seed: int) -> str:
    """A little of everything the lab makes, as one text."""
    lab = Lab(preset("families", seed))
    lines = [line for code in lab.codes for line in lab.text(code, 40)]
    lines += map(conllu_block, lab.trees("qab", 20, "validation"))
    lines += map(str, lab.entities("qac", 20, "test"))
    lines += [
        line for pool in ("natural", "hard") for rows in lab.parallel(20, pool=pool).texts.values() for line in rows
    ]
    lines += [f"{p.first} {p.second} {p.label}" for p in lab.nli("qad", 30) + lab.paraphrases("qae", 30, "test")]
    lines += map(str, lab.dictionary("qaa", "qaf").entries)
    lines += map(str, lab.features())
    return "\n".join(lines)


def digest(seed: int) -> str:
    return hashlib.sha256(sample(seed).encode()).hexdigest()[:16]


def test_the_bytes_are_those_of_every_other_machine() -> None:
    assert digest(0) == "ecc2b13317bfe7f2"


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_another_process_with_another_hash_seed_says_the_same(hash_seed: str) -> None:
    code = "import test_lab_parts as tests; print(tests.digest(5))"
    here = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parent)}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | here, capture_output=True, text=True, check=True
    )
    assert ran.stdout == digest(5) + "\n"


def test_another_seed_says_something_else() -> None:
    assert digest(0) != digest(1)


@pytest.mark.parametrize("name", PRESETS)
def test_no_test_sentence_occurs_in_training_text_of_its_language(name: str) -> None:
    lab = Lab(preset(name))
    for code in lab.codes[:2]:
        train = set(lab.text(code, 8_000))
        held_out = {
            *lab.text(code, 500, "test"),
            *lab.text(code, 500, "validation"),
            *lab.parallel(500).texts[code],
            *lab.parallel(500, pool="hard").texts[code],
            *(tree.text for tree in lab.trees(code, 500, "test")),
            *(" ".join(sentence.words) for sentence in lab.entities(code, 500, "test")),
            *(text for pair in lab.nli(code, 300, "test") for text in (pair.first, pair.second)),
            *(text for pair in lab.paraphrases(code, 300, "test") for text in (pair.first, pair.second)),
        }
        assert len(held_out) > 2_000
        assert not train & held_out


def test_the_parts_of_all_languages_are_disjoint_bags_of_concepts() -> None:
    lab = Lab(preset("families"))
    concepts = lab.world.concepts
    meanings = draw(lab.world, Stream(0, "any"), 20_000)
    parts, bags = meanings.parts(concepts), meanings.bags(concepts)
    groups = [set(bags[parts == part].tolist()) for part in range(len(PARTS))]
    assert not groups[0] & groups[1]
    assert not groups[0] & groups[2]
    assert not groups[1] & groups[2]
    assert [np.mean(parts == part) for part in range(3)] == pytest.approx([0.8, 0.1, 0.1], abs=0.02)


def test_a_meaning_and_its_role_swap_and_passive_belong_to_the_same_part() -> None:
    lab = Lab(preset("twins"))
    pairs = lab.meaning_pairs("paraphrase", 200, "test", "qaa")
    concepts = lab.world.concepts
    assert (pairs.first.bags(concepts) == pairs.second.bags(concepts)).all()


def test_training_text_is_not_parallel() -> None:
    lab = Lab(preset("twins"))
    trees = {code: lab.trees(code, 2_000) for code in lab.codes}
    words = dict(lab.dictionary("qaa", "qab", forms=True).entries)
    translated = {" ".join(words.get(word, word) for word in tree.words[:-1]) for tree in trees["qaa"]}
    others = [" ".join(tree.words[:-1]) for tree in trees["qab"]]
    long = [line for line in others if len(line.split()) > 7]
    assert np.mean([line in translated for line in long]) < 0.01
    same_row = [a.upos == b.upos for a, b in zip(trees["qaa"], trees["qab"], strict=True)]
    assert np.mean(same_row) < 0.1


def test_a_longer_text_begins_with_the_shorter_one() -> None:
    lab = Lab(preset("twins"))
    assert lab.text("qaa", 20_000)[:100] == lab.text("qaa", 100)
    assert lab.trees("qaa", 30, "test") == lab.trees("qaa", 60, "test")[:30]
    assert lab.nli("qaa", 60)[:30] == lab.nli("qaa", 30)
    assert lab.parallel(50).texts["qaa"] == lab.parallel(80).texts["qaa"][:50]


def test_noise_leaves_parallel_text_alone_and_longer_texts_begin_like_shorter_ones() -> None:
    lab, noisy = Lab(preset("twins")), Lab(replace(preset("twins"), noise=0.5))
    assert lab.parallel(30) == noisy.parallel(30)
    assert noisy.text("qaa", 6_000)[:50] == noisy.text("qaa", 50)


def test_a_world_too_small_for_a_part_says_so() -> None:
    tiny = Lab(LabConfig(lexicon=60))
    assert len(tiny.text("qaa", 50, "test")) == 50
    with pytest.raises(IsoglossError, match="too few different meanings"):
        tiny.parallel(1_000_000, part="validation", pool="hard")
