"""Blocks of problems as the tensors of one objective."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from isogloss.probes.logistic.objective import Objective
from isogloss.probes.logistic.parts import Part
from isogloss.probes.logistic.plan import Block, Encoded

ClassWeight = Literal["balanced"] | Mapping[Any, float] | None


@dataclass(frozen=True)
class Settings:
    """What the solver needs to know beside the data."""

    C: float
    tol: float
    max_iter: int
    class_weight: ClassWeight
    dtype: torch.dtype
    device: str


def make_objective(
    chunk: list[Block], loaded: list[list[Part]], settings: Settings, space: Callable[..., Tensor] = torch.empty
) -> Objective:
    """One objective for some blocks, whose features have been ``loaded``; shapes are padded with zeros.

    ``space`` gives memory of a shape for the features.
    """
    features = _join([[part.features for part in own] for own in loaded], space)
    problems, rows = max(block.problems for block in chunk), features.shape[2]
    shared = _share_labels(chunk)
    width = 1 if shared else problems
    targets = torch.zeros(len(chunk), width, chunk[0].members[0].outputs, rows)
    weights = torch.zeros(len(chunk), width, 1, rows)
    sizes = torch.zeros(len(chunk), problems, dtype=torch.long)
    for place, block in enumerate(chunk):
        # Problems that only fill up the shape come first: they see no column and are done at once.
        part = problems - block.problems
        weights[place, :, 0, : block.rows] = 1
        for member in block.members:
            own, part = slice(part, part + member.parts), part + member.parts
            if len(member.labels.classes) > 1:  # with one class there is nothing to learn: it sees no column
                sizes[place, own] = member.size + 1
            if not shared or member is block.members[0]:
                spot = slice(None) if shared else own
                targets[place, spot, :, : block.rows] = torch.from_numpy(_targets(member))
                weights[place, spot, 0, : block.rows] = torch.from_numpy(_weights(member, settings.class_weight))
    device, dtype = settings.device, features.dtype
    return Objective(
        features.to(device),
        targets.to(device, dtype),
        weights.to(device, dtype),
        sizes.to(device),
        settings.C,
        _grams(chunk, loaded, settings),
    )


def _share_labels(chunk: list[Block]) -> bool:
    """Whether each block's problems have the same labels: then these stand there once."""
    return all(
        member.labels is block.members[0].labels and member.parts == 1 for block in chunk for member in block.members
    )


def _grams(chunk: list[Block], loaded: list[list[Part]], settings: Settings) -> Tensor | None:
    """B x D x D products of the features, if known for every block and if every row counts the same."""
    weighted = settings.class_weight is not None or any(
        member.problem.weights is not None for block in chunk for member in block.members
    )
    grams = [[part.gram for part in own if part.gram is not None] for own in loaded]
    if weighted or any(len(known) < len(own) for known, own in zip(grams, loaded, strict=True)):
        return None
    return _join([[torch.stack(known).sum(dim=0)] for known in grams]).to(settings.device)


def _join(blocks: list[list[Tensor]], space: Callable[..., Tensor] = torch.empty) -> Tensor:
    """B x D x n from the parts (D x n) of each block, side by side, with zeros below and to the right."""
    if len(blocks) == len(blocks[0]) == 1:
        return blocks[0][0][None]
    heights = [parts[0].shape[0] for parts in blocks]
    widths = [sum(part.shape[1] for part in parts) for parts in blocks]
    joined = space(len(blocks), max(heights), max(widths)).to(blocks[0][0].dtype)
    for place, parts in enumerate(blocks):
        first = 0
        for part in parts:
            joined[place, : part.shape[0], first : first + part.shape[1]] = part
            first += part.shape[1]
        joined[place, heights[place] :] = 0
        joined[place, :, first:] = 0
    return joined


def _targets(member: Encoded) -> NDArray[np.float32]:
    """parts x M x n, zeros and ones."""
    codes, count = member.labels.train_codes, max(member.parts, member.outputs)
    single: NDArray[np.float32] = (codes == (np.arange(count)[:, None] if count > 1 else 1)).astype(np.float32)
    return single.reshape(member.parts, member.outputs, len(codes))


def _weights(member: Encoded, class_weight: ClassWeight) -> NDArray[np.float32]:
    """n: the problem's own weights times the classes' weights."""
    codes, classes = member.labels.train_codes, member.labels.classes
    given = member.problem.weights
    rows = np.ones(len(codes)) if given is None else np.asarray(given, dtype=np.float64)[member.labels.train]
    if class_weight is not None:
        if class_weight == "balanced":
            totals = np.bincount(codes[codes >= 0], minlength=len(classes))
            by_class = totals.sum() / (len(classes) * totals)
        else:
            by_class = np.array([class_weight.get(name, 1.0) for name in classes.tolist()])
        rows = rows * np.where(codes >= 0, by_class[codes], 0)
    return rows.astype(np.float32)
