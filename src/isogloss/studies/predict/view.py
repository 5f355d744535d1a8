"""Predictions, how they are judged, and rankings, all from one table of features."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.corpora import load_wals
from isogloss.corpora.score_tables import KnownScore
from isogloss.languages import try_language
from isogloss.languages.distances import same_family, typological_distance
from isogloss.probes import prediction
from isogloss.probes.prediction import Jackknife, Judgement, MeanPredictor, NearestPredictor, Predictor, RidgePredictor
from isogloss.probes.statistics import Estimate, bootstrap_mean
from isogloss.studies.columns import tidy
from isogloss.studies.plan import StudyPlan
from isogloss.studies.predict.cells import HITS, LAYERS, PAIRS
from isogloss.studies.predict.config import Config
from isogloss.studies.predict.plan import PredictCondition
from isogloss.studies.shared.comparison import spread_frame
from isogloss.studies.study import Results

Floats = NDArray[np.float64]
BANDS = ("lower", "middle", "upper")
ALIGNMENT = tuple(f"{measure}, {band} layers" for measure in ("retrieval", "cka") for band in BANDS)
TOKENISER, KINSHIP, TEXT = ("fertility", "unknown", "overlap"), ("typology", "family"), ("amount",)
FEATURES = (*ALIGNMENT, "mexa", *TOKENISER, *KINSHIP, *TEXT)
ALL, MEAN, NEAREST = "all features", "mean of known languages", "nearest language"
WAYS: Mapping[str, tuple[str, ...]] = {  # a way to predict, and its features
    ALL: FEATURES,
    MEAN: ("mexa",),  # not read
    "typology alone": KINSHIP,
    "MEXA alone": ("mexa",),
    NEAREST: (),
    "Litmus' features": (*TOKENISER, *KINSHIP, *TEXT),
    "LangRank's features": ("overlap", *KINSHIP, *TEXT),
    "mPLM-Sim's features": tuple(name for name in ALIGNMENT if name.startswith("cka")),
}
LEAST_LANGUAGES = 3  # known ones from which anything is predicted


@dataclass(frozen=True, eq=False)
class PredictView:
    """``features``: source, target and a column per feature. ``hits``: target, sentence, value, from the source.
    ``by_layer``: source, target, layer, retrieval, mexa, cka; a pipeline's output is the layer after ``depth``.
    """

    model: str
    source: str
    targets: tuple[str, ...]
    candidates: tuple[str, ...]
    confidence: float
    depth: int
    features: pd.DataFrame
    hits: pd.DataFrame
    profiles: Mapping[str, Floats]  # typological distances of a language to all others
    known: tuple[KnownScore, ...]
    by_layer: pd.DataFrame

    @property
    def output(self) -> int | None:
        """The number of a pipeline's output among the layers."""
        last = int(self.by_layer["layer"].max())
        return last if last > self.depth else None

    @cached_property
    def abroad(self) -> list[KnownScore]:
        """Known scores in languages other than the source."""
        return [one for one in self.known if one.source != one.target]

    @property
    def predicts(self) -> bool:
        """Whether scores can be predicted, and not only ranked."""
        return len({one.target for one in self.abroad}) >= LEAST_LANGUAGES

    @cached_property
    def limits(self) -> tuple[float, float]:
        """What a score can be: 0 to 1, or 0 to 100 where the known ones are points."""
        return (0.0, 1.0) if max((one.score for one in self.known), default=0.0) <= 1 else (0.0, 100.0)

    @property
    def decimals(self) -> int:
        """Of a score, as it is shown."""
        return 3 if self.limits[1] == 1 else 1

    def row(self, source: str, target: str, names: Sequence[str]) -> Floats:
        """The features of a pair; of a language with itself, what nothing could exceed."""
        if source == target:
            values = dict.fromkeys((*ALIGNMENT, "mexa", "overlap", "family"), 1.0)
            own = self._table.xs(target, level="target")["amount"].iloc[0] if "amount" in names else math.nan
            values |= {"fertility": 0.0, "unknown": 0.0, "typology": 0.0, "amount": float(own)}
            return np.array([values[name] for name in names])
        return self._table.loc[(source, target), list(names)].to_numpy(dtype=np.float64)

    @cached_property
    def _table(self) -> pd.DataFrame:
        return self.features.set_index(["source", "target"])

    def inputs(self, way: str, pairs: Sequence[tuple[str, str]]) -> Floats:
        """The features that a way of predicting reads, pairs x features."""
        if way == NEAREST:
            return np.stack([self.profiles[target] for _, target in pairs])
        return np.stack([self.row(*pair, WAYS[way]) for pair in pairs])

    def fit(self, way: str, *, home: bool = False) -> Jackknife:
        """A way of predicting, learnt on what is known; ``home`` adds scores in the sources themselves."""
        rows = list(self.known) if home else self.abroad
        pairs = [(one.source, one.target) for one in rows]
        scores = [one.score for one in rows]
        return Jackknife.fit(MAKERS.get(way, RidgePredictor), self.inputs(way, pairs), scores, [t for _, t in pairs])

    def predictions(self, way: str = ALL) -> dict[str, Estimate]:
        """The expected score of each target from the source, with its interval."""
        pairs = [(self.source, target) for target in self.targets if target != self.source]
        found = self.fit(way).predict(self.inputs(way, pairs), self.confidence, self.limits)
        return {target: one for (_, target), one in zip(pairs, found, strict=True)}

    @cached_property
    def judged(self) -> dict[str, Judgement]:
        """How each way does on languages that it has not seen."""
        pairs, scores = [(one.source, one.target) for one in self.abroad], [one.score for one in self.abroad]
        groups = [target for _, target in pairs]
        return {
            way: prediction.judge(
                MAKERS.get(way, RidgePredictor), self.inputs(way, pairs), scores, groups, self.confidence, self.limits
            )
            for way in WAYS
        }

    def advantage(self, way: str) -> Estimate:
        """The error of another way minus that of all features, paired over languages: above zero, ours is better."""
        gaps = np.array(self.judged[way].errors) - np.array(self.judged[ALL].errors)
        return replace(bootstrap_mean(gaps, [one.target for one in self.abroad]), over="languages")

    def rests_on(self) -> list[tuple[str, float]]:
        """Features by how much they move the predictions, most first."""
        model = self.fit(ALL).whole
        assert isinstance(model, RidgePredictor)
        pairs = [(self.source, target) for target in self.targets if target != self.source]
        shares = model.shares(self.inputs(ALL, pairs))
        return sorted(zip(FEATURES, shares.tolist(), strict=True), key=lambda pair: -pair[1])

    def gains(self) -> dict[str, Estimate]:
        """What labelling each candidate is expected to add to the mean score of the targets."""
        labelled = [one for one in self.candidates if one != self.source]
        fit, features = self.fit(ALL, home=True), partial(self.row, names=FEATURES)
        return prediction.gains(fit, features, [self.source], labelled, self.targets, self.confidence, self.limits)

    def sources(self) -> dict[str, Estimate]:
        """The expected mean score of the targets, by the language fine-tuned in."""
        asked = dict.fromkeys([self.source, *self.candidates])
        fit, features = self.fit(ALL, home=True), partial(self.row, names=FEATURES)
        return prediction.source_scores(fit, features, list(asked), self.targets, self.confidence, self.limits)

    @property
    def one_source(self) -> bool:
        """Whether all known scores come from one source: what another would give is then told from features alone."""
        return len({one.source for one in self.known}) == 1

    def ranking(self) -> list[tuple[int, str, Estimate]]:
        """Targets by alignment with the source (MEXA, mean over layers): rank, language, value. Languages that cannot
        be told from the first of their rank, sentence by sentence, share it."""
        table = self.hits.pivot_table(index="sentence", columns="target", values="value")
        order = sorted(table.columns, key=lambda code: -table[code].mean())
        ranked: list[tuple[int, str, Estimate]] = []
        first, rank = "", 0
        for place, code in enumerate(order, start=1):
            gap = bootstrap_mean((table[first] - table[code]).to_numpy()) if first else None
            if gap is None or gap.low > 0:
                first, rank = code, place
            ranked.append((rank, code, replace(bootstrap_mean(table[code]), over="sentences")))
        return ranked

    def mexa_by_layer(self) -> pd.DataFrame:
        """Alignment of the source with each target (rows), layer by layer."""
        mine = self.by_layer[(self.by_layer["source"] == self.source) & self.by_layer["target"].isin(self.targets)]
        return mine.pivot_table(index="target", columns="layer", values="mexa", sort=False)

    def records(self) -> pd.DataFrame:
        """Features, rankings, and predictions where there are any."""
        long = self.features.melt(["source", "target"], list(FEATURES), "measure", "value").dropna(subset="value")
        layers = self.by_layer.melt(["source", "target", "layer"], ["retrieval", "mexa", "cka"], "measure", "value")
        ranks = spread_frame(("target",), ((code, found) for _, code, found in self.ranking()))
        parts = [
            long.assign(unit="feature"),
            layers.assign(unit=layers["measure"].map({"cka": "CKA"}).fillna("share")),
            ranks.assign(measure="alignment", unit="share", source=self.source),
        ]
        if self.predicts:
            rows = [(way, code, one) for way in (ALL, MEAN) for code, one in self.predictions(way).items()]
            expected = spread_frame(("condition", "target"), rows)
            parts.append(expected.assign(measure="predicted_score", unit="score", source=self.source))
            errors = spread_frame(("condition",), ((way, one.error) for way, one in self.judged.items()))
            parts.append(errors.assign(measure="absolute_error", unit="score"))
        return tidy(part.assign(model=self.model) for part in parts)


MAKERS: Mapping[str, Callable[[], Predictor]] = {MEAN: MeanPredictor, NEAREST: NearestPredictor}


def view_of(plan: StudyPlan[Config, PredictCondition], results: Results) -> PredictView:
    """Put the features of all pairs side by side."""
    (condition,) = plan.conditions
    config, folder = plan.config, results.folder(condition.features)
    record, by_layer = results[condition.features], pd.read_parquet(folder / LAYERS)
    hidden = by_layer[by_layer["layer"] < record.layers]
    features = _bands(hidden).merge(pd.read_parquet(folder / PAIRS), on=["source", "target"])
    languages = list(dict.fromkeys([*features["target"], *features["source"]]))
    profiles = {code: np.full(len(languages), math.nan) for code in languages}
    features[list(KINSHIP)] = math.nan
    if config.typology:
        wals = load_wals(config.typology)
        pairs = list(zip(features["source"], features["target"], strict=True))
        features["typology"] = [typological_distance(wals, *pair) for pair in pairs]
        features["family"] = [same_family(wals, *pair) for pair in pairs]
        for code in languages:
            profiles[code] = np.array([typological_distance(wals, code, other) for other in languages])
    amounts = {(known.code if (known := try_language(c)) else c): amount for c, amount in config.amounts.items()}
    features["amount"] = [math.log(1 + amounts[c]) if c in amounts else math.nan for c in features["target"]]
    hits = pd.read_parquet(folder / HITS)
    hits = hits[(hits["source"] == condition.source) & hits["target"].isin(condition.targets)]
    return PredictView(
        config.model, condition.source, condition.targets, condition.candidates, config.confidence,
        record.layers - 1, features, hits, profiles, condition.known, by_layer,
    )  # fmt: skip


def chosen_way(view: PredictView) -> str:
    """All features, unless the plain mean does better on languages left out."""
    return ALL if view.judged[ALL].error.value < view.judged[MEAN].error.value else MEAN


def band_of(layer: int, layers: int) -> str:
    """Which third of the layers (the embedding among them) one is in."""
    return BANDS[min(2, 3 * layer // layers)]


def _bands(by_layer: pd.DataFrame) -> pd.DataFrame:
    """A row per pair: means of retrieval and CKA over thirds of the layers, and of MEXA over all."""
    layers = int(by_layer["layer"].max()) + 1
    by_layer = by_layer.assign(band=[band_of(layer, layers) for layer in by_layer["layer"]])
    wide = pd.DataFrame(
        {
            f"{measure}, {band} layers": rows.groupby(["source", "target"], sort=False)[measure].mean()
            for measure in ("retrieval", "cka")
            for band, rows in by_layer.groupby("band", sort=False)
        },
        columns=list(ALIGNMENT),
    )
    wide["mexa"] = by_layer.groupby(["source", "target"])["mexa"].mean()
    return wide.reset_index()
