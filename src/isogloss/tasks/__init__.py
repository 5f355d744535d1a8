"""Tasks: pos, ner, parsing, nli, paraphrase; each its labels, head, decoding and metric, and nothing else."""

from typing import Any

from isogloss.errors import unknown_name
from isogloss.plugins import parts
from isogloss.runs.config import build
from isogloss.tasks.attachments import AttachmentTally
from isogloss.tasks.heads import Head
from isogloss.tasks.label_tally import LabelTally
from isogloss.tasks.labels import Labels
from isogloss.tasks.pairs import Inference, Pairs, Paraphrase
from isogloss.tasks.parsing import Parsing
from isogloss.tasks.screening import Screened, screen
from isogloss.tasks.spanning_trees import decode_trees
from isogloss.tasks.spans import SpanTally, read_spans, repair_tags
from isogloss.tasks.tagging import NamedEntities, PartsOfSpeech, Tagging
from isogloss.tasks.tallies import Tally
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


__all__ = [
    "TASKS",
    "AttachmentTally",
    "Head",
    "Inference",
    "LabelTally",
    "Labels",
    "NamedEntities",
    "Pairs",
    "Paraphrase",
    "Parsing",
    "PartsOfSpeech",
    "Screened",
    "SpanTally",
    "Tagging",
    "Tally",
    "Task",
    "decode_trees",
    "get_task",
    "read_spans",
    "repair_tags",
    "screen",
    "task_class",
]
