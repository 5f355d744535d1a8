"""What studies of fine-tuning have in common: a task with its data, and the fine-tunings it stands for."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from isogloss.bounds import Limit, Names
from isogloss.corpora.catalog import is_here
from isogloss.encoders.model_content import read_config
from isogloss.errors import IsoglossError
from isogloss.studies.shared.fine_tuning import preset_for
from isogloss.studies.shared.models import Checkpoint, Model, Untrained
from isogloss.tasks import get_task
from isogloss.transfer import Data, Settings, find_data
from isogloss.transfer.data import languages_of
from isogloss.transfer.presets_by_name import load_preset
from isogloss.transfer.search import change_settings


@dataclass(frozen=True)
class Setup:
    """A task, the data it is learnt and tested on, and how it is learnt.

    ``data`` serves every source unless ``data_by_source`` names other data, and ``test_data`` every target unless
    ``test_data_by_target`` does. ``elsewhere`` maps further test data to its languages (none: the source's own): other
    domains; with ``absent: skip`` such data that is not on this machine is left out. ``settings`` change those of
    ``preset``, a preset of fine-tunings. ``sources`` and ``targets`` are the study's unless named here.
    """

    task: str = "pos"
    name: str = ""  # the task's, unless two setups share one
    data: str = "lab:families"
    data_by_source: dict[str, str] = field(default_factory=dict)
    validation_data: str = ""  # as data, unless named
    test_data: str = ""  # as data, unless named
    test_data_by_target: dict[str, str] = field(default_factory=dict)
    elsewhere: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sources: Names = ()
    targets: Names = ()
    train_part: str = "train"
    validation_part: str = "dev"
    test_part: str = "test"
    limit: Limit | None = None
    test_limit: Limit | None = None
    preset: str = ""  # as the model needs: see fine_tuning.py
    options: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    on_error: Literal["raise", "skip"] = "raise"
    absent: Literal["raise", "skip"] = "raise"

    @property
    def label(self) -> str:
        return self.name or self.task

    @property
    def measure(self) -> str:
        """The one measure that the task is reported by."""
        return get_task(self.task, **self.task_options).measure

    @property
    def task_options(self) -> dict[str, Any]:
        return {**(load_preset(self.preset).options if self.preset else {}), **self.options}

    def for_model(self, model: Model) -> Self:
        """The same with the preset of fine-tunings that ``model`` gets, where none is named."""
        return replace(self, preset=preset_for(model, self.preset))

    def at_home(self, source: str, part: str, limit: int | None, name: str = "") -> tuple[Data, ...]:
        """The records of a part in the source language, of the data called ``name`` if any is."""
        chosen = name or self.data_by_source.get(source, self.data)
        return (find_data(chosen, self.task, source, part, limit, self.on_error),)

    def fields(self, source: str, device: str = "auto") -> dict[str, Any]:
        """What every fine-tuning of this setup from ``source`` is made of, but model, method, seed and tests."""
        preset = load_preset(self.preset)
        if preset.task and preset.task != self.task:
            raise IsoglossError(
                f"preset '{self.preset}' is for task '{preset.task}'",
                where=f"task '{self.label}'",
                remedy="name a preset of this task, or none",
            )
        settings: Settings = change_settings(preset.settings, self.settings)
        if device != "auto":
            settings = change_settings(settings, {"device": device})
        return {
            "task": self.task,
            "options": self.task_options,
            "settings": settings,
            "train": self.at_home(source, self.train_part, self.limit),
            "validation": self.at_home(source, self.validation_part, self.test_limit, self.validation_data),
        }

    def tests(self, source: str, targets: Sequence[str]) -> tuple[Data, ...]:
        """The test part of the source and of every target, then of further data."""
        name = self.test_data or self.data
        wanted = self.targets or tuple(targets) or languages_of(name, self.task, self.test_part)
        own = self.test_data_by_target
        found = [self._test(own.get(code, name), code) for code in dict.fromkeys((source, *wanted))]
        for other, codes in self.elsewhere.items():
            if self.absent == "raise" or is_here(other):
                found += [self._test(other, code) for code in codes or (source,)]
        return tuple(found)

    def is_main(self, data: str) -> bool:
        """Whether a test set is one of the task's own, not one of ``elsewhere``."""
        return data in {self.test_data or self.data, *self.test_data_by_target.values()}

    def _test(self, name: str, code: str) -> Data:
        return find_data(name, self.task, code, self.test_part, self.test_limit, self.on_error)


def check_setups(setups: Sequence[Setup]) -> None:
    """Two setups of one name would be one row."""
    if not setups:
        raise IsoglossError("no task is given", where="setting 'tasks'", remedy="as in tasks: [{task: pos}]")
    labels = [setup.label for setup in setups]
    for label in labels:
        if labels.count(label) > 1:
            raise IsoglossError(
                f"two tasks are called '{label}'", where="setting 'tasks'", remedy="give one of them a name"
            )


def depth_of(model: Model) -> int:
    """How many layers a model has, read without its weights."""
    return size_of(model)[0]


def size_of(model: Model) -> tuple[int, int]:
    """How many layers a model has, and how many dimensions its states, read without its weights."""
    if isinstance(model, Untrained):
        return size_of(model.twin)
    if not isinstance(model, Checkpoint):
        return model.recipe.model.layers, model.recipe.model.width
    try:
        config = read_config(model.name, model.revision or None).get_text_config()
    except (OSError, ValueError) as error:  # no such model; a folder that holds none
        remedy = "name a folder with a config.json; isogloss pretrain --preset mini --out mini makes one"
        raise IsoglossError("no model is found under this name", where=model.name, remedy=remedy) from error
    return int(config.num_hidden_layers), int(config.hidden_size)
