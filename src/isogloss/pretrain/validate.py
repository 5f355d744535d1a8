"""Validation: perplexity of the tokens to predict, by language, on the same rows every time."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional

from isogloss.pretrain.batches import MASKS, Buckets, Rows, chance, sentence_rows
from isogloss.pretrain.masking import Batch, make_batch
from isogloss.pretrain.model import asked_logits
from isogloss.pretrain.prepare import Corpus
from isogloss.pretrain.recipe import Recipe
from isogloss.pretrain.sharing import Paths
from isogloss.pretrain.tokenisers import Specials
from isogloss.pretrain.tokens import Stream

if TYPE_CHECKING:  # opening transformers takes longer than most of what is done without it
    from transformers import PreTrainedModel

Batches = Mapping[str, list[Batch]]


def fixed_batches(recipe: Recipe, corpus: Corpus) -> dict[str, list[Batch]]:
    """The held-out text as batches. The masks depend on the seed only, so steps can be compared."""
    random = torch.Generator().manual_seed(int(chance(recipe.seed, MASKS, 0).integers(2**62)))
    return {
        language: [
            make_batch(language, torch.from_numpy(rows), corpus.words[language], recipe, random)
            for rows in _rows(recipe, stream, corpus.tokenisers.specials)
        ]
        for language, stream in corpus.validation.items()
    }


def _rows(recipe: Recipe, stream: Stream, specials: Specials) -> Iterator[Rows]:
    """Every held-out sentence once, in batches of the training's size at most."""
    length = recipe.data.length
    if recipe.data.layout == "sentences":
        buckets = Buckets.of(stream, length)
        for width, first, end in zip(buckets.lengths, buckets.bounds, buckets.bounds[1:], strict=False):
            numbers = buckets.order[first:end]
            for part in _split(numbers, max(1, recipe.training.batch_tokens // int(width))):
                yield sentence_rows(stream, part, int(width), specials)
        return
    number = max(1, len(stream.ids) // (length - 1))
    places = (np.arange(number)[:, None] * (length - 1) + np.arange(length - 1)) % len(stream.ids)
    for part in _split(places, max(1, recipe.training.batch_tokens // length)):
        yield np.pad(stream.ids[part].astype(np.int64), ((0, 0), (1, 0)), constant_values=specials.start)


def _split(rows: Rows, size: int) -> Iterator[Rows]:
    for first in range(0, len(rows), size):
        yield rows[first : first + size]


@torch.no_grad()
def losses(paths: Paths, batches: Batches, device: torch.device) -> dict[str, float]:
    """Mean loss of the tokens to predict, by language. Dropout is off."""
    return {language: mean_loss(paths, parts, device) for language, parts in batches.items()}


@torch.no_grad()
def mean_loss(paths: Paths, batches: list[Batch], device: torch.device) -> float:
    """Mean loss over the tokens to predict of some batches of one language."""
    model = paths[batches[0].language]
    training = model.training
    model.train(False)
    total = sum(_summed_loss(model, batch.to(device)) for batch in batches)
    model.train(training)
    return total / sum(len(batch.labels) for batch in batches)


def _summed_loss(model: "PreTrainedModel", batch: Batch) -> float:
    logits = asked_logits(model, batch).float()
    return float(functional.cross_entropy(logits, batch.labels, reduction="sum"))
