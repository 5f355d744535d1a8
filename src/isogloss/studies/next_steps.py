"""Where to look next: the command that follows from a study's answer, as the terminal shows it."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from isogloss.corpora.labdata import is_lab
from isogloss.studies.result import Result

# study -> (command, what it shows). {model} and {data} are the run's own, {run} is its folder.
NEXT = {
    "glance": ("vary lab:twins anchors=0,0.1,0.3", "which factor makes languages align"),
    "inspect": ("locate {model} --data {data}", "which dimensions hold language identity"),
    "choose": ("audit {model} --data {data}", "whether languages bias what a search finds"),
    "audit": ("neutralise {model} --data {data}", "the model with language identity removed"),
    "think": ("inspect {model} --data {data}", "which layers align which languages"),
    "predict": ("transfer --model {model}", "the scores themselves, where there are labels"),
    "pretrain": ("inspect {folder} --data {data}", "which layers align which languages"),
    "transfer": ("ablate {model}", "which layers the transfer depends on"),
    "vary": ("emerge --preset lab", "more factors, with tasks: Wu20's study"),
    "emerge": ("inspect {run} --data {data}", "the layers of this run's default encoder"),
    "align": ("emerge --preset lab", "what training on both languages together adds"),
    "ablate": ("inspect {model} --data {data}", "where the same model aligns languages"),
    "locate": ("preserve {model}", "whether keeping these dimensions helps transfer"),
    "preserve": ("forget {model}", "whether removing language identity helps instead"),
    "forget": ("locate {model}", "which dimensions hold language identity"),
    "fuse": ("ablate {model}", "which layers the transfer depends on"),
}


def next_steps(result: Result, folder: Path) -> list[tuple[str, str]]:
    """Commands and what they show: the study that looks closer, then a table for a paper."""
    steps = []
    if result.study in NEXT and not _without_translations(result):
        command, shows = NEXT[result.study]
        steps.append((f"isogloss {command.format(**_names(result, folder))}", shows))
    if result.tables:
        steps.append((f"isogloss export {shlex.quote(str(folder))} --table 1 --latex", "the table for a paper"))
    return steps


def _without_translations(result: Result) -> bool:
    """Whether this is an answer on text that no search can be tried on."""
    return result.study == "choose" and "language identity" in set(result.records.get("measure", ()))


def _one_of(data: Sequence[str]) -> str:
    """The run's data set; of several of a lab the whole of it, and of several others the reader's choice."""
    whole = min(data, key=len, default="DATA")
    of_one_lab = all(is_lab(name) and name.startswith(whole) for name in data)
    return whole if len(data) == 1 or of_one_lab else "DATA"


def _names(result: Result, folder: Path) -> dict[str, str]:
    """The run's first model and data set, or a placeholder; of several models the reader chooses."""
    models, data = result.provenance.models, result.provenance.data
    names = {
        "model": models[0] if len(models) == 1 else "MODEL",
        "data": _one_of(data),
        "run": str(folder),
        "folder": str(folder.parent),
    }
    return {name: shlex.quote(value) for name, value in names.items()}
