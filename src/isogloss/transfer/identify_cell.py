"""Language identification after fine-tuning as a cell: it reads the model that a fine-tuning left."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from isogloss.errors import IsoglossError
from isogloss.runs import Bench, Cell
from isogloss.runs.cells import ADDED_LATER
from isogloss.transfer.cells import MODEL, FineTune, Tuned
from isogloss.transfer.data import Data
from isogloss.transfer.examples import LanguageUnits


@dataclass(frozen=True)
class Identified:
    """One protocol on one test set; ``control`` is the accuracy with random labels (NaN where there is none)."""

    test: str
    protocol: str
    macro_f1: float
    accuracy: float
    n: int
    converged: bool | None = None
    control: float | None = None


@dataclass(frozen=True)
class IdentificationRecord:
    """All test sets by both protocols."""

    rows: tuple[Identified, ...]


@dataclass(frozen=True)
class Identify(Cell[IdentificationRecord]):
    """Train language heads on ``texts`` and test them on ``tests`` (by name: plain text, or the task's records)."""

    name: ClassVar[str] = "identify-languages"
    record: ClassVar[type] = IdentificationRecord
    fitted: FineTune | Tuned = field(default_factory=FineTune)
    texts: tuple[Data, ...] = ()
    tests: dict[str, tuple[Data, ...]] = field(default_factory=dict)
    most: int = 2000
    controls: int = 1
    units: LanguageUnits = field(default="subwords", metadata=ADDED_LATER)

    def label(self) -> str:
        return f"languages after {self.fitted.label()}"

    def run(self, bench: Bench) -> IdentificationRecord:
        from isogloss.transfer.identification import identify_languages
        from isogloss.transfer.saving import load_fitted

        if not self.fitted.keep_model:
            raise IsoglossError("the fine-tuning keeps no model", where=self.label(), remedy="set keep_model")
        fitted = load_fitted(bench.folder(self.fitted) / MODEL)
        texts = {data.language: _lines(data) for data in self.texts}
        tests = {name: {data.language: _lines(data) for data in parts} for name, parts in self.tests.items()}
        frame = identify_languages(fitted, texts, tests, self.most, self.controls, self.units)
        return IdentificationRecord(tuple(_row(row) for row in frame.to_dict("records")))


def _lines(data: Data) -> list[Any]:
    """Plain text as strings, the task's records as they are."""
    return [record.text if data.kind == "text" else record for record in data.read()]


def _row(row: dict[Any, Any]) -> Identified:
    solved = row["protocol"] == "converged"
    return Identified(
        test=row["test"],
        protocol=row["protocol"],
        macro_f1=float(row["macro_f1"]),
        accuracy=float(row["accuracy"]),
        n=int(row["n"]),
        converged=bool(row["converged"]) if solved else None,
        control=float(row["control_accuracy"]) if solved and "control_accuracy" in row else None,
    )
