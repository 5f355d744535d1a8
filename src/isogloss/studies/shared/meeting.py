"""How two languages meet inside an encoder: retrieval of translations and CKA, layer by layer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.corpora import load_parallel
from isogloss.corpora.parallel_sentences import hash_sentences
from isogloss.corpora.records import ParallelText
from isogloss.digests import require_revision
from isogloss.files import write_frame
from isogloss.runs import Bench, Cell
from isogloss.studies.shared.models import Checkpoint, open_speakers
from isogloss.studies.shared.similarity import compare_layers

FILE = "meeting.parquet"
RETRIEVAL = "retrieval"
EVERY = 4  # every fourth sentence chooses the layer; numbers are read off the others
States = Mapping[str, NDArray[np.float32]]  # language -> n x layers x d


@dataclass(frozen=True)
class Translations:
    """Sentences of two languages as a cell's input; ``revision`` is a hash of them."""

    data: str
    pool: str
    languages: tuple[str, ...]
    limit: int
    revision: str = ""

    def read(self) -> ParallelText:
        text = load_parallel(self.data, self.languages, self.limit, self.pool or None)
        require_revision(hash_sentences(text.texts), self.revision, self.data)
        return text

    def describe(self) -> str:
        return f"{self.data} {self.pool} {'-'.join(self.languages)}".replace("  ", " ")


def find_translations(data: str, pool: str, languages: tuple[str, str], limit: int) -> Translations:
    """The translations, with a hash of what they are."""
    text = Translations(data, pool, languages, limit).read()
    return Translations(data, pool, text.languages, limit, hash_sentences(text.texts))


@dataclass(frozen=True)
class Met:
    """How many sentences were compared; what came of it is a table in the cell's folder."""

    sentences: int
    dtype: str = "float32"  # always


@dataclass(frozen=True)
class Meeting(Cell[Met]):
    """Retrieval and CKA of a model's two languages, each read through its own parts where it has any."""

    name: ClassVar[str] = "meeting"
    record: ClassVar[type] = Met
    model: Any = field(default_factory=lambda: Checkpoint(""))
    texts: tuple[Translations, ...] = ()
    kinds: tuple[str, ...] = ("linear",)
    device: str = "auto"

    def label(self) -> str:
        return f"translations in {self.model.label()}"

    def run(self, bench: Bench) -> Met:
        languages = self.texts[0].languages
        encoders = open_speakers(self.model, bench, languages, self.device, "float32")
        frames, count = [], 0
        for text in self.texts:
            rows = text.read()
            states = {code: encoders[code].encode(list(rows.texts[code])) for code in languages}
            frames.append(measure(states, languages[0], self.kinds).assign(pool=text.pool))
            count += len(rows)
        write_frame(bench.workspace / FILE, pd.concat(frames, ignore_index=True))
        return Met(count)


def measure(states: States, source: str, kinds: tuple[str, ...]) -> pd.DataFrame:
    """A row per layer and measure; those that serve to choose a layer are marked ``choice``."""
    from isogloss.geometry.retrieval import retrieval_grid

    similar = compare_layers(states, source, kinds).rename(columns={"kind": "measure"})
    similar["measure"] = "cka_" + similar["measure"]
    parts = [similar[["layer", "measure", "value", "n"]].assign(choice=False)]
    chosen = np.arange(len(states[source])) % EVERY == 0
    for rows, choice in ((chosen, True), (~chosen, False)):
        layers = [
            {code: values[rows, layer] for code, values in states.items()} for layer in range(states[source].shape[1])
        ]
        found = retrieval_grid(layers, variants=("centred",))
        table = [(one.layer, RETRIEVAL, (one.forward + one.backward) / 2, one.n) for one in found]
        parts.append(pd.DataFrame(table, columns=["layer", "measure", "value", "n"]).assign(choice=choice))
    return pd.concat(parts, ignore_index=True)


def read_meeting(folder: Path) -> pd.DataFrame:
    """pool, layer, measure, value, n, choice."""
    return pd.read_parquet(folder / FILE)


@dataclass(frozen=True)
class MetScore:
    """One number for an encoder; ``layer`` is the one that other sentences chose."""

    measure: str
    value: float
    n: int
    layer: int | None = None


def met_scores(layers: pd.DataFrame, pools: Sequence[str]) -> list[MetScore]:
    """Retrieval at the layer that other sentences choose (first pool), and mean CKA over layers (last pool)."""
    found = layers[(layers["measure"] == RETRIEVAL) & (layers["pool"] == pools[0])]
    best = chosen_layer(found[found["choice"]])
    shown = found[~found["choice"] & (found["layer"] == best)].iloc[0]
    scores = [MetScore(RETRIEVAL, float(shown["value"]), int(shown["n"]), best)]
    for measure, mine in layers[(layers["pool"] == pools[-1]) & ~layers["choice"]].groupby("measure", sort=False):
        if str(measure).startswith("cka_"):
            scores.append(MetScore(str(measure), float(mine["value"].mean()), int(mine["n"].iloc[0])))
    return scores


def chosen_layer(rows: pd.DataFrame) -> int:
    """The layer with the best value; of equals the lowest."""
    best = rows.sort_values(["value", "layer"], ascending=[False, True]).iloc[0]
    return int(best["layer"])
