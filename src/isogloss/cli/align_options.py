"""From the options of ``isogloss align`` to its settings: a preset changed, or settings for encoders of one's own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from isogloss.errors import IsoglossError
from isogloss.studies.align import Config, Setup
from isogloss.studies.shared.options import change, change_setups


@dataclass(frozen=True)
class Given:
    """The options as they were typed; None, and emptiness where it means nothing, leave a preset as it is."""

    models: tuple[str, ...] = ()
    bilingual: tuple[str, ...] = ()
    again: str = ""
    targets: tuple[str, ...] = ()
    text: str | None = None
    steps: int | None = None
    dictionary: str | None = None
    vectors: tuple[str, ...] = ()
    alignments: str | None = None
    parallel: str | None = None
    test_parallel: str | None = None
    tasks: tuple[str, ...] | None = None
    data: str | None = None
    layers: str = ""
    seeds: tuple[int, ...] = ()
    device: str = ""


def change_align(preset: Config, given: Given) -> Config:
    """The settings that the options stand for. With encoders of one's own, only what is named is measured."""
    models = pairs_of(given.models, "MODEL")
    config = _own(preset, models, given) if models else _tasks_of(preset, given)
    named = {
        name: value
        for name in ("text", "dictionary", "alignments", "parallel", "test_parallel")
        if (value := getattr(given, name)) is not None
    }
    config = replace(config, **named)
    if given.steps is not None:
        steps = {"training.steps": given.steps, "training.warmup": max(1, given.steps // 20)}
        config = replace(config, pretraining={**config.pretraining, **steps})
    return change(
        config,
        targets=given.targets,
        bilingual=pairs_of(given.bilingual, "--bilingual") or None,
        vectors=pairs_of(given.vectors, "--vectors") or None,
        again=given.again,
        layers=given.layers,
        seeds=given.seeds,
        device=given.device,
    )


def _own(preset: Config, models: dict[str, str], given: Given) -> Config:
    """Settings for encoders that are there: what belongs to the preset's languages is left out."""
    source, *targets = models
    tasks = tuple(Setup(name, data=_data(given)) for name in given.tasks or ())
    return replace(
        preset, source=source, targets=tuple(targets) or given.targets, models=models, bilingual={}, again="", text="",
        text_part="", dictionary="", vectors={}, alignments="", parallel="", parallel_part="",
        test_parallel=given.parallel or "", test_part="", tasks=tasks,
    )  # fmt: skip


def _data(given: Given) -> str:
    if not given.data:
        raise IsoglossError("tasks need data", where="--tasks", remedy="name it: --data ud-ewt")
    return given.data


def _tasks_of(preset: Config, given: Given) -> Config:
    if given.tasks == ():
        return replace(preset, tasks=())
    changed: Config = change_setups(preset, given.tasks or (), data=given.data)
    return changed


def pairs_of(texts: Sequence[str], where: str) -> dict[str, Any]:
    """``en=./bert-en`` as a language and a name."""
    found: dict[str, Any] = {}
    for text in texts:
        code, equals, name = text.partition("=")
        if not equals or not code or not name:
            raise IsoglossError(f"'{text}' is no LANG=NAME", where=where, remedy="as in en=./bert-en")
        if code in found:
            raise IsoglossError(f"'{code}' is named twice", where=where)
        found[code] = name
    return found
