"""Which measurements of two runs are of the same thing: same language, layer, task, condition, seed and data."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from isogloss.studies.result import Result

NOT_KEYS = frozenset({"value", "low", "high", "n", "p", "seconds", "unit", "study", "measure", "revision"})
LANGUAGES = ("source", "target", "language")
SEED = "seed"
MOST_NAMED = 5
DESCRIBED = re.compile(r"(?P<language>\S+) of (?P<name>.+) \((?P<split>.+)\)")  # as provenance describes data


@dataclass(frozen=True, eq=False)
class Pairs:
    """What two runs both measured: keys, ``value``, ``low``, ``high``, ``n``; the first run's end in ``_first``."""

    frame: pd.DataFrame
    keys: tuple[str, ...]
    seeds_averaged: bool = False


def by_measure(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Tidy records by measure: the values of a column ``measure``, or else every float column."""
    if "measure" in records.columns and "value" in records.columns:
        return {str(m): part.drop(columns="measure") for m, part in records.groupby("measure", sort=False)}
    floats = [c for c in records.columns if records[c].dtype.kind == "f" and c not in NOT_KEYS - {"value"}]
    others = [c for c in records.columns if c not in floats]
    return {c: records[[*others, c]].rename(columns={c: "value"}) for c in floats}


def pair_up(one: pd.DataFrame, first: pd.DataFrame) -> Pairs:
    """The rows of both that are of the same thing.

    Columns that are constant within each run (its model, its method) tell runs apart and pair nothing. Runs with
    different seeds are paired after averaging over seeds.
    """
    keys = [c for c in one.columns if c in first.columns and c not in NOT_KEYS and one[c].dtype.kind != "f"]
    keys = [c for c in keys if one[c].nunique(dropna=False) > 1 or first[c].nunique(dropna=False) > 1]
    keys = [c for c in keys if c != "model"]
    other_seeds = SEED in keys and not set(one[SEED].dropna()) & set(first[SEED].dropna())
    if other_seeds:
        keys.remove(SEED)
    return Pairs(_join(one, first, keys), tuple(keys), other_seeds)


def _join(one: pd.DataFrame, first: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    numbers = [name for name in ("value", "low", "high", "n") if name in one.columns and name in first.columns]
    sides = []
    for frame in (one, first):
        numeric = frame[[*keys, *numbers]].astype(dict.fromkeys(numbers, "float64")).dropna(subset="value")
        if keys:
            sides.append(numeric.groupby(keys, as_index=False, dropna=False, sort=False)[numbers].mean())
        else:
            sides.append(numeric.mean().to_frame().T)
    joined: pd.DataFrame = sides[0].merge(sides[1], on=keys or None, how="inner" if keys else "cross",
                                          suffixes=("", "_first"))  # fmt: skip
    return joined


def same_names(one: Result, first: Result) -> dict[str, str]:
    """Names in ``one`` of data that ``first`` names otherwise, known by their revisions, to the names of ``first``."""
    ours, theirs = _contents(first.provenance.revisions), _contents(one.provenance.revisions)
    return {
        name: other
        for name, content in theirs.items()
        for other, known in ours.items()
        if name != other and name not in ours and _same(content, known)
    }


def _same(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    shared = one.keys() & other.keys()
    return bool(shared) and all(one[part] == other[part] for part in shared)


def _contents(revisions: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Data by name: the revision of each language and split, or of the whole."""
    found: dict[str, dict[str, str]] = {}
    for described, revision in revisions.items():
        match = DESCRIBED.fullmatch(described)
        name, part = (match["name"], f"{match['language']} {match['split']}") if match else (described, "")
        found.setdefault(name, {})[part] = revision
    return found


def only_in_one(records: Mapping[str, pd.DataFrame]) -> list[str]:
    """What cannot be paired, in words: values of a key column, or measures, that one run has and another lacks."""
    said = []
    columns = [c for c in ("measure", *next(iter(records.values())).columns) if c == "measure" or c not in NOT_KEYS]
    for column in dict.fromkeys(columns):
        if column in ("model", SEED) or any(column not in frame.columns for frame in records.values()):
            continue
        if any(frame[column].dtype.kind == "f" for frame in records.values()):
            continue
        values = {run: frame[column].dropna().astype(str).unique().tolist() for run, frame in records.items()}
        if all(len(found) == 1 for found in values.values()) and column != "measure":
            continue  # what tells the runs apart
        for run, mine in values.items():
            own = [one for one in mine if one and any(one not in other for other in values.values())]
            if own:
                more = f" and {len(own) - MOST_NAMED} more" if len(own) > MOST_NAMED else ""
                said.append(f"{column} {', '.join(own[:MOST_NAMED])}{more} (only in {run})")
    return said
