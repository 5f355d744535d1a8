"""An engine that computes nothing: every fine-tuning gets made-up scores for exactly what it was to be tested on."""

import zlib
from typing import Any

import pandas as pd

from isogloss.runs import Cell, Inline, key_of
from isogloss.studies.shared.similarity import COLUMNS, write_similarity
from isogloss.tasks import get_task
from isogloss.transfer import FineTune, TransferRecord, Tuned
from isogloss.transfer.fitted import Epoch
from isogloss.transfer.scores import Score


def draw(cell: Cell[Any], *names: object) -> float:
    """A number between 0 and 1 that depends on nothing but the cell and what is asked."""
    return zlib.crc32(repr((key_of(cell), names)).encode()) / 2**32


def fake_scores(cell: FineTune | Tuned, base: FineTune) -> TransferRecord:
    measure = get_task(base.task, **base.options).measure
    scores = [
        Score(data.language, data.name, measure, draw(cell, data.name, data.language), 0.0, 1.0, 2, True)
        for data in cell.tests
    ]
    history = tuple(Epoch(n + 1, 1.0, draw(cell, n)) for n in range(base.settings.epochs))
    return TransferRecord(tuple(scores), history, base.settings, ("a", "b"), {}, ())


def fake_similarity(cell: Any, sentences: Any, kinds: Any, layers: int) -> Any:
    rows = [
        (layer, target, kind, draw(cell, layer, target, kind), 0.1, 24)
        for layer in range(layers + 1)
        for target in sentences.languages[1:]
        for kind in kinds
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def patch_ablate(monkeypatch: Any, layers: int = 12) -> Inline:
    from isogloss.studies.ablate.cells import Ablation, Compared, Pretrained

    def ablation(self: Any, bench: Any) -> TransferRecord:
        if self.sentences is not None and self.tests:
            write_similarity(fake_similarity(self, self.sentences, self.kinds, layers), bench.workspace)
        return fake_scores(self, self)

    def pretrained(self: Any, bench: Any) -> Compared:
        write_similarity(fake_similarity(self, self.sentences, self.kinds, layers), bench.workspace)
        return Compared(24)

    monkeypatch.setattr(Ablation, "run", ablation)
    monkeypatch.setattr(Pretrained, "run", pretrained)
    return Inline()


def patch_emerge(monkeypatch: Any) -> Inline:
    from isogloss.studies.shared.pretraining import Pretraining, PretrainingRecord

    def pretraining(self: Any, bench: Any) -> PretrainingRecord:
        return PretrainingRecord(1, 1.0, dict.fromkeys(self.languages, 9.0), dict.fromkeys(self.languages, 0.1))

    monkeypatch.setattr(Pretraining, "run", pretraining)
    monkeypatch.setattr(FineTune, "run", lambda self, bench: fake_scores(self, self))
    return Inline()


def patch_fuse(monkeypatch: Any) -> Inline:
    from isogloss.studies.fuse.cells import COSINES_FILE, Fusing

    def fusing(self: Any, bench: Any) -> TransferRecord:
        if self.sentences is not None:
            rows = [
                (code, draw(self, code), 0.1, draw(self, code, "gate"), 20) for code in self.sentences.languages[1:]
            ]
            frame = pd.DataFrame(rows, columns=["target", "cosine", "others", "opening", "n"])
            frame.to_parquet(bench.workspace / COSINES_FILE, index=False)
        return fake_scores(self, self)

    monkeypatch.setattr(Fusing, "run", fusing)
    return Inline()
