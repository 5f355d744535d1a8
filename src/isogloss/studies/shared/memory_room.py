"""Before a run starts: will the memory of this machine hold the cells that run side by side?

The estimate is what a cell cannot do without: the weights of its largest model (4 bytes per parameter); for a training
the gradients and both moments of the optimiser as well, and for a fine-tuning that keeps its best epoch a copy of the
weights; the hidden states that it says it holds (``Cell.states_held``); and a process of Python and torch. Activations
of a training are not counted, nor models of unknown size. So what does not fit by this estimate does not fit.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from isogloss.encoders.model_folder import weight_bytes
from isogloss.errors import IsoglossError
from isogloss.memory import available_memory, physical_memory
from isogloss.pretrain.lab_encoder import LabEncoder
from isogloss.progress import say
from isogloss.runs import Cell, Engine, Store
from isogloss.runs.records import records_in
from isogloss.runs.resources import resources_of
from isogloss.studies.shared.model_sizes import FLOAT, Shape, Sizes, shape_of
from isogloss.studies.shared.models import Checkpoint, Untrained
from isogloss.studies.shared.opened import Opened
from isogloss.studies.shared.pretraining import Apart, Pretraining
from isogloss.transfer import FineTune

PROCESS = 300 * 10**6  # bytes of a worker with torch and transformers loaded and no model
TRAINED = 4  # times the weights: themselves, their gradients, and two moments of the optimiser
LEFT_ALONE = {"linear", "frozen"}  # methods that train little or nothing of the encoder
CLOSE = 0.8  # share of the machine's memory from which on it is said
Models = LabEncoder | Pretraining | Apart | Untrained | Checkpoint


@dataclass(frozen=True)
class Need:
    """Bytes that a cell holds at once, and what for."""

    label: str
    weights: int = 0
    training: int = 0
    states: int = 0

    @property
    def total(self) -> int:
        return PROCESS + self.weights + self.training + self.states

    def describe(self) -> str:
        parts = {"weights": self.weights, "training": self.training, "hidden states": self.states}
        named = ", ".join(f"{name} {_gigabytes(size)}" for name, size in parts.items() if size)
        return f"'{self.label}' needs about {_gigabytes(self.total)} of memory" + (f" ({named})" if named else "")


def check_openings(opened: Iterable[Opened]) -> None:
    """Refuse a model whose weights alone are larger than the memory, before it is opened."""
    for cell in opened:
        _refuse_what_cannot_fit(Need(cell.label(), weight_bytes(cell.model.name)))


def check_memory(cells: Iterable[Cell[Any]], engine: Engine, store: Store, opened: Sizes) -> None:
    """Refuse missing cells that cannot fit, alone or side by side; say where it is close.

    What a cluster has is for its engine to know, which checks it once it is connected.
    """
    missing = [cell for cell in cells if not store.has(cell)]
    if not missing or not engine.here:
        return
    needs = sorted((memory_needed(cell, opened) for cell in missing), key=lambda need: -need.total)
    _refuse_what_cannot_fit(needs[0])
    at_a_time = max(1, *map(engine.side_by_side, missing))
    _check_side_by_side([need.total for need in needs[:at_a_time]])


def _refuse_what_cannot_fit(need: Need) -> None:
    there = physical_memory()
    if there is not None and need.total > there:
        smaller = (
            "fewer sentences (--limit) or languages (--langs)" if need.states > need.total / 2 else "a smaller model"
        )
        raise IsoglossError(
            f"{need.describe()}, and this machine has {_gigabytes(there)}",
            remedy=f"take {smaller}, or a machine with more memory",
        )


def _check_side_by_side(totals: Sequence[int]) -> None:
    """``totals``: of the largest cells, as many as run at a time."""
    there, count = physical_memory(), len(totals)
    if there is None:
        return
    what = f"{count} cells side by side need" if count > 1 else "a cell of this run needs"
    need = f"{what} about {_gigabytes(sum(totals))} of memory"
    if sum(totals) > there:
        fitting = sum(sum(totals[: place + 1]) <= CLOSE * there for place in range(count))
        raise IsoglossError(
            f"{need}, and this machine has {_gigabytes(there)}", remedy=f"add --workers {max(1, fitting)}"
        )
    free = available_memory()
    if sum(totals) > CLOSE * there or (free is not None and sum(totals) > free):
        now = f", of which {_gigabytes(free)} are free now" if free is not None else ""
        remedy = "take fewer workers (--workers)" if count > 1 else "end other programs"
        say(f"warning: {need}; this machine has {_gigabytes(there)}{now}. If the run is killed, {remedy}.")


def memory_needed(cell: Cell[Any], opened: Sizes, gpus: bool | None = None) -> Need:
    """What a cell holds at once, as far as it is known; on a GPU, what passes through the machine's memory.

    ``gpus``: whether the machines have some; None asks this one.
    """
    shapes = [shape for shape in (shape_of(model, opened) for model in models_of(cell)) if shape is not None]
    largest = max(shapes, key=lambda shape: shape.parameters, default=Shape(0, 0, 0))
    trained = 0 if _on_gpu(cell, gpus) else _copies_trained(cell)
    states = cell.states_held(largest.columns) * largest.width * FLOAT
    return Need(cell.label(), largest.weights, trained * largest.weights, states)


def _copies_trained(cell: Cell[Any]) -> int:
    """How many times the weights a training holds beside the weights."""
    if isinstance(cell, LabEncoder | Pretraining):
        return TRAINED - 1
    if not isinstance(cell, FineTune) or LEFT_ALONE & {part.partition(":")[0] for part in cell.method.split("+")}:
        return 0
    return TRAINED - 1 + (cell.settings.keep == "best")


def _on_gpu(cell: Cell[Any], gpus: bool | None) -> bool:
    import torch

    return resources_of(cell).may_use_gpu and (torch.cuda.is_available() if gpus is None else gpus)


def models_of(value: Any) -> Iterator[Models]:
    """The models that a cell opens: itself where it is one, those among its settings, and those of cells it reads."""
    found = records_in(value, lambda record: not isinstance(record, Models))
    return (record for record in found if isinstance(record, Models))


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:,.1f} GB"
