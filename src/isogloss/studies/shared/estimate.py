"""Before a run starts: how many cells are missing, how long they take, and what they need of this machine.

Seconds of a cell are the median of what cells of its kind took in this store. Pretrainings differ in size: theirs are
scaled by steps x tokens per step x parameters of the layers, and without any in the store a few steps are timed. Other
kinds without a result in the store have no estimate, and are named.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from isogloss.digests import DamagedError
from isogloss.pretrain import Recipe
from isogloss.pretrain.lab_encoder import LabEncoder
from isogloss.runs import Cell, Engine, Plan, Store
from isogloss.runs.durations import timed_results
from isogloss.studies.shared.disk_room import Room, room_needed
from isogloss.studies.shared.downloads import Download, downloads
from isogloss.studies.shared.memory_room import memory_needed
from isogloss.studies.shared.model_sizes import Sizes
from isogloss.studies.shared.models import Checkpoint
from isogloss.studies.shared.opened import OpenedModel, openings
from isogloss.studies.shared.pretraining import Pretraining

LARGEST = 10


@dataclass(frozen=True)
class CellEstimate:
    """A cell that is to run; ``seconds`` is None where nothing like it has run here."""

    label: str
    kind: str
    seconds: float | None


@dataclass(frozen=True)
class RunEstimate:
    """``seconds`` is of the whole run, as far as kinds are known; ``unknown`` are the kinds that are not in it.

    ``unsized`` are the models that memory and disk are counted without: nothing here says how large they are.
    """

    cells: int
    missing: int
    seconds: float
    unknown: tuple[str, ...]
    memory: int
    room: Room
    unsized: tuple[str, ...]
    downloads: tuple[Download, ...]
    largest: tuple[CellEstimate, ...]


def estimate_run(cells: Sequence[Cell[Any]], engine: Engine, store: Store) -> RunEstimate:
    """What is left of a run of these cells; steps of pretraining are timed where nothing like it is in the store."""
    plan = Plan(cells)
    missing = {key: cell for key, cell in plan.cells.items() if not store.has(cell)}
    history = _history(store, {cell.name for cell in missing.values()})
    seconds = {key: _seconds(cell, history) for key, cell in missing.items()}
    known = {key: found for key, found in seconds.items() if found is not None}
    lanes = {key: max(1, engine.side_by_side(missing[key])) for key in missing}
    shared = sum(found / lanes[key] for key, found in known.items())
    sizes, unsized = _sizes(missing.values(), store)
    needs = sorted((memory_needed(cell, sizes).total for cell in missing.values()), reverse=True)
    ordered = sorted(missing, key=lambda key: -(known.get(key, -1.0)))
    return RunEstimate(
        cells=len(plan.cells),
        missing=len(missing),
        seconds=max(shared, max(known.values(), default=0.0)),
        unknown=tuple(dict.fromkeys(missing[key].name for key in missing if key not in known)),
        memory=sum(needs[: max(lanes.values(), default=1)]),
        room=room_needed(missing.values(), sizes),
        unsized=unsized,
        downloads=downloads(missing.values()),
        largest=tuple(CellEstimate(plan.labels[key], missing[key].name, known.get(key)) for key in ordered[:LARGEST]),
    )


def _sizes(cells: Iterable[Cell[Any]], store: Store) -> tuple[Sizes, tuple[str, ...]]:
    """Sizes of models, as they were opened before or as their configurations say, and the names of all others.

    A damaged result is left to the run, which computes it again.
    """
    sizes, unsized = {}, []
    for cell in openings(cells):
        with suppress(DamagedError):
            if record := store.get(cell):
                sizes[cell.model] = record
                continue
        if found := _expected(cell.model):
            sizes[cell.model] = found
        else:
            unsized.append(cell.model.label())
    return sizes, tuple(dict.fromkeys(unsized))


def _expected(model: Checkpoint) -> OpenedModel | None:
    """A model as opening it will show it, as far as sizes go."""
    from isogloss.encoders.expected import expected_model, offline

    with offline():
        found = expected_model(model.name, "" if Path(model.name).exists() else model.revision)
    if found is None:
        return None
    columns = tuple(map(str, range(found.layers + 1)))
    return OpenedModel((), columns, found.width, None, found.parameters, found.vocabulary, 0, "", "")


LEAST_ALIKE = 0.005  # share of a pretraining's work: a smaller one took its time for other things than steps
History = Mapping[str, list[tuple[float, float]]]  # kind -> (seconds, work) of finished cells


def _history(store: Store, kinds: set[str]) -> History:
    found: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for one in timed_results(store.root, kinds):
        found[one.kind].append((one.seconds, _work(one.inputs.get("recipe"))))
    return found


def _seconds(cell: Cell[Any], history: History) -> float | None:
    recipe = cell.recipe if isinstance(cell, LabEncoder | Pretraining) else None
    if recipe is None:
        return median(seconds for seconds, _ in history[cell.name]) if cell.name in history else None
    asked = _work(asdict(recipe))
    alike = [seconds / work for seconds, work in history.get(cell.name, ()) if work >= LEAST_ALIKE * asked]
    return median(alike) * asked if alike else time_steps(recipe)


def time_steps(recipe: Recipe) -> float:
    """Seconds of a pretraining by this recipe, from a few steps on this machine."""
    from isogloss.pretrain.timing import seconds_of_steps  # opens torch

    return seconds_of_steps(recipe)


def _work(recipe: Any) -> float:
    """Steps x tokens per step x parameters of the layers, of a recipe as the store has it; 1 for cells without one."""
    if not isinstance(recipe, dict):
        return 1.0
    model, training = recipe["model"], recipe["training"]
    layers = model["layers"] * (4 * model["width"] ** 2 + 2 * model["width"] * model["feedforward"])
    return float(training["steps"] * training["batch_tokens"] * layers)
