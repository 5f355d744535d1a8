"""Measures of plugins beside those of ``inspect``: functions of one layer's states."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from isogloss.errors import IsoglossError
from isogloss.plugins import parts
from isogloss.probes.layer_measures import Layer, Row, States
from isogloss.progress import track


def add_own_measures(
    frame: pd.DataFrame, states: Mapping[str, Sequence[States]], fitted: int, names: Sequence[str]
) -> pd.DataFrame:
    """``frame`` with the rows of the measures named, layer by layer."""
    known, rows = parts("MEASURES"), []
    for number in track(range(len(next(iter(states.values())))), "own measures"):
        first = {language: layers[number][:fitted] for language, layers in states.items()}
        rest = {language: layers[number][fitted:] for language, layers in states.items()}
        for name in names:
            rows += [row._replace(layer=number) for row in _rows(name, known[name](first, rest), rest)]
    return pd.concat([frame, pd.DataFrame(rows, columns=Row._fields).assign(fitted=False)], ignore_index=True)


def _rows(name: str, found: Any, layer: Layer) -> Iterator[Row]:
    """A number is of the layer; a mapping from (source, target) is of pairs of languages."""
    n = len(next(iter(layer.values())))
    values = found if isinstance(found, Mapping) else {("", ""): found}
    for pair, value in values.items():
        if not np.isscalar(value) or not np.isfinite(float(value)) or len(pair) != 2:  # type: ignore[arg-type]
            raise IsoglossError(
                f"it returned {value!r} for {pair!r}",
                where=f"measure '{name}'",
                remedy="return a number, or a mapping from (source, target) to numbers",
            )
        yield Row(0, pair[0], pair[1], name, float(value), np.nan, np.nan, n)  # type: ignore[arg-type]
