"""A task: its labels, head, decoding and metric, and nothing else. Tasks are plain values that can name a cell."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.tasks.labels import Labels
from isogloss.tasks.tallies import Tally

if TYPE_CHECKING:
    from isogloss.tasks.heads import Head

Record = TypeVar("Record")
Reading = Literal["words", "first", "mean"]  # the state of each word (one of its subwords), of the first token, of all


@dataclass(frozen=True)
class Task(ABC, Generic[Record]):
    """What is asked about a record. Predictions are records too: the same words or texts with predicted labels."""

    name: ClassVar[str]
    kind: ClassVar[str]  # of data: ``tagged``, ``trees``, ``pairs``
    suffix: ClassVar[str]  # of prediction files

    @property
    @abstractmethod
    def reading(self) -> Reading:
        """Which states the head sees."""

    def accept(self, record: Any) -> Record:
        """The record in the form this task works on."""
        accepted: Record = record
        return accepted

    @abstractmethod
    def texts(self, record: Record) -> Sequence[str]:
        """The words, or the two texts."""

    @abstractmethod
    def labels_of(self, record: Record) -> Sequence[str]:
        """The gold labels, one a unit."""

    @abstractmethod
    def targets(self, record: Record, labels: Labels) -> NDArray[np.int64]:
        """Numbers to predict: units x columns, ``heads.IGNORED`` for a label that training lacks."""

    @abstractmethod
    def problem(self, record: Record, labels: Labels | None) -> str | None:
        """What makes a record unusable, in words, or None. Without ``labels`` only its form is checked."""

    @abstractmethod
    def make_head(self, width: int, labels: Labels, dropout: float | None = None, spread: float = 0.02) -> "Head[Any]":
        """A fresh head on states of ``width``; ``spread`` is the deviation its output weights are drawn with."""

    @abstractmethod
    def answer(self, record: Record, decoded: NDArray[np.int64], labels: Labels) -> Record:
        """The record with predicted labels; ``decoded`` is units x columns."""

    @abstractmethod
    def tally(self, gold: Sequence[Record], predicted: Sequence[Record]) -> Tally:
        """Score predictions."""

    @abstractmethod
    def write(self, records: Sequence[Record]) -> str:
        """Records as the text of a file in the task's usual format."""

    @property
    @abstractmethod
    def measure(self) -> str:
        """The one measure that selects epochs and settings."""
