"""Every measure of parallel sentences, layer by layer, as one tidy table. Composes others; no formula here."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.geometry import (
    Moments,
    Neutraliser,
    Retrieval,
    SmallSampleWarning,
    cka_grid,
    effective_dimension,
    isotropy,
    language_share,
    retrieval_grid,
    rogue_dimensions,
)
from isogloss.probes.logistic import LogisticProbes, Problem
from isogloss.probes.statistics import wilson
from isogloss.progress import track

States = NDArray[np.float32]
Layer = Mapping[str, States]  # language -> n x d

MOST_PROBED_PAIRS = 20  # language pairs told apart a layer: drawn by the seed where there are more
PROBED_BYTES = 256 * 2**20  # of states that probes are fitted on at once
MOST_RESAMPLED = 16  # languages up to which CKA has bootstrap intervals: they cost n^2 a pair and draw
RESAMPLES = 100
MOST_LAYERED = 12  # languages, and sentences of each, that layers are compared on: more would only take longer
MOST_LAYERED_ROWS = 400
VARIANCES = ("language_share", "language_share_standardised", "language_dimensions", "isotropy", "rogue_share")


class Row(NamedTuple):
    """One measurement. ``source`` and ``target`` are empty where a measure is of the layer, not of a pair."""

    layer: int
    source: str
    target: str
    measure: str
    value: float
    low: float
    high: float
    n: int


class Tally:
    """Of each sentence, in which share of directions its translation was found; by layer and measure."""

    def __init__(self) -> None:
        self._sums: dict[tuple[int, str], NDArray[np.int64]] = {}
        self._directions: dict[tuple[int, str], int] = {}
        self.layer = 0
        self.probes = self.unconverged = 0  # of language identity

    def add(self, one: Retrieval, variant: str) -> None:
        key = (self.layer, f"retrieval_{variant}")
        self._sums[key] = self._sums.get(key, np.zeros(one.n, np.int64)) + one.found
        self._directions[key] = self._directions.get(key, 0) + 2

    def frame(self) -> pd.DataFrame:
        """layer, measure, sentence, value"""
        parts = [
            pd.DataFrame(
                {"layer": layer, "measure": name, "sentence": np.arange(len(sums)), "value": sums / directions}
            )
            for (layer, name), sums in self._sums.items()
            if (directions := self._directions[layer, name])
        ]
        return pd.concat(parts, ignore_index=True)


def measure(states: Mapping[str, Sequence[States]], fitted: int, seed: int, tally: Tally | None = None) -> pd.DataFrame:
    """All measures of states, n x d a layer and language; ``tally`` counts by sentence what was found.

    The first ``fitted`` sentences serve what is chosen or fitted: rows with ``fitted`` True say how well each layer
    does there. All other rows are of the remaining sentences.
    """
    chosen, shown = [], []
    for number in track(range(len(next(iter(states.values())))), "measuring layers"):
        first = {language: layers[number][:fitted] for language, layers in states.items()}
        rest = {language: layers[number][fitted:] for language, layers in states.items()}
        chosen += [row._replace(layer=number) for row in retrievals(first, ("standardised",))]
        if tally is not None:
            tally.layer = number
        shown += [row._replace(layer=number) for row in measure_layer(first, rest, tally)]
    shown += identifications(states, fitted, seed, tally)
    tables = [
        pd.DataFrame(rows, columns=Row._fields).assign(fitted=mark) for rows, mark in ((chosen, True), (shown, False))
    ]
    return pd.concat(tables, ignore_index=True)


def measure_layer(first: Layer, rest: Layer, tally: Tally | None = None) -> Iterator[Row]:
    """Everything about one layer but probes; ``first`` is for fitting, ``rest`` for measuring."""
    yield from retrievals(rest, ("raw", "centred", "standardised"), tally)
    yield from similarities(rest, "")
    yield from similarities({language: standardise(rows) for language, rows in rest.items()}, "_standardised")
    yield from shares(rest)
    yield from neutralised(first, rest, tally)


def retrievals(
    layer: Layer, variants: tuple[str, ...], tally: Tally | None = None, named: str = "", csls: bool = True
) -> Iterator[Row]:
    """Retrieval both ways, by cosine and (unless left out) CSLS, MEXA and mean cosines, for every pair."""
    for one in retrieval_grid([layer], variants=variants, csls=csls):
        if tally is not None:
            tally.add(one, named or one.variant)
        yield from _retrieval_rows(one)


def _retrieval_rows(one: Retrieval) -> Iterator[Row]:
    both = {
        "retrieval": (one.forward, one.backward),
        "csls": (one.csls_forward, one.csls_backward),
        "mexa": (one.mexa, one.mexa),
    }
    for name, values in both.items():
        for value, (source, target) in zip(values, ((one.source, one.target), (one.target, one.source)), strict=True):
            if np.isnan(value):
                continue
            share = wilson(round(value * one.n), one.n)
            yield Row(0, source, target, f"{name}_{one.variant}", share.value, share.low, share.high, one.n)
    for name, cosine in (("cosine", one.cosine), ("cosine_others", one.cosine_others)):
        yield Row(0, one.source, one.target, f"{name}_{one.variant}", cosine, np.nan, np.nan, one.n)


def similarities(layer: Layer, suffix: str) -> Iterator[Row]:
    """Linear and unbiased CKA of every pair."""
    resamples = RESAMPLES if len(layer) <= MOST_RESAMPLED else 0
    for kind in ("linear", "unbiased"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SmallSampleWarning)  # the unbiased form stands beside it
            grid = cka_grid(list(layer.values()), kind=kind, resamples=resamples if kind == "unbiased" else 0)
        low, high = (np.full_like(grid.values, np.nan) if end is None else end for end in (grid.low, grid.high))
        for (i, source), (j, target) in combinations(enumerate(layer), 2):
            yield Row(0, source, target, f"cka_{kind}{suffix}", grid.values[i, j], low[i, j], high[i, j], grid.n)


def shares(layer: Layer) -> Iterator[Row]:
    """Where the variance is: in languages, in few dimensions, in rogue ones. Not a number where there is none: the
    first token of a text, before any layer has read the others, is the same in all of them."""
    moments = moments_of(layer)
    if not moments.covariance().any():
        for name in VARIANCES:
            yield Row(0, "", "", name, np.nan, np.nan, np.nan, moments.total)
        return
    even = moments_of({language: rows / spread_of(layer) for language, rows in layer.items()})
    values = (
        language_share(moments), language_share(even), effective_dimension(moments), isotropy(moments),
        rogue_dimensions(moments, top=3).share,
    )  # fmt: skip
    for name, value in zip(VARIANCES, values, strict=True):
        yield Row(0, "", "", name, value, np.nan, np.nan, moments.total)


def neutralised(first: Layer, rest: Layer, tally: Tally | None = None) -> Iterator[Row]:
    """Retrieval after the language subspace, found on other sentences, is projected away."""
    if min(len(rows) for rows in first.values()) < 2:
        return
    eraser = Neutraliser(method="densray").fit(moments_of(first, "none"))
    free = {language: eraser.transform(rows) for language, rows in rest.items()}
    for row in retrievals(free, ("raw",), tally, "neutralised", csls=False):
        if row.measure in ("retrieval_raw", "cosine_raw"):
            yield row._replace(measure=row.measure.replace("raw", "neutralised"))


def identifications(
    states: Mapping[str, Sequence[States]], fitted: int, seed: int, tally: Tally | None = None
) -> Iterator[Row]:
    """Can a linear probe tell the languages apart? All at once, and two at a time; trained on other sentences."""
    pairs = list(combinations(range(len(states)), 2)) if len(states) > 2 else []
    if len(pairs) > MOST_PROBED_PAIRS:
        drawn = np.random.default_rng(seed).choice(len(pairs), MOST_PROBED_PAIRS, replace=False)
        pairs = [pairs[number] for number in sorted(drawn)]
    first, *_ = states.values()
    together = max(1, PROBED_BYTES // (len(states) * first[0].nbytes))
    for start in range(0, len(first), together):
        problems = [
            problem
            for number in range(start, min(start + together, len(first)))
            for problem in identity_problems(
                number, {language: layers[number] for language, layers in states.items()}, fitted, pairs
            )
        ]
        probed = LogisticProbes().fit_score(problems)
        if tally is not None:
            tally.probes += len(probed)
            tally.unconverged += int((~probed["converged"].astype(bool)).sum())
        scores = probed[["layer", "source", "target", "accuracy", "n_test"]]
        for layer, source, target, accuracy, n in scores.to_numpy().tolist():
            share = wilson(round(accuracy * n), n)
            yield Row(layer, source, target, "identification_pair" if source else "identification", *share.columns())


def identity_problems(number: int, layer: Layer, fitted: int, pairs: list[tuple[int, int]]) -> list[Problem]:
    """Of one layer: all languages, then each pair of them."""
    languages, size = list(layer), len(next(iter(layer.values())))
    X = np.concatenate(list(layer.values()))
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)  # a probe's penalty sees scale
    y, sentence = np.repeat(np.arange(len(languages)), size), np.tile(np.arange(size), len(languages))
    train, test = np.flatnonzero(sentence < fitted), np.flatnonzero(sentence >= fitted)
    everything = Problem(X, y, train, test, name={"layer": number, "source": "", "target": ""})
    return [everything] + [
        Problem(
            X, y, train[np.isin(y[train], pair)], test[np.isin(y[test], pair)],
            name={"layer": number, "source": languages[pair[0]], "target": languages[pair[1]]},
        )
        for pair in pairs
    ]  # fmt: skip


def layers_alike(states: Mapping[str, Sequence[States]], fitted: int, seed: int) -> pd.DataFrame:
    """Unbiased CKA of every layer with every layer, standardised: in one language, and between two (means)."""
    drawn = np.random.default_rng(seed).permutation(len(states))[:MOST_LAYERED]
    chosen = [states[language] for language in np.array(list(states))[np.sort(drawn)]]
    part = slice(fitted, fitted + MOST_LAYERED_ROWS)
    grid = cka_grid([standardise(rows[part]) for layers in chosen for rows in layers], kind="unbiased")
    K, L = len(chosen), len(chosen[0])
    values, same = grid.values.reshape(K, L, K, L).swapaxes(1, 2), np.eye(K, dtype=bool)
    means = {"one language": values[same].mean(axis=0), "two languages": values[~same].mean(axis=0)}
    layer, other = (axis.ravel() for axis in np.indices((L, L)))
    parts = [
        pd.DataFrame({"layer": layer, "other": other, "compared": words, "value": mean.ravel(), "n": grid.n})
        for words, mean in means.items()
    ]
    return pd.concat(parts, ignore_index=True).assign(languages=K)


def moments_of(layer: Layer, second: Literal["pooled", "none"] = "pooled") -> Moments:
    languages = np.repeat(list(layer), [len(rows) for rows in layer.values()])
    return Moments.of(np.concatenate(list(layer.values())), languages, second)


def standardise(rows: States) -> States:
    """Each dimension at mean zero and variance one within the language; constant ones at zero."""
    spread = rows.std(axis=0)
    return np.asarray((rows - rows.mean(axis=0)) / np.where(spread > 0, spread, 1))


def spread_of(layer: Layer) -> States:
    """Each dimension's standard deviation over all languages, 1 for constant ones."""
    spread = np.concatenate(list(layer.values())).std(axis=0)
    return np.where(spread > 0, spread, 1).astype(np.float32)
