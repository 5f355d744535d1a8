"""From texts to what the loop needs: tokenisers, token ids on disk, and which entries each language uses."""

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from isogloss.corpora.records import Dictionary
from isogloss.digests import digest_file, read_sealed_json, sealed_json
from isogloss.errors import IsoglossError
from isogloss.files import write_whole
from isogloss.pretrain.folders import Folders, encoder_folder
from isogloss.pretrain.masking import Words
from isogloss.pretrain.plain_text import Text, Texts
from isogloss.pretrain.recipe import Recipe
from isogloss.pretrain.tokenisers import Tokenisers, opened, word_starts
from isogloss.pretrain.tokens import Stream, is_damaged, is_written, open_stream, write_stream
from isogloss.pretrain.vocabulary import Corpus as VocabularyCorpus
from isogloss.pretrain.vocabulary import LostLettersWarning, learn
from isogloss.progress import say

PARTS = ("training", "validation")


@dataclass(frozen=True)
class Corpus:
    """Texts ready for the loop, all by language."""

    tokenisers: Tokenisers
    training: Mapping[str, Stream]
    validation: Mapping[str, Stream]
    words: Mapping[str, Words]

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self.training)

    def sizes(self) -> dict[str, int]:
        """Entries of each language's vocabulary."""
        return {language: self.tokenisers.size(language) for language in self.languages}


def prepare(recipe: Recipe, texts: Texts, folders: Folders, dictionaries: Sequence[Dictionary] = ()) -> None:
    """Learn the vocabulary and write the ids; what an earlier run of the same texts has written stays.

    For a finished run there is nothing to write; the texts must still be the same.
    """
    if not texts:
        raise IsoglossError("no language was given", remedy="give texts by language")
    read = {language: Text(language, source) for language, source in texts.items()}
    measures = {language: text.measure() for language, text in read.items()}
    contents = [(dictionary.source, dictionary.target, _name(dictionary)) for dictionary in dictionaries]
    texts_now = {language: asdict(measure) for language, measure in measures.items()}
    _remember(folders, json.dumps({"texts": texts_now, "dictionaries": contents}))
    if folders.result.is_file():
        return
    _drop_damaged(folders, list(read))
    held_out = {language: measure.held_out(recipe.data.validation) for language, measure in measures.items()}
    if not folders.vocabulary_done.exists():
        corpus = {name: partial(text.part, "training", held_out[name]) for name, text in read.items()}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", LostLettersWarning)
            found = _find_tokenisers(recipe, corpus)
        _keep_lost_letters(caught, folders)
        _write_tokenisers(found, folders)
    tokenisers = _read_tokenisers(recipe, list(read), folders)
    for language, text in read.items():
        for part in PARTS:
            path = folders.stream(language, part)
            if not is_written(path):
                rows = text.part(part, held_out[language])
                write_stream(path, rows, tokenisers.by_language[language], tokenisers.specials.separator)


def _keep_lost_letters(caught: Sequence[warnings.WarningMessage], folders: Folders) -> None:
    """Write down what the run's own warnings are to say; other warnings are given again."""
    lost = [str(one.message) for one in caught if issubclass(one.category, LostLettersWarning)]
    if lost:
        write_whole(folders.lost_letters, "\n".join(lost))
    for one in caught:
        if not issubclass(one.category, LostLettersWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def open_corpus(recipe: Recipe, languages: Sequence[str], folders: Folders) -> Corpus:
    """What ``prepare`` wrote, mapped into memory."""
    tokenisers = _read_tokenisers(recipe, languages, folders)
    training, validation = (
        {language: open_stream(folders.stream(language, part)) for language in languages} for part in PARTS
    )
    return Corpus(tokenisers, training, validation, _words(recipe, tokenisers, training))


def _name(dictionary: Dictionary) -> str:
    """A name for what a dictionary holds."""
    return hashlib.blake2b(repr((dictionary.entries, dictionary.weights)).encode(), digest_size=8).hexdigest()


def _remember(folders: Folders, measures: str) -> None:
    """A run resumes only on the texts and dictionaries it began with."""
    if folders.texts.is_file() and folders.texts.read_text(encoding="utf-8") != measures:
        raise IsoglossError(
            "the texts or dictionaries differ from those that the run in this folder started with",
            where=folders.root,
            remedy="give the same texts, name another --out, or start over with --no-resume",
        )
    write_whole(folders.texts, measures)


def _find_tokenisers(recipe: Recipe, corpus: VocabularyCorpus) -> Tokenisers:
    if recipe.model.start is None:
        return learn(recipe.vocabulary, corpus)
    return _started(recipe.model.start, list(corpus))


def _started(start: str, languages: Sequence[str]) -> Tokenisers:
    return opened({language: encoder_folder(Path(start), language) for language in languages})


def _write_tokenisers(tokenisers: Tokenisers, folders: Folders) -> None:
    if tokenisers.any_text is not None:
        write_whole(folders.tokeniser(None), tokenisers.any_text.to_str())
    for language, tokeniser in tokenisers.by_language.items():
        if tokeniser is not tokenisers.any_text:
            write_whole(folders.tokeniser(language), tokeniser.to_str())
    write_whole(folders.vocabulary_done, sealed_json(_digest_vocabulary(folders)))


def _digest_vocabulary(folders: Folders) -> dict[str, str]:
    return {path.name: digest_file(path) for path in sorted(folders.vocabulary_done.parent.glob("*.json"))}


def _drop_damaged(folders: Folders, languages: Sequence[str]) -> None:
    """Begin from the start where the vocabulary or the ids of an earlier sitting are not as they were written."""
    streams = [folders.stream(language, part) for language in languages for part in PARTS]
    spoilt = [path for path in streams if is_written(path) and is_damaged(path)]
    done = folders.vocabulary_done
    if done.exists() and read_sealed_json(done) != _digest_vocabulary(folders):
        spoilt.append(done.parent)
    if spoilt:
        say(f"{spoilt[0]}: this part of an unfinished run is damaged; the run starts again from the beginning")
        folders.clear_work()


def _read_tokenisers(recipe: Recipe, languages: Sequence[str], folders: Folders) -> Tokenisers:
    if recipe.model.start is not None:
        return _started(recipe.model.start, languages)
    path = folders.tokeniser(None)
    whole = Tokenizer.from_file(str(path)) if path.exists() else None
    by_language = {}
    for language in languages:
        own = folders.tokeniser(language)
        by_language[language] = Tokenizer.from_file(str(own)) if whole is None or own.exists() else whole
    return Tokenisers(by_language, whole)


def _words(recipe: Recipe, tokenisers: Tokenisers, streams: Mapping[str, Stream]) -> dict[str, Words]:
    """For each language the random words it may meet: all languages', or only its own (always so where ids differ)."""
    specials = tokenisers.specials
    used = {
        language: np.setdiff1d(np.flatnonzero(stream.counts(tokenisers.size(language))), specials.ids)
        for language, stream in streams.items()
    }
    together = recipe.masking.random_words == "all" and recipe.sharing.embeddings == "shared"
    everything = np.unique(np.concatenate(list(used.values())))
    return {
        language: Words(
            torch.from_numpy((everything if together else own).astype(np.int64)),
            torch.from_numpy(word_starts(tokenisers.by_language[language])),
            specials,
        )
        for language, own in used.items()
    }
