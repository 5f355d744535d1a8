"""The scores of fine-tunings as a tidy frame: the task's main measure, by language, and by where that is."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from isogloss.studies.columns import ABROAD, HOME, OTHER_DATA
from isogloss.studies.shared.setups import Setup
from isogloss.studies.study import Results
from isogloss.transfer import TransferRecord, score_frame


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
    parts = [main_scores(results[one.cell], one.setup, one.cell.sources, **one.names) for one in conditions]
    return pd.concat(parts, ignore_index=True)


def validation_of(conditions: Sequence[TunedCondition], results: Results) -> pd.DataFrame:
    """The score of each condition on its sources' validation part."""
    return pd.DataFrame([{**one.names, "value": results[one.cell].validation} for one in conditions])


def tables_in(folders: Iterable[tuple[TunedCondition, Path]], file: str) -> pd.DataFrame:
    """The tables that cells left in their folders, one below the other, with the names of their conditions."""
    parts = [pd.read_parquet(folder / file).assign(**one.names) for one, folder in folders]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def pick(frame: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    """The rows whose columns have these values."""
    for column, value in wanted.items():
        if not len(frame):
            break
        frame = frame[frame[column] == value]
    return frame


def main_scores(record: TransferRecord, setup: Setup, home: Collection[str], **condition: object) -> pd.DataFrame:
    """A row per test: ``condition``, then target, data, side, measure, value, low, high, n.

    ``side`` is home for the languages in ``home`` and abroad for others, marked where the data is not the task's own.
    """
    frame = score_frame(record.scores, **condition).rename(columns={"language": "target"})
    own = frame["data"].map(setup.is_main).astype(bool)
    side = frame["target"].isin(home).map({True: HOME, False: ABROAD})
    frame["side"] = side.where(own, side + OTHER_DATA)
    return frame[frame["main"]].drop(columns="main").reset_index(drop=True)


def on_own_data(scores: pd.DataFrame) -> pd.DataFrame:
    """Without the rows of other test data than the task's own."""
    return scores[scores["side"].isin([HOME, ABROAD])].reset_index(drop=True)
