"""From scores to an answer: the layer is chosen on the validation part, every number is read off the test part."""

import pandas as pd

from isogloss.studies.glance.cells import POOLS, Config, Score, Scores, Structure, Tags, meetings
from isogloss.studies.result import Figure, Finding, Provenance, Result, Table, by_name
from isogloss.studies.shared.training_curves import curves
from isogloss.studies.study import Results

QUESTION = "Do languages meet inside an encoder that never saw a translation?"
PRETRAINED, UNTRAINED, TAGS, CHANCE = "pretrained", "untrained", "bag of tags", "chance"


def summarise(config: Config, results: Results) -> Result:
    """Findings, one table, and a profile for retrieval and for CKA."""
    encoder = config.encoder()
    trained, untrained = (results[cell] for cell in meetings(config))
    structure = results[Tags(encoder.world, config.pool)]
    frame = tidy(trained, untrained, structure, config.pool)
    layer = chosen_layer(trained)
    return Result(
        study="glance",
        question=QUESTION,
        findings=tuple(findings(frame, layer, structure)),
        tables=by_name(table(frame, layer)),
        figures=by_name(
            *(profile(frame, pool, structure) for pool in POOLS), cka_profile(frame), *curves(results.folder(encoder))
        ),
        main_figure="retrieval-hard",
        provenance=Provenance.gather(
            models=(f"lab encoder, {results[encoder].steps} steps",),
            data=(f"lab:{config.preset}",),
            seeds=(config.seed,),
            seconds=results.seconds([encoder, *meetings(config)]),
        ),
        records=frame,
    )


def chosen_layer(scores: Scores) -> int:
    """The layer with the best retrieval on the hard pool's validation part; the lowest of equals."""
    rows = [row for row in scores.rows if (row.pool, row.part, row.measure) == ("hard", "validation", "retrieval")]
    best = max(rows, key=lambda row: (row.value, -(row.layer or 0)))
    return best.layer or 0


def tidy(trained: Scores, untrained: Scores, structure: Structure, pool_size: int) -> pd.DataFrame:
    """One row a measurement of the test part; baselines without layers stand at every layer."""
    layers = sorted({row.layer for row in trained.rows if row.layer is not None})
    chance = [
        Score(pool, "test", None, "retrieval", 1 / pool_size, 1 / pool_size, 1 / pool_size, 2 * pool_size)
        for pool in POOLS
    ]
    rows = []
    for encoder, scores in (
        (PRETRAINED, trained.rows), (UNTRAINED, untrained.rows), (TAGS, structure.rows), (CHANCE, chance)
    ):  # fmt: skip
        for row in scores:
            if row.part == "test":
                for layer in layers if row.layer is None else [row.layer]:
                    rows.append((encoder, row.pool, layer, row.measure, row.value, row.low, row.high, row.n))
    columns = ["encoder", "pool", "layer", "measure", "value", "low", "high", "n"]
    return pd.DataFrame(rows, columns=columns)


def findings(frame: pd.DataFrame, layer: int, structure: Structure) -> list[Finding]:
    """What retrieval says on each pool, beside its baselines; what CKA adds; what the languages share."""
    first, second = structure.languages
    words = f"{structure.common_words} of {structure.words:,} words" if structure.common_words else "no word"
    found = []
    for pool in POOLS:
        score = {name: pick(frame, name, pool, "retrieval", layer) for name in (PRETRAINED, UNTRAINED, TAGS, CHANCE)}
        best = score[PRETRAINED]
        rival = max((UNTRAINED, TAGS), key=lambda name: score[name]["value"])
        verdict = "They meet" if best["low"] > score[rival]["high"] else "That they meet is not shown"
        found.append(
            Finding(
                f"{verdict} ({pool} pool): a sentence of {first} finds its translation in {second}, or the other way "
                f"round, {percent(best)} of the time at layer {layer}; untrained {percent(score[UNTRAINED])}, "
                f"by its tags alone {percent(score[TAGS])}, by chance {percent(score[CHANCE])}.",
                effect=100 * best["value"],
                low=100 * best["low"],
                high=100 * best["high"],
                n=int(best["n"]),
                unit="%",
            )
        )
    similar, plain = (pick(frame, name, "natural", "cka", layer) for name in (PRETRAINED, UNTRAINED))
    found.append(
        Finding(
            f"Unbiased CKA of the two languages at layer {layer} is {similar['value']:.2f}, "
            f"against {plain['value']:.2f} in the untrained encoder.",
            effect=similar["value"],
            low=similar["low"],
            high=similar["high"],
            n=int(similar["n"]),
        )
    )
    found.append(
        Finding(f"{first} and {second} have {words} in common in their training text, which is never parallel.")
    )
    return found


def pick(frame: pd.DataFrame, encoder: str, pool: str, measure: str, layer: int) -> dict[str, float]:
    """The one row that these name."""
    row = frame.query("encoder == @encoder and pool == @pool and measure == @measure and layer == @layer")
    return {name: float(row[name].iloc[0]) for name in ("value", "low", "high", "n")}


def percent(score: dict[str, float]) -> str:
    return f"{100 * score['value']:.1f}%"


def table(frame: pd.DataFrame, layer: int) -> Table:
    """Retrieval at the chosen layer: a row an encoder or baseline, a column a pool."""
    shown = frame[(frame["measure"] == "retrieval") & (frame["layer"] == layer)].copy()
    shown[["value", "low", "high"]] *= 100
    return Table.from_tidy(
        "retrieval",
        f"Translations found at layer {layer}, %",
        f"Higher is better; the layer was chosen on other sentences (the validation part). n = {shown['n'].iloc[0]:,}.",
        shown[["encoder", "pool", "value", "low", "high", "n"]],
        rows=("encoder",),
        columns="pool",
        best="max",
        baseline_row=UNTRAINED,
    )


def profile(frame: pd.DataFrame, pool: str, structure: Structure) -> Figure:
    """Retrieval by layer on one pool."""
    shown = frame[(frame["measure"] == "retrieval") & (frame["pool"] == pool)].reset_index(drop=True)
    shown = shown.rename(columns={"encoder": "series"})
    best = shown[shown["series"] == PRETRAINED]["value"].max()
    return Figure(
        f"retrieval-{pool}",
        f"Translations found by layer, {pool} pool",
        "profile",
        shown,
        reading="Each point is the share of sentences whose nearest neighbour in the other language, by cosine after "
        "centring each language, is their translation; bands are 95% intervals.",
        alt=f"Retrieval by layer between {structure.languages[0]} and {structure.languages[1]}: the pretrained encoder "
        f"reaches {best:.0%}; the untrained one, tags alone and chance stand beside it.",
        y_title="translations found",
        baselines=(UNTRAINED, TAGS, CHANCE),
    )


def cka_profile(frame: pd.DataFrame) -> Figure:
    """Unbiased CKA by layer on the natural pool."""
    shown = frame[(frame["measure"] == "cka") & (frame["pool"] == "natural")].reset_index(drop=True)
    return Figure(
        "cka",
        "Similarity of the two languages by layer",
        "profile",
        shown.rename(columns={"encoder": "series"}),
        reading="Unbiased linear CKA of parallel sentences (natural pool); 1 is the same up to rotation and scale.",
        alt="Unbiased CKA by layer for the pretrained and the untrained encoder.",
        y_title="CKA",
        baselines=(UNTRAINED,),
    )
