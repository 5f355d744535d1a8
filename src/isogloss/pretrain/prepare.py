"""From texts to what the loop needs: tokenisers, token ids on disk, and which entries each language uses."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from isogloss.errors import IsoglossError
from isogloss.files import write_whole
from isogloss.pretrain import texts as plain
from isogloss.pretrain.folders import Folders, encoder_folder
from isogloss.pretrain.masking import Words
from isogloss.pretrain.recipe import Recipe
from isogloss.pretrain.texts import Texts
from isogloss.pretrain.tokenisers import Tokenisers, opened, word_starts
from isogloss.pretrain.tokens import Stream, is_written, open_stream, write_stream
from isogloss.pretrain.vocabulary import learn


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


def prepare(recipe: Recipe, texts: Texts, folders: Folders) -> Corpus:
    """Learn the vocabulary and write the ids, or take up what an earlier run of the same recipe has written."""
    parts = _parts(recipe, texts)
    tokenisers = _tokenisers(recipe, {language: part["training"] for language, part in parts.items()}, folders)
    streams: dict[str, dict[str, Stream]] = {"training": {}, "validation": {}}
    for language, part in parts.items():
        for name, start in part.items():
            path = folders.stream(language, name)
            streams[name][language] = (
                open_stream(path)
                if is_written(path)
                else write_stream(path, start(), tokenisers.by_language[language], tokenisers.specials.separator)
            )
    words = _words(recipe, tokenisers, streams["training"])
    return Corpus(tokenisers, streams["training"], streams["validation"], words)


Start = Callable[[], Iterator[str]]


def _parts(recipe: Recipe, texts: Texts) -> dict[str, dict[str, Start]]:
    sizes, wanted = plain.count(texts), recipe.data.validation
    return {
        language: {
            "training": partial(plain.training, language, source, sizes[language], wanted),
            "validation": partial(plain.validation, language, source, sizes[language], wanted),
        }
        for language, source in texts.items()
    }


def _tokenisers(recipe: Recipe, corpus: Mapping[str, Start], folders: Folders) -> Tokenisers:
    if recipe.model.start is not None:
        root = Path(recipe.model.start)
        return opened({language: encoder_folder(root, language) for language in corpus})
    if folders.vocabulary_done.exists():
        return _read_tokenisers(list(corpus), folders)
    tokenisers = learn(recipe.vocabulary, corpus)
    if tokenisers.any_text is not None:
        write_whole(folders.tokeniser(None), tokenisers.any_text.to_str())
    for language, tokeniser in tokenisers.by_language.items():
        if tokeniser is not tokenisers.any_text:
            write_whole(folders.tokeniser(language), tokeniser.to_str())
    write_whole(folders.vocabulary_done, "")
    return tokenisers


def _read_tokenisers(languages: list[str], folders: Folders) -> Tokenisers:
    whole = _read_tokeniser(folders.tokeniser(None))
    by_language = {language: _read_tokeniser(folders.tokeniser(language)) or whole for language in languages}
    for language, tokeniser in by_language.items():
        if tokeniser is None:
            raise IsoglossError(
                f"no vocabulary for language '{language}' from the earlier run",
                where=folders.root,
                remedy="begin anew with --no-resume",
            )
    return Tokenisers({language: tokeniser for language, tokeniser in by_language.items() if tokeniser}, whole)


def _read_tokeniser(path: Path) -> Tokenizer | None:
    return Tokenizer.from_file(str(path)) if path.exists() else None


def _words(recipe: Recipe, tokenisers: Tokenisers, streams: Mapping[str, Stream]) -> dict[str, Words]:
    """For each language the random words it may meet: all languages', or only its own (always so where ids differ)."""
    specials = tokenisers.specials
    hidden = np.array([specials.pad, specials.unknown, specials.start, specials.separator, specials.mask])
    used = {language: np.setdiff1d(np.unique(stream.ids), hidden) for language, stream in streams.items()}
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
