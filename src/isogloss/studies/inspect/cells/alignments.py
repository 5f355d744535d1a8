"""Word alignment by hidden states: the error rate of each layer against gold links."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from isogloss.corpora.alignments import GoldAlignments
from isogloss.encoders import Encoder
from isogloss.geometry import cosine
from isogloss.probes.statistics import bootstrap_ratio
from isogloss.progress import Task


def measure_alignments(encoders: Mapping[str, Encoder], gold: GoldAlignments, frame: pd.DataFrame) -> pd.DataFrame:
    """``frame`` with a row per layer: the alignment error rate of words that are each other's nearest by cosine.

    AER = 1 - (|A & S| + |A & P|) / (|A| + |S|) (Och and Ney 2003), summed over sentences; intervals over sentences.
    """
    sides = {gold.source: [row.first for row in gold.rows], gold.target: [row.second for row in gold.rows]}
    some = next(iter(encoders.values()))
    blocks = [
        encoders.get(language, some).encode([list(words) for words in side], level="word")
        for language, side in sides.items()
    ]
    rows = []
    with Task("matching words", total=len(some.layers)) as task:
        for layer in range(len(some.layers)):
            found = np.array([_counts(number, layer, blocks, gold) for number in range(len(gold.rows))])
            error = bootstrap_ratio(found[:, 1] - found[:, 0], found[:, 1])
            rows.append(
                (layer, gold.source, gold.target, "aer", error.value, error.low, error.high, len(gold.rows), False)
            )
            task.advance()
    return pd.concat([frame, pd.DataFrame(rows, columns=frame.columns)], ignore_index=True)


def _counts(number: int, layer: int, blocks: list, gold: GoldAlignments) -> tuple[float, float]:  # type: ignore[type-arg]
    """|A & S| + |A & P| and |A| + |S| of one sentence pair."""
    first, second = (block.values[block.sentence == number, layer] for block in blocks)
    row = gold.rows[number]
    if not len(first) or not len(second):
        return 0.0, float(len(row.sure))
    scores = cosine(first, second)
    forward, backward = scores.argmax(axis=1), scores.argmax(axis=0)
    links = {(i, int(j)) for i, j in enumerate(forward) if backward[j] == i}
    possible = row.possible | row.sure
    return float(len(links & row.sure) + len(links & possible)), float(len(links) + len(row.sure))
