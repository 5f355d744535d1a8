"""Sets of layers as users write them: ``1-2``, ``1,3-4``, ``all``, ``last``."""

import re
from collections.abc import Iterable

from isogloss.errors import IsoglossError


def read_layers(text: str, depth: int, lowest: int = 1) -> tuple[int, ...]:
    """Layer numbers (0 is the embedding) of a model with ``depth`` layers; ``all`` starts at ``lowest``."""
    if text == "all":
        return tuple(range(lowest, depth + 1))
    if text == "last":
        return (depth,)
    layers: set[int] = set()
    for piece in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,6})\s*(?:-\s*([0-9]{1,6}))?\s*", piece)
        if match is None:
            raise IsoglossError(
                f"layers '{text}' are not understood", where="method", remedy="for example 1-2 or 1,3-4 or all"
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if first > last or last > depth:
            raise IsoglossError(
                f"'{piece.strip()}' names no layers of the model",
                where="method",
                remedy=f"this model has layers 0 (the embedding) to {depth}",
            )
        layers.update(range(first, last + 1))
    return tuple(sorted(layers))


def check_layers(methods: Iterable[object], depth: int) -> None:
    """Refuse layers that a model with ``depth`` layers does not have, in whatever setting a method names them."""
    for method in methods:
        for setting in ("layers", "layer", "upper"):
            if isinstance(text := getattr(method, setting, None), str):
                read_layers(text, depth, lowest=0)
