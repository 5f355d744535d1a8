"""Transfer along the family tree, and on the map where languages have coordinates."""

from collections.abc import Iterator, Mapping

import pandas as pd

from isogloss.languages import Language
from isogloss.studies.figure import SPREAD
from isogloss.studies.result import Figure
from isogloss.studies.shared.trees import tree_of_families

LEAST_LEAVES = 4  # languages that make a tree worth drawing
LEAST_MAPPED = 5  # and a map


def places(
    means: pd.DataFrame, families: Mapping[str, str], known: Mapping[str, Language], measure: str
) -> Iterator[Figure]:
    """Scores (in points) of the first condition, by ``language``: as a tree of ``families``, and on the map."""
    condition = means["condition"].iloc[0]
    shown = means[means["condition"] == condition].groupby("language", sort=False, as_index=False)[SPREAD].mean()
    shown["family"] = [families.get(code, "") for code in shown["language"]]
    several = f" ({condition})" if means["condition"].nunique() > 1 else ""
    if len(shown) >= LEAST_LEAVES and shown.loc[shown["family"] != "", "family"].nunique() > 1:
        yield _tree(shown, several, measure)
    mapped = shown[[_is_placed(known.get(code)) for code in shown["language"]]]
    if len(mapped) >= LEAST_MAPPED:
        yield _map(mapped, known, several, measure)


def _is_placed(language: Language | None) -> bool:
    return language is not None and language.longitude is not None and language.latitude is not None


def _tree(shown: pd.DataFrame, of: str, measure: str) -> Figure:
    averages = shown.groupby("family", sort=False)["value"].mean()
    spoken = "; ".join(f"{family or 'family unknown'} {value:.1f}" for family, value in averages.items())
    return Figure(
        "tree",
        f"Along the family tree{of}",
        "tree",
        tree_of_families(shown, SPREAD),
        reading="Languages under their families; the stronger the colour, the better the score.",
        alt=f"Tree of {len(shown)} languages coloured by {measure}; means by family: {spoken}.",
        value_title=f"{measure}, %",
        decimals=1,
    )


def _map(mapped: pd.DataFrame, known: Mapping[str, Language], of: str, measure: str) -> Figure:
    spots = [(known[code].longitude, known[code].latitude, known[code].name) for code in mapped["language"]]
    columns = pd.DataFrame(spots, columns=["longitude", "latitude", "language"])
    frame = columns.join(mapped.drop(columns="language").reset_index(drop=True))
    best = frame.iloc[int(frame["value"].to_numpy().argmax())]
    return Figure(
        "world",
        f"On the map{of}",
        "world",
        frame,
        reading="Languages where WALS puts them; the stronger the colour, the better the score.",
        alt=f"World map of {len(frame)} languages coloured by {measure}; the best is {best['language']} with "
        f"{best['value']:.1f}.",
        value_title=f"{measure}, %",
        decimals=1,
    )
