"""How far fine-tuning has moved the states of every language, inside the language subspace and outside it."""

from collections.abc import Collection
from pathlib import Path

import pandas as pd

from isogloss.encoders import Encoder
from isogloss.files import whole_file
from isogloss.geometry.drift import drift
from isogloss.runs import Bench
from isogloss.studies.shared.gather import Gather
from isogloss.studies.shared.language_space import fit_space
from isogloss.transfer import Fitted

FILE = "drift.parquet"
COLUMNS = ["layer", "target", "inside", "outside", "n"]


def measure_drift(fitted: Fitted, space: Gather, bench: Bench, tokens: int, languages: Collection[str]) -> pd.DataFrame:
    """A row a layer (0 is the embedding) and language: the same random tokens before and after fine-tuning.

    The subspace is DensRay's in the pretrained model, whatever the fine-tuning was told to hold.
    """
    before, after = space.open(bench), Encoder.from_model(fitted.whole, fitted.reader.tokenizer)
    layers, width = range(len(before.layers)), before.width
    moments = [space.moments(bench, layer) for layer in layers]
    spaces = [fit_space("densray", one) for one in moments]
    drawn = (space.draw(encoder, layers, tokens, languages) for encoder in (before, after))
    rows = []
    for first, second in zip(*drawn, strict=True):
        target = str(first.languages[0])
        for layer in layers:
            part = slice(layer * width, (layer + 1) * width)
            held = spaces[layer].directions[: spaces[layer].rank]
            found = drift(first.X[:, part], second.X[:, part], held, moments[layer].mean)
            rows.append((layer, target, found.inside, found.outside, found.n))
    return pd.DataFrame(rows, columns=COLUMNS)


def write_drift(frame: pd.DataFrame, folder: Path) -> None:
    with whole_file(folder / FILE) as part:
        frame.to_parquet(part, index=False)


def read_drift(folder: Path) -> pd.DataFrame:
    return pd.read_parquet(folder / FILE)
