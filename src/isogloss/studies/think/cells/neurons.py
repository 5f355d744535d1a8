"""Which feed-forward neurons speak which language, and what the model loses without them (LAPE, Tang et al. 2024)."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd
from safetensors.numpy import load_file, save_file

from isogloss.files import whole_file, write_frame
from isogloss.probes.language_neurons import LanguageNeurons, find_language_neurons, random_neurons
from isogloss.runs import Bench, Cell
from isogloss.studies.shared.models import Checkpoint
from isogloss.studies.think.cells.decoders import Decoder, open_decoder
from isogloss.transfer import Data

if TYPE_CHECKING:
    from isogloss.encoders import ActivationCounts

COUNTS, LOSSES = "counts.safetensors", "losses.parquet"
ALL_ON, OFF, RANDOM = "all on", "off", "random"


@dataclass(frozen=True)
class CountsRecord:
    """How much was read; the counts are an array (layers x neurons) in the cell's folder."""

    tokens: int
    layers: int
    neurons: int


@dataclass(frozen=True)
class Activations(Cell[CountsRecord]):
    """On how many tokens of one language's text each neuron is active."""

    name: ClassVar[str] = "activations"
    record: ClassVar[type] = CountsRecord
    model: Decoder = field(default_factory=lambda: Checkpoint(""))
    text: Data = field(default_factory=lambda: Data("", "text", ""))
    device: str = "auto"
    dtype: str = "float32"

    def label(self) -> str:
        return f"active neurons in {self.text.language}"

    def run(self, bench: Bench) -> CountsRecord:
        from isogloss.encoders import count_activations

        model = open_decoder(self.model, bench, self.device, self.dtype)
        texts = (sentence.text for sentence in self.text.read())
        counts = count_activations(model.model, model.batches(texts))
        with whole_file(bench.workspace / COUNTS) as part:
            save_file({"active": counts.active}, part)
        return CountsRecord(counts.tokens, *counts.active.shape)


def read_counts(folder: Path, record: CountsRecord) -> "ActivationCounts":
    """The counts that a cell left."""
    from isogloss.encoders import ActivationCounts

    return ActivationCounts(load_file(folder / COUNTS)["active"], record.tokens)


@dataclass(frozen=True)
class LossesRecord:
    """How many texts were read; their losses are a table in the cell's folder."""

    texts: int


@dataclass(frozen=True)
class Silenced(Cell[LossesRecord]):
    """The loss on one language's text with each language's neurons switched off, and with as many random ones."""

    name: ClassVar[str] = "silenced"
    record: ClassVar[type] = LossesRecord
    model: Decoder = field(default_factory=lambda: Checkpoint(""))
    counts: tuple[Activations, ...] = ()
    text: Data = field(default_factory=lambda: Data("", "text", ""))
    share: float = 0.01
    bar: float = 0.95
    draws: int = 3
    seed: int = 0
    device: str = "auto"
    dtype: str = "float32"

    def label(self) -> str:
        return f"{self.text.language} without neurons"

    def run(self, bench: Bench) -> LossesRecord:
        from isogloss.encoders import find_feed_forwards, switched_off

        found = language_neurons(
            {cell.text.language: read_counts(bench.folder(cell), bench.result(cell)) for cell in self.counts},
            self.share,
            self.bar,
        )
        model = open_decoder(self.model, bench, self.device, self.dtype)
        blocks = find_feed_forwards(model.model)
        texts = [sentence.text for sentence in self.text.read()]
        conditions: list[tuple[str, str, int, dict[int, list[int]]]] = [(ALL_ON, "", 0, {})]
        for owner in found.languages:
            mine = found.of(owner)
            conditions.append((OFF, owner, 0, mine))
            conditions += [
                (RANDOM, owner, draw, random_neurons(mine, blocks[0].width, self.seed + draw))
                for draw in range(self.draws)
            ]
        parts = []
        for condition, owner, draw, neurons in conditions:
            with switched_off(blocks, neurons):
                nats, tokens = model.losses(texts)
            rows = {"text": range(len(texts)), "nats": nats, "tokens": tokens}
            parts.append(pd.DataFrame(rows).assign(condition=condition, owner=owner, draw=draw))
        write_frame(bench.workspace / LOSSES, pd.concat(parts, ignore_index=True))
        return LossesRecord(len(texts))


def read_losses(folder: Path) -> pd.DataFrame:
    """text, nats, tokens, condition (all on, off, random), owner, draw."""
    return pd.read_parquet(folder / LOSSES)


def language_neurons(counts: "dict[str, ActivationCounts]", share: float, bar: float) -> LanguageNeurons:
    """Whose neurons are whose, from counts by language."""
    return find_language_neurons(np.stack([one.probability for one in counts.values()]), list(counts), share, bar)
