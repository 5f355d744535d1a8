"""Scores as tidy rows: one per language, data set and measure; the zero-shot gap, and averages by family."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

import pandas as pd

from isogloss.errors import IsoglossError
from isogloss.languages import try_language
from isogloss.tasks import Tally

CONDITION = ["task", "model", "method", "source", "data", "measure"]


@dataclass(frozen=True)
class Score:
    """One measure of one language on one data set, with its interval over sentences."""

    language: str
    data: str
    measure: str
    value: float
    low: float
    high: float
    n: int
    main: bool  # the measure that the task is selected and reported by


def scores_of(tally: Tally, language: str, data: str, main: str) -> list[Score]:
    """Every measure of a tally."""
    return [
        Score(language, data, name, estimate.value, estimate.low, estimate.high, estimate.n, name == main)
        for name, estimate in tally.estimates().items()
    ]


def score_frame(scores: Iterable[Score], **condition: object) -> pd.DataFrame:
    """Scores as a frame; ``condition`` (task, model, method, source, seed, ...) stands in every row."""
    rows = [{**condition, **asdict(score)} for score in scores]
    return pd.DataFrame(rows)


def zero_shot_gap(frame: pd.DataFrame, source: str) -> pd.DataFrame:
    """Per row, how far a language is behind the source on the same data set and measure (column ``gap``)."""
    keys = [name for name in [*CONDITION, "seed"] if name in frame]
    at_home = frame[frame["language"] == source].set_index(keys)["value"].rename("home")
    joined = frame.join(at_home, on=keys)
    return joined.assign(gap=joined["home"] - joined["value"])


def family_averages(frame: pd.DataFrame, source: str, families: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Means over the source, other languages of its family, and all others (Chen22 Table III).

    ``families`` maps a language to its family; without it they are WALS's.
    """
    known = families if families is not None else families_of(set(frame["language"]) | {source})
    if not known.get(source):
        raise IsoglossError(f"the family of '{source}' is not known", remedy="give your own families")
    groups = frame["language"].map(lambda language: _group(language, source, known))
    keys = [name for name in CONDITION if name in frame]
    averaged = frame.assign(group=groups).groupby([*keys, "group"], sort=False)
    return averaged.agg(value=("value", "mean"), languages=("language", "nunique")).reset_index()


def families_of(languages: Iterable[str]) -> dict[str, str]:
    """WALS's family of each language; empty where it is not known."""
    found = {code: try_language(code) for code in languages}
    return {code: language.family if language else "" for code, language in found.items()}


def _group(language: str, source: str, families: Mapping[str, str]) -> str:
    if language == source:
        return "source"
    return "family" if families.get(language) == families[source] else "others"
