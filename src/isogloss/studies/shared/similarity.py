"""Cross-lingual similarity: CKA of parallel sentences with the source's, layer by layer (Muller21 §2.2)."""

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.corpora.records import ParallelText
from isogloss.geometry import SmallSampleWarning, cka_grid
from isogloss.progress import track

if TYPE_CHECKING:
    from isogloss.encoders import Encoder

COLUMNS = ["layer", "target", "kind", "value", "chance", "n"]


def measure_similarity(encoder: "Encoder", text: ParallelText, source: str, kinds: Sequence[str]) -> pd.DataFrame:
    """A row per layer, target and kind of CKA: sentences are means of their tokens, special ones left out.

    ``chance`` is what the same sentences would give in the mean if they were paired at random (the plain kinds).
    """
    return compare_layers(
        {language: encoder.encode(list(rows)) for language, rows in text.texts.items()}, source, kinds
    )


def compare_layers(states: Mapping[str, NDArray[np.float32]], source: str, kinds: Sequence[str]) -> pd.DataFrame:
    """The same of states (n x layers x d) by language, whichever encoder they come from."""
    rows = []
    for layer in track(range(states[source].shape[1]), "comparing layers"):
        for target in (language for language in states if language != source):
            for kind in kinds:
                with warnings.catch_warnings():  # chance is reported instead
                    warnings.simplefilter("ignore", SmallSampleWarning)
                    found = cka_grid([states[source][:, layer], states[target][:, layer]], kind=kind)  # type: ignore[arg-type]
                chance = 0.0 if kind.endswith("unbiased") else float(found.chance[0, 1])
                rows.append((layer, target, kind, float(found.values[0, 1]), chance, found.n))
    return pd.DataFrame(rows, columns=COLUMNS)
