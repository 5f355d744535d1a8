"""One inspected model as its answer reads it: measures of the test part, and the layer chosen on the other part."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from isogloss.languages import try_language
from isogloss.probes.statistics import Estimate, bootstrap_mean
from isogloss.studies.inspect.cells import Inspected

SOUND = "retrieval_standardised"  # the measure that judgements rest on: no rogue dimension makes it


@dataclass(frozen=True, eq=False)
class View:
    """One inspected model: its measures on the test part, the layer chosen on the other, and its tokeniser's counts."""

    name: str
    record: Inspected
    measures: pd.DataFrame
    layer: int

    def at_layer(self, measure: str) -> pd.DataFrame:
        """The rows of one measure at the chosen layer."""
        return self.measures[(self.measures["measure"] == measure) & (self.measures["layer"] == self.layer)]

    def by_layer(self, measure: str) -> pd.Series:
        """The mean of one measure over pairs, by layer."""
        rows = self.measures[self.measures["measure"] == measure]
        return rows.groupby("layer")["value"].mean()

    def by_language(self, measure: str = SOUND) -> pd.Series:
        """The mean of one measure at the chosen layer over all pairs that a language is in."""
        rows = self.at_layer(measure)
        ends = pd.concat([rows[["source", "value"]].set_axis(["language", "value"], axis=1),
                          rows[["target", "value"]].set_axis(["language", "value"], axis=1)])  # fmt: skip
        return ends.groupby("language")["value"].mean().reindex(self.record.languages)

    def mean(self, measure: str) -> Estimate:
        """The mean over pairs at the chosen layer, with an interval over pairs."""
        return bootstrap_mean(self.at_layer(measure)["value"].to_numpy())


def view_of(name: str, record: Inspected, frame: pd.DataFrame) -> View:
    """Choose the layer on the fitted part; keep the measures of the rest."""
    fitted = frame[frame["fitted"] & (frame["measure"] == SOUND)]
    layer = int(fitted.groupby("layer")["value"].mean().idxmax())
    return View(name, record, frame[~frame["fitted"]].drop(columns="fitted").reset_index(drop=True), layer)


def similarity_matrix(view: View) -> pd.DataFrame:
    """Language x language, unbiased CKA of standardised dimensions at the chosen layer; 1 on the diagonal."""
    rows = view.at_layer("cka_unbiased_standardised")
    matrix = pd.DataFrame(np.eye(len(view.record.languages)), view.record.languages, view.record.languages)
    for row in rows.itertuples():
        matrix.loc[row.source, row.target] = matrix.loc[row.target, row.source] = row.value
    return matrix


def name_of(code: str) -> str:
    """``Swahili (sw; Niger-Congo, Latn)``, or the code itself for languages that only the lab knows."""
    known = try_language(code)
    if known is None or not known.family:
        return code
    return f"{known.name} ({code}; {known.family}, {known.script or '?'})"
