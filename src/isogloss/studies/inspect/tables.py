"""The tables of an inspection: layers, languages, language identity."""

import math
from collections.abc import Iterator, Sequence

import pandas as pd

from isogloss.studies.inspect.view import InspectView, ModelView, nearest_sources
from isogloss.studies.result import Table

FOUND = {
    "retrieval_raw": "plain",
    "retrieval_centred": "centred",
    "retrieval_neutralised": "neutral",
    "retrieval_standardised": "standard",
    "csls_standardised": "CSLS",
    "cka_unbiased_standardised": "CKA",
    "mexa_raw": "MEXA",
}
ROOM = {
    "identification": "probe",
    "identification_pair": "probe, pairs",
    "language_share": "of language",
    "rogue_share": "of 3 dims",
    "isotropy": "isotropy",
    "language_dimensions": "dimensions",
}


def tables_of(view: InspectView) -> Iterator[Table]:
    """Retrieval and identity by layer, then languages; with several models each table has a row per model too."""
    views = view.models
    index = ("model", "layer") if len(views) > 1 else ("layer",)
    yield Table(
        "layers", "Translations found by layer, %",
        "Means over language pairs. The last two columns are similarity (unbiased CKA of standardised dimensions) "
        "and MEXA, times 100. Best of each column in bold.",
        layer_frame(views, FOUND, index), index=index, best="max",
    )  # fmt: skip
    if view.own:
        yield Table(
            "own", "Measures of plugins by layer", "Means over language pairs where a measure is of pairs.",
            layer_frame(views, {name: name for name in view.own}, index, scale=1), index=index, decimals=3,
        )  # fmt: skip
    languages = pd.concat([language_frame(one) for one in views], ignore_index=True)
    if len(views) == 1:
        languages = languages.drop(columns="model")
    yield Table(
        "languages", "Languages, at the best layer",
        "Retrieval is the mean of both directions over all pairs with this language. Fertility is subwords per word.",
        languages, index=("model", "language") if len(views) > 1 else ("language",), decimals=2,
    )  # fmt: skip
    yield Table(
        "identity", "Language identity by layer, %",
        "A probe's accuracy on unseen sentences, all languages at once and two at a time; shares of the variance; the "
        "evenness of the space (isotropy); and the effective dimension of the language subspace (not a per cent).",
        layer_frame(views, ROOM, index), index=index,
    )  # fmt: skip


def layer_frame(
    views: Sequence[ModelView], measures: dict[str, str], index: tuple[str, ...], scale: float = 100
) -> pd.DataFrame:
    """A row per layer, means over pairs; shares times ``scale``."""
    parts = []
    for view in views:
        columns: dict[str, list[float] | list[str] | str] = {"model": view.name}
        columns["layer"] = [view.named(layer).split()[-1] for layer in range(len(view.record.layers))]
        for measure, words in measures.items():
            times = 1 if measure == "language_dimensions" else scale
            columns[words] = [times * value for value in view.by_layer(measure) or [math.nan] * len(view.record.layers)]
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)[[*index, *measures.values()]]


def language_frame(view: ModelView) -> pd.DataFrame:
    """A row per language: what it finds, what it is near to, what the tokeniser makes of it."""
    scores, mexa, alike = view.by_language(), view.by_language("mexa_raw"), view.similarity()
    rows = []
    for one in view.record.tokens:
        code, known = one.language, view.known.get(one.language)
        row: dict[str, object] = {"model": view.name, "language": code}
        row |= {part: getattr(known, part) if known else "" for part in ("name", "family", "script")}
        row |= {
            "retrieval %": 100 * scores[code], "MEXA": mexa[code], "nearest": ", ".join(nearest_sources(alike, code)),
            "fertility": one.tokens / max(1, one.words), "subwords per character": one.tokens / max(1, one.characters),
            "unknown %": 100 * one.unknown / max(1, one.tokens),
            "cut %": 100 * one.cut_sentences / max(1, one.sentences),
        }  # fmt: skip
        rows.append(row)
    return pd.DataFrame(rows)
