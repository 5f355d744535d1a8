"""Which files a sentence-transformers pipeline is made of."""

from pathlib import PurePosixPath
from typing import Any

from isogloss.encoders.model_files import ModelFiles
from isogloss.errors import IsoglossError

MODULES, SETTINGS = "modules.json", "config_sentence_transformers.json"
TRANSFORMER_SETTINGS = tuple(
    f"sentence_{kind}_config.json" for kind in ("bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta")
)
_PARTS = ("config.json", "model.safetensors", "pytorch_model.bin")


def pipeline_files(files: ModelFiles) -> list[str]:
    """The files that decide what a pipeline does, its transformer's aside; none where there is no pipeline."""
    modules = files.read_json(MODULES)
    if modules is None:
        return []
    folders = [str(module.get("path", "")) for module in checked_modules(modules, files)]
    parts = [f"{folder}/{name}" for folder in folders if folder for name in _PARTS]
    return [MODULES, SETTINGS, *(f"{inside(folders[0])}{name}" for name in TRANSFORMER_SETTINGS), *parts]


def checked_modules(modules: Any, files: ModelFiles) -> list[dict[str, Any]]:
    """The modules, each with its path; a list that is none, or leads out of the model, is refused."""
    where = f"{files.name}: {MODULES}"
    if (
        not isinstance(modules, list)
        or not modules
        or not all(isinstance(one, dict) and "type" in one for one in modules)
    ):
        raise IsoglossError("this is not a list of modules", where=where, remedy="save the model again")
    for module in modules:
        path = PurePosixPath(str(module.setdefault("path", "")))
        if path.is_absolute() or ".." in path.parts:
            raise IsoglossError(
                f"the path '{path}' leads out of the model", where=where, remedy="do not open this model"
            )
    return modules


def inside(folder: str) -> str:
    """What the name of a file in ``folder`` begins with."""
    return f"{folder}/" if folder else ""
