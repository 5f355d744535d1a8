"""Published and measured numbers side by side, for studies that repeat a paper's tables."""

from collections.abc import Iterator

import pandas as pd

from isogloss.studies.expectations import beside, load_expectations
from isogloss.studies.result import Table

KEYS = ("task", "condition", "language", "measure")  # what tells one printed number from another


def published(name: str, paper: str, measured: pd.DataFrame) -> Iterator[Table]:
    """The table of the expectations ``name`` (``muller21``) beside ``measured`` (KEYS and value); none if none meet."""
    joined = beside(load_expectations(name), measured, KEYS)
    if len(joined):
        yield Table(
            "published",
            "Published and measured",
            "Numbers of the paper beside those of this run, and the difference.",
            joined,
            index=("item", *KEYS),
            values=("published", "measured", "difference"),
            signed=("difference",),
            decimals=2,
            paper=paper,
        )
