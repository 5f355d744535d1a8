"""The cells of an ablation: fine-tunings, and the similarity of languages before and after each (Muller21 §2.2)."""

from dataclasses import dataclass, field
from typing import ClassVar

from isogloss.corpora.parallel_sentences import Sentences
from isogloss.files import write_frame
from isogloss.runs import Bench, Cell
from isogloss.studies.shared.models import Checkpoint, Model, open_model
from isogloss.studies.shared.similarity import measure_similarity
from isogloss.transfer import FineTune, TransferRecord

SIMILARITIES = "similarity.parquet"  # in the folder of a cell


@dataclass(frozen=True)
class Compared:
    """How many sentences were compared; the similarities are a table in the cell's folder."""

    sentences: int


@dataclass(frozen=True)
class Pretrained(Cell[Compared]):
    """Similarities in the model as it was pretrained."""

    name: ClassVar[str] = "similarity"
    record: ClassVar[type] = Compared
    model: Model = field(default_factory=lambda: Checkpoint(""))
    sentences: Sentences = field(default_factory=lambda: Sentences("", (), 0, ""))
    source: str = ""
    kinds: tuple[str, ...] = ("linear",)
    device: str = "auto"

    def label(self) -> str:
        return f"similarity with {self.source}, pretrained"

    def run(self, bench: Bench) -> Compared:
        text = self.sentences.read()
        encoder = open_model(self.model, bench, self.device, "float32")
        write_frame(bench.workspace / SIMILARITIES, measure_similarity(encoder, text, self.source, self.kinds))
        return Compared(len(text))


@dataclass(frozen=True)
class Ablation(FineTune):
    """A fine-tuning whose folder also has the similarities in the fine-tuned model."""

    name: ClassVar[str] = "ablation"
    sentences: Sentences | None = None
    kinds: tuple[str, ...] = ()

    def label(self) -> str:
        return f"{self.task} from {self.sources[0]}, {self.method}, seed {self.settings.seed}"

    def run(self, bench: Bench) -> TransferRecord:
        from isogloss.encoders import Encoder

        fitted = self.fit(bench)
        if self.sentences is not None and self.tests:  # candidates of a search have no tests
            encoder = Encoder.from_model(fitted.whole, fitted.reader.tokenizer)
            frame = measure_similarity(encoder, self.sentences.read(), self.sources[0], self.kinds)
            write_frame(bench.workspace / SIMILARITIES, frame)
        return self.evaluate(fitted, bench.workspace)
