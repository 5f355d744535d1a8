"""How a study command runs its plan: the options that all of them have, declared once."""

import inspect
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from isogloss.cli.options import Address, Engine, Json, PrintConfig, Resume, Workers


@dataclass(frozen=True)
class Running:
    """Where cells run, what is computed anew, and what is printed."""

    engine: Engine = "local"
    workers: Workers = 0
    address: Address = ""
    resume: Resume = True
    as_json: Json = False
    print_config: PrintConfig = False

    def execute(self, study: Any, config: Any, out: Path) -> None:
        """Run ``study`` with ``config`` into the folder ``out``."""
        from isogloss.cli.execute import execute

        execute(study, config, out, **asdict(self))


def with_running(command: Callable[..., None]) -> Callable[..., None]:
    """``command`` with the options of ``Running`` in place of its last parameter, ``running``."""
    *own, last = inspect.signature(command).parameters.values()
    assert last.name == "running"
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    shared = [inspect.Parameter(one.name, kind, default=one.default, annotation=one.type) for one in fields(Running)]

    def run(**given: Any) -> None:
        running = Running(**{one.name: given.pop(one.name) for one in shared})
        command(**given, running=running)

    run.__doc__, run.__name__ = command.__doc__, command.__name__
    run.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]  # what typer reads
    run.__annotations__ = {one.name: one.annotation for one in (*own, *shared)}
    return run
