"""What the papers report: published numbers, one table a paper, to stand beside a run of the paper's size.

A table has a row per number: ``item`` (the table or figure it is printed in), ``task``, ``condition``, ``language``,
``measure``, ``value``.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

import pandas as pd
import yaml

from isogloss.errors import unknown_name

COLUMNS = ("item", "task", "condition", "language", "measure", "value")


def expectation_names() -> list[str]:
    """The papers whose numbers are here."""
    return sorted(entry.name.removesuffix(".csv") for entry in files(__package__).iterdir() if _is_table(entry.name))


def load_expectations(paper: str) -> pd.DataFrame:
    """The published numbers of a paper: item, task, condition, language, measure, value."""
    if paper not in expectation_names():
        raise unknown_name("paper", paper, expectation_names(), where="expectations")
    with files(__package__).joinpath(f"{paper}.csv").open(encoding="utf-8") as handle:
        text = dict.fromkeys(COLUMNS[:-1], str)
        return pd.read_csv(handle, dtype={**text, "value": float}, keep_default_na=False, na_values={"value": [""]})


def beside(published: pd.DataFrame, measured: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    """The rows of ``published`` whose ``on`` columns are also in ``measured``: published, measured, difference."""
    joined = published.merge(measured[[*on, "value"]], on=list(on), suffixes=("", "_measured"))
    joined = joined.rename(columns={"value": "published", "value_measured": "measured"})
    return joined.assign(difference=joined["measured"] - joined["published"]).reset_index(drop=True)


def reason_for(paper: str, row: Mapping[str, object]) -> str:
    """Why a published number cannot stand beside a measured one, where that is so for every run; otherwise nothing."""
    for rule in _rules():
        named = {key: value for key, value in rule.items() if key not in ("paper", "reason")}
        if rule["paper"] == paper and all(row.get(key) == value for key, value in named.items()):
            return rule["reason"]
    return ""


@lru_cache(maxsize=1)
def _rules() -> tuple[dict[str, str], ...]:
    text = files(__package__).joinpath("reasons.yaml").read_text(encoding="utf-8")
    return tuple(yaml.safe_load(text))


def _is_table(name: str) -> bool:
    return name.endswith(".csv")
