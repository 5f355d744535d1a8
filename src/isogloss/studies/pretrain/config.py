"""The settings of a pretraining: which text, which languages, which recipe."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from isogloss.bounds import Limit, Name, Names
from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe
from isogloss.pretrain.folders import Folders
from isogloss.pretrain.pretrained import refuse_other_recipe
from isogloss.runs.config import build, read_study_files
from isogloss.runs.yaml_text import read_documents, read_settings_text
from isogloss.studies.shared.options import change

PAGE = "report"  # the page's place in the model's folder
DEMO_STEPS = {"demo": 400, "tiny": 20}


@dataclass(frozen=True)
class Config:
    """One encoder on the text of ``data`` in some languages. ``dictionaries`` (``en-de: FILE``) switch words of the
    text; an empty name is the dictionary of the data itself, which the lab has.
    """

    data: Name = "lab:families"
    languages: Names = ()  # all that the data has, unless named
    sentences: Limit | None = None  # per language; of the lab, which has no end, 60,000
    dictionaries: dict[str, str] = field(default_factory=dict)
    recipe: Recipe = field(default_factory=lambda: Recipe.preset("lab"))

    @property
    def seed(self) -> int:
        return self.recipe.seed


def configure(
    preset: str = "lab", *, recipe: Path | Recipe | None = None, settings: Mapping[str, Any] | None = None,
    languages: Sequence[str] = (), **given: Any,
) -> Config:  # fmt: skip
    """A preset or another recipe with some ``settings`` changed (``{"training.steps": 500}``), and the text to read."""
    base = Recipe.preset(preset) if recipe is None else recipe if isinstance(recipe, Recipe) else read_recipe(recipe)
    config = change(Config(), languages=tuple(languages), **given)
    return replace(config, recipe=base.changed_at(settings or {}))


def read_recipe(path: Path) -> Recipe:
    """The recipe of a file: a recipe itself, or a study file of a pretraining (what ``--print-config`` prints)."""
    if path.is_file():
        documents = read_documents(read_settings_text(path), str(path))
        if documents and isinstance(documents[0][0], dict) and "study" in documents[0][0]:
            (file, *_) = read_study_files(path)
            return build(Config, file.settings, file.lines, file.path).recipe
    return Recipe.load(path)


def check_folder(out: Path, config: Config) -> None:
    """An error where the folder for the model holds one of another recipe or of other texts."""
    refuse_other_recipe(Folders(out), config.recipe)
    page = out / PAGE / "study.yaml"
    if Folders(out).result.is_file() and page.is_file():
        (file,) = read_study_files(page)
        held = build(Config, file.settings, file.lines, file.path)
        names = ("data", "languages", "sentences", "dictionaries")
        different = [name for name in names if getattr(held, name) != getattr(config, name)]
        if different:
            raise IsoglossError(
                f"this folder holds a model of other texts: {', '.join(different)}",
                where=out,
                remedy="name another --out, or replace it with --no-resume",
            )


def demo(seed: int = 0, size: str = "demo") -> Config:
    """Small enough for a demo: two constructed languages, a short training."""
    steps = DEMO_STEPS[size]
    short = {"seed": seed, "training.steps": steps, "training.warmup": max(1, steps // 20)}
    return configure(data=f"lab:twins:{seed}", sentences=40 * steps, settings=short)
