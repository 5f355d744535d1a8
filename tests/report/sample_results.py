"""Made-up but realistic results with every kind of figure, and one with text that tries to be a script."""

from dataclasses import replace

import numpy as np
import pandas as pd
import sample_frames as frames

from isogloss.studies.result import Figure, Finding, Provenance, Result, Table, by_name

EVIL = '<script>document.title="owned"</script>'
QUOTES = """"><img src=x onerror=alert(1)> 'single' "double" &lt;b&gt; </script><!--"""


def figures(seed: int = 0) -> dict[str, Figure]:
    return by_name(
        Figure(
            "layers",
            "Retrieval of translations by layer",
            "profile",
            frames.profile(seed),
            reading="The higher the line, the more sentences find their translation; bands are 95% intervals.",
            alt="Retrieval rises from 15% at layer 0 to 75% at layer 7 and falls to 24% at layer 12.",
            y_title="share retrieved",
            baselines=("untrained", "bag of tags"),
            paper="Wu20 Fig. 6",
        ),
        Figure(
            "similarity",
            "Similarity of languages",
            "heatmap",
            frames.similarity(),
            reading="The stronger the colour, the more similar the pair; move the slider to see another layer.",
            alt="Languages of a family are more similar than others at every layer.",
            x="other",
            y="language",
            facet="layer",
            facet_start="2",
            value_title="linear CKA",
            x_title="language",
            paper="Muller21 Fig. 1",
        ),
        Figure(
            "transfer",
            "Transfer by family",
            "bars",
            frames.transfer(),
            reading="One bar a method; whiskers are 95% intervals over five seeds.",
            alt="Transfer falls from Germanic to other families; fusion adds about a point.",
            series="method",
            y_title="F1",
            decimals=1,
        ),
        Figure(
            "loss",
            "What each pair of layers carries",
            "heatmap",
            frames.losses(),
            reading="Each cell is the change when these layers are drawn anew before fine-tuning.",
            alt="Layers 1-2 cost up to 30 points in other languages and about one at home.",
            x="target",
            y="layers",
            diverging=True,
            annotate=True,
            decimals=1,
            value_title="change in points",
            paper="Muller21 Table 1",
        ),
        Figure(
            "subspace",
            "The language subspace",
            "curve",
            frames.subspace(),
            reading="Where the curves meet, the language subspace ends.",
            alt="The first dimensions identify languages better than random ones up to about 50.",
            facet="task",
            log_x=True,
            baselines=("random x",),
            y_title="accuracy",
        ),
        Figure(
            "training",
            "Training by language",
            "training",
            frames.training(),
            reading="Lower is better.",
            alt="Loss falls for all languages.",
            y_title="loss",
        ),
        Figure(
            "gates",
            "Gates by layer",
            "gates",
            frames.gates(),
            reading="Above one half, the lower layer is preferred.",
            alt="Gates vary between 0.2 and 0.8.",
            y_range=(0.0, 1.0),
            y_title="mean gate",
        ),
        Figure(
            "tokens",
            "Tokens before and after fine-tuning",
            "map",
            frames.points(),
            reading="The same points coloured twice; hide a name and it leaves both maps.",
            alt="Before fine-tuning points group by language, afterwards by part of speech.",
            colours=("label", "language"),
            facet="condition",
            hover=("token", "sentence"),
        ),
        Figure(
            "moves",
            "Where languages move",
            "arrows",
            frames.moves(),
            reading="Arrows run from before to after fine-tuning.",
            alt="All languages move towards the centre.",
            label="language",
        ),
        Figure(
            "clusters",
            "Which languages cluster",
            "dendrogram",
            frames.clusters(),
            reading="The further left two branches meet, the less alike they are.",
            alt="Languages of a family meet first.",
            x_title="cosine distance",
        ),
        Figure(
            "family",
            "Transfer along the family tree",
            "tree",
            frames.family_tree(),
            reading="Leaves are coloured by their score.",
            alt="Germanic leaves score best.",
            value_title="F1",
            decimals=1,
        ),
        Figure(
            "world",
            "Transfer on the map",
            "world",
            frames.world(),
            reading="Dots are coloured by score.",
            alt="Scores fall with distance from English.",
            value_title="F1",
            decimals=1,
        ),
        Figure(
            "correlation",
            "Similarity and the transfer gap",
            "scatter",
            frames.correlation(),
            reading="Each dot is a language.",
            alt="The more similar, the smaller the gap.",
            x="cka",
            y="gap",
            label="language",
            series="family",
            x_title="CKA with English",
            y_title="gap in points",
        ),
    )


def tables() -> dict[str, Table]:
    scores = Table.from_tidy(
        "scores", "F1 by method and language", "Each number is the mean of five seeds.",
        frames.transfer(), rows=("method",), columns="language", average=True, best="max", baseline_row="plain",
    )  # fmt: skip
    loss = frames.losses()
    random_init = Table.from_tidy(
        "random_init", "RANDOM-INIT", "Change in points when the layers are drawn anew.", loss,
        rows=("layers",), columns="target", best="max", paper="Muller21 Table 1", shade=True,
        signed=tuple(loss["target"].unique()),
    )  # fmt: skip
    return by_name(scores, random_init)


def make_small(study: str = "inspect", shift: float = 0.0, seed: int = 0) -> Result:
    """The sample with three figures, for tests that draw many pages."""
    sample = make_sample(study, shift, seed)
    return replace(sample, figures={name: sample.figures[name] for name in ("layers", "similarity", "transfer")})


def make_sample(study: str = "inspect", shift: float = 0.0, seed: int = 0) -> Result:
    """Every kind of figure and two tables."""
    records = frames.transfer()
    records["value"] += shift + np.random.default_rng(seed).normal(0, 0.1, len(records))
    return Result(
        study=study,
        question="Which layers align my languages, and which languages lag?",
        findings=(
            Finding(
                "Layer 7 retrieves most translations: 74.6%, against 3.9% in an untrained encoder.",
                70.7,
                67.6,
                73.8,
                2000,
                "points",
            ),
            Finding("Fusing layer 6 with the last one gains 1.4 points on average.", 1.4, 0.6, 2.2, 60, "points"),
            Finding("Languages outside the source's family lag by 12.9 points."),
            Finding("Swahili lags most.", -20.1, -24.0, -16.2, 500, "points"),
            Finding("Centring gains 8.8 points.", 8.8, 7.0, 10.6, 2000, "points"),
            Finding("No text was cut."),
        ),
        tables=tables(),
        figures=figures(seed),
        main_figure="layers",
        provenance=frames.provenance(),
        records=records,
    )


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
        provenance=frames.provenance(),
        records=grid,
    )
