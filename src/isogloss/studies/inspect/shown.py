"""The tables and figures of an inspection."""

from collections.abc import Iterator, Sequence

import pandas as pd

from isogloss.languages import try_language
from isogloss.studies.inspect.view import SOUND, View, similarity_matrix
from isogloss.studies.result import Figure, Table

RETRIEVAL = {
    "retrieval_standardised": "standardised",
    "csls_standardised": "standardised, CSLS",
    "retrieval_neutralised": "language subspace removed",
    "retrieval_centred": "centred",
    "retrieval_raw": "plain cosine",
}
SIMILARITY = {
    "cka_unbiased_standardised": "unbiased CKA, standardised",
    "cka_unbiased": "unbiased CKA",
    "cka_linear": "linear CKA",
    "mexa_raw": "MEXA",
}
IDENTITY = {
    "identification": "language named by a probe",
    "identification_pair": "two languages told apart",
    "language_share": "variance due to language",
    "rogue_share": "variance in three rogue dimensions",
    "isotropy": "isotropy",
}
MOST_FACETED = 12  # languages up to which the matrix can be leafed through layer by layer


def tables_of(views: Sequence[View]) -> Iterator[Table]:
    """Layers, then languages; with several models each table has a row a model too."""
    layers = pd.concat([layer_frame(view) for view in views], ignore_index=True)
    index = ("model", "layer") if len(views) > 1 else ("layer",)
    yield Table(
        "layers",
        "Layers, means over language pairs",
        "Shares in per cent, of sentences or variance; MEXA from 0 to 1. Best of each column in bold.",
        layers[[*index, *(column for column in layers.columns if column not in ("model", "layer"))]],
        index=index,
        best="max",
    )
    languages = pd.concat([language_frame(view) for view in views], ignore_index=True)
    if len(views) == 1:
        languages = languages.drop(columns="model")
    yield Table(
        "languages",
        "Languages, at the layer that aligns best",
        "Retrieval is the mean of both directions over all pairs the language is in; fertility is subwords a word.",
        languages,
        index=("model", "language") if len(views) > 1 else ("language",),
        decimals=2,
    )


def layer_frame(view: View) -> pd.DataFrame:
    shares = {
        **RETRIEVAL,
        "identification": "language probe",
        "language_share": "variance of language",
        "rogue_share": "variance of 3 dims",
    }
    frame = pd.DataFrame({words: 100 * view.by_layer(measure) for measure, words in shares.items()})
    frame["CKA"] = 100 * view.by_layer("cka_unbiased_standardised")
    frame["MEXA"] = 100 * view.by_layer("mexa_raw")
    frame["language dimensions"] = view.by_layer("language_dimensions")
    frame.insert(0, "layer", [str(layer) for layer in frame.index])
    frame.insert(0, "model", view.name)
    return frame.reset_index(drop=True)


def language_frame(view: View) -> pd.DataFrame:
    scores, mexa = view.by_language(), view.by_language("mexa_raw")
    matrix = similarity_matrix(view)
    rows = []
    for one in view.record.tokens:
        known = try_language(one.language)
        near = matrix[one.language].drop(one.language)
        rows.append(
            {
                "model": view.name,
                "language": one.language,
                "name": known.name if known else "",
                "family": known.family if known else "",
                "script": known.script if known else "",
                "retrieval %": 100 * scores[one.language],
                "MEXA": mexa[one.language],
                "nearest": ", ".join(near.nlargest(3).index),
                "fertility": one.tokens / max(1, one.words),
                "subwords a character": one.tokens / max(1, one.characters),
                "unknown %": 100 * one.unknown / max(1, one.tokens),
                "cut %": 100 * one.cut_sentences / max(1, one.sentences),
            }
        )
    return pd.DataFrame(rows)


def figures_of(views: Sequence[View]) -> Iterator[Figure]:
    """The profile that answers the question, then similarity, identity, languages and the matrix."""
    several = len(views) > 1
    yield (
        layers_by_model(views)
        if several
        else profile(views[0], "layers", RETRIEVAL, "Translations found by layer", "share found")
    )
    for view in views:
        slug = f"-{views.index(view) + 1}" if several else ""
        name = f", {view.name}" if several else ""
        if several:
            yield profile(view, f"retrieval{slug}", RETRIEVAL, f"Translations found by layer{name}", "share found")
        yield profile(
            view, f"similarity{slug}", SIMILARITY, f"Similarity of parallel sentences by layer{name}", "similarity"
        )
        yield profile(view, f"identity{slug}", IDENTITY, f"Language identity by layer{name}", "share")
        yield bars(view, f"languages{slug}", name)
        yield matrix_figure(view, f"matrix{slug}", name)
        yield from world(view, f"world{slug}", name)


def profile(view: View, name: str, measures: dict[str, str], title: str, y_title: str) -> Figure:
    """Means over pairs by layer, one line a measure; the band is the middle half of the pairs."""
    rows = view.measures[view.measures["measure"].isin(measures)]
    found = rows.groupby(["measure", "layer"])["value"]
    frame = found.agg(
        value="mean", low=lambda v: v.quantile(0.25), high=lambda v: v.quantile(0.75), n="size"
    ).reset_index()
    frame["series"] = frame["measure"].map(measures)
    frame["place"] = frame["measure"].map(list(measures).index)
    frame = frame.sort_values(["place", "layer"]).drop(columns=["place", "measure"]).reset_index(drop=True)
    top = frame.loc[frame["value"].idxmax()]
    return Figure(
        name, title, "profile", frame,
        reading=f"Means over language pairs on {view.record.measured} sentences; bands hold the middle half of the pairs. "
        f"Layer 0 is the embedding output; layer {view.layer} was chosen on other sentences.",
        alt=f"{title}: {', '.join(measures.values())} over {len(view.record.layers)} layers; the highest value is "
        f"{top['value']:.2f} ({top['series']}, layer {int(top['layer'])}).",
        y_title=y_title,
        baselines=tuple(words for words in ("plain cosine", "linear CKA") if words in measures.values()),
    )  # fmt: skip


def layers_by_model(views: Sequence[View]) -> Figure:
    """One line a model over relative depth, since models differ in their number of layers."""
    parts = []
    for view in views:
        rows = view.measures[view.measures["measure"] == SOUND].groupby("layer")["value"]
        part = rows.agg(
            value="mean", low=lambda v: v.quantile(0.25), high=lambda v: v.quantile(0.75), n="size"
        ).reset_index()
        parts.append(part.assign(series=view.name, depth=part["layer"] / max(1, len(view.record.layers) - 1)))
    frame = pd.concat(parts, ignore_index=True)
    return Figure(
        "layers", "Translations found by depth, model by model", "profile", frame,
        reading="Means over the same language pairs; depth 0 is the embedding output, 1 the last layer. Bands hold the middle half of the pairs.",
        alt="Retrieval with standardised dimensions over relative depth for " + ", ".join(view.name for view in views) + ".",
        x="depth", x_title="depth", y_title="share found", hover=("layer",),
    )  # fmt: skip


def bars(view: View, name: str, of: str) -> Figure:
    """Retrieval of each language with all others at the chosen layer, families together."""
    rows = view.at_layer(SOUND)
    ends = pd.concat([rows.assign(language=rows["source"]), rows.assign(language=rows["target"])])
    frame = ends.groupby("language")["value"].agg(
        value="mean", low=lambda v: v.quantile(0.25), high=lambda v: v.quantile(0.75), n="size"
    )
    frame = frame.reset_index()
    known = {code: try_language(code) for code in frame["language"]}
    frame["family"] = [
        (found.family if found and found.family else "unknown family") for found in map(known.get, frame["language"])
    ]
    frame = frame.sort_values(["family", "value"], ascending=[True, False]).reset_index(drop=True)
    low = frame.loc[frame["value"].idxmin()]
    return Figure(
        name, f"Languages at layer {view.layer}{of}", "bars", frame,
        reading="Mean share of translations found with every other language, both ways; lines hold the middle half of the pairs.",
        alt=f"Retrieval by language, grouped by family; lowest {low['language']} with {low['value']:.2f}.",
        y_title="share found",
    )  # fmt: skip


def matrix_figure(view: View, name: str, of: str) -> Figure:
    """Language x language similarity; layer by layer where there are few languages."""
    layers = range(len(view.record.layers)) if len(view.record.languages) <= MOST_FACETED else [view.layer]
    rows = view.measures[
        (view.measures["measure"] == "cka_unbiased_standardised") & view.measures["layer"].isin(layers)
    ]
    mirrored = rows.rename(columns={"source": "target", "target": "source"})
    frame = pd.concat([rows, mirrored], ignore_index=True)[["source", "target", "layer", "value", "low", "high", "n"]]
    order = {language: place for place, language in enumerate(view.record.languages)}
    frame = frame.sort_values(
        ["layer", "source", "target"],
        key=lambda column: column.map(order) if column.name != "layer" else (column - view.layer).abs() * 1000 + column,
    )
    frame["layer"] = [f"layer {layer}" for layer in frame["layer"]]
    return Figure(
        name, f"Which languages are alike{of}", "heatmap", frame.reset_index(drop=True),
        reading="Unbiased CKA of standardised dimensions on the same sentences; a target's brightest source is the one to fine-tune on.",
        alt=f"Similarity matrix of {len(view.record.languages)} languages at layer {view.layer}.",
        x="source", y="target", value="value", facet="layer" if len(layers) > 1 else "", value_title="CKA",
    )  # fmt: skip


def world(view: View, name: str, of: str) -> Iterator[Figure]:
    """The languages on a map, where they have coordinates."""
    scores = view.by_language()
    rows = [
        {"language": known.name, "longitude": known.longitude, "latitude": known.latitude, "value": value,
         "family": known.family, "n": view.record.measured}
        for code, value in scores.items()
        if (known := try_language(str(code))) is not None and known.longitude is not None and known.latitude is not None
    ]  # fmt: skip
    if len(rows) >= 5:
        yield Figure(
            name, f"Where the languages are that align{of}", "world", pd.DataFrame(rows),
            reading="Colour is the mean share of translations found with every other language at the best layer.",
            alt=f"World map of {len(rows)} languages coloured by retrieval.", value_title="share found",
        )  # fmt: skip
