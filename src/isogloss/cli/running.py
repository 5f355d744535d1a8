"""How a study command runs its plan: the options that all of them have, declared once."""

import inspect
from collections.abc import Callable
from dataclasses import Field, asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.cli.fine_tuning import FineTuning
from isogloss.cli.options import (
    Adapter,
    Address,
    AllowPickle,
    Attention,
    Dim,
    DryRun,
    Engine,
    Plugin,
    Pooling,
    PrintConfig,
    Prompt,
    Resume,
    StudyJson,
    TrustRemoteCode,
    Workers,
)

if TYPE_CHECKING:
    from isogloss.studies.plan import StudyPlan
    from isogloss.studies.result import Result


@dataclass(frozen=True)
class ModelOptions:
    """How models are opened. What is given becomes part of their names, and so of study files and stored results."""

    prompt: Prompt = None
    pooling: Pooling = None
    dim: Dim = None
    adapter: Adapter = None
    attention: Attention = None
    allow_pickle: AllowPickle = False
    trust_remote_code: TrustRemoteCode = False

    def name(self, model: str) -> str:
        """``model`` with the settings given; models that are pretrained here have none."""
        from isogloss.encoders.names import ModelName
        from isogloss.studies.shared.models import LAB, UNTRAINED

        given = asdict(self)
        if not any(value is not None and value is not False for value in given.values()):
            return model
        if model.startswith((LAB, UNTRAINED)):
            return model
        return str(ModelName.parse(model).with_settings(given))

    def change(self, config: Any) -> Any:
        """A study's settings with these settings in the names of its models."""
        changed: dict[str, Any] = {}
        for setting in ("model", "models", "bilingual", "again"):  # align has its models by language
            value = getattr(config, setting, None)
            if isinstance(value, str) and value:
                changed[setting] = self.name(value)
            elif isinstance(value, tuple):
                changed[setting] = tuple(self.name(name) for name in value)
            elif isinstance(value, dict):
                changed[setting] = {language: self.name(name) for language, name in value.items()}
        return replace(config, **changed)


@dataclass(frozen=True)
class Running:
    """Where cells run, what is recomputed, and what is printed."""

    engine: Engine = "local"
    workers: Workers = 0
    address: Address = ""
    resume: Resume = True
    as_json: StudyJson = False
    print_config: PrintConfig = False
    dry_run: DryRun = False
    plugin: Plugin = None
    opening: ModelOptions = field(default_factory=ModelOptions)

    def execute(self, study: Any, config: Any, out: Path) -> "StudyPlan[Any, Any] | None":
        """Run ``study`` with ``config`` into the folder ``out``, and show its answer; the plan, if one was run."""
        from isogloss.cli.execute import execute

        return execute(study, self.opening.change(config), out, as_json=self.as_json, **self._how())

    def perform(self, study: Any, config: Any, out: Path) -> "tuple[Result, StudyPlan[Any, Any]] | None":
        """The answer and its plan, not shown: for commands that have more to do with them."""
        from isogloss.cli.execute import perform

        return perform(study, self.opening.change(config), out, **self._how())

    def _how(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name not in ("opening", "plugin", "as_json")}


def _parameter(option: Field[Any]) -> inspect.Parameter:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(option.name, kind, default=option.default, annotation=option.type)


READS_PIPELINES = (
    "inspect",
    "choose",
    "audit",
    "align",
    "predict",
    "run",
)  # others read or train the transformer alone
OF_PIPELINES = {"prompt", "pooling", "dim"}


def _opened_by(command: str, parameters: set[str]) -> set[str]:
    """The options of ``ModelOptions`` that a command has use for."""
    if not parameters & {"model", "models", "study_file"}:
        return set()
    every = {one.name for one in fields(ModelOptions)}
    return every if command in READS_PIPELINES else every - OF_PIPELINES


def with_running(command: Callable[..., None]) -> Callable[..., None]:
    """``command`` with the options of ``Running`` in place of its last parameter, ``running``, and those of
    ``FineTuning`` in place of ``tuning``, where it has one.

    A command that opens models has those of ``ModelOptions`` too, but for what it declares itself.
    """
    *own, last = inspect.signature(command).parameters.values()
    assert last.name == "running"
    names = {one.name for one in own}
    how = [one for one in fields(Running) if one.name != "opening"]
    opening = [one for one in fields(ModelOptions) if one.name in _opened_by(command.__name__, names) - names]
    tuned = fields(FineTuning) if "tuning" in names else ()
    shared = [_parameter(one) for one in (*opening, *how)]
    model, *rest = (one for one in own if one.name != "tuning")
    own = [model, *map(_parameter, tuned), *rest]

    def run(**given: Any) -> None:
        if tuned:
            given["tuning"] = FineTuning(**{one.name: given.pop(one.name) for one in tuned})
        models = ModelOptions(**{one.name: given.pop(one.name) for one in opening})
        running = Running(**{one.name: given.pop(one.name) for one in how}, opening=models)
        if running.plugin:
            from isogloss.plugins import load_plugin

            for path in running.plugin:
                load_plugin(path)
        command(**given, running=running)

    run.__doc__, run.__name__ = command.__doc__, command.__name__
    run.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]  # what typer reads
    run.__annotations__ = {one.name: one.annotation for one in (*own, *shared)}
    return run
