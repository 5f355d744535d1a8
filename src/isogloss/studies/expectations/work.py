"""How much work a paper's preset is: its cells, and GPU hours by a stated rule, known before any data is there."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import msgspec
import yaml

PARAMETERS = 86_000_000  # of the 12 layers of a base encoder; looking embeddings up costs next to nothing
SUBWORDS = 30  # of a sentence; a pair has two
LEARNING, READING = 6, 2  # operations per parameter and subword
# Operations a second. Full rows of 256 tokens in large batches: a sixth of an A100's peak. Short sentences in small
# batches: between what the minutes that Liang21 and Muller21 print come to, on a 2080 Ti and on T4s.
PRETRAINING, FINE_TUNING = 50e12, 2e12
RULE = (
    "by 6 operations per parameter and subword in training and 2 in reading; pretraining at 50 TFLOP/s (an A100), the "
    "rest at 2 TFLOP/s (as the GPUs of Liang21 and Muller21; one of today is several times as fast). Probes, "
    "clusterings and maps are not counted"
)


@dataclass(frozen=True)
class Work:
    """So many cells of a kind. Each learns from ``texts`` for ``epochs`` and reads ``read`` more texts."""

    kind: str
    count: int
    task: str = ""
    texts: int = 0
    epochs: int = 0
    read: int = 0
    subwords: int = SUBWORDS
    parameters: int = PARAMETERS

    @property
    def hours(self) -> float:
        """Of all its cells on one GPU."""
        passes = LEARNING * self.texts * self.epochs + READING * self.read
        speed = PRETRAINING if self.kind == "pretraining" else FINE_TUNING
        return self.count * passes * self.subwords * self.parameters / speed / 3600


@lru_cache(maxsize=1)
def load_work() -> dict[str, tuple[Work, ...]]:
    """The work of the ``paper`` preset of each study, and of ``study --option`` where an option adds some."""
    text = files(__package__).joinpath("work.yaml").read_text(encoding="utf-8")
    return msgspec.convert(yaml.safe_load(text), dict[str, tuple[Work, ...]], strict=True)


def work_of(study: str, options: str = "") -> tuple[Work, ...]:
    """The work of a study's ``paper`` preset with these options of the command."""
    known = load_work()
    return known.get(f"{study} {options}", known[study])


def cells_of(work: Iterable[Work]) -> dict[str, int]:
    """Kind -> count."""
    counts: Counter[str] = Counter()
    for one in work:
        counts[one.kind] += one.count
    return dict(counts)


def hours_as_published(work: Iterable[Work], minutes: Mapping[str, float]) -> float | None:
    """By the minutes that a paper states for one fine-tuning of a task; None where it states none of these tasks."""
    timed = [one for one in work if one.task in minutes]
    return sum(one.count * minutes[one.task] for one in timed) / 60 if timed else None
