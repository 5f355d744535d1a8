"""The figures of a transfer run: bars by language, the tree of families, and a map of languages with coordinates."""

from collections.abc import Iterator, Mapping

import pandas as pd

from isogloss.languages import Language
from isogloss.studies.figure import SPREAD
from isogloss.studies.result import Figure
from isogloss.studies.shared.trees import tree_of_families
from isogloss.studies.transfer.view import TransferView

LEAST_LEAVES = 4  # languages that make a tree worth drawing
LEAST_MAPPED = 5  # and a map


def figures_of(view: TransferView) -> Iterator[Figure]:
    """The first one is the main one."""
    yield bars(view)
    yield from along_families(view)


def bars(view: TransferView) -> Figure:
    """Scores by language, families together."""
    shown = view.by_target.rename(columns={"target": "language"})
    shown["family"] = [view.families.get(code) or "family unknown" for code in shown["language"]]
    if shown["data"].nunique() > 1:
        shown["language"] = shown["language"] + " " + shown["data"]
    return Figure(
        "languages", view.title, "bars", shown[["language", "family", "condition", *SPREAD]],
        reading="Each bar is a language; the source itself is the level to reach.",
        alt=f"Bars of {view.measure} by language for {', '.join(view.conditions)}.",
        series="condition", y_title=f"{view.measure}, %", decimals=1,
    )  # fmt: skip


def along_families(view: TransferView) -> Iterator[Figure]:
    """Scores of the first condition as a tree of families, and on the map, where enough languages have these."""
    condition = view.conditions[0]
    mine = view.by_target[view.by_target["condition"] == condition]
    shown = mine.groupby("target", sort=False, as_index=False)[SPREAD].mean().rename(columns={"target": "language"})
    shown["family"] = [view.families.get(code, "") for code in shown["language"]]
    several = f" ({condition})" if len(view.conditions) > 1 else ""
    if len(shown) >= LEAST_LEAVES and shown.loc[shown["family"] != "", "family"].nunique() > 1:
        yield _tree(shown, several, view.measure)
    mapped = shown[[_is_placed(view.known.get(code)) for code in shown["language"]]]
    if len(mapped) >= LEAST_MAPPED:
        yield _map(mapped, view.known, several, view.measure)


def _is_placed(language: Language | None) -> bool:
    return language is not None and language.longitude is not None and language.latitude is not None


def _tree(shown: pd.DataFrame, of: str, measure: str) -> Figure:
    averages = shown.groupby("family", sort=False)["value"].mean()
    spoken = "; ".join(f"{family or 'family unknown'} {value:.1f}" for family, value in averages.items())
    return Figure(
        "tree", f"Along the family tree{of}", "tree", tree_of_families(shown, SPREAD),
        reading="Languages under their families; a stronger colour means a better score.",
        alt=f"Tree of {len(shown)} languages coloured by {measure}; means by family: {spoken}.",
        value_title=f"{measure}, %", decimals=1,
    )  # fmt: skip


def _map(mapped: pd.DataFrame, known: Mapping[str, Language], of: str, measure: str) -> Figure:
    spots = [(known[code].longitude, known[code].latitude, known[code].name) for code in mapped["language"]]
    columns = pd.DataFrame(spots, columns=["longitude", "latitude", "language"])
    frame = columns.join(mapped.drop(columns="language").reset_index(drop=True))
    best = frame.iloc[int(frame["value"].to_numpy().argmax())]
    return Figure(
        "world", f"On the map{of}", "world", frame,
        reading="Languages where WALS puts them; a stronger colour means a better score.",
        alt=f"World map of {len(frame)} languages coloured by {measure}; the best is {best['language']} with "
        f"{best['value']:.1f}.",
        value_title=f"{measure}, %", decimals=1,
    )  # fmt: skip
