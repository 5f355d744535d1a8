"""Made-up but realistic results with every kind of figure, and one with text that tries to be a script."""

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import linkage

from isogloss.studies.result import Figure, Finding, Provenance, Result, Table, by_name
from isogloss.studies.trees import tree_of_merges

FAMILIES = {
    "Germanic": ["English", "German", "Dutch"],
    "Romance": ["French", "Italian", "Spanish"],
    "Slavic": ["Russian", "Polish", "Czech"],
    "Other": ["Finnish", "Turkish", "Arabic"],
}
PLACES = {
    "English": (0, 52), "German": (10, 52), "Dutch": (5, 52), "French": (2, 48), "Italian": (12, 43), "Spanish": (-4, 40),
    "Russian": (38, 56), "Polish": (20, 52), "Czech": (15, 50), "Finnish": (25, 62), "Turkish": (35, 39), "Arabic": (38, 25),
}  # fmt: skip
EVIL = '<script>document.title="owned"</script>'
QUOTES = """"><img src=x onerror=alert(1)> 'single' "double" &lt;b&gt; </script><!--"""


def languages() -> list[tuple[str, str]]:
    return [(language, family) for family, members in FAMILIES.items() for language in members]


def provenance(command: str = "isogloss inspect mbert --data ud-pud --langs en,de,fr --limit 1000") -> Provenance:
    return Provenance(
        models=("bert-base-multilingual-cased",),
        data=("ud-pud", "tatoeba"),
        revisions={"bert-base-multilingual-cased": "3f076fdb1ab68d5b2880cb87a0886f315b8146f8", "ud-pud": "r2.14-8c1d"},
        seeds=(0, 1, 2, 3, 4),
        seconds=372.0,
        command=command,
        versions={"python": "3.11.7", "isogloss": "0.1.0", "torch": "2.9.0", "numpy": "2.4.0"},
        created="2026-11-15T21:40:03+00:00",
    )


def profile(seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = []
    for place, name in enumerate(["trained", "untrained", "bag of tags"]):
        for layer in range(13):
            middle = [0.15 + 0.6 * np.exp(-(((layer - 7.5) / 3.4) ** 2)), 0.04, 0.11][place] + rng.normal(0, 0.008)
            rows.append((name, layer, middle, middle - 0.03, middle + 0.03, 2000))
    return pd.DataFrame(rows, columns=["series", "layer", "value", "low", "high", "n"])


def similarity(layers: int = 4) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    rows = []
    for layer in range(layers):
        for one, family in languages():
            for two, other in languages():
                near = 1.0 if one == two else (0.72 if family == other else 0.5) + 0.05 * layer + rng.normal(0, 0.03)
                rows.append((layer, one, two, min(near, 1.0), near - 0.02, near + 0.02, 1000))
    return pd.DataFrame(rows, columns=["layer", "language", "other", "value", "low", "high", "n"])


def transfer() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    rows = []
    for language, family in languages():
        base = {"Germanic": 84, "Romance": 78, "Slavic": 73, "Other": 61}[family] + rng.normal(0, 3)
        for method, gain in [("plain", 0.0), ("fusion", 1.4), ("reversal", -0.8)]:
            score = base + gain + rng.normal(0, 0.5)
            rows.append((language, family, method, score, score - 1.6, score + 1.6, 5, 0.01 if gain > 1 else 0.4))
    return pd.DataFrame(rows, columns=["language", "family", "method", "value", "low", "high", "n", "p"])


def losses() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    rows = []
    for task, scale in [("parsing", 1.6), ("POS", 1.0), ("NER", 1.2)]:
        for pair in range(6):
            home, away = -0.3 - rng.random() * 0.8, -scale * [18, 12, 7, 3, 1, -0.4][pair] + rng.normal(0, 0.5)
            rows += [
                (task, f"{2 * pair + 1}-{2 * pair + 2}", "home", home),
                (task, f"{2 * pair + 1}-{2 * pair + 2}", "away", away),
            ]
    frame = pd.DataFrame(rows, columns=["task", "layers", "where", "value"])
    return frame.assign(
        target=frame["task"] + " " + frame["where"], low=frame["value"] - 1, high=frame["value"] + 1, n=5
    )


def points(count: int = 600) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    labels, names = ["NOUN", "VERB", "ADJ", "ADP"], ["English", "German", "French", "Russian", "Finnish"]
    rows = []
    for condition, language_pull in [("initial", 2.4), ("fine-tuned", 0.7)]:
        for _ in range(count // 2):
            label, name = int(rng.integers(4)), int(rng.integers(5))
            x = np.cos(label * 1.6) * 4 + np.cos(name * 1.3) * language_pull + rng.normal(0, 0.7)
            y = np.sin(label * 1.6) * 4 + np.sin(name * 1.3) * language_pull + rng.normal(0, 0.7)
            rows.append(
                (
                    condition,
                    x,
                    y,
                    labels[label],
                    names[name],
                    "word",
                    "A sentence in which the word stands, at some length, so that it wraps.",
                )
            )
    return pd.DataFrame(rows, columns=["condition", "x", "y", "label", "language", "token", "sentence"])


def figures() -> dict[str, Figure]:
    similar = similarity()
    rng = np.random.default_rng(5)
    names, families = zip(*languages(), strict=True)
    dims = np.array([1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120])
    curve = pd.concat(
        pd.DataFrame(
            {"series": name, "dimensions": dims, "value": v, "low": v - 0.03, "high": v + 0.03, "n": 2000, "task": task}
        )
        for task, lift in [("language identity", 0.0), ("typology", -0.08)]
        for name, v in [
            ("first x", 1 - 0.5 * np.exp(-dims / 6) + lift),
            ("next x", 1 - 0.5 * np.exp(-dims / 18) + lift),
            ("random x", 1 - 0.5 * np.exp(-dims / 26) + lift),
        ]
    ).reset_index(drop=True)
    steps = np.arange(0, 4001, 50)
    training = pd.concat(
        pd.DataFrame(
            {
                "language": name,
                "step": steps,
                "value": 9 * np.exp(-steps / (700 + 90 * place)) + 2 + 0.15 * rng.random(len(steps)),
            }
        )
        for place, name in enumerate(names[:6])
    ).reset_index(drop=True)
    gates = pd.DataFrame(
        [(f"D_{d}", layer, 0.5 + 0.3 * np.sin(layer / 3 + d), 40) for d in (3, 6, 9) for layer in range(1, 13)],
        columns=["series", "layer", "value", "n"],
    )
    centres = rng.normal(size=(len(names), 8)) * 0.4 + np.repeat(rng.normal(size=(4, 8)), 3, axis=0)
    tree = pd.DataFrame(
        [("root", "", "lab", ""), *((f, "root", f, f) for f in FAMILIES), *((n, f, n, f) for n, f in languages())],
        columns=["node", "parent", "label", "family"],
    )
    tree["value"] = [np.nan] * 5 + [60 + 25 * rng.random() for _ in names]
    tree["n"] = 5
    world = pd.DataFrame(
        [(n, f, *PLACES[n], 60 + 25 * rng.random(), 5) for n, f in languages()],
        columns=["language", "family", "longitude", "latitude", "value", "n"],
    )
    land = pd.DataFrame(
        {"longitude": rng.uniform(-10, 60, 200), "latitude": rng.uniform(30, 65, 200), "language": "other"}
    )
    scatter = pd.DataFrame(
        {"language": names, "family": families, "cka": rng.random(12), "gap": 30 * rng.random(12), "n": 1000}
    )
    moves = pd.DataFrame(
        {
            "language": names,
            "x": centres[:, 0],
            "y": centres[:, 1],
            "x_to": centres[:, 0] * 0.4,
            "y_to": centres[:, 1] * 0.4,
        }
    )
    return by_name(
        Figure("layers", "Retrieval of translations by layer", "profile", profile(), reading="The higher the line, the more sentences find their own translation; bands are 95% intervals over sentences.", alt="Retrieval rises from 15% at layer 0 to 75% at layer 8 and falls to 35% at layer 12; the untrained encoder stays at 4% throughout.", y_title="share retrieved", baselines=("untrained", "bag of tags"), paper="Wu20 Fig. 6"),
        Figure("similarity", "Similarity of languages", "heatmap", similar, reading="Darker cells are more similar pairs; move the slider to see another layer.", alt="Languages of a family are more similar than others at every layer.", x="other", y="language", facet="layer", facet_start="2", value_title="linear CKA", x_title="language", paper="Muller21 Fig. 1"),
        Figure("transfer", "Transfer by family", "bars", transfer(), reading="One bar a method; whiskers are 95% intervals over five seeds.", alt="Transfer falls from Germanic to other families; fusion adds about a point.", series="method", y_title="F1", decimals=1),
        Figure("loss", "What each pair of layers carries", "heatmap", losses(), reading="Each cell is the change when these layers are drawn anew before fine-tuning.", alt="Layers 1-2 cost up to 28 points in other languages and less than one at home.", x="target", y="layers", diverging=True, annotate=True, decimals=1, value_title="change in points", paper="Muller21 Table 1"),
        Figure("subspace", "The language subspace", "curve", curve, reading="Where the curves meet, the language subspace ends.", alt="The first dimensions identify languages better than random ones up to about 50.", facet="task", log_x=True, baselines=("random x",), y_title="accuracy"),
        Figure("training", "Training by language", "training", training, reading="Lower is better.", alt="Loss falls for all languages.", y_title="loss"),
        Figure("gates", "Gates by layer", "gates", gates, reading="Above one half, the lower layer is preferred.", alt="Gates vary between 0.2 and 0.8.", y_range=(0.0, 1.0), y_title="mean gate"),
        Figure("tokens", "Tokens before and after fine-tuning", "map", points(), reading="The same points coloured twice; hide a name and it leaves both maps.", alt="Before fine-tuning points group by language, afterwards by part of speech.", colours=("label", "language"), facet="condition", hover=("token", "sentence")),
        Figure("moves", "Where languages move", "arrows", moves, reading="Arrows run from before to after fine-tuning.", alt="All languages move towards the centre.", label="language"),
        Figure("clusters", "Which languages cluster", "dendrogram", tree_of_merges(linkage(centres, "average"), names, families), reading="The further left two branches meet, the less alike they are.", alt="Languages of a family meet first.", x_title="cosine distance"),
        Figure("family", "Transfer along the family tree", "tree", tree, reading="Leaves are coloured by their score.", alt="Germanic leaves are darkest.", value_title="F1", decimals=1),
        Figure("world", "Transfer on the map", "world", pd.concat([world, land]).reset_index(drop=True), reading="Dots are coloured by score.", alt="Scores fall with distance from English.", value_title="F1", decimals=1),
        Figure("correlation", "Similarity and the transfer gap", "scatter", scatter, reading="Each dot is a language.", alt="The more similar, the smaller the gap.", x="cka", y="gap", label="language", series="family", x_title="CKA with English", y_title="gap in points"),
    )  # fmt: skip


def tables() -> dict[str, Table]:
    scores = Table.from_tidy(
        "scores", "F1 by method and language", "Each number is the mean of five seeds.",
        transfer(), rows=("method",), columns="language", average=True, best="max", baseline_row="plain",
    )  # fmt: skip
    loss = losses()
    random_init = Table.from_tidy(
        "random_init", "RANDOM-INIT", "Change in points when the layers are drawn anew.", loss,
        rows=("layers",), columns="target", best="max", paper="Muller21 Table 1", shade=True,
        signed=tuple(loss["target"].unique()),
    )  # fmt: skip
    return by_name(scores, random_init)


def make_sample(study: str = "inspect", shift: float = 0.0) -> Result:
    """Every kind of figure and two tables."""
    records = transfer()
    records["value"] += shift
    return Result(
        study=study,
        question="Which layers align my languages, and which languages lag?",
        findings=(
            Finding("Layer 8 retrieves most translations: 75.1% [72.0, 78.1], against 4.0% in an untrained encoder.", 71.1, 68.0, 74.1, 2000, "points"),
            Finding("Fusing layer 6 with the last one gains 1.4 points on average; the interval leaves out zero.", 1.4, 0.6, 2.2, 60, "points"),
            Finding("Languages outside the source's family lag by 12.9 points."),
        ),
        tables=tables(),
        figures=figures(),
        main_figure="layers",
        provenance=provenance(),
        records=records,
    )  # fmt: skip


def make_evil() -> Result:
    """Every text a user or a corpus could bring in is a script or full of quotes."""
    names = [EVIL, QUOTES, "plain"]
    lines = pd.DataFrame({"series": np.repeat(names, 3), "layer": [0, 1, 2] * 3, "value": np.arange(9) / 9})
    grid = pd.DataFrame([(a, b, len(a) / len(b)) for a in names for b in names], columns=["x", "y", "value"])
    bars = pd.DataFrame({"language": names, "family": names, "value": [1.0, 2.0, 3.0]})
    spots = pd.DataFrame({"x": [1.0, 2, 3], "y": [1.0, 2, 3], "label": names, "language": names, "token": names})
    tree = pd.DataFrame(
        {"node": ["r", *names], "parent": ["", "r", "r", "r"], "label": [EVIL, *names], "value": [1.0, 2, 3, 4]}
    )
    frame = pd.DataFrame({EVIL: names, QUOTES: [1.0, 2.0, 3.0], "text": names})
    told = {"reading": EVIL, "alt": QUOTES}
    return Result(
        study="evil",
        question=f"Is {EVIL} text? {QUOTES}",
        findings=(Finding(EVIL, unit=QUOTES, effect=1.0), Finding(QUOTES)),
        tables=by_name(Table("t", EVIL, QUOTES, frame, index=(EVIL,), best="max", caption=EVIL, paper=QUOTES)),
        figures=by_name(
            Figure("lines", EVIL, "profile", lines, **told, x_title=EVIL, y_title=QUOTES, paper=EVIL),
            Figure("grid", QUOTES, "heatmap", grid, **told, x="x", y="y", value_title=EVIL),
            Figure("bars", EVIL, "bars", bars, **told, facet="family"),
            Figure("map", EVIL, "map", spots, **told, hover=("token",)),
            Figure("tree", EVIL, "tree", tree, **told),
        ),
        main_figure="lines",
        provenance=Provenance(models=(EVIL,), data=(QUOTES,), revisions={EVIL: QUOTES}, command=f"isogloss {QUOTES}"),
        records=lines,
    )


def make_large(count: int = 40, layers: int = 13) -> Result:
    """As many languages and layers as a page must bear."""
    rng = np.random.default_rng(0)
    names = [f"language {place:02d}" for place in range(count)]
    value = rng.random((layers, count, count))
    layer, one, two = (axis.ravel() for axis in np.meshgrid(np.arange(layers), names, names, indexing="ij"))
    grid = pd.DataFrame({"layer": layer, "language": one, "other": two, "value": value.ravel()})
    grid = grid.assign(
        low=grid["value"] - rng.random(len(grid)) / 9, high=grid["value"] + rng.random(len(grid)) / 9, n=1997
    )
    lines = (
        grid.groupby(["language", "layer"], as_index=False, sort=False)[["value", "low", "high"]].mean().assign(n=1997)
    )
    bars = lines[lines["layer"] == layers - 1].assign(family="family").reset_index(drop=True)
    told = {"reading": "Read it.", "alt": "Many numbers."}
    table = Table.from_tidy(
        "all", "By layer", "All of them.", lines, rows=("language",), columns="layer", best="max", decimals=3
    )
    return Result(
        study="large",
        question="Does a page bear 40 languages and 13 layers?",
        findings=(Finding("It does."),),
        tables=by_name(table),
        figures=by_name(
            Figure("profile", "By layer", "profile", lines, **told, series="language"),
            Figure("grid", "By pair", "heatmap", grid, **told, x="other", y="language", facet="layer"),
            Figure("bars", "By language", "bars", bars, **told),
        ),
        main_figure="profile",
        provenance=provenance(),
        records=grid,
    )
