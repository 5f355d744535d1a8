"""Fine-tunings as cells: named by their inputs, so that they resume, extend and run on any engine."""

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from isogloss.encoders.model_folder import is_large_model, unchanged_model
from isogloss.encoders.names import ModelName
from isogloss.errors import IsoglossError
from isogloss.files import write_whole
from isogloss.runs import Bench, Cell
from isogloss.tasks import get_task
from isogloss.tasks.screening import Screened
from isogloss.transfer.data import Data, read_all, telling_lines
from isogloss.transfer.epochs import Epoch
from isogloss.transfer.scores import Score, scores_of
from isogloss.transfer.screened import screen_once
from isogloss.transfer.settings import Settings
from isogloss.transfer.tally_file import write_tallies

if TYPE_CHECKING:
    from isogloss.transfer.fitted import Fitted

MODEL, PREDICTIONS, TALLIES = "model", "predictions", "tallies.safetensors"


@dataclass(frozen=True)
class Named:
    """A model that is there already: a folder (``revision`` is a hash of its content) or a Hugging Face model name."""

    name: str
    revision: str = ""

    def is_large(self) -> bool:
        """Whether it is worth all cores of a machine."""
        return is_large_model(self.name)


@dataclass(frozen=True)
class TransferRecord:
    """What a fine-tuning gave: scores of every target, the epochs, and what a reader must know."""

    scores: tuple[Score, ...]
    history: tuple[Epoch, ...]
    settings: Settings
    labels: tuple[str, ...]
    skipped: dict[str, int]
    notes: tuple[str, ...]
    dtype: str = ""  # of the matrix products; empty in results of an earlier version

    @property
    def validation(self) -> float:
        """The score of the source's validation part at the epoch that was kept."""
        scores = [epoch.validation for epoch in self.history]
        return max(scores) if self.settings.keep == "best" else scores[-1]


@dataclass(frozen=True)
class FineTune(Cell[TransferRecord]):
    """Fine-tune ``model`` on ``train`` (one language or several), choose the epoch by ``validation``, score ``tests``.

    ``model`` is ``Named``, or a cell whose folder is a model. The folder of this cell has predictions, per-sentence
    counts and, with ``keep_model``, the fine-tuned model.
    """

    name: ClassVar[str] = "fine-tune"
    record: ClassVar[type] = TransferRecord
    model: Any = Named("")
    task: str = "pos"
    options: dict[str, Any] = field(default_factory=dict)
    method: str = "plain"
    settings: Settings = field(default_factory=Settings)
    train: tuple[Data, ...] = ()
    validation: tuple[Data, ...] = ()
    tests: tuple[Data, ...] = ()
    texts: tuple[Data, ...] = ()
    keep_model: bool = False
    keep_predictions: bool = False

    def label(self) -> str:
        return f"{self.task}, {self.method}, seed {self.settings.seed}"

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(part.language for part in self.train))

    def run(self, bench: Bench) -> TransferRecord:
        from isogloss.transfer.saving import save_fitted

        fitted = self.fit(bench)
        if self.keep_model:
            save_fitted(fitted, bench.workspace / MODEL)
        return self.evaluate(fitted, bench.workspace)

    def fit(self, bench: Bench) -> "Fitted":
        """The fine-tuned model."""
        from isogloss.transfer.trainer import Trainer

        folder, revision = place_model(self.model, bench)
        trainer = Trainer(
            folder,
            get_task(self.task, **self.options),
            self.method,
            self.settings,
            texts={part.language: [sentence.text for sentence in part.read()] for part in self.texts},
            revision=revision,
            on_error=self.train[0].on_error,
        )
        (train, left_out), (validation, left_out_too) = read_all(self.train), read_all(self.validation)
        with telling_lines((*self.train, *self.validation)):
            with unchanged_model(self.model):
                ready = trainer.prepare(train, validation, self.sources)
            for data in self.tests:
                _read_test(data, ready[0])  # what is wrong with it is said before training, not after
            fitted = trainer.learn(*ready)
        return replace(fitted, skipped=fitted.skipped + left_out + left_out_too)

    def evaluate(self, fitted: "Fitted", workspace: Path) -> TransferRecord:
        """Score every target; predictions and per-sentence counts go into ``workspace``."""
        scores: list[Score] = []
        skipped, notes, tallies = Counter(fitted.skipped), [], {}
        for data in self.tests:
            screened, left_out = _read_test(data, fitted)
            speaking = fitted.speaking(data.language)
            gold, dropped = speaking.known(screened.records)
            predicted = speaking.predict(gold)
            tally = fitted.task.tally(gold, predicted.records)
            scores += scores_of(tally, data.language, data.name, fitted.task.measure)
            skipped += left_out + screened.skipped + dropped
            notes += [f"{data.describe()}: {note}" for note in predicted.counts.notes()]
            tallies[f"{data.name}/{data.language}"] = tally
            if self.keep_predictions:
                stem = re.sub(r"[^\w-]+", "-", Path(data.name).name)
                path = workspace / PREDICTIONS / f"{stem}.{data.language}{fitted.task.suffix}"
                write_whole(path, fitted.task.write(predicted.records))
        if tallies:
            write_tallies(workspace / TALLIES, tallies)
        return TransferRecord(
            scores=tuple(scores),
            history=fitted.history,
            settings=fitted.settings,
            labels=fitted.labels.names,
            skipped=dict(skipped),
            notes=tuple(notes),
            dtype=str(fitted.network.dtype).removeprefix("torch."),
        )


@dataclass(frozen=True)
class Tuned(Cell[TransferRecord]):
    """The candidate that is best on the source's validation part, fine-tuned and scored on ``tests``.

    Candidates differ in settings or method and see no target language. ``seed`` is that of the final fine-tuning.
    """

    name: ClassVar[str] = "tuned"
    record: ClassVar[type] = TransferRecord
    candidates: tuple[FineTune, ...] = ()
    tests: tuple[Data, ...] = ()
    seed: int = 0
    keep_model: bool = False
    keep_predictions: bool = False

    def label(self) -> str:
        return f"{self.candidates[0].task}, best of {len(self.candidates)}, seed {self.seed}"

    @property
    def sources(self) -> tuple[str, ...]:
        return self.candidates[0].sources

    def run(self, bench: Bench) -> TransferRecord:
        if not self.candidates:
            raise IsoglossError(
                "a search without candidates", where="search", remedy="give at least one value to search"
            )
        best = max(self.candidates, key=lambda candidate: bench.result(candidate).validation)
        final = replace(
            best,
            tests=self.tests,
            settings=replace(best.settings, seed=self.seed),
            keep_model=self.keep_model,
            keep_predictions=self.keep_predictions,
        )
        return final.run(bench)


def _read_test(data: Data, fitted: "Fitted") -> tuple[Screened[Any], Counter[str]]:
    """The records of a test part that can be used, and how many were left out in reading."""
    records, left_out = data.read_counting()
    with telling_lines([data]):
        return screen_once(fitted.task, records, fitted.labels, data.describe(), data.on_error), left_out


def place_model(model: Any, bench: Bench) -> tuple[str, str | None]:
    """Where ``transformers`` finds a model, and for the hub its revision."""
    if isinstance(model, Cell):
        return str(bench.folder(model)), None
    return model.name, None if Path(ModelName.parse(model.name).path).exists() else model.revision or None
