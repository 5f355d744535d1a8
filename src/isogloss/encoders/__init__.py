"""A checkpoint in; hidden states out, of every layer, by subword token, word or sentence."""

from isogloss.encoders.blocks import Block, Counts
from isogloss.encoders.encoder import Encoder

__all__ = ["Block", "Counts", "Encoder"]
