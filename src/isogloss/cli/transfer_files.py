"""What ``isogloss transfer`` leaves beside its report: predictions and models."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import typer

from isogloss.files import make_folder
from isogloss.studies.study import default_store
from isogloss.studies.transfer.plan import TransferCondition
from isogloss.transfer.cells import MODEL, PREDICTIONS


def copy_files(conditions: Sequence[TransferCondition], out: Path, *, quiet: bool) -> None:
    """Copy what the fine-tunings left in the store to ``out``, one folder per condition, and say where it is."""
    store, copied = default_store(), []
    for condition in conditions:
        name = f"{Path(condition.model).name}-{condition.method}-seed{condition.seed}"
        folder = re.sub(r"[^\w.=-]+", "-", name)
        for kind, target in ((PREDICTIONS, "predictions"), (MODEL, "models")):
            source = store.sound_folder(condition.cell) / kind
            if source.is_dir():
                shutil.copytree(source, make_folder(out / target) / folder, dirs_exist_ok=True)
                copied.append(out / target)
    if not quiet:
        for path in dict.fromkeys(copied):
            typer.echo(f"{path}", err=True)
