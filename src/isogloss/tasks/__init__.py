"""Tasks: pos, ner, parsing, nli, paraphrase; each its labels, head, decoding and metric, and nothing else."""

from typing import TYPE_CHECKING

from isogloss.lazy import on_first_use

if TYPE_CHECKING:
    from isogloss.tasks.attachments import AttachmentTally
    from isogloss.tasks.heads import Head
    from isogloss.tasks.label_tally import LabelTally
    from isogloss.tasks.labels import Labels
    from isogloss.tasks.pairs import Inference, Pairs, Paraphrase
    from isogloss.tasks.parsing import Parsing
    from isogloss.tasks.registry import TASKS, get_task, task_class
    from isogloss.tasks.screening import Screened, screen
    from isogloss.tasks.spanning_trees import decode_trees
    from isogloss.tasks.spans import SpanTally, read_spans, repair_tags
    from isogloss.tasks.tagging import NamedEntities, PartsOfSpeech, Tagging
    from isogloss.tasks.tallies import Tally
    from isogloss.tasks.task import Task

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

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "attachments": ("AttachmentTally",),
        "heads": ("Head",),
        "label_tally": ("LabelTally",),
        "labels": ("Labels",),
        "pairs": ("Inference", "Pairs", "Paraphrase"),
        "parsing": ("Parsing",),
        "registry": ("TASKS", "get_task", "task_class"),
        "screening": ("Screened", "screen"),
        "spanning_trees": ("decode_trees",),
        "spans": ("SpanTally", "read_spans", "repair_tags"),
        "tagging": ("NamedEntities", "PartsOfSpeech", "Tagging"),
        "tallies": ("Tally",),
        "task": ("Task",),
    },
)
