"""The scores of fine-tunings as a tidy frame: the task's main measure, by language, and by where that is."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd

from isogloss.studies.columns import ABROAD, HOME, OTHER_DATA
from isogloss.studies.shared.setups import Setup
from isogloss.studies.study import Results
from isogloss.transfer import TransferRecord


class TunedCondition(Protocol):
    """A condition with one fine-tuning: what its cell is, and what tells it from the others in a frame."""

    @property
    def setup(self) -> Setup: ...

    @property
    def cell(self) -> Any: ...

    @property
    def names(self) -> dict[str, Any]: ...


def scores_of(conditions: Sequence[TunedCondition], results: Results) -> pd.DataFrame:
    """The main scores of all conditions, a row per test; home are the languages that a condition learnt from."""
    parts = ((results[one.cell], one) for one in conditions)
    return pd.DataFrame([row for record, one in parts for row in _rows(record, one.setup, one.cell.sources, one.names)])


def validation_of(conditions: Sequence[TunedCondition], results: Results) -> pd.DataFrame:
    """The score of each condition on its sources' validation part."""
    return pd.DataFrame([{**one.names, "value": results[one.cell].validation} for one in conditions])


def tables_in(folders: Iterable[tuple[TunedCondition, Path]], file: str) -> pd.DataFrame:
    """The tables that cells left in their folders, one below the other, with the names of their conditions."""
    return stacked((one.names, pd.read_parquet(folder / file)) for one, folder in folders)


def stacked(parts: Iterable[tuple[dict[str, Any], pd.DataFrame]]) -> pd.DataFrame:
    """Frames one below the other, each with its names in further columns."""
    names, frames = zip(*parts, strict=True) if (parts := list(parts)) else ((), ())
    if not frames:
        return pd.DataFrame()
    sizes = [len(frame) for frame in frames]
    labels = {name: pd.Series([one[name] for one in names]).repeat(sizes).to_numpy() for name in names[0]}
    below: pd.DataFrame = pd.concat(frames, ignore_index=True)
    return below.assign(**labels)


def pick(frame: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    """The rows whose columns have these values."""
    if not len(frame):
        return frame
    fits = [(frame[column] == value).to_numpy(dtype=bool) for column, value in wanted.items()]
    return frame[np.logical_and.reduce(fits)] if fits else frame


def main_scores(record: TransferRecord, setup: Setup, home: Collection[str], **condition: object) -> pd.DataFrame:
    """A row per test: ``condition``, then target, data, side, measure, value, low, high, n.

    ``side`` is home for the languages in ``home`` and abroad for others, marked where the data is not the task's own.
    """
    return pd.DataFrame(_rows(record, setup, home, condition))


def _rows(record: TransferRecord, setup: Setup, home: Collection[str], names: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for score in record.scores:
        if score.main:
            side = (HOME if score.language in home else ABROAD) + ("" if setup.is_main(score.data) else OTHER_DATA)
            found = {"target": score.language, **asdict(score)}
            del found["language"], found["main"]
            rows.append({**names, **found, "side": side})
    return rows


def on_own_data(scores: pd.DataFrame) -> pd.DataFrame:
    """Without the rows of other test data than the task's own."""
    return scores[scores["side"].isin([HOME, ABROAD])].reset_index(drop=True)
