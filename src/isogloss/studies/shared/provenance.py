"""Where the numbers of a study come from, read off its plan: models, data, revisions, seeds, and computing time."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from isogloss.pretrain.lab_encoder import LabEncoder
from isogloss.runs import Cell
from isogloss.runs.records import records_in
from isogloss.studies.plan import StudyPlan
from isogloss.studies.result import Provenance
from isogloss.studies.shared.models import Checkpoint
from isogloss.studies.shared.pretraining import Pretraining
from isogloss.studies.shared.setups import Setup
from isogloss.studies.study import Results

TRAINED_HERE = "trained here"
STATED = ("split", "level", "pooling", "limit", "attention")  # settings that a signature names


def provenance_of(plan: StudyPlan[Any, Any], results: Results) -> Provenance:
    """What a study's page says of its origins. Time is that of every cell the result rests on, whenever it ran."""
    records = [record for cell in plan.all_cells for record in _records(cell)]
    data = [found for record in records for found in _data_of(record)]
    named = {record.name: record.revision for record in records if isinstance(record, Checkpoint) and record.name}
    trained = {_trained(cell): TRAINED_HERE for cell in plan.all_cells if isinstance(cell, LabEncoder | Pretraining)}
    return Provenance.gather(
        models=_models(plan.config) or tuple(named | trained),
        data=tuple(dict.fromkeys(name for name, _, _, _ in data)),
        revisions=named | trained | _revisions(data),
        seeds=tuple(getattr(plan.config, "seeds", None) or (getattr(plan.config, "seed", 0),)),
        seconds=results.seconds(plan.all_cells),
        presets=_presets(plan),
        facts=_facts(plan, results),
    )


def _facts(plan: StudyPlan[Any, Any], results: Results) -> dict[str, str]:
    """What else a number rests on: settings of reading, the number type used, and the version of each kind of cell."""
    stated = {
        name: dict.fromkeys(str(value) for one in (*plan.cells, plan.config) if (value := getattr(one, name, "")))
        for name in STATED
    }
    found = {name: next(iter(values)) for name, values in stated.items() if values}  # a cell's before the config's
    types = dict.fromkeys(filter(None, (_number_type(cell, results) for cell in plan.all_cells)))
    versions = {cell.name: cell.version for cell in plan.all_cells}
    found |= {"dtype": "+".join(types)} if types else {}
    return found | {"cells": "+".join(f"{name}.{version}" for name, version in sorted(versions.items()))}


def _number_type(cell: Cell[Any], results: Results) -> str:
    """What a cell computed in: as its result says, or as it was told; empty where neither does."""
    told = str(getattr(cell, "dtype", ""))
    says = "dtype" in getattr(cell.record, "__dataclass_fields__", {}) and cell in results
    return (str(results[cell].dtype) if says else "") or ("" if told == "auto" else told)


def _presets(plan: StudyPlan[Any, Any]) -> dict[str, str]:
    """Task -> the preset of fine-tunings that its conditions used, or those, where models need different ones."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for condition in plan.conditions:
        for setup in (record for record in _records(condition) if isinstance(record, Setup)):
            found[setup.label][setup.preset] = None
        if preset := getattr(condition, "preset", ""):
            found[plan.config.task][preset] = None
    return {task: ", ".join(presets) for task, presets in found.items()}


def _revisions(data: Iterable[tuple[str, str, str, str]]) -> dict[str, str]:
    """Description -> revision; the kind of data is named where one description stands for two: text and trees."""
    found: dict[str, str] = {}
    for _, described, kind, revision in data:
        names = (described, f"{described}, {kind}", f"{described}, {kind} {revision[:6]}")
        found[next((name for name in names if found.get(name, revision) == revision), names[-1])] = revision
    return found


def _models(config: Any) -> tuple[str, ...]:
    """The models as the user named them; none where a study pretrains its own, or some of them (``align``)."""
    several = getattr(config, "models", ())
    one = getattr(config, "model", "")
    return () if isinstance(several, dict) else tuple(several) or ((one,) if one else ())


def _trained(cell: LabEncoder | Pretraining) -> str:
    """A model that a plan pretrains, the same for all seeds: ``qaa and qab, 400 steps``."""
    if isinstance(cell, LabEncoder):
        return cell.label()
    return f"{' and '.join(cell.languages)}, {cell.recipe.training.steps:,} steps"


def _records(value: Any) -> Iterator[Any]:
    """``value`` and the plain records inside it; cells that it needs stand on their own."""
    needed = value.needs() if isinstance(value, Cell) else None

    def apart(record: Any) -> bool:
        return record is not value and isinstance(record, Cell) and (needed is None or record in needed)

    return (record for record in records_in(value, lambda record: not apart(record)) if not apart(record))


def _data_of(record: Any) -> Iterator[tuple[str, str, str, str]]:
    """Name, description, kind and revision of the data that a record of a cell names, if it names any."""
    name = getattr(record, "data", "") or ("" if isinstance(record, Cell) else getattr(record, "name", ""))
    revision = getattr(record, "data_revision", "") or getattr(record, "revision", "")
    if isinstance(name, str) and name and isinstance(revision, str) and revision and not isinstance(record, Checkpoint):
        described = record.describe() if hasattr(record, "describe") else name
        yield name, described, getattr(record, "kind", "text"), revision
