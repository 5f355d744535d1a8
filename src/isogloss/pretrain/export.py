"""The trained model as folders that AutoModel, AutoModelForMaskedLM (or ...CausalLM) and AutoTokenizer open."""

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.files import make_folder
from isogloss.pretrain.folders import Folders
from isogloss.pretrain.prepare import Corpus
from isogloss.pretrain.recipe import Recipe
from isogloss.pretrain.sharing import Paths

if TYPE_CHECKING:  # opening transformers takes longer than most of what is done without it
    from transformers import PreTrainedModel

WEIGHTS = "model.safetensors"


def export(paths: Paths, corpus: Corpus, folders: Folders, recipe: Recipe) -> None:
    """Write the model's folder and, where languages have something of their own, one folder a language.

    A model whose languages share nothing that could read any text has no root encoder: its languages' folders are it.
    """
    languages, tokenisers = corpus.languages, corpus.tokenisers
    alike = all(tokenisers.by_language[name] is tokenisers.any_text for name in languages)
    if not paths.apart:
        _save(paths[languages[0]], folders.root)
        if tokenisers.any_text is not None:
            tokenisers.save(folders.root, None, recipe)
    if alike and not paths.apart:
        return
    for language in languages:
        folder = make_folder(folders.of_language(language))
        if paths.apart:
            _save(paths[language], folder)
        else:
            for name in (WEIGHTS, "config.json"):
                link(folders.root / name, folder / name)
        tokenisers.save(folder, language, recipe)


def _save(model: "PreTrainedModel", folder: Path) -> None:
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    model.save_pretrained(folder)
    if shown:
        logging.enable_progress_bar()  # type: ignore[no-untyped-call]


def link(source: Path, target: Path) -> None:
    """The same file under a second name; a copy where the disk has no hard links."""
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
