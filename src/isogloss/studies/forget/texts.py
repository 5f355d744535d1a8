"""The text on which languages are told apart: rows to learn from, and other rows to test on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from isogloss.corpora import load_corpus
from isogloss.corpora.catalog import TEXT
from isogloss.corpora.corpus import part_name
from isogloss.errors import IsoglossError
from isogloss.languages import language
from isogloss.studies.forget.config import Config
from isogloss.transfer import Data, find_data


@dataclass(frozen=True)
class Texts:
    """The same languages twice."""

    train: tuple[Data, ...]
    tests: tuple[Data, ...]


def find_texts(config: Config, tested: Sequence[str]) -> Texts:
    """The text in the languages named, or in those of the tests that it has."""
    corpus = load_corpus(config.texts, TEXT)
    shared = [code for code in dict.fromkeys(tested) if code in corpus.languages]
    languages = tuple(dict.fromkeys(language(code).code for code in config.text_languages)) or tuple(shared)
    if len(languages) < 2:
        raise IsoglossError(
            f"this text has {len(languages)} of the tested languages ({', '.join(dict.fromkeys(tested))})",
            where=config.texts,
            remedy="name text in two or more of them (--texts), or its languages (--text-languages)",
        )
    if corpus.parts == ("",) and part_name(config.text_part) == "train":
        return _cut_rows(config, languages)
    return Texts(
        _part(config.texts, languages, config.text_part, config.text_limit),
        _part(config.texts, languages, config.text_test_part, config.text_test_limit),
    )


def _part(name: str, languages: Sequence[str], part: str, limit: int) -> tuple[Data, ...]:
    return tuple(find_data(name, "text", code, part, limit) for code in languages)


def _cut_rows(config: Config, languages: Sequence[str]) -> Texts:
    """Text without parts: the first rows of each language to learn from, the next ones to test on."""
    end = config.text_limit + config.text_test_limit
    whole = [find_data(config.texts, "text", code, f"[:{end}]") for code in languages]
    for data in whole:
        if (size := len(data.read())) <= config.text_limit:
            raise IsoglossError(
                f"only {size:,} texts in '{data.language}', none is left to test on",
                where=config.texts,
                remedy=f"learn from fewer: --text-limit {max(1, size * 4 // 5)}",
            )
    return Texts(
        tuple(replace(data, part=f"[:{config.text_limit}]") for data in whole),
        tuple(replace(data, part=f"[{config.text_limit}:{end}]") for data in whole),
    )
