"""Which layers are treated together: pairs of neighbours, singles, fours, thirds, quarters, all (Muller21 Table 5)."""

from collections.abc import Sequence

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.transfer.methods.layers import read_layers

RUNS = {"singles": 1, "pairs": 2, "fours": 4}  # neighbours at a time
PARTS = {"thirds": 3, "quarters": 4}  # of the whole depth
KINDS = (*RUNS, *PARTS, "all")


def layer_sets(wanted: Sequence[str], depth: int, setting: str = "sets") -> tuple[str, ...]:
    """Sets of layers as methods read them (``1-2``, ``all``), each once, in the order asked for.

    ``wanted`` has names of kinds, or sets of layers as they are: ``("pairs", "1", "1-3")``; errors name ``setting``.
    """
    found: list[str] = []
    for kind in wanted:
        found += _sets(kind.strip(), depth, setting)
    if not found:
        raise IsoglossError("no layers are given", where=f"setting '{setting}'", remedy=f"as in {setting}: [pairs]")
    return tuple(dict.fromkeys(found))


def _sets(kind: str, depth: int, setting: str) -> list[str]:
    if kind == "all":
        return ["all"]
    if kind not in KINDS:
        if not kind[:1].isdigit():
            remedy = f"one of {', '.join(KINDS)}, or layers as in 1-2"
            raise IsoglossError(f"unknown set of layers '{kind}'", where=f"setting '{setting}'", remedy=remedy)
        layers = read_layers(kind, depth)
        if 0 in layers:
            raise IsoglossError("the embedding is not a layer", where=f"{setting}: {kind}", remedy="start at 1")
        return ["all"] if len(layers) == depth else [kind]
    cuts: int | list[int] = PARTS[kind] if kind in PARTS else list(range(RUNS[kind], depth, RUNS[kind]))
    runs = np.array_split(np.arange(1, depth + 1), cuts)
    return [_written(run.tolist(), depth) for run in runs if len(run)]


def _written(run: list[int], depth: int) -> str:
    if len(run) == depth:
        return "all"
    return str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}"


def is_low(layers: str, depth: int) -> bool:
    """Whether a set lies in the lower half."""
    return layers != "all" and read_layers(layers, depth)[-1] <= depth / 2


def is_high(layers: str, depth: int) -> bool:
    """Whether a set lies in the upper half."""
    return layers != "all" and read_layers(layers, depth)[0] > depth / 2
