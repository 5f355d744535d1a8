"""bfloat16 where it is faster and safe: weights are lowered, a probe is compared with float32, and undone on need."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from isogloss.encoders.sample import SAMPLE
from isogloss.encoders.subwords import Tokeniser

Probe = dict[str, NDArray[np.float32]]  # of random subwords and of each language: n x layers x d
RANDOM = "random subwords"

# Largest deviation of pooled states, as a share of the spread between sentences of one language: what cosines, CKA and
# probes of centred states would see as noise.
TOLERANCE = 0.05
# Three dimensions with more than this share of the variance are rogue: their rounding hides in their own spread, while
# judgements that give every dimension its say (standardised ones) see it in all the others.
ROGUE_SHARE = 0.3
LEAST_SENTENCES = 3  # of a language that the tokeniser knows, for it to be looked at
LARGEST_UNKNOWN = 0.1  # share of unknown subwords up to which a sentence is natural text to this model
PROBE_LENGTHS = (8, 12, 16, 16, 20, 24, 28, 32)  # subwords; natural sentences


def probe_inputs(rows: int, avoid: Sequence[int], seed: int = 0) -> list[list[int]]:
    """Fixed sequences of subwords from all over a vocabulary of ``rows`` entries.

    They do not depend on the user's text: so the number type is a property of the model and the machine.
    """
    allowed = np.setdiff1d(np.arange(rows), np.asarray(avoid, dtype=np.int64))
    draw = np.random.default_rng(seed)
    return [draw.choice(allowed, size=length).tolist() for length in PROBE_LENGTHS]


def natural_inputs(tokeniser: Tokeniser) -> dict[str, list[list[int]]]:
    """Subwords of the built-in sample by language, as far as this tokeniser knows them; empty for toy vocabularies."""
    found = {}
    for language, texts in SAMPLE.items():
        read = [one.ids for one in tokeniser.read_sentences(texts, 0)]
        known = [ids for ids in read if ids and tokeniser.count_unknown(ids) <= LARGEST_UNKNOWN * len(ids)]
        if len(known) >= LEAST_SENTENCES:
            found[language] = known
    return found


def has_rogues(exact: Probe) -> bool:
    """Whether three dimensions hold too much of the variance of natural text; not asked of toy vocabularies."""
    natural = [states for name, states in exact.items() if name != RANDOM]
    return bool(natural) and rogue_share(natural) > ROGUE_SHARE


def is_near(exact: Probe, rounded: Probe) -> bool:
    """Whether rounded states stay within the tolerance, for random subwords and for every language."""
    return all(deviation(exact[name], rounded[name]) <= TOLERANCE for name in exact)


def deviation(exact: NDArray[np.float32], rounded: NDArray[np.float32]) -> float:
    """Largest deviation over layers (both n x layers x d), relative to the spread between the n sentences."""
    spread = np.linalg.norm(exact - exact.mean(axis=0), axis=(0, 2)) * np.sqrt(len(exact) / (len(exact) - 1))
    strayed = np.linalg.norm(exact - rounded, axis=(0, 2))
    if not np.isfinite(strayed).all():
        return float("inf")
    return float(np.max(strayed / np.maximum(spread, np.finfo(np.float32).tiny)))


def rogue_share(by_language: Sequence[NDArray[np.float32]]) -> float:
    """Of the variance within languages (each n x layers x d), the share of three dimensions: most of all layers."""
    squares = sum(((states - states.mean(axis=0)).astype(np.float64) ** 2).sum(axis=0) for states in by_language)
    largest = np.sort(np.asarray(squares), axis=1)[:, ::-1]  # layers x d
    return float(np.max(largest[:, :3].sum(axis=1) / np.maximum(largest.sum(axis=1), np.finfo(np.float64).tiny)))


def lower_weights(model: Any, dtype: torch.dtype) -> dict[str, Tensor]:
    """Convert the parameters of ``model`` in place and return the exact ones. Buffers (rotary angles) stay exact."""
    strict = tuple(getattr(model, "_keep_in_fp32_modules_strict", None) or ())
    exact: dict[str, Tensor] = {}
    for name, parameter in model.named_parameters():
        if parameter.is_floating_point() and not any(part in name.split(".") for part in strict):
            exact[name] = parameter.data
            parameter.data = parameter.data.to(dtype)
    return exact


def restore_weights(model: Any, exact: dict[str, Tensor]) -> None:
    """Undo ``lower_weights``."""
    for name, parameter in model.named_parameters():
        if name in exact:
            parameter.data = exact[name]
