"""Pretraining as cells: plain text of one or more languages in, an encoder folder out; and encoders trained apart."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from isogloss.corpora import load_corpus, load_dictionary
from isogloss.corpora.labdata import is_lab
from isogloss.corpora.records import Dictionary
from isogloss.digests import require_revision
from isogloss.files import make_folder
from isogloss.pretrain import Recipe
from isogloss.pretrain.folders import Folders, encoder_folder
from isogloss.pretrain.plain_text import Source
from isogloss.runs import Bench, Cell
from isogloss.runs.cells import ADDED_LATER
from isogloss.transfer import Data, find_data

NOT_MODEL = {"pretrained.json"}  # lies beside a model and is no part of it


@dataclass(frozen=True)
class PretrainingRecord:
    """What a finished pretraining says of itself; the model is the cell's folder."""

    steps: int
    seconds: float
    perplexity: dict[str, float]
    anchors: dict[str, float]  # share of a language's running text whose entries other languages have too
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Words:
    """A dictionary as a cell's input; ``revision`` is a hash of its entries."""

    name: str
    source: str
    target: str
    revision: str = ""

    def read(self) -> Dictionary:
        found = load_dictionary(self.name, self.source, self.target)
        require_revision(found.revision, self.revision, self.name)
        return found

    def describe(self) -> str:
        return f"{self.name} {self.source}-{self.target}"


@dataclass(frozen=True)
class Pretraining(Cell[PretrainingRecord]):
    """Pretrain an encoder on ``texts``, one per language; ``dictionaries`` switch words of the training text.

    ``called``: what the languages are called in the encoder, where one text serves two of them.
    """

    name: ClassVar[str] = "pretraining"
    record: ClassVar[type] = PretrainingRecord
    recipe: Recipe = field(default_factory=Recipe)
    texts: tuple[Data, ...] = ()
    dictionaries: tuple[Words, ...] = ()
    called: tuple[str, ...] = field(default=(), metadata=ADDED_LATER)

    @property
    def languages(self) -> tuple[str, ...]:
        return self.called or tuple(text.language for text in self.texts)

    def label(self) -> str:
        return f"pretraining on {' and '.join(self.languages)}, seed {self.recipe.seed}"

    def run(self, bench: Bench) -> PretrainingRecord:
        from isogloss.pretrain import pretrain

        texts = {code: sentences_of(text) for code, text in zip(self.languages, self.texts, strict=True)}
        dictionaries = [words.read() for words in self.dictionaries]
        done = pretrain(self.recipe, texts, bench.workspace, dictionaries=dictionaries)
        anchors = {use.language: use.anchors for use in done.vocabulary}
        return PretrainingRecord(done.steps, done.seconds, dict(done.perplexities), anchors, done.warnings)


@dataclass(frozen=True)
class Apart(Cell[PretrainingRecord]):
    """Encoders trained apart, laid beside each other as one model whose languages share nothing at all."""

    name: ClassVar[str] = "apart"
    record: ClassVar[type] = PretrainingRecord
    parts: tuple[Pretraining, ...] = ()

    @property
    def recipe(self) -> Recipe:
        return self.parts[0].recipe

    def label(self) -> str:
        return f"{' and '.join(code for part in self.parts for code in part.languages)} apart"

    def run(self, bench: Bench) -> PretrainingRecord:
        folders = Folders(bench.workspace)
        for part in self.parts:
            for language in part.languages:
                copy_model(encoder_folder(bench.folder(part), language), folders.of_language(language))
        shutil.copyfile(Folders(bench.folder(self.parts[0])).recipe, folders.recipe)
        found = [bench.result(part) for part in self.parts]
        return PretrainingRecord(
            steps=sum(one.steps for one in found),
            seconds=sum(one.seconds for one in found),
            perplexity={code: value for one in found for code, value in one.perplexity.items()},
            anchors={code: 0.0 for one in found for code in one.perplexity},
            warnings=tuple(warning for one in found for warning in one.warnings),
        )


def find_recipe(name: str, changes: Mapping[str, Any]) -> Recipe:
    """The recipe of a preset or of a YAML file with some settings changed: ``{"training.steps": 1000}``."""
    file = Path(name).expanduser()
    base = Recipe.load(file) if file.suffix in {".yaml", ".yml"} else Recipe.preset(name)
    return base.changed_at(changes)


def find_text(name: str, language: str, limit: int | None, part: str | None = None) -> Data:
    """Plain text of a language as a cell's input; of the lab's, the training part unless another is named."""
    return find_data(name, "text", language, ("train" if is_lab(name) else "") if part is None else part, limit)


def sentences_of(text: Data) -> Source:
    """A language's sentences: streamed from files as often as they are wanted; the lab's are made once."""
    corpus = load_corpus(text.name, text.kind, [text.language], text.part or None, text.limit)

    def start() -> Iterator[str]:
        with text.unchanged(corpus):
            yield from (sentence.text for sentence in corpus.stream(text.language))

    return list(start()) if is_lab(text.name) else start


def copy_model(source: Path, target: Path) -> None:
    """Copy weights, config and tokeniser, and nothing else that lies in a model's folder."""
    make_folder(target)
    for path in sorted(source.iterdir()):
        if path.suffix in {".json", ".safetensors"} and path.name not in NOT_MODEL:
            shutil.copyfile(path, target / path.name)
