"""Inspected models as their answer reads them: measures of the test part, and the layer chosen on the other part."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from isogloss.languages import Language, try_language
from isogloss.probes.statistics import Estimate, bootstrap_mean, share_difference, wilson
from isogloss.probes.statistics.verdicts import Scale, lead, listed
from isogloss.studies.columns import tidy
from isogloss.studies.inspect.cells import FILE, LAYERS_FILE, Inspected
from isogloss.studies.inspect.config import Config
from isogloss.studies.inspect.plan import InspectCondition
from isogloss.studies.plan import StudyPlan
from isogloss.studies.result import Finding
from isogloss.studies.shared.families import languages_in
from isogloss.studies.shared.models import Checkpoint
from isogloss.studies.shared.provenance import TRAINED_HERE
from isogloss.studies.study import Results

SOUND = "retrieval_standardised"  # the measure that judgements rest on: no rogue dimension makes it
FEWEST_PAIRS = 12  # from four languages on an interval is over pairs; over fewer it would say nothing of the sentences
Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class ModelView:
    """One inspected model: its measures on the test part, the layer chosen on the other, and its tokeniser's counts."""

    name: str
    record: Inspected
    measures: pd.DataFrame
    layer: int
    known: Mapping[str, Language]  # what is known of its languages, by code
    alike: pd.DataFrame  # every layer against every layer
    data: str = ""
    revision: str = ""

    @property
    def hidden(self) -> int:
        """How many layers there are, the embedding among them and a pipeline's output left out."""
        return len(self.record.layers) - self.record.layers.count("output")

    def named(self, layer: int) -> str:
        """``layer 3``, or ``the output`` of a pipeline."""
        return f"layer {layer}" if layer < self.hidden else "the output"

    def tied(self) -> str:
        """The layers that are not told from the chosen one by paired differences: ``4-6 and the output``."""
        levels = {layer: replace(self, layer=layer) for layer in range(len(self.record.layers))}
        ties = lead(
            {layer: one.mean(SOUND) for layer, one in levels.items()},
            lambda one, other: levels[one].change(SOUND, levels[other]),
            Scale(decimals=3),
            best=self.layer,
        ).ties
        names = [layer if layer in range(self.hidden) else "the output" for layer in ties]
        return listed(names) if names else ""

    def rows(self, measure: str) -> pd.DataFrame:
        """The rows of one measure, all layers."""
        return self.measures[self.measures["measure"] == measure]

    def at_layer(self, measure: str) -> pd.DataFrame:
        """The rows of one measure at the chosen layer."""
        rows = self.rows(measure)
        return rows[rows["layer"] == self.layer]

    def by_pair(self, measure: str) -> dict[Pair, float]:
        """One measure at the chosen layer by source and target."""
        rows = self.at_layer(measure)
        pairs = zip(rows["source"].tolist(), rows["target"].tolist(), strict=True)
        return dict(zip(pairs, rows["value"].tolist(), strict=True))

    def by_layer(self, measure: str) -> list[float]:
        """The mean of one measure over pairs, layer by layer."""
        means = self.rows(measure).groupby("layer")["value"].mean()
        return [float(value) for value in means.sort_index()]

    def by_language(self, measure: str = SOUND) -> dict[str, float]:
        """The mean of one measure at the chosen layer over all pairs that a language is in."""
        found = self.by_pair(measure)
        return {
            language: float(np.mean([value for pair, value in found.items() if language in pair]))
            for language in self.record.languages
        }

    def mean(self, measure: str) -> Estimate:
        """The mean share over pairs at the chosen layer, with an interval over pairs, or over sentences."""
        values = list(self.by_pair(measure).values())
        if len(values) >= FEWEST_PAIRS:
            return bootstrap_mean(values)
        # As if all pairs found the same sentences: those that are hard in one direction mostly are in the other.
        return wilson(float(np.mean(values)) * self.record.measured, self.record.measured)

    def change(self, measure: str, other: "ModelView | None" = None, to: str = "") -> Estimate:
        """The mean difference of a measure to another measure, or to the same of another model, over the same pairs."""
        mine, theirs = self.by_pair(measure), (other or self).by_pair(to or measure)
        if len(mine) < FEWEST_PAIRS:
            return share_difference(self.mean(measure), (other or self).mean(to or measure))
        return bootstrap_mean([value - theirs[pair] for pair, value in mine.items()])

    def similarity(self) -> dict[str, dict[str, float]]:
        """Unbiased CKA of standardised dimensions at the chosen layer, of each language with each other."""
        found = self.by_pair("cka_unbiased_standardised")
        both = {**found, **{(target, source): value for (source, target), value in found.items()}}
        return {one: {other: both[one, other] for other in self.record.languages if other != one}
                for one in self.record.languages}  # fmt: skip

    def scalar(self, measure: str) -> Estimate:
        """A measure of the chosen layer itself, not of a pair."""
        row = self.at_layer(measure).iloc[0]
        return Estimate(float(row["value"]), float(row["low"]), float(row["high"]), int(row["n"]))


@dataclass(frozen=True, eq=False)
class InspectView:
    """The inspected models side by side, on the same sentences; ``pivot`` is MEXA's, as the user named it."""

    models: tuple[ModelView, ...]
    pivot: str = ""

    def records(self) -> pd.DataFrame:
        """A row per model, layer, pair and measure."""
        parts = [one.measures.assign(model=one.name, data=one.data, revision=one.revision) for one in self.models]
        return tidy([part.assign(unit=part["measure"].map(unit_of)) for part in parts], extra=("revision",))


def unit_of(measure: str) -> str:
    """Most measures are shares."""
    if measure == "language_dimensions":
        return "dimensions"
    return "CKA" if measure.startswith("cka") else "cosine" if measure.startswith("cosine") else "share"


def view_of(plan: StudyPlan[Config, InspectCondition], results: Results) -> InspectView:
    """Read what the cells left."""
    data = plan.config.data
    records = [results[one.cell] for one in plan.conditions]
    known = languages_in(data, {code for record in records for code in record.languages})
    found = []
    for one, record in zip(plan.conditions, records, strict=True):
        frame, alike = (pd.read_parquet(results.folder(one.cell) / file) for file in (FILE, LAYERS_FILE))
        revision = one.cell.model.revision if isinstance(one.cell.model, Checkpoint) else TRAINED_HERE
        found.append(replace(choose_layer(one.name, record, frame, alike, known), data=data, revision=revision))
    return InspectView(tuple(found), plan.config.pivot)


def choose_layer(
    name: str, record: Inspected, frame: pd.DataFrame, alike: pd.DataFrame, known: Mapping[str, Language]
) -> ModelView:
    """The layer is chosen on the fitted part; the measures kept are those of the rest."""
    fitted = frame[frame["fitted"] & (frame["measure"] == SOUND)].groupby("layer")["value"].mean()
    layer = int(np.argmax(fitted.sort_index().to_numpy()))
    shown = frame[~frame["fitted"]].drop(columns="fitted").reset_index(drop=True)
    return ModelView(name, record, shown, layer, known, alike)


def say(text: str, found: Estimate, scale: float = 1.0, unit: str = "") -> Finding:
    """A finding with the estimate that it rests on."""
    return Finding(text, scale * found.value, scale * found.low, scale * found.high, found.n, unit)


def nearest_sources(similarity: Mapping[str, Mapping[str, float]], language: str, top: int = 3) -> list[str]:
    """The languages most like ``language``, best first."""
    near = similarity[language]
    return sorted(near, key=lambda other: -near[other])[:top]


def name_of(code: str) -> str:
    """``Swahili (sw; Niger-Congo, Latn)``, or the code itself for languages that only the lab knows."""
    known = try_language(code)
    if known is None or not known.family:
        return code
    return f"{known.name} ({code}; {known.family}, {known.script or '?'})"
