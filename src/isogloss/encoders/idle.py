"""Layers that hardly change what passes through them: what is measured in such a layer is the layer below it."""

import numpy as np

from isogloss.encoders.encoder import Encoder
from isogloss.encoders.sample import SAMPLE

IDLE = 0.003  # change of a state, relative to the spread of states, below which a layer does nothing to speak of


def layer_changes(encoder: Encoder) -> list[float]:
    """By how much each layer below the last changes the states of a built-in sample of sentences.

    The root mean square over tokens and dimensions, each dimension in units of its spread between tokens, so that
    rogue dimensions do not decide. The last layer is left out: its states are those after the final normalisation.
    """
    texts = [text for texts in SAMPLE.values() for text in texts]
    values = encoder.encode(texts, level="token").values.astype(np.float64)  # tokens x layers x d
    changes = []
    for layer in range(1, values.shape[1] - 1):
        below = values[:, layer - 1]
        spread = np.maximum(below.std(axis=0), 1e-12)
        changes.append(float(np.sqrt(np.mean(((values[:, layer] - below) / spread) ** 2))))
    return changes


def idle_layers(encoder: Encoder) -> tuple[int, ...]:
    """The layers that hardly change anything."""
    return tuple(layer for layer, change in enumerate(layer_changes(encoder), start=1) if change < IDLE)
