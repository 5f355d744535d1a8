"""The tasks by name: those of Isogloss, and those of plugins."""

from typing import Any

from isogloss.errors import unknown_name
from isogloss.plugins import parts
from isogloss.runs.config import build
from isogloss.tasks.pairs import Inference, Paraphrase
from isogloss.tasks.parsing import Parsing
from isogloss.tasks.tagging import NamedEntities, PartsOfSpeech
from isogloss.tasks.task import Task

TASKS: dict[str, type[Task[Any]]] = {
    task.name: task for task in (PartsOfSpeech, NamedEntities, Parsing, Inference, Paraphrase)
}


def get_task(name: str, **options: Any) -> Task[Any]:
    """The task of that name, with its options: ``get_task("ner", repair=True)``."""
    return build(task_class(name), options, path=f"task '{name}'")


def task_class(name: str) -> type[Task[Any]]:
    """The class of a task, of Isogloss or of a plugin."""
    known = TASKS if name in TASKS else {**TASKS, **parts("TASKS")}
    if name not in known:
        raise unknown_name("task", name, known)
    return known[name]
