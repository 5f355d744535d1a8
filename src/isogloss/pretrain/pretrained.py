"""A finished pretraining: the record that it leaves beside its model."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from isogloss.digests import DamagedError, read_sealed_json
from isogloss.errors import IsoglossError, unknown_name
from isogloss.pretrain.folders import Folders, encoder_folder
from isogloss.pretrain.recipe import Recipe
from isogloss.pretrain.statistics import VocabularyUse

FREE = {  # a run may be resumed with others: they change no result, but for the rounding of another device
    f"training.{name}" for name in ("device", "save_every", "log_every", "tensorboard")
}


@dataclass(frozen=True)
class Pretrained:
    """A finished run. ``folder`` is what AutoModel opens; ``encoder(language)`` is right for every sharing."""

    folder: Path
    languages: tuple[str, ...]
    perplexities: Mapping[str, float]
    steps: int
    tokens: int
    seconds: float
    history: Path
    warnings: tuple[str, ...] = ()
    best_step: int = 0
    vocabulary: tuple[VocabularyUse, ...] = ()

    def encoder(self, language: str) -> Path:
        """The plain encoder folder (model and tokeniser) for a language's text."""
        if language not in self.languages:
            raise unknown_name("language", language, self.languages, where=self.folder)
        return encoder_folder(self.folder, language)

    def summary(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {**asdict(self), "folder": str(self.folder), "history": str(self.history)}

    @staticmethod
    def load(folder: Path) -> "Pretrained":
        """Read the record that a finished run left."""
        path = Folders(folder).result
        if not path.is_file():
            raise IsoglossError("no finished pretraining here", where=folder, remedy="run isogloss pretrain")
        content = read_sealed_json(path) or _before_digests(path)
        return Pretrained(
            folder=folder,
            history=Folders(folder).history,
            languages=tuple(content.pop("languages")),
            warnings=tuple(content.pop("warnings")),
            vocabulary=tuple(VocabularyUse(**row) for row in content.pop("vocabulary")),
            **content,
        )


def _before_digests(path: Path) -> dict[str, Any]:
    """The record of an earlier release, which has no digest; any other is damaged."""
    try:
        content = json.loads(path.read_bytes())
    except ValueError:
        content = None
    if not isinstance(content, dict) or not {"languages", "perplexities"} <= set(content):
        raise DamagedError(
            "the record of this pretraining is damaged",
            where=path,
            remedy="delete this file and run the same command again, or begin from the start with --no-resume",
        )
    return content


def refuse_other_recipe(folders: Folders, recipe: Recipe) -> None:
    """An error where the folder holds a run of another recipe."""
    if not folders.recipe.is_file():
        return
    different = [name for name in recipe.differences(Recipe.load(folders.recipe)) if name not in FREE]
    if different:
        raise IsoglossError(
            f"this folder holds a run with other settings: {', '.join(different)}",
            where=folders.root,
            remedy="name another --out, or start over with --no-resume",
        )
