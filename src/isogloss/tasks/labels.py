"""The labels a head can predict: learnt from the training part, checked there, looked up everywhere else."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import IsoglossError

UNKNOWN = -1
NO_LABEL = "_"  # never right
PLACEHOLDERS = frozenset({"-1", "_", "?", "hidden", "-", ""})


@dataclass(frozen=True)
class Labels:
    """Names in the order of the head's outputs."""

    names: tuple[str, ...]

    @classmethod
    def learn(cls, labels: Iterable[str], what: str, where: str | None = None) -> "Labels":
        """All labels of a training part, sorted; placeholders and a single label are refused."""
        seen = Counter(labels)
        if hidden := sorted(PLACEHOLDERS & seen.keys()):
            raise IsoglossError(
                f"{seen[hidden[0]]:,} {what} have the placeholder '{hidden[0]}' instead of a label",
                where=where,
                remedy="the labels of this part are not public: use another part",
            )
        if len(seen) < 2:
            only = (
                f"all {seen.total():,} {what} have the label '{next(iter(seen))}'" if seen else f"there are no {what}"
            )
            raise IsoglossError(f"{only}: nothing can be learnt", where=where, remedy="is this the training part?")
        return cls(tuple(sorted(seen)))

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    def encode(self, labels: Sequence[str]) -> NDArray[np.int64]:
        """Numbers of ``labels``, ``UNKNOWN`` for those the training part lacks."""
        return np.array([self._numbers.get(label, UNKNOWN) for label in labels], dtype=np.int64)

    def decode(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """Names of ``numbers``; ``NO_LABEL`` for ``UNKNOWN``, which stands where a word was cut off."""
        return tuple(NO_LABEL if number == UNKNOWN else self.names[number] for number in numbers)

    def __contains__(self, label: object) -> bool:
        return label in self._numbers
