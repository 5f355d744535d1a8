"""The cells of a study of L-DAR: fine-tunings, and how far each has moved the states of every language."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import pandas as pd

from isogloss.files import write_frame
from isogloss.geometry.drift import drift
from isogloss.runs import Bench
from isogloss.studies.shared.gather import Gather
from isogloss.transfer import FineTune, TransferRecord

if TYPE_CHECKING:
    from isogloss.transfer import Fitted

DRIFT_FILE = "drift.parquet"  # in the folder of a fine-tuning


@dataclass(frozen=True)
class Preserving(FineTune):
    """A fine-tuning whose folder also says how far the states of many languages have moved."""

    name: ClassVar[str] = "preserving"
    space: Gather | None = None  # of the pretrained model
    drift_tokens: int = 0

    def label(self) -> str:
        still = "" if self.settings.encoder_dropout else ", no dropout"
        return f"{self.task} from {'+'.join(self.sources)}, {self.method}{still}, seed {self.settings.seed}"

    def run(self, bench: Bench) -> TransferRecord:
        fitted = self.fit(bench)
        if self.space is not None:
            tested = {data.language for data in self.tests}
            moved = measure_drift(fitted, self.space, bench, self.drift_tokens, tested)
            write_frame(bench.workspace / DRIFT_FILE, moved)
        return self.evaluate(fitted, bench.workspace)


def measure_drift(
    fitted: "Fitted", space: Gather, bench: Bench, tokens: int, languages: Collection[str]
) -> pd.DataFrame:
    """A row per layer (0 is the embedding) and language: the same random tokens before and after fine-tuning.

    The subspace is DensRay's in the pretrained model, whatever the fine-tuning was told to hold.
    """
    from isogloss.encoders import Encoder
    from isogloss.geometry.language_space import fit_space

    before, after = space.open(bench), Encoder.from_model(fitted.whole, fitted.reader.tokenizer)
    layers, width = range(len(before.layers)), before.width
    moments = [space.moments(bench, layer) for layer in layers]
    spaces = [fit_space("densray", one) for one in moments]
    drawn = (space.draw(bench, encoder, layers, tokens, languages) for encoder in (before, after))
    rows = []
    for first, second in zip(*drawn, strict=True):
        target = str(first.languages[0])
        for layer in layers:
            part = slice(layer * width, (layer + 1) * width)
            held = spaces[layer].directions[: spaces[layer].rank]
            found = drift(first.X[:, part], second.X[:, part], held, moments[layer].mean)
            rows.append((layer, target, found.inside, found.outside, found.n))
    return pd.DataFrame(rows, columns=["layer", "target", "inside", "outside", "n"])
