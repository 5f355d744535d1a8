"""What think found, as frames: curves of probabilities by layer, neurons by layer, and losses without them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pandas as pd

from isogloss.probes.language_neurons import LanguageNeurons
from isogloss.probes.statistics import Estimate, bootstrap_mean, bootstrap_ratio
from isogloss.studies.columns import tidy
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.comparison import spread_frame
from isogloss.studies.study import Results
from isogloss.studies.think.cells import read_counts, read_curves, read_losses
from isogloss.studies.think.cells.latent import SHUFFLED
from isogloss.studies.think.cells.neurons import ALL_ON, OFF, RANDOM, language_neurons
from isogloss.studies.think.config import Config
from isogloss.studies.think.plan import ThinkCondition


@dataclass(frozen=True, eq=False)
class ThinkView:
    """``curves``: source, target, word, language, layer, value. ``losses``: target (the text's language), text, nats,
    tokens, condition, owner (whose neurons), draw.
    """

    model: str
    pivot: str
    depth: int
    curves: pd.DataFrame
    losses: pd.DataFrame
    neurons: LanguageNeurons | None
    tokens: dict[str, int]  # per language on which neurons were counted
    left_out: dict[str, dict[str, int]]  # by pair

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Source and target, in the order of the plan."""
        yield from dict.fromkeys(zip(self.curves["source"], self.curves["target"], strict=True))

    def curve(self, source: str, target: str) -> pd.DataFrame:
        """words x (language, layer) of one pair."""
        rows = self.curves[(self.curves["source"] == source) & (self.curves["target"] == target)]
        return rows.pivot_table(index="word", columns=["language", "layer"], values="value")

    def probability(self, source: str, target: str, language: str, layer: int) -> Estimate:
        """The mean probability of a language's word at a layer, with an interval over words."""
        return replace(bootstrap_mean(self.curve(source, target)[language][layer]), over="words")

    def lead(self, source: str, target: str, language: str, other: str, layer: int) -> Estimate:
        """How much more probable one language's word is than another's, in points, paired over words."""
        table = self.curve(source, target)
        return replace(bootstrap_mean(100 * (table[language][layer] - table[other][layer])), over="words")

    def change(self, owner: str, target: str, condition: str = OFF) -> Estimate:
        """Nats per token that a language's text costs more with an owner's (or random) neurons off, over texts."""
        rows = self.losses[self.losses["target"] == target]
        before = rows[rows["condition"] == ALL_ON].set_index("text")
        mine = rows[(rows["condition"] == condition) & (rows["owner"] == owner)]
        after = mine.groupby("text")["nats"].mean()
        more = after.to_numpy() - before["nats"].loc[after.index]
        return replace(bootstrap_ratio(more, before["tokens"]), over="texts")

    def beyond_random(self, owner: str, target: str) -> Estimate:
        """The same, beyond what as many random neurons cost; paired over texts."""
        rows = self.losses[(self.losses["target"] == target) & (self.losses["owner"] == owner)]
        means = rows.groupby(["condition", "text"])["nats"].mean()
        tokens = rows[rows["condition"] == OFF].set_index("text")["tokens"]
        return replace(bootstrap_ratio(means[OFF] - means[RANDOM], tokens), over="texts")

    def records(self) -> pd.DataFrame:
        """Mean probabilities by layer, neurons by layer, changes of the loss."""
        curves = [
            (source, target, language, layer, self.probability(source, target, language, layer))
            for source, target in self.pairs()
            for language in self.curve(source, target).columns.unique("language")
            for layer in range(self.depth + 1)
        ]
        losses = [
            (target, owner, condition, self.change(owner, target, condition))
            for target in dict.fromkeys(self.losses["target"])
            for condition in (OFF, RANDOM)
            for owner in self.owners(condition)
        ]
        probable = spread_frame(("source", "target", "language", "layer"), curves)
        changed = spread_frame(("target", "language", "condition"), losses)
        neurons = self.neurons_by_layer()
        parts = (
            probable.assign(measure="probability", unit="share"),
            neurons.assign(measure="language_neurons", n=neurons["language"].map(self.tokens), unit="neurons"),
            changed.assign(measure="loss_change", unit="nats per token"),
        )
        return tidy((part.assign(model=self.model) for part in parts if len(part)), extra=("language",))

    def neurons_by_layer(self) -> pd.DataFrame:
        """How many neurons each language has: language, layer, value."""
        found = self.neurons
        by_language = zip(found.languages, found.counts(), strict=True) if found is not None else ()
        rows = [(code, layer, float(n)) for code, row in by_language for layer, n in enumerate(row, start=1)]
        return pd.DataFrame(rows, columns=["language", "layer", "value"])

    def owners(self, condition: str = OFF) -> list[str]:
        """Languages that have neurons, in the order of the plan."""
        if self.neurons is None or not len(self.losses):
            return []
        has = {owner for owner in self.neurons.languages if self.neurons.of(owner)}
        shown = dict.fromkeys(self.losses.loc[self.losses["condition"] == condition, "owner"])
        return [owner for owner in shown if owner in has]


def view_of(plan: StudyPlan[Config, ThinkCondition], results: Results) -> ThinkView:
    """Read the cells' tables."""
    curves, losses, left_out, depth = [], [], {}, 0
    counts = {}
    for condition in plan.conditions:
        if condition.latent is not None:
            record = results[condition.latent]
            depth = record.layers
            left_out[f"{condition.source}-{condition.target}"] = record.left_out
            frame = read_curves(results.folder(condition.latent))
            curves.append(frame.assign(source=condition.source, target=condition.target))
        if condition.activations is not None and condition.silenced is not None:
            counted = results[condition.activations]
            depth = counted.layers
            counts[condition.language] = read_counts(results.folder(condition.activations), counted)
            losses.append(read_losses(results.folder(condition.silenced)).assign(target=condition.language))
    neurons = language_neurons(counts, plan.config.share, plan.config.bar) if counts else None
    return ThinkView(
        plan.config.model, _pivot(plan), depth,
        pd.concat(curves, ignore_index=True) if curves else pd.DataFrame(columns=["source", "target"]),
        pd.concat(losses, ignore_index=True) if losses else pd.DataFrame(columns=["target", "condition", "owner"]),
        neurons, {code: one.tokens for code, one in counts.items()}, left_out,
    )  # fmt: skip


def watched(view: ThinkView, source: str, target: str) -> list[str]:
    """The languages of a pair's curves, the control left out: target, pivot and source first."""
    found = list(view.curve(source, target).columns.unique("language"))
    first = [code for code in dict.fromkeys((target, view.pivot, source)) if code in found]
    return [*first, *(code for code in found if code not in (*first, SHUFFLED))]


def _pivot(plan: StudyPlan[Config, ThinkCondition]) -> str:
    cells = [condition.latent for condition in plan.conditions if condition.latent is not None]
    return cells[0].translations.pivot if cells else plan.config.pivot
