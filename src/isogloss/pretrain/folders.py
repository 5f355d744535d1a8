"""Where a run keeps what: the folder that ``AutoModel`` opens, and the work beside it."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from isogloss.encoders.model_folder import LANGUAGES


def encoder_folder(root: Path, language: str) -> Path:
    """The encoder folder for a language's text: its own path where it has one, otherwise the model's folder."""
    own = root / LANGUAGES / language
    return own if (own / "config.json").is_file() else root


@dataclass(frozen=True)
class Folders:
    """The files of one run under its output folder."""

    root: Path

    @property
    def recipe(self) -> Path:
        return self.root / "recipe.yaml"

    @property
    def result(self) -> Path:
        return self.root / "pretrained.json"

    @property
    def history(self) -> Path:
        return self.root / "history.csv"

    @property
    def validation(self) -> Path:
        return self.root / "validation.csv"

    @property
    def health(self) -> Path:
        return self.root / "health.csv"

    @property
    def histories(self) -> tuple[Path, ...]:
        """The files that grow while it trains."""
        return self.history, self.validation, self.health

    @property
    def threads(self) -> Path:
        return self.work / "threads.json"

    @property
    def tensorboard(self) -> Path:
        return self.root / "tensorboard"

    @property
    def work(self) -> Path:
        return self.root / "work"

    @property
    def checkpoints(self) -> Path:
        return self.work / "checkpoints"

    @property
    def texts(self) -> Path:
        return self.work / "texts.json"

    def tokeniser(self, language: str | None) -> Path:
        """The vocabulary of a language, or the one for any text."""
        return self.work / "vocabulary" / ("any.json" if language is None else f"language-{language}.json")

    @property
    def vocabulary_done(self) -> Path:
        return self.work / "vocabulary" / "done"

    @property
    def lost_letters(self) -> Path:
        """Which characters have no room in the vocabulary, in words; absent where all have."""
        return self.work / "vocabulary" / "lost-letters.txt"

    def stream(self, language: str, part: str) -> Path:
        """A language's token ids for training or validation."""
        return self.work / "tokens" / f"{language}.{part}"

    def of_language(self, language: str) -> Path:
        return self.root / LANGUAGES / language

    def clear_work(self) -> None:
        """Drop what only an unfinished run needs; how to know its texts again stays."""
        for folder in (self.checkpoints, self.work / "tokens", self.work / "vocabulary"):
            shutil.rmtree(folder, ignore_errors=True)

    def clear(self) -> None:
        """Forget an earlier run, and nothing else that may lie in the folder."""
        for folder in (self.work, self.tensorboard, self.root / LANGUAGES):
            shutil.rmtree(folder, ignore_errors=True)
        for file in (self.result, self.recipe, *self.histories):
            file.unlink(missing_ok=True)
