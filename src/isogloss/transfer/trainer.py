"""The trainer: checked data and a model in, a fine-tuned one out. The loop itself is in ``loop.py``.

fitted = Trainer("xlm-roberta-base", "pos", "fusion:1").fit(train, validation)
fitted.evaluate({"de": german, "fi": finnish})
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from isogloss.errors import IsoglossError
from isogloss.tasks import Labels, Task, get_task
from isogloss.tasks.screening import OnError
from isogloss.transfer.batches import Split
from isogloss.transfer.building import Opening, build
from isogloss.transfer.fitted import Fitted
from isogloss.transfer.loop import run_epochs
from isogloss.transfer.methods import Method, parse_methods
from isogloss.transfer.screened import screen_once
from isogloss.transfer.settings import Settings


@dataclass(frozen=True)
class Trainer:
    """Fine-tunes ``model`` for ``task``. ``texts`` (by language) feed the methods that need languages told apart."""

    model: str
    task: Task[Any] | str
    method: Sequence[Method] | str = "plain"
    settings: Settings = field(default_factory=Settings)
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    revision: str | None = None
    on_error: OnError = "raise"

    def fit(self, train: Sequence[Any], validation: Sequence[Any], sources: Sequence[str] = ()) -> Fitted:
        """Fine-tune on ``train``; the epoch is chosen by ``validation``, which must be of the source language."""
        return self.learn(*self.prepare(train, validation, sources))

    def learn(self, fitted: Fitted, training: Split, held_out: Sequence[Any]) -> Fitted:
        """Fine-tune what ``prepare`` gave."""
        with explained_memory():
            history = run_epochs(fitted, training, held_out, self.settings)
        return replace(fitted, history=tuple(history))

    def prepare(
        self, train: Sequence[Any], validation: Sequence[Any], sources: Sequence[str] = ()
    ) -> tuple[Fitted, Split, Sequence[Any]]:
        """Everything before the first step: the checked data, and the network as its method wants it."""
        if self.settings.threads is not None:
            torch.set_num_threads(self.settings.threads)
        task = get_task(self.task) if isinstance(self.task, str) else self.task
        given = parse_methods(self.method) if isinstance(self.method, str) else self.method
        methods = tuple(sorted(given, key=lambda method: method.rank))
        training = screen_once(task, train, None, "training part", self.on_error)
        units = (label for record in training.records for label in task.labels_of(record))
        labels = Labels.learn(units, f"{task.name} labels", where="training part")
        held_out = screen_once(task, validation, labels, "validation part", self.on_error)
        fix_chance(self.settings.seed)
        opening = Opening(self.model, self.revision, tuple(sources), self.texts)
        fitted = build(task, methods, labels, self.settings, opening)
        to_learn, dropped = fitted.known(training.records)
        to_choose, dropped_too = fitted.known(held_out.records)
        split, _ = fitted.lay_out(to_learn)
        skipped = training.skipped + held_out.skipped + dropped + dropped_too
        return replace(fitted, skipped=skipped), split, to_choose


def fix_chance(seed: int) -> None:
    """Fix every random choice that follows."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


@contextmanager
def explained_memory() -> Iterator[None]:
    """Say which setting to lower when a batch does not fit memory."""
    try:
        yield
    except (MemoryError, torch.OutOfMemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "memory" not in str(error):
            raise
        raise IsoglossError(
            "a batch does not fit into the memory of this device",
            where="fine-tuning",
            remedy="lower batch (and raise accumulate to match), batch_tokens or max_tokens",
        ) from error
