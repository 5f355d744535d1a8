"""What think found, as frames: curves of probabilities by layer, neurons by layer, and losses without them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pandas as pd

from isogloss.probes.language_neurons import LanguageNeurons
from isogloss.probes.statistics import Estimate, bootstrap_mean, bootstrap_ratio
from isogloss.studies.columns import tidy
from isogloss.studies.figure import SPREAD
from isogloss.studies.plan import StudyPlan
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
        return _over(bootstrap_mean(self.curve(source, target)[language][layer].to_numpy()), "words")

    def lead(self, source: str, target: str, language: str, other: str, layer: int) -> Estimate:
        """How much more probable one language's word is than another's, in points, paired over words."""
        table = self.curve(source, target)
        gaps = 100 * (table[language][layer] - table[other][layer]).to_numpy()
        return _over(bootstrap_mean(gaps), "words")

    def change(self, owner: str, target: str, condition: str = OFF) -> Estimate:
        """Nats per token that a language's text costs more with an owner's (or random) neurons off, over texts."""
        rows = self.losses[self.losses["target"] == target]
        before = rows[rows["condition"] == ALL_ON].set_index("text")
        mine = rows[(rows["condition"] == condition) & (rows["owner"] == owner)]
        after = mine.groupby("text")["nats"].mean()
        return _over(bootstrap_ratio(after.to_numpy() - before["nats"].loc[after.index], before["tokens"]), "texts")

    def beyond_random(self, owner: str, target: str) -> Estimate:
        """The same, beyond what as many random neurons cost; paired over texts."""
        rows = self.losses[(self.losses["target"] == target) & (self.losses["owner"] == owner)]
        means = rows.groupby(["condition", "text"])["nats"].mean()
        tokens = rows[rows["condition"] == OFF].set_index("text")["tokens"]
        return _over(bootstrap_ratio((means[OFF] - means[RANDOM]).to_numpy(), tokens.to_numpy()), "texts")

    def records(self) -> pd.DataFrame:
        """Mean probabilities by layer, neurons by layer, changes of the loss."""
        parts = [pd.DataFrame(list(self._curve_rows())), pd.DataFrame(list(self._neuron_rows()))]
        parts.append(pd.DataFrame(list(self._loss_rows())))
        return tidy((part.assign(model=self.model) for part in parts if len(part)), extra=("language",))

    def _curve_rows(self) -> Iterator[dict[str, object]]:
        for source, target in self.pairs():
            for language in self.curve(source, target).columns.unique("language"):
                for layer in range(self.depth + 1):
                    found = dict(zip(SPREAD, self.probability(source, target, language, layer).columns(), strict=True))
                    yield {"source": source, "target": target, "language": language, "layer": layer, **found,
                           "measure": "probability", "unit": "share"}  # fmt: skip

    def _neuron_rows(self) -> Iterator[dict[str, object]]:
        if self.neurons is None:
            return
        for language, row in zip(self.neurons.languages, self.neurons.counts(), strict=True):
            for layer, number in enumerate(row, start=1):
                yield {"language": language, "layer": layer, "value": float(number), "measure": "language_neurons",
                       "n": self.tokens[language], "unit": "neurons"}  # fmt: skip

    def _loss_rows(self) -> Iterator[dict[str, object]]:
        for target in dict.fromkeys(self.losses["target"]):
            for condition in (OFF, RANDOM):
                for owner in self.owners(condition):
                    found = dict(zip(SPREAD, self.change(owner, target, condition).columns(), strict=True))
                    yield {"target": target, "language": owner, "condition": condition, **found,
                           "measure": "loss_change", "unit": "nats per token"}  # fmt: skip

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


def total_left_out(view: ThinkView, pair: str) -> Counter[str]:
    """How many words of a pair were left out, by reason."""
    return Counter({reason: number for reason, number in view.left_out[pair].items() if number})


def watched(view: ThinkView, source: str, target: str) -> list[str]:
    """The languages of a pair's curves, the control left out: target, pivot and source first."""
    found = list(view.curve(source, target).columns.unique("language"))
    first = [code for code in dict.fromkeys((target, view.pivot, source)) if code in found]
    return [*first, *(code for code in found if code not in (*first, SHUFFLED))]


def _pivot(plan: StudyPlan[Config, ThinkCondition]) -> str:
    cells = [condition.latent for condition in plan.conditions if condition.latent is not None]
    return cells[0].translations.pivot if cells else plan.config.pivot


def _over(found: Estimate, units: str) -> Estimate:
    return replace(found, over=units)
