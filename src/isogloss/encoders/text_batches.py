"""Texts as padded batches of token numbers, with a mask that tells the text from special tokens and padding."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch import Tensor

from isogloss.encoders.batching import cut_batches
from isogloss.encoders.blocks import Counts
from isogloss.encoders.levels import Piece
from isogloss.encoders.subwords import Tokeniser
from isogloss.encoders.windows import lay_out_sentences

WINDOW = 512  # texts sorted by length at a time


@dataclass(frozen=True, eq=False)
class TextBatch:
    """Some texts, padded on the right."""

    inputs: dict[str, Any]  # input_ids, and attention_mask where something is padded
    text: Tensor  # batch x time, True at the text's own subwords
    rows: tuple[int, ...]  # the number of each text

    @property
    def ids(self) -> Tensor:
        """Token numbers, batch x time."""
        ids: Tensor = self.inputs["input_ids"]
        return ids


class TextReader:
    """Cuts texts into batches for one model. ``counts`` says what was read and what was cut."""

    def __init__(self, tokeniser: Tokeniser, longest: int, budget: int, device: torch.device) -> None:
        self.tokeniser, self.budget, self.device = tokeniser, budget, device
        self.room = longest - len(tokeniser.frame([]))
        self.counts = Counts()

    def read(self, texts: Iterable[str]) -> Iterator[TextBatch]:
        """Batches of at most ``budget`` tokens, texts of like length together; memory does not grow with the text."""
        source, start = iter(texts), 0
        while window := list(islice(source, WINDOW)):
            laid = lay_out_sentences(
                self.tokeniser.read_sentences(window, start), start, "mean", self.tokeniser, self.room
            )
            self.counts += laid.counts
            for pieces in cut_batches(laid.pieces, self.budget):
                yield self._batch(pieces, start)
            start += len(window)

    def _batch(self, pieces: list[Piece], start: int) -> TextBatch:
        longest = max(len(piece.ids) for piece in pieces)
        ids = np.full((len(pieces), longest), self.tokeniser.pad, dtype=np.int64)
        there, text = (np.zeros(ids.shape, dtype=bool) for _ in range(2))
        for line, piece in enumerate(pieces):
            ids[line, : len(piece.ids)] = piece.ids
            there[line, : len(piece.ids)] = True
            text[line, slice(*piece.spans[0])] = True
        inputs = {"input_ids": torch.from_numpy(ids).to(self.device)}
        if not there.all():
            inputs["attention_mask"] = torch.from_numpy(there.astype(np.int64)).to(self.device)
        return TextBatch(
            inputs, torch.from_numpy(text).to(self.device), tuple(start + piece.rows[0] for piece in pieces)
        )
