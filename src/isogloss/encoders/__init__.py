"""A checkpoint in; hidden states out, of every layer, by subword token, word or sentence."""

from isogloss.encoders.blocks import Block, Counts
from isogloss.encoders.encoder import Encoder
from isogloss.encoders.separation import speaking, spoken_only
from isogloss.encoders.surgery import Freeze, Reinitialise, Separate, Truncate

__all__ = ["Block", "Counts", "Encoder", "Freeze", "Reinitialise", "Separate", "Truncate", "speaking", "spoken_only"]
