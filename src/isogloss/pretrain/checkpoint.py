"""Checkpoints that are whole or absent: tensors as safetensors, the rest as JSON, no pickle; each with its digest.

Rows, masks and dropout are functions of the seed and the step, so these two are the random state and the data position.
"""

import os
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.optim import AdamW

from isogloss.digests import SEALED, DamagedError, is_sealed, read_sealed_json, seal_file, sealed_json
from isogloss.errors import IsoglossError
from isogloss.files import make_folder, whole_file, write_whole
from isogloss.pretrain.sharing import Paths
from isogloss.progress import say

PARAMETERS, OPTIMISER, STATE, BEST = "parameters.safetensors", "optimiser.safetensors", "state.json", "best.safetensors"
HISTORIES = "histories.json"  # what the run had written of itself by then; a checkpoint of earlier releases has none


@dataclass
class State:
    """How far a run is."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    best: float = float("inf")  # validation loss of the chosen language
    best_step: int = 0

    def move(self, tokens: int, seconds: float) -> None:
        """One step further."""
        self.step, self.tokens, self.seconds = self.step + 1, self.tokens + tokens, self.seconds + seconds


def save(folder: Path, state: State, paths: Paths, optimiser: AdamW, histories: Sequence[Path] = ()) -> None:
    """Write ``folder``/step-N under a passing name, rename it, then drop the one before.

    ``histories`` are text files that grow with the run: a copy of them, under a digest, goes along.
    """
    target = folder / f"step-{state.step:09d}"
    part = folder / f".{target.name}.part"
    shutil.rmtree(part, ignore_errors=True)
    make_folder(part)
    _save(_parameters(paths), part / PARAMETERS)
    _save(_moments(paths, optimiser), part / OPTIMISER)
    (part / STATE).write_text(sealed_json(asdict(state)), encoding="utf-8")
    told = {path.name: path.read_text(encoding="utf-8") for path in histories}
    (part / HISTORIES).write_text(sealed_json(told), encoding="utf-8")
    for path in part.iterdir():
        _flush(path)
    shutil.rmtree(target, ignore_errors=True)
    part.rename(target)
    _flush(folder)
    for old in written(folder)[:-1]:
        shutil.rmtree(old, ignore_errors=True)


def written(folder: Path) -> list[Path]:
    """The whole checkpoints, oldest first."""
    return sorted(path for path in folder.glob("step-*") if (path / STATE).is_file())


def restore(folder: Path, state: State, paths: Paths, optimiser: AdamW, histories: Sequence[Path] = ()) -> None:
    """Bring everything to the newest sound checkpoint, ``histories`` too; where there is none, leave it as it is.

    A damaged one is dropped: what it held is computed again.
    """
    for found in reversed(written(folder)):
        held = _read_state(found)
        if held is None:
            say(f"{found}: this checkpoint is damaged; the run starts again from an earlier one or from the beginning")
            shutil.rmtree(found, ignore_errors=True)
            continue
        _load_parameters(found / PARAMETERS, paths)
        _load_moments(load_file(found / OPTIMISER), paths, optimiser)
        for name, value in held.items():
            setattr(state, name, value)
        told = read_sealed_json(found / HISTORIES) or {}
        for path in histories:
            if path.name in told:
                write_whole(path, told[path.name])
        return


def _read_state(checkpoint: Path) -> dict[str, Any] | None:
    """The state of a checkpoint all of whose files are as they were written; None for any other."""
    held = read_sealed_json(checkpoint / STATE)
    names = {field.name for field in fields(State)}
    if held is None or set(held) != names:
        return None
    if (checkpoint / HISTORIES).exists() and read_sealed_json(checkpoint / HISTORIES) is None:
        return None
    return held if all(is_sealed(checkpoint / name) for name in (PARAMETERS, OPTIMISER)) else None


def save_best(folder: Path, paths: Paths) -> None:
    """Keep the parameters of the best validation so far."""
    with whole_file(folder / BEST) as part:
        _save(_parameters(paths), part)


def load_best(folder: Path, paths: Paths) -> None:
    """Put the best parameters back; if they are damaged, only another run from the beginning finds them again."""
    if not is_sealed(folder / BEST):
        shutil.rmtree(folder, ignore_errors=True)
        raise DamagedError(
            "the best parameters of this run are damaged",
            where=folder / BEST,
            remedy="run the same command again: it starts from the beginning",
        )
    _load_parameters(folder / BEST, paths)


def _save(tensors: dict[str, Tensor], path: Path) -> None:
    save_file(tensors, path, SEALED)
    seal_file(path)


def _parameters(paths: Paths) -> dict[str, Tensor]:
    return {name: parameter.detach().contiguous().clone() for name, parameter in paths.named_parameters()}


def _load_parameters(path: Path, paths: Paths) -> None:
    held = load_file(path)
    wanted = dict(paths.named_parameters())
    for name, parameter in wanted.items():
        if name not in held or held[name].shape != parameter.shape:
            shape = tuple(held[name].shape) if name in held else "nothing"
            raise IsoglossError(
                f"the checkpoint has {shape} for '{name}', the model {tuple(parameter.shape)}",
                where=path,
                remedy="resume with the recipe it was written with, or start over with --no-resume",
            )
        parameter.data.copy_(held[name])


def _moments(paths: Paths, optimiser: AdamW) -> dict[str, Tensor]:
    """The optimiser's state, flat: ``<parameter>|<quantity>``. A parameter no batch has reached yet has none."""
    return {
        f"{name}|{quantity}": value.detach().contiguous().clone()
        for name, parameter in paths.named_parameters()
        for quantity, value in optimiser.state.get(parameter, {}).items()
    }


def _load_moments(held: dict[str, Tensor], paths: Paths, optimiser: AdamW) -> None:
    parameters = dict(paths.named_parameters())
    for name, value in held.items():
        parameter_name, _, quantity = name.rpartition("|")
        parameter = parameters[parameter_name]
        device = parameter.device if value.ndim or parameter.device.type != "cpu" else torch.device("cpu")
        optimiser.state[parameter][quantity] = value.clone().to(device)  # it is mapped from a file that will go


def _flush(path: Path) -> None:
    """Force to disk, so that a rename never shows a file without its content."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
