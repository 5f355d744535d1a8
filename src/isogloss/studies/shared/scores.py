"""The scores of fine-tunings as a tidy frame: the task's main measure, by language, and by where that is."""

from collections.abc import Collection

import pandas as pd

from isogloss.studies.columns import ABROAD, HOME, OTHER_DATA
from isogloss.studies.shared.setups import Setup
from isogloss.transfer import TransferRecord, score_frame


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
