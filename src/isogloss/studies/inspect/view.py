"""Inspected models as their answer reads them: measures of the test part, and the layer chosen on the other part."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from isogloss.corpora.language_facts import languages_in
from isogloss.languages import Language, try_language
from isogloss.probes.statistics import Estimate, over_pairs, over_sentences, share_difference, wilson
from isogloss.studies.columns import tidy
from isogloss.studies.inspect.cells import FILE, LAYERS_FILE, SENTENCES_FILE, Inspected
from isogloss.studies.inspect.config import Config
from isogloss.studies.inspect.plan import InspectCondition
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.comparison import compare_tables
from isogloss.studies.shared.models import Checkpoint
from isogloss.studies.shared.provenance import TRAINED_HERE
from isogloss.studies.study import Results

SOUND = "retrieval_standardised"  # the measure that judgements rest on: no rogue dimension makes it
FEWEST_LANGUAGES = 3  # for an interval over languages
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
    pooling: str = "mean"
    sentences: pd.DataFrame | None = None  # what each sentence found; None for results of an earlier version

    @property
    def hidden(self) -> int:
        """How many layers there are, the embedding among them and a pipeline's output left out."""
        return len(self.record.layers) - self.record.layers.count("output")

    def named(self, layer: int) -> str:
        """``layer 3``, or ``the output`` of a pipeline."""
        return f"layer {layer}" if layer < self.hidden else "the output"

    def rows(self, measure: str) -> pd.DataFrame:
        """The rows of one measure, all layers."""
        return self.measures[self.measures["measure"] == measure]

    def at_layer(self, measure: str, layer: int | None = None) -> pd.DataFrame:
        """The rows of one measure at the chosen layer, or another."""
        rows = self.rows(measure)
        return rows[rows["layer"] == (self.layer if layer is None else layer)]

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

    def table(self, measure: str, layer: int | None = None) -> pd.DataFrame:
        """One measure, source x target (NaN on the diagonal), at the chosen layer or another."""
        languages = list(self.record.languages)
        found = self.at_layer(measure, layer).pivot_table(index="source", columns="target", values="value")
        return found.reindex(index=languages, columns=languages)

    def by_sentence(self, measure: str, layer: int | None = None) -> pd.DataFrame | None:
        """One row: of each sentence the share of directions in which its translation was found, where that was kept."""
        if self.sentences is None:
            return None
        wanted = self.layer if layer is None else layer
        rows = self.sentences[(self.sentences["measure"] == measure) & (self.sentences["layer"] == wanted)]
        return rows.sort_values("sentence").set_index("sentence")[["value"]].T if len(rows) else None

    def over_languages(self, measure: str) -> Estimate:
        """The mean share over pairs at the chosen layer; others like these languages."""
        return over_pairs(self.table(measure).to_numpy(), limits=(0, 1))

    def over_sentences(self, measure: str, layer: int | None = None) -> Estimate:
        """The same for these languages and other sentences."""
        rows = self.by_sentence(measure, layer)
        if rows is not None:
            return over_sentences(rows.to_numpy())
        # As if all pairs found the same sentences: those that are hard in one direction mostly are in the other.
        mean = float(np.nanmean(self.table(measure, layer).to_numpy()))
        return replace(wilson(mean * self.record.measured, self.record.measured), over="sentences")

    def mean(self, measure: str) -> Estimate:
        """The mean share over pairs at the chosen layer: over languages, or over sentences where these are two."""
        several = len(self.record.languages) >= FEWEST_LANGUAGES
        return self.over_languages(measure) if several else self.over_sentences(measure)

    def change(self, measure: str, other: "ModelView | None" = None, to: str = "") -> Estimate:
        """The mean difference of a measure to another measure, or to the same of another model, over the same pairs."""
        theirs = other or self
        if len(self.record.languages) >= FEWEST_LANGUAGES:
            return compare_tables(self.table(measure), theirs.table(to or measure), "pairs").estimate
        return self.gap(measure, self.layer, theirs, to or measure, theirs.layer)

    def gap(self, measure: str, layer: int, other: "ModelView", to: str, at: int) -> Estimate:
        """The difference of two means for these languages, over sentences."""
        mine, theirs = self.by_sentence(measure, layer), other.by_sentence(to, at)
        if mine is not None and theirs is not None and mine.shape == theirs.shape:
            return compare_tables(mine, theirs, "sentences").estimate
        return share_difference(self.over_sentences(measure, layer), other.over_sentences(to, at))

    def similarity(self) -> dict[str, dict[str, float]]:
        """Unbiased CKA of standardised dimensions at the chosen layer, of each language with each other."""
        found = self.by_pair("cka_unbiased_standardised")
        both = {**found, **{(target, source): value for (source, target), value in found.items()}}
        return {one: {other: both[one, other] for other in self.record.languages if other != one}
                for one in self.record.languages}  # fmt: skip

    def scalar(self, measure: str, layer: int | None = None) -> Estimate:
        """A measure of the chosen layer itself (or another), not of a pair; intervals are over its sentences."""
        row = self.at_layer(measure, layer).iloc[0]
        return Estimate(float(row["value"]), float(row["low"]), float(row["high"]), int(row["n"]), over="sentences")


@dataclass(frozen=True, eq=False)
class InspectView:
    """The inspected models side by side, on the same sentences; ``pivot`` is MEXA's, as the user named it."""

    models: tuple[ModelView, ...]
    pivot: str = ""
    own: tuple[str, ...] = ()  # measures of plugins

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
        kept = results.folder(one.cell) / SENTENCES_FILE
        sentences = pd.read_parquet(kept) if kept.exists() else None
        view = choose_layer(one.name, record, frame, alike, known)
        found.append(replace(view, data=data, revision=revision, pooling=one.cell.pooling, sentences=sentences))
    return InspectView(tuple(found), plan.config.pivot, plan.config.measures)


def choose_layer(
    name: str, record: Inspected, frame: pd.DataFrame, alike: pd.DataFrame, known: Mapping[str, Language]
) -> ModelView:
    """The layer is chosen on the fitted part; the measures kept are those of the rest."""
    fitted = frame[frame["fitted"] & (frame["measure"] == SOUND)].groupby("layer")["value"].mean()
    layer = int(np.argmax(fitted.sort_index().to_numpy()))
    shown = frame[~frame["fitted"]].drop(columns="fitted").reset_index(drop=True)
    return ModelView(name, record, shown, layer, known, alike)


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
