"""Words of running text, vectors from their company, and word alignments by a program that is installed."""

import stat
from pathlib import Path

import numpy as np
import pytest

from isogloss.corpora.distributional import cooccurrences, factorise, ppmi, ppmi_vectors
from isogloss.corpora.word_aligner import align_words, find_aligner
from isogloss.corpora.words import split_words
from isogloss.errors import IsoglossError
from isogloss.geometry import cosine

# Aligns word n with word n; in reverse it leaves the first word out, so that only the links of both runs stay.
DIAGONAL = """#!/usr/bin/env python3
import sys
name = sys.argv[sys.argv.index("-i") + 1]
for line in open(name, encoding="utf-8"):
    first, second = (side.split() for side in line.split("|||"))
    size = min(len(first), len(second))
    start = 1 if "-r" in sys.argv else 0
    print(" ".join(f"{n}-{n}" for n in range(start, size)))
"""


def install(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(script, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with Python and no aligner."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


def test_punctuation_stands_apart_and_marks_inside_a_word_stay() -> None:
    assert split_words("(Ja, l'eau co-op.) …") == ["(", "Ja", ",", "l'eau", "co-op", ".", ")", "…"]
    assert split_words("हिन्दी भाषा।") == ["हिन्दी", "भाषा", "।"]


def test_links_that_both_directions_have_are_kept(programs: Path) -> None:
    install(programs, "fast_align", DIAGONAL)
    (found,) = align_words([["a b", "|||", "c"]], [["x", "y"]])
    assert found.first == ("a b", "|||", "c")  # blanks and bars of a word do not shift the others
    assert found.sure == frozenset({(1, 1)})


def test_a_missing_aligner_is_named_with_what_to_do(programs: Path) -> None:
    with pytest.raises(IsoglossError, match="no word aligner is installed") as caught:
        find_aligner()
    assert "isogloss[align]" in str(caught.value) and "--alignments" in str(caught.value)
    with pytest.raises(IsoglossError, match="did you mean 'fast_align'"):
        find_aligner("fastalign")


def test_an_aligner_that_fails_says_why(programs: Path) -> None:
    install(programs, "fast_align", "#!/bin/sh\necho out of luck >&2\nexit 3\n")
    with pytest.raises(IsoglossError, match="out of luck"):
        align_words([["a"]], [["x"]], "fast_align")
    install(programs, "fast_align", "#!/bin/sh\necho 0-0\n")
    with pytest.raises(IsoglossError, match="1 lines of links for 2 sentences"):
        align_words([["a"], ["b"]], [["x"], ["y"]], "fast_align")


def test_cooccurrences_count_near_words_more_and_stop_at_the_sentence_s_end() -> None:
    found = cooccurrences([["a", "b", "c"], ["c"]], ["a", "b", "c"], window=2).toarray()
    assert np.allclose(found, [[0, 1, 0.5], [1, 0, 1], [0.5, 1, 0]])


def test_ppmi_is_the_formula_written_out() -> None:
    counts = np.array([[0.0, 4, 1], [4, 0, 1], [1, 1, 2]])
    smooth = counts.sum(axis=0) ** 0.75
    expected = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            if counts[i, j]:
                chance = counts.sum(axis=1)[i] / counts.sum() * smooth[j] / smooth.sum()
                expected[i, j] = max(0.0, np.log(counts[i, j] / counts.sum() / chance))
    from scipy.sparse import csr_matrix

    found = ppmi(csr_matrix(counts))
    assert np.allclose(found.toarray(), expected)
    vectors = factorise(found, 3)
    assert np.allclose((vectors**2).sum(), np.linalg.svd(expected)[1].sum())


def test_words_of_like_company_have_like_vectors() -> None:
    rng = np.random.default_rng(0)
    animals, tools, verbs, uses = (
        ["cat", "dog"],
        ["saw", "axe"],
        ["eats", "sleeps", "runs"],
        ["cuts", "rusts", "breaks"],
    )
    sentences = [
        ["the", str(rng.choice(nouns)), str(rng.choice(actions))]
        for nouns, actions in ((animals, verbs), (tools, uses))
        for _ in range(300)
    ]
    found = ppmi_vectors(sentences, size=4)
    place = {word: number for number, word in enumerate(found.words)}
    assert found.words[0] == "the" and found.vectors.shape == (11, 4)
    alike = cosine(found.vectors, found.vectors)
    assert alike[place["cat"], place["dog"]] > 0.9 > 0.5 > alike[place["cat"], place["axe"]]
    assert np.array_equal(found.vectors, ppmi_vectors(sentences, size=4).vectors)


def test_too_little_text_for_vectors_is_refused() -> None:
    with pytest.raises(IsoglossError, match="too few for vectors"):
        ppmi_vectors([["one", "two"]])
