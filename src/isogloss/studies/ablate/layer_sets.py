"""Which layers are drawn anew together: pairs of neighbours, singles, thirds, quarters, all (Muller21 Table 5)."""

from collections.abc import Sequence

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.transfer.methods.layers import read_layers

KINDS = ("pairs", "singles", "thirds", "quarters", "all")


def layer_sets(wanted: Sequence[str], depth: int) -> tuple[str, ...]:
    """Sets of layers as ``random-init`` reads them (``1-2``, ``all``), each once, in the order asked for.

    ``wanted`` has names of kinds, or sets of layers as they are: ``("pairs", "1", "1-3")``.
    """
    found: list[str] = []
    for kind in wanted:
        found += _sets(kind.strip(), depth)
    if not found:
        raise IsoglossError("no layers are to be drawn anew", where="setting 'sets'", remedy="as in sets: [pairs]")
    return tuple(dict.fromkeys(found))


def _sets(kind: str, depth: int) -> list[str]:
    if kind == "all":
        return ["all"]
    if kind not in KINDS:
        if not kind[:1].isdigit():
            remedy = f"one of {', '.join(KINDS)}, or layers as in 1-2"
            raise IsoglossError(f"there is no set of layers '{kind}'", where="setting 'sets'", remedy=remedy)
        layers = read_layers(kind, depth)
        if 0 in layers:
            raise IsoglossError("the embedding is not a layer to draw anew", where=f"sets: {kind}", remedy="start at 1")
        return ["all"] if len(layers) == depth else [kind]
    pieces = {"pairs": -(-depth // 2), "singles": depth, "thirds": 3, "quarters": 4}[kind]
    if kind == "pairs":
        runs = [np.arange(first, min(first + 1, depth) + 1) for first in range(1, depth + 1, 2)]
    else:
        runs = [run for run in np.array_split(np.arange(1, depth + 1), pieces) if len(run)]
    return [_written(run.tolist(), depth) for run in runs]


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
