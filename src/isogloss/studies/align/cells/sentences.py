"""Sentences: retrieval after a map learnt from n translations (Wu20 Fig. 6), and CKA, which needs no map (Fig. 7)."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.files import whole_file
from isogloss.geometry import SmallSampleWarning, cka_grid
from isogloss.probes.statistics import wilson
from isogloss.progress import Task
from isogloss.runs import Bench, Cell
from isogloss.runs.cells import ADDED_LATER
from isogloss.studies.align.cells.inputs import Bitext, Rewordings
from isogloss.studies.shared.models import Checkpoint, open_speakers

if TYPE_CHECKING:
    from isogloss.geometry import AlignmentTask

FILE = "sentences.parquet"
COLUMNS = ["layer", "measure", "size", "value", "low", "high", "n"]
MAPPED, HELD_OUT, AS_IS = "retrieval", "retrieval, held out", "retrieval, no map"
RESAMPLED = 2_000  # sentences up to which CKA has an interval over sentences
RESAMPLES = 100
States = NDArray[np.float32]  # n x d
Columns = Sequence[States]  # every layer, and a pipeline's output last
Rows = Iterator[tuple[object, ...]]


@dataclass(frozen=True)
class SentenceRecord:
    """How many sentences there were; what was measured is a table in the cell's folder."""

    learnt: int
    tested: int
    layers: tuple[int, int]
    dtype: str = "float32"  # always
    output: bool = False  # whether the row after the last layer's is of the outputs of two pipelines


@dataclass(frozen=True)
class SentenceLevel(Cell[SentenceRecord]):
    """Retrieval and CKA of two encoders, layer by layer. With ``twin`` both read the first language."""

    name: ClassVar[str] = "align-sentences"
    record: ClassVar[type] = SentenceRecord
    source_model: Any = field(default_factory=lambda: Checkpoint(""))
    target_model: Any = field(default_factory=lambda: Checkpoint(""))
    learnt: Bitext | Rewordings = field(default_factory=lambda: Bitext("", "", (), 0, 0))
    tested: Bitext | Rewordings = field(default_factory=lambda: Bitext("", "", (), 0, 0))
    twin: bool = False
    sizes: tuple[int, ...] = (2_000,)
    kinds: tuple[str, ...] = ("unbiased",)
    rounds: int = 10
    device: str = "auto"
    compared: Bitext | None = field(default=None, metadata=ADDED_LATER)  # for CKA; None: what is tested
    deployed: bool = field(default=False, metadata=ADDED_LATER)  # prompts, poolings and outputs of the models' own

    def label(self) -> str:
        first, second = self.tested.languages[0], self.tested.languages[-1]
        return f"sentences of {first} and {first if self.twin else second}, {self.target_model.label()}"

    def run(self, bench: Bench) -> SentenceRecord:
        models = (self.source_model, self.target_model)
        spoken = self._codes(self.tested)
        encoders = [
            open_speakers(model, bench, [code], self.device, "float32", pipeline=self.deployed)[code]
            for model, code in zip(models, spoken, strict=True)
        ]
        states: list[list[list[States]]] = []  # texts x encoders x columns
        for text in (self.learnt, self.tested, *((self.compared,) if self.compared else ())):
            rows = text.read()
            pairs = zip(encoders, self._codes(text), strict=True)
            states.append([encoder.encode_columns(list(rows.texts[code])) for encoder, code in pairs])
        depths = (len(encoders[0].layers), len(encoders[1].layers))
        layers = pair_layers(depths[0] - 1, depths[1] - 1)
        output = all(encoder.output_width is not None for encoder in encoders)
        layers += [depths] if output else []
        found = [*self._retrieve(states[0], states[1], layers), *self._compare(states[-1], layers)]
        with whole_file(bench.workspace / FILE) as part:
            pd.DataFrame(found, columns=COLUMNS).to_parquet(part, index=False)
        return SentenceRecord(len(states[0][0][0]), len(states[1][0][0]), depths, output=output)

    def _codes(self, text: Bitext | Rewordings) -> tuple[str, str]:
        """What the two encoders read."""
        return text.languages[0], text.languages[0 if self.twin else 1]

    def _retrieve(
        self, learnt: Sequence[Columns], tested: Sequence[Columns], layers: Sequence[tuple[int, int]]
    ) -> Rows:
        """Target sentences find their source, and the other way round; every size of the map, every layer."""
        from isogloss.geometry import nearest

        most = len(learnt[0][0])
        for size in dict.fromkeys(min(size, most) for size in self.sizes):
            tasks = [_task(learnt, tested, pair, slice(size)) for pair in layers]
            yield from self._rows(MAPPED, size, tasks)
        cut = most - most // 5
        rest = [[rows[cut:] for rows in columns] for columns in learnt]
        tasks = [_task(learnt, rest, pair, slice(cut)) for pair in layers]
        yield from self._rows(HELD_OUT, cut, tasks)
        for layer, other in layers:
            first, second = tested[0][layer], tested[1][other]
            if first.shape == second.shape:
                right = [(nearest(*pair, top=1)[1][:, 0] == np.arange(len(first))).mean() for pair in
                         ((first, second), (second, first))]  # fmt: skip
                yield _share(layer, AS_IS, 0, float(np.mean(right)), len(first))

    def _rows(self, measure: str, size: int, tasks: "Sequence[AlignmentTask]") -> Rows:
        from isogloss.geometry import aligned_retrieval

        for layer, one in enumerate(aligned_retrieval(tasks, self.rounds)):
            yield _share(layer, measure, size, (one.forward + one.backward) / 2, one.n)

    def _compare(self, tested: Sequence[Columns], layers: Sequence[tuple[int, int]]) -> Rows:
        n = len(tested[0][0])
        with Task("comparing layers", total=len(layers) * len(self.kinds)) as task:
            for kind in self.kinds:
                for layer, other in layers:
                    with warnings.catch_warnings():  # what chance gives stands in the table, and in a finding
                        warnings.simplefilter("ignore", SmallSampleWarning)
                        found = cka_grid(
                            [tested[0][layer], tested[1][other]],
                            kind=kind,  # type: ignore[arg-type]
                            resamples=RESAMPLES if n <= RESAMPLED else 0,
                        )
                    low, high = (np.nan if end is None else float(end[0, 1]) for end in (found.low, found.high))
                    yield (layer, f"cka_{kind}", 0, float(found.values[0, 1]), low, high, n)
                    task.advance()


def pair_layers(depth: int, other: int) -> list[tuple[int, int]]:
    """For each layer of the source the target's at the same height; the same number where both are as deep."""
    return [(layer, round(layer * other / depth)) for layer in range(depth + 1)]


def _task(learnt: Sequence[Columns], tested: Sequence[Columns], pair: tuple[int, int], rows: slice) -> "AlignmentTask":
    from isogloss.geometry import AlignmentTask

    source, target = pair
    return AlignmentTask(learnt[1][target][rows], learnt[0][source][rows], tested[1][target], tested[0][source])


def _share(layer: int, measure: str, size: int, value: float, n: int) -> tuple[object, ...]:
    """A share with its interval over sentences."""
    one = wilson(value * n, n)
    return (layer, measure, size, value, one.low, one.high, n)
