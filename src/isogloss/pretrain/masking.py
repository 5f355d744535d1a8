"""Which tokens to predict, and what stands in their place: some hidden ones (masked), or each next one (causal)."""

from dataclasses import dataclass, field
from itertools import pairwise

import torch
from torch import Tensor

from isogloss.pretrain.recipe import Masking, Recipe
from isogloss.pretrain.tokenisers import Specials


@dataclass(frozen=True)
class Words:
    """What masking must know of a language's entries."""

    drawable: Tensor  # ids that may stand in as random words
    starts: Tensor  # for every id, whether it begins a word
    specials: Specials = field(default_factory=Specials)

    def plain(self, rows: Tensor) -> Tensor:
        """Where tokens may be hidden: everywhere but at special tokens (an unknown token counts as one)."""
        return torch.isin(rows, torch.tensor(self.specials.ids), invert=True)


@dataclass(frozen=True)
class Batch:
    """Rows and what to predict in them. ``positions`` counts through the flattened rows."""

    language: str
    ids: Tensor  # rows x tokens; masked, unless the objective is causal
    positions: Tensor  # m: where predictions are made
    labels: Tensor  # m: what stood there, or (causal) what stands next
    attention: Tensor | None = None  # rows x tokens, False at padding; None where there is none

    def part(self, rows: slice) -> "Batch":
        """Some of the rows."""
        width = self.ids.shape[1]
        first, end, _ = rows.indices(self.ids.shape[0])
        here = (self.positions >= first * width) & (self.positions < end * width)
        attention = None if self.attention is None else self.attention[first:end]
        return Batch(
            self.language, self.ids[first:end], self.positions[here] - first * width, self.labels[here], attention
        )

    def split(self, number: int) -> list["Batch"]:
        """``number`` parts of about as many rows, the empty ones left out."""
        rows = len(self.ids)
        cuts = [rows * i // number for i in range(number + 1)]
        return [self.part(slice(first, end)) for first, end in pairwise(cuts) if end > first]

    def to(self, device: torch.device) -> "Batch":
        """The same on a device."""
        attention = None if self.attention is None else self.attention.to(device)
        return Batch(self.language, self.ids.to(device), self.positions.to(device), self.labels.to(device), attention)


def make_batch(language: str, rows: Tensor, words: Words, recipe: Recipe, random: torch.Generator) -> Batch:
    """What the recipe's objective makes of ``rows`` (rows x tokens)."""
    if recipe.objective == "causal":
        return shift_rows(language, rows, words.specials)
    return mask_rows(language, rows, words, recipe.masking, random)


def shift_rows(language: str, rows: Tensor, specials: Specials) -> Batch:
    """Every token is to be predicted at the position before it, but for the first one and padding."""
    there = rows != specials.pad
    predicted = there.clone()
    predicted[:, 0] = False
    places = predicted.view(-1).nonzero().squeeze(1)
    return Batch(language, rows, places - 1, rows.reshape(-1)[places], None if there.all() else there)


def mask_rows(language: str, rows: Tensor, words: Words, settings: Masking, random: torch.Generator) -> Batch:
    """Hide tokens of ``rows`` (rows x tokens). Special tokens stay; at least one token is always chosen.

    One uniform number a token decides both whether it is chosen and what becomes of it.
    """
    draw = torch.rand(rows.shape, generator=random)
    if settings.whole_words:
        draw = _by_word(draw, rows, words.starts, settings.share, random)
    draw.masked_fill_(~words.plain(rows), 1.0)
    chosen = draw < settings.share
    if not chosen.any():
        chosen.view(-1)[draw.argmin()] = True
    hidden = draw < settings.share * settings.mask
    swapped = (draw < settings.share * (settings.mask + settings.random)) & ~hidden
    ids = rows.masked_fill(hidden, words.specials.mask)
    number = int(swapped.sum())
    if number:
        ids[swapped] = words.drawable[torch.randint(len(words.drawable), (number,), generator=random)]
    positions = chosen.view(-1).nonzero().squeeze(1)
    attention = rows != words.specials.pad
    return Batch(language, ids, positions, rows.view(-1)[positions], None if attention.all() else attention)


def _by_word(draw: Tensor, rows: Tensor, starts: Tensor, share: float, random: torch.Generator) -> Tensor:
    """Choose whole words: a word's first number says whether; then each of its tokens draws what becomes of it."""
    word = (starts[rows].long().cumsum(1) - 1).clamp(min=0)  # number of the word in its row
    by_word = torch.rand(rows.shape, generator=random).gather(1, word) < share
    return torch.where(by_word, draw * share, torch.ones_like(draw))
