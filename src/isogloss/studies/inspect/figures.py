"""The figures of an inspection: profiles by layer, matrices of layers and of languages, a tree, a map."""

import math
from collections.abc import Iterator, Sequence

import pandas as pd

from isogloss.studies.inspect.view import SOUND, InspectView, ModelView
from isogloss.studies.result import Figure
from isogloss.studies.shared.trees import order_of_similarities, tree_of_similarities

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
BETWEEN = {
    "two languages": "one language's layers against another's. Where the highest cell of a row is off the diagonal, "
    "languages align at different depths",
    "one language": "a language's layers against its own. Blocks along the diagonal are layers with similar states",
}
LEAST_CLUSTERED = 3  # languages that make a tree
LEAST_MAPPED = 5  # languages that make a map worth drawing
MOST_FACETED = 12  # languages up to which the matrix can be leafed through layer by layer


def figures_of(inspected: InspectView) -> Iterator[Figure]:
    """The profile that answers the question, then similarity, identity, languages and the matrix."""
    views = inspected.models
    several = len(views) > 1
    if several:
        yield layers_by_model(views)
    for number, view in enumerate(views, start=1):
        slug, name = (f"-{number}", f", {view.name}") if several else ("", "")
        first = f"retrieval{slug}" if several else "layers"
        yield profile(view, first, RETRIEVAL, f"Translations found by layer{name}", "share found")
        yield profile(
            view, f"similarity{slug}", SIMILARITY, f"Similarity of parallel sentences by layer{name}", "similarity"
        )
        yield profile(view, f"identity{slug}", IDENTITY, f"Language identity by layer{name}", "share")
        if inspected.own:
            own = {measure: measure for measure in inspected.own}
            yield profile(view, f"own{slug}", own, f"Measures of plugins by layer{name}", "value")
        yield layer_matrix(view, f"layer-matrix{slug}", name, "two languages")
        if not several:
            yield layer_matrix(view, "layer-matrix-one", name, "one language")
        yield bars(view, f"languages{slug}", name)
        yield matrix_figure(view, f"matrix{slug}", name)
        if len(view.record.languages) >= LEAST_CLUSTERED:
            yield tree_figure(view, f"tree{slug}", name)
        yield from world(view, f"world{slug}", name)


def families_of(view: ModelView) -> dict[str, str]:
    """The families of the languages that have one."""
    return {code: known.family for code, known in view.known.items() if known.family}


def spread(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Mean, middle half and number of the pairs in each group, as value, low, high, n."""
    groups = rows.groupby(by, sort=False)["value"]
    parts = {"value": groups.mean(), "low": groups.quantile(0.25), "high": groups.quantile(0.75), "n": groups.size()}
    return pd.DataFrame(parts).reset_index()


def profile(view: ModelView, name: str, measures: dict[str, str], title: str, y_title: str) -> Figure:
    """Means over pairs by layer, one line a measure; the band is the middle half of the pairs."""
    parts = [spread(view.rows(measure), ["layer"]).assign(series=words) for measure, words in measures.items()]
    frame = pd.concat([part for part in parts if len(part)], ignore_index=True)
    top = frame.iloc[int(frame["value"].to_numpy().argmax())]
    return Figure(
        name, title, "profile", frame,
        intervals="Bands hold the middle half of the pairs.",
        reading=f"Means over language pairs on {view.record.measured} sentences. "
        f"Layer 0 is the embedding output; {view.named(view.layer)} was chosen on other sentences."
        + (f" {view.hidden} is the pipeline's output." if "output" in view.record.layers else ""),
        alt=f"{title}: {', '.join(measures.values())} over {len(view.record.layers)} layers; the highest value is "
        f"{top['value']:.2f} ({top['series']}, layer {top['layer']}).",
        y_title=y_title,
        baselines=tuple(words for words in ("plain cosine", "linear CKA") if words in measures.values()),
    )  # fmt: skip


def layers_by_model(views: Sequence[ModelView]) -> Figure:
    """One line per model over relative depth, since models differ in their number of layers."""
    parts = []
    for view in views:
        part = spread(view.rows(SOUND), ["layer"])
        part = part[part["layer"] < view.hidden]
        parts.append(part.assign(series=view.name, depth=part["layer"] / max(1, view.hidden - 1)))
    return Figure(
        "layers", "Translations found by depth, model by model", "profile", pd.concat(parts, ignore_index=True),
        reading="Means over the same language pairs; depth 0 is the embedding output, 1 the last layer.",
        intervals="Bands hold the middle half of the pairs.",
        alt=f"Retrieval with standardised dimensions over relative depth for {', '.join(v.name for v in views)}.",
        x="depth", x_title="depth", y_title="share found", hover=("layer",),
    )  # fmt: skip


def bars(view: ModelView, name: str, of: str) -> Figure:
    """Retrieval of each language with all others at the chosen layer, families together."""
    rows = view.at_layer(SOUND)
    ends = pd.concat([rows.assign(language=rows["source"]), rows.assign(language=rows["target"])])
    frame = spread(ends, ["language"])
    frame["family"] = [families_of(view).get(code, "unknown family") for code in frame["language"]]
    frame = frame.sort_values(["family", "value"], ascending=[True, False]).reset_index(drop=True)
    low = frame.iloc[int(frame["value"].to_numpy().argmin())]
    return Figure(
        name, f"Languages at layer {view.layer}{of}", "bars", frame,
        reading="Mean share of translations found with every other language, both ways; lines hold the middle half "
        "of the pairs.",
        alt=f"Retrieval by language, grouped by family; lowest {low['language']} with {low['value']:.2f}.",
        y_title="share found",
    )  # fmt: skip


def layer_matrix(view: ModelView, name: str, of: str, compared: str) -> Figure:
    """Layer x layer similarity, between two languages or within one."""
    rows = view.alike[view.alike["compared"] == compared]
    apart = rows if compared == "two languages" else rows[rows["layer"] != rows["other"]]
    top = apart.iloc[int(apart["value"].to_numpy().argmax())]
    itself = (rows["layer"] == rows["other"]) & (compared == "one language")  # left blank: a layer is like itself
    shown = rows.assign(value=rows["value"].mask(itself)).reset_index(drop=True)
    return Figure(
        name, f"Which layers are similar,  {'between' if compared == 'two languages' else 'within'} {compared}{of}",
        "heatmap", shown.astype({"layer": str, "other": str}),
        reading=f"Unbiased CKA of standardised dimensions on the same sentences, mean over {rows['languages'].iloc[0]} "
        f"languages: {BETWEEN[compared]}.",
        alt=f"Similarity of all {len(view.record.layers)} layers with each other; highest for {top['layer']} and "
        f"{top['other']}, {top['value']:.2f}.",
        x="other", y="layer", x_title="layer", y_title="layer", value_title="CKA",
    )  # fmt: skip


def matrix_figure(view: ModelView, name: str, of: str) -> Figure:
    """Language x language similarity; layer by layer where there are few languages, the chosen one first."""
    few = len(view.record.languages) <= MOST_FACETED
    others = [layer for layer in range(len(view.record.layers)) if layer != view.layer] if few else []
    rows = view.rows("cka_unbiased_standardised")
    itself = pd.DataFrame(
        [(layer, code, code) for layer in range(len(view.record.layers)) for code in view.record.languages],
        columns=["layer", "source", "target"],
    ).assign(value=math.nan)  # left blank: a language is like itself, and 1 would outshine the others
    rows = pd.concat([rows, rows.rename(columns={"source": "target", "target": "source"}), itself])
    place = {language: number for number, language in enumerate(order_of_similarities(view.similarity()))}
    rows = rows.assign(row=rows["source"].map(place), column=rows["target"].map(place)).sort_values(["row", "column"])
    parts = [rows[rows["layer"] == layer].assign(shown=f"layer {layer}") for layer in (view.layer, *others)]
    return Figure(
        name, f"Which languages are similar{of}", "heatmap",
        pd.concat(parts, ignore_index=True)[["source", "target", "shown", "value", "low", "high", "n"]],
        reading="Unbiased CKA of standardised dimensions on the same sentences; similar languages are next to each "
        "other. A target's most similar source is the one to fine-tune on.",
        alt=f"Similarity matrix of {len(view.record.languages)} languages at layer {view.layer}.",
        x="source", y="target", facet="shown" if others else "", value_title="CKA",
    )  # fmt: skip


def tree_figure(view: ModelView, name: str, of: str) -> Figure:
    """The languages as a tree: those most alike at the chosen layer join first."""
    return Figure(
        name, f"Which languages cluster{of}", "dendrogram", tree_of_similarities(view.similarity(), families_of(view)),
        reading=f"The further left two branches join, the less similar they are: layer {view.layer}; average linkage.",
        alt=f"Tree of {len(view.record.languages)} languages by unbiased CKA at layer {view.layer}.",
        x_title="one minus CKA",
    )  # fmt: skip


def world(view: ModelView, name: str, of: str) -> Iterator[Figure]:
    """The languages on a map, where they have coordinates."""
    rows = []
    for code, value in view.by_language().items():
        known = view.known.get(code)
        if known is not None and known.longitude is not None and known.latitude is not None:
            rows.append((known.name, known.longitude, known.latitude, value, known.family, view.record.measured))
    if len(rows) >= LEAST_MAPPED:
        columns = ["language", "longitude", "latitude", "value", "family", "n"]
        yield Figure(
            name, f"Retrieval on the map{of}", "world", pd.DataFrame(rows, columns=columns),
            reading="Colour is the mean share of translations found with every other language at the best layer.",
            alt=f"World map of {len(rows)} languages coloured by retrieval.",
            value_title="share found",
        )  # fmt: skip
