"""bfloat16 where it is faster and safe: weights are lowered, a probe is compared with float32, and undone on need."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

# Largest deviation of pooled states, as a share of the spread between sentences: what cosines, CKA and probes of
# centred states would see as noise. A model with rogue dimensions fails it, and stays in float32.
TOLERANCE = 0.05
PROBE_LENGTHS = (8, 12, 16, 16, 20, 24, 28, 32)  # subwords; natural sentences


def probe_inputs(rows: int, avoid: Sequence[int], seed: int = 0) -> list[list[int]]:
    """Fixed sequences of subwords from all over a vocabulary of ``rows`` entries.

    They do not depend on the user's text: so the number type is a property of the model and the machine.
    """
    allowed = np.setdiff1d(np.arange(rows), np.asarray(avoid, dtype=np.int64))
    draw = np.random.default_rng(seed)
    return [draw.choice(allowed, size=length).tolist() for length in PROBE_LENGTHS]


def deviation(exact: NDArray[np.float32], rounded: NDArray[np.float32]) -> float:
    """Largest deviation over layers (both n x layers x d), relative to the spread between the n sentences."""
    spread = np.linalg.norm(exact - exact.mean(axis=0), axis=(0, 2))
    strayed = np.linalg.norm(exact - rounded, axis=(0, 2))
    if not np.isfinite(strayed).all():
        return float("inf")
    return float(np.max(strayed / np.maximum(spread, np.finfo(np.float32).tiny)))


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
