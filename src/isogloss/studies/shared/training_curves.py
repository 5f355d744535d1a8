"""What a pretraining left on its way, as figures."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from isogloss.pretrain.folders import Folders
from isogloss.studies.result import Figure

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
    """Perplexity of held-out text by step, a line per language."""
    last = perplexities[perplexities["step"] == perplexities["step"].max()].set_index("language")["perplexity"]
    return Figure(
        "training", "Perplexity of held-out text", "training", perplexities.rename(columns={"perplexity": "value"}),
        reading="Lower is better. Perplexities over different vocabularies cannot be compared.",
        alt="Perplexity by step and language; at the end "
        + ", ".join(f"{language} {value:.1f}" for language, value in last.items())
        + ".",
        y_title="perplexity", decimals=1,
    )  # fmt: skip


def loss_figure(losses: pd.DataFrame) -> Figure:
    """The training loss by step, for batches of one language a line each."""
    frame = losses.rename(columns={"languages": "language"})[["language", "step", "loss"]]
    if frame["language"].str.contains(" ").any():
        frame = frame.assign(language="all languages")
    mean = frame.groupby("language", sort=False)["loss"].rolling(SMOOTHED, min_periods=1).mean()
    frame["value"] = mean.reset_index(level=0, drop=True)
    return Figure(
        "loss", "Training loss", "training", frame[["language", "step", "value"]].reset_index(drop=True),
        reading=f"Cross-entropy of masked tokens in nats, mean of {SMOOTHED} records.",
        alt=f"Training loss from {frame['value'].iloc[0]:.2f} to {frame['value'].iloc[-1]:.2f}.",
        y_title="loss", decimals=2,
    )  # fmt: skip


def layers_figure(layers: pd.DataFrame) -> Figure:
    """How much worse the loss is without a layer, at the end of training."""
    last = layers[(layers["step"] == layers["step"].max()) & layers["loss_without"].notna()]
    named = last.rename(columns={"loss_without": "value", "language": "series"})
    return Figure(
        "layers", "What each layer is worth", "profile",
        named[["series", "layer", "value"]].reset_index(drop=True),
        reading="How much the loss on held-out text rises when the layer is skipped, at the end of training.",
        alt=f"Rise of the loss without each of {last['layer'].nunique()} layers, by language.",
        y_title="rise of the loss, nats",
    )  # fmt: skip
