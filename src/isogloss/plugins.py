"""Your own parts without a fork: studies, tasks, methods and measures of ``inspect`` from other packages or one file.

A plugin is a module with any of these names at its top level:

    STUDIES = [my_study]              # isogloss.studies.study.Study
    TASKS = [MyTask]                  # subclasses of isogloss.tasks.Task
    METHODS = [MyMethod]              # subclasses of isogloss.transfer.Method
    MEASURES = {"name": function}     # of inspect: see docs/plugins.md

Packages name such a module in the entry-point group ``isogloss.plugins``; a single file is named with ``--plugin FILE``
or ``isogloss.load_plugin(FILE)``. A plugin is code: it runs with your rights, and only when you name or install it.
"""

import hashlib
import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from isogloss.errors import IsoglossError

GROUP = "isogloss.plugins"
VARIABLE = "ISOGLOSS_PLUGINS"  # files that worker processes load before they take a cell
Kind = Literal["STUDIES", "TASKS", "METHODS", "MEASURES"]
_files: dict[Path, ModuleType] = {}


def load_plugin(path: Path | str) -> ModuleType:
    """Load the plugin in a file, for this process and for the worker processes that it starts.

    isogloss.load_plugin("my_study.py")
    """
    file = Path(path).expanduser().resolve()
    if file in _files:
        return _files[file]
    if not file.is_file():
        raise IsoglossError("there is no such plugin file", where=file, remedy="as in --plugin my_study.py")
    name = f"isogloss_plugin_{file.stem.replace('-', '_')}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}"
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise IsoglossError("this is not a Python file", where=file, remedy="give it the ending .py")
    module = module_from_spec(spec)
    sys.modules[name] = module  # so that its cells can be sent to workers
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise IsoglossError(
            f"this plugin cannot be loaded ({type(error).__name__}: {error})",
            where=file,
            remedy="fix the file, or leave --plugin away",
        ) from error
    _files[file] = module
    named = [piece for piece in os.environ.get(VARIABLE, "").split(os.pathsep) if piece]
    os.environ[VARIABLE] = os.pathsep.join(dict.fromkeys([*named, str(file)]))
    return module


def load_named_plugins() -> None:
    """Load the files that the process which started this one had loaded."""
    for piece in os.environ.get(VARIABLE, "").split(os.pathsep):
        if piece:
            load_plugin(piece)


def parts(kind: Kind) -> dict[str, Any]:
    """The parts of one kind by name, of every plugin that is installed or was loaded."""
    found: dict[str, Any] = {}
    for module in (*_installed(), *_files.values()):
        given = getattr(module, kind, ())
        named = dict(given) if isinstance(given, Mapping) else {part.name: part for part in given}
        for name in named.keys() & found.keys():
            raise IsoglossError(
                f"two plugins have a part called '{name}' ({kind})",
                where=module.__name__,
                remedy="rename one of them, or load only one of the plugins",
            )
        found |= named
    return found


@cache
def _installed() -> tuple[ModuleType, ...]:
    return tuple(point.load() for point in entry_points(group=GROUP))
