"""What ``isogloss transfer`` leaves beside its report: predictions, models, and how its options are read."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from isogloss.errors import IsoglossError
from isogloss.files import make_folder
from isogloss.runs.yaml_text import read_value
from isogloss.studies.study import default_store
from isogloss.studies.transfer import Config, conditions
from isogloss.transfer.cells import MODEL, PREDICTIONS


def read_pairs(pieces: Sequence[str], option: str) -> dict[str, Any]:
    """``["batch=16", "long=cut"]`` as settings; values are read as YAML (numbers, true, null, text)."""
    pairs = {}
    for piece in pieces:
        name, equals, value = piece.partition("=")
        if not equals:
            raise IsoglossError(f"'{piece}' is not understood", where=option, remedy=f"as in {option} batch=16")
        pairs[name.strip().replace("-", "_")] = _number(read_value(value, option))
    return pairs


def _number(value: Any) -> Any:
    """YAML 1.1 reads 3e-5 as text; people mean a number."""
    if isinstance(value, str) and re.fullmatch(r"[+-]?\d+(\.\d*)?[eE][+-]?\d+", value):
        return float(value)
    return value


def copy_files(config: Config, out: Path, *, quiet: bool) -> None:
    """Copy what the fine-tunings left in the store to ``out``, one folder a condition, and say where it is."""
    store, copied = default_store(), []
    for condition in conditions(config):
        name = f"{Path(condition.model).name}-{condition.method}-seed{condition.seed}"
        folder = re.sub(r"[^\w.=-]+", "-", name)
        for kind, target in ((PREDICTIONS, "predictions"), (MODEL, "models")):
            source = store.folder(condition.cell) / kind
            if source.is_dir():
                shutil.copytree(source, make_folder(out / target) / folder, dirs_exist_ok=True)
                copied.append(out / target)
    if not quiet:
        for path in dict.fromkeys(copied):
            typer.echo(f"{path}", err=True)
