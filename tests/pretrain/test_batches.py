"""Batches: languages by size^alpha, rows of one language and length, all a function of seed and step."""

import hashlib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from isogloss.pretrain import Recipe
from isogloss.pretrain.batches import Buckets, Sampler, language_shares
from isogloss.pretrain.folders import Folders
from isogloss.pretrain.prepare import Corpus, open_corpus, prepare

Texts = dict[str, list[str]]


def prepared(recipe: Recipe, texts: Texts, folder: Path) -> Corpus:
    prepare(recipe, texts, Folders(folder))
    return open_corpus(recipe, list(texts), Folders(folder))


def test_alpha_flattens_the_languages_shares() -> None:
    assert language_shares({"a": 1, "b": 16}, 0.0) == {"a": 0.5, "b": 0.5}
    assert language_shares({"a": 1, "b": 16}, 0.5) == {"a": 0.2, "b": 0.8}
    assert language_shares({"a": 1, "b": 15}, 1.0)["b"] == pytest.approx(15 / 16)


def test_languages_are_drawn_by_their_shares(two_languages: Texts, tiny_recipe: Recipe, out: Path) -> None:
    texts = {"qaa": two_languages["qaa"], "qab": two_languages["qab"][:75]}
    sampler = Sampler(
        prepared(tiny_recipe.changed(data={"alpha": 0.5}), texts, out), tiny_recipe.changed(data={"alpha": 0.5})
    )
    drawn = Counter(sampler.draw(step)[0] for step in range(1500))
    assert drawn["qaa"] / 1500 == pytest.approx(2 / 3, abs=0.05)


@pytest.mark.parametrize("layout", ["stream", "sentences"])
def test_a_step_is_the_same_whenever_it_is_drawn(
    two_languages: Texts, tiny_recipe: Recipe, out: Path, layout: str
) -> None:
    recipe = tiny_recipe.changed(data={"layout": layout})
    corpus = prepared(recipe, two_languages, out)
    first, second = Sampler(corpus, recipe), Sampler(corpus, recipe)
    _ = [second.draw(step) for step in range(5)]
    assert first.draw(9)[0] == second.draw(9)[0]
    assert np.array_equal(first.draw(9)[1], second.draw(9)[1])
    assert not np.array_equal(first.draw(9)[1], first.draw(10)[1])


def test_streams_have_a_fixed_length_and_are_running_text(two_languages: Texts, tiny_recipe: Recipe, out: Path) -> None:
    recipe = tiny_recipe.changed(data={"layout": "stream", "length": 16})
    corpus = prepared(recipe, two_languages, out)
    language, rows = Sampler(corpus, recipe).draw(1)
    assert rows.shape == (128 // 16, 16)
    assert (rows[:, 0] == 2).all()
    whole = corpus.training[language].ids.astype(np.int64)
    text = np.concatenate([whole, whole]).tobytes()
    assert all(row[1:].tobytes() in text for row in rows)


def test_sentence_rows_are_whole_sentences_of_one_length(two_languages: Texts, tiny_recipe: Recipe, out: Path) -> None:
    corpus = prepared(tiny_recipe, two_languages, out)
    language, rows = Sampler(corpus, tiny_recipe).draw(3)
    tokeniser = corpus.tokenisers.by_language[language]
    assert (rows[:, 0] == 2).all() and (rows[:, -1] == 3).all()
    for row in rows:
        assert tokeniser.decode(row.tolist()) in two_languages[language]
    assert abs(rows.size - 128) < rows.shape[1]


def test_long_sentences_are_cut_and_still_end_in_a_separator(
    two_languages: Texts, tiny_recipe: Recipe, out: Path
) -> None:
    recipe = tiny_recipe.changed(data={"length": 6})
    corpus = prepared(recipe, two_languages, out)
    buckets = Buckets.of(corpus.training["qaa"], 6)
    assert buckets.lengths.tolist() == [6]
    _, rows = Sampler(corpus, recipe).draw(1)
    assert rows.shape[1] == 6 and (rows[:, -1] == 3).all()


@pytest.mark.parametrize(("layout", "digest"), [("stream", "211ec2e27dbe14e8"), ("sentences", "ce0e272b61ccccfa")])
def test_the_batches_of_published_runs_stay_as_they_were(
    two_languages: Texts, tiny_recipe: Recipe, out: Path, layout: str, digest: str
) -> None:
    """Literals of the release before rows of two sentences: if they change, every published encoder does."""
    recipe = tiny_recipe.changed(data={"layout": layout})
    sampler = Sampler(prepared(recipe, two_languages, out), recipe)
    found = hashlib.sha256()
    for language, rows in (sampler.draw(step, number) for step in range(1, 21) for number in range(2)):
        found.update(language.encode() + str(rows.shape).encode() + rows.tobytes())
    assert found.hexdigest()[:16] == digest


def test_rows_of_two_sentences_are_two_whole_sentences(two_languages: Texts, tiny_recipe: Recipe, out: Path) -> None:
    recipe = tiny_recipe.changed(data={"pairs": 1.0, "length": 60, "draws": 1})
    corpus = prepared(recipe, two_languages, out)
    language, rows = Sampler(corpus, recipe).draw(1)
    tokeniser = corpus.tokenisers.by_language[language]
    assert abs(rows.size - 256) < rows.shape[1]
    for row in rows:
        assert (row == 2).sum() == 1 and (row == 3).sum() == 2 and row[-1] == 3
        middle = int(np.flatnonzero(row == 3)[0])
        for part in (row[:middle], row[middle:]):
            assert tokeniser.decode(part.tolist()) in two_languages[language]


def test_pairs_are_a_share_of_the_batches_and_fit_the_model(
    two_languages: Texts, tiny_recipe: Recipe, out: Path
) -> None:
    recipe = tiny_recipe.changed(data={"pairs": 0.4, "length": 40, "draws": 1})
    corpus = prepared(recipe, two_languages, out)
    single = max(int(Buckets.of(stream, 99).lengths.max()) for stream in corpus.training.values())
    assert single < 40
    batches = [Sampler(corpus, recipe).draw(step)[1] for step in range(400)]
    assert np.mean([(rows == 3).sum() == 2 * len(rows) for rows in batches]) == pytest.approx(0.4, abs=0.07)
    assert all((rows[:, -1] == 3).all() for rows in batches)
    assert max(rows.shape[1] for rows in batches) == 40
    assert all(rows.flags.c_contiguous for rows in batches)  # masking counts through the flattened rows


def test_repeats_are_a_share_of_the_pairs_and_say_the_same_twice(
    two_languages: Texts, tiny_recipe: Recipe, out: Path
) -> None:
    recipe = tiny_recipe.changed(data={"pairs": 1.0, "repeats": 0.4, "length": 99, "draws": 1})
    sampler = Sampler(prepared(recipe, two_languages, out), recipe)
    batches = [sampler.draw(step)[1] for step in range(300)]
    halves = [np.split(rows[:, 1:], 2, axis=1) for rows in batches if rows.shape[1] % 2]
    same = sum(np.array_equal(first, second) for first, second in halves)
    assert same / len(batches) == pytest.approx(0.4, abs=0.08)
