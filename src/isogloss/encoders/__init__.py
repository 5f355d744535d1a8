"""A checkpoint in; hidden states out, of every layer, by subword token, word or sentence; and language models."""

from typing import TYPE_CHECKING

from isogloss.lazy import on_first_use

if TYPE_CHECKING:
    from isogloss.encoders.blocks import Block, Counts
    from isogloss.encoders.encoder import Encoder
    from isogloss.encoders.feedforward import find_feed_forwards
    from isogloss.encoders.language_model import LanguageModel
    from isogloss.encoders.lens import Lens, fit_affine_lens
    from isogloss.encoders.neurons import ActivationCounts, count_activations, switched_off
    from isogloss.encoders.separation import speaking, spoken_only
    from isogloss.encoders.surgery import Freeze, Reinitialise, Separate, Truncate

__all__ = [
    "ActivationCounts",
    "Block",
    "Counts",
    "Encoder",
    "Freeze",
    "LanguageModel",
    "Lens",
    "Reinitialise",
    "Separate",
    "Truncate",
    "count_activations",
    "find_feed_forwards",
    "fit_affine_lens",
    "speaking",
    "spoken_only",
    "switched_off",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "blocks": ("Block", "Counts"),
        "encoder": ("Encoder",),
        "feedforward": ("find_feed_forwards",),
        "language_model": ("LanguageModel",),
        "lens": ("Lens", "fit_affine_lens"),
        "neurons": ("ActivationCounts", "count_activations", "switched_off"),
        "separation": ("speaking", "spoken_only"),
        "surgery": ("Freeze", "Reinitialise", "Separate", "Truncate"),
    },
)
