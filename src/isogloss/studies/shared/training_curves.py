"""What a pretraining left on its way, as figures; and a whole pretraining as a result with a page."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from isogloss.pretrain import Pretrained, Recipe
from isogloss.pretrain.folders import Folders
from isogloss.studies.result import Figure, Finding, Provenance, Result, Table, by_name

QUESTION = "What did the model learn of each language?"
SMOOTHED = 5  # training losses in a mean: a batch is small


def curves(folder: Path) -> Iterator[Figure]:
    """Perplexity by language, training loss, and what each layer is worth: those that ``folder`` has records of."""
    files = Folders(folder)
    perplexities, losses, layers = (_read(path) for path in (files.validation, files.history, files.health))
    if len(perplexities):
        yield perplexity_figure(perplexities)
    if len(losses) > 1:
        yield loss_figure(losses)
    if len(layers) and layers["loss_without"].notna().any():
        yield layers_figure(layers)


def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path) if path.exists() else pd.DataFrame()


def perplexity_figure(perplexities: pd.DataFrame) -> Figure:
    """Perplexity of held-out text by step, a line a language."""
    last = perplexities[perplexities["step"] == perplexities["step"].max()].set_index("language")["perplexity"]
    return Figure(
        "training",
        "Perplexity of held-out text",
        "training",
        perplexities.rename(columns={"perplexity": "value"}),
        reading="Lower is better. Perplexities over different vocabularies cannot be compared.",
        alt="Perplexity by step and language; at the end "
        + ", ".join(f"{language} {value:.1f}" for language, value in last.items())
        + ".",
        y_title="perplexity",
        decimals=1,
    )


def loss_figure(losses: pd.DataFrame) -> Figure:
    """The training loss by step, for batches of one language a line each."""
    frame = losses.rename(columns={"languages": "language"})[["language", "step", "loss"]]
    if frame["language"].str.contains(" ").any():
        frame = frame.assign(language="all languages")
    mean = frame.groupby("language", sort=False)["loss"].rolling(SMOOTHED, min_periods=1).mean()
    frame["value"] = mean.reset_index(level=0, drop=True)
    return Figure(
        "loss",
        "Training loss",
        "training",
        frame[["language", "step", "value"]].reset_index(drop=True),
        reading=f"Cross-entropy of masked tokens in nats, mean of {SMOOTHED} records.",
        alt=f"Training loss from {frame['value'].iloc[0]:.2f} to {frame['value'].iloc[-1]:.2f}.",
        y_title="loss",
        decimals=2,
    )


def layers_figure(layers: pd.DataFrame) -> Figure:
    """How much worse the loss is without a layer, at the end of training."""
    last = layers[(layers["step"] == layers["step"].max()) & layers["loss_without"].notna()]
    return Figure(
        "layers",
        "What each layer is worth",
        "profile",
        last.rename(columns={"loss_without": "value", "language": "series"})[["series", "layer", "value"]].reset_index(
            drop=True
        ),
        reading="How much the loss on held-out text rises when the layer is skipped, at the end of training.",
        alt=f"Rise of the loss without each of {last['layer'].nunique()} layers, by language.",
        y_title="rise of the loss, nats",
    )


def training_result(done: Pretrained, recipe: Recipe, data: str) -> Result:
    """A finished pretraining: perplexities, vocabulary and curves."""
    figures = by_name(*curves(done.folder))
    return Result(
        study="pretrain",
        question=QUESTION,
        findings=tuple(_findings(done)),
        tables=by_name(language_table(done)),
        figures=figures,
        main_figure=next(iter(figures), ""),
        provenance=Provenance.gather(
            models=(done.folder.name,), data=(data,), seeds=(recipe.seed,), seconds=round(done.seconds, 1)
        ),
        records=language_table(done).frame,
    )


def _findings(done: Pretrained) -> Iterator[Finding]:
    values = done.perplexities
    if values:
        best, worst = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
        mean = float(np.exp(np.mean(np.log(list(values.values())))))
        spoken = f": {best} {values[best]:.1f}, {worst} {values[worst]:.1f} at the ends" if len(values) > 1 else ""
        yield Finding(
            f"The perplexity of held-out text is {mean:.1f} (geometric mean over languages){spoken}.",
            effect=mean,
            n=len(values),
        )
    yield Finding(
        f"It read {done.tokens:,} tokens in {done.steps:,} steps and {done.seconds:.0f} s "
        f"({done.tokens / max(done.seconds, 1e-9):,.0f} tokens a second)."
    )
    yield from (Finding(f"Warning: {warning}") for warning in done.warnings)


def language_table(done: Pretrained) -> Table:
    """A row a language: its perplexity and its use of the vocabulary."""
    uses = {use.language: use for use in done.vocabulary}
    rows = []
    for language in done.languages:
        row: dict[str, object] = {"language": language, "perplexity": done.perplexities.get(language, np.nan)}
        if use := uses.get(language):
            row |= {
                "tokens": use.tokens,
                "vocabulary": use.entries,
                "anchors, %": 100 * use.anchors,
                "fertility": use.fertility,
                "unknown, %": 100 * use.unknown,
            }
        rows.append(row)
    return Table(
        "languages",
        "Languages",
        "Anchors: the share of the running text whose entries other languages have too. Fertility: tokens a word.",
        pd.DataFrame(rows),
        index=("language",),
    )
