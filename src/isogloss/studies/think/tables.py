"""The tables of think: each pair at the layers that tell, neurons by language, and losses without them."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from isogloss.studies.result import Table
from isogloss.studies.shared.comparison import spread_of
from isogloss.studies.think.cells.latent import SHUFFLED
from isogloss.studies.think.view import ThinkView, watched


def tables_of(view: ThinkView) -> Iterator[Table]:
    """The first one is the main one: pairs where there are any, otherwise neurons."""
    if len(view.curves):
        yield pairs(view)
        yield layers(view)
    if view.neurons is not None:
        yield changes(view)
        yield neurons(view)


def pairs(view: ThinkView) -> Table:
    """A row per pair: the languages' words at the last layer, and the pivot's best lead."""
    rows = []
    for source, target in view.pairs():
        row: dict[str, object] = {"pair": f"{source}-{target}"}
        roles = {"target": target, "pivot": view.pivot, "source": source, SHUFFLED: SHUFFLED}
        for name, language in roles.items():
            row |= spread_of(f"{name}, last layer", view.probability(source, target, language, view.depth))
        gaps = [view.lead(source, target, view.pivot, target, layer).value for layer in range(view.depth + 1)]
        row["pivot leads most at layer"] = best = int(np.argmax(gaps))
        for name in ("pivot", "target"):
            row |= spread_of(f"{name} there", view.probability(source, target, roles[name], best))
        rows.append(row)
    names = ("target", "pivot", "source", SHUFFLED)
    return Table(
        "pairs", "Which language's word is probable, by translation",
        "Mean probability of the first subword of the right word in the target language, the pivot and the source "
        f"({view.pivot} is the pivot); 'shuffled' is the target word of another question. Intervals are over words.",
        pd.DataFrame(rows), index=("pair",),
        values=(*(f"{name}, last layer" for name in names), "pivot leads most at layer", "pivot there", "target there"),
        decimals=3, paper="Wendler et al. (2024) Figure 2",
    )  # fmt: skip


def layers(view: ThinkView) -> Table:
    """All layers, a column per language."""
    rows = []
    for source, target in view.pairs():
        for layer in range(view.depth + 1):
            row: dict[str, object] = {"pair": f"{source}-{target}", "layer": layer}
            for language in (*watched(view, source, target), SHUFFLED):
                row |= spread_of(language, view.probability(source, target, language, layer))
            rows.append(row)
    frame = pd.DataFrame(rows)
    shown = tuple(name for name in frame.columns[2:] if not name.endswith(("_low", "_high", "_n")))
    return Table(
        "layers", "The same, layer by layer",
        "Layer 0 is the embedding. Empty where a language was not followed for this pair.",
        frame, index=("pair", "layer"), values=shown, best="max", best_in="row", decimals=3,
    )  # fmt: skip


def changes(view: ThinkView) -> Table:
    """A row per language whose neurons are off, a column per language of the text; random neurons below each."""
    rows = []
    targets = list(dict.fromkeys(view.losses["target"]))
    for owner in view.owners():
        for condition in ("off", "random"):
            if owner not in view.owners(condition):
                continue
            which = "its own" if condition == "off" else "as many random"
            row: dict[str, object] = {"neurons of": owner, "which": which}
            for target in targets:
                row |= spread_of(f"text in {target}", view.change(owner, target, condition))
            rows.append(row)
    columns = tuple(f"text in {target}" for target in targets)
    frame = pd.DataFrame(rows, columns=None if rows else ["neurons of", "which", *columns])
    return Table(
        "changes", "What switching a language's neurons off costs",
        "Change of the loss in nats per token, with intervals over texts. Look for large numbers where the neurons "
        "and the text are of one language, and small ones elsewhere and for random neurons.",
        frame, index=("neurons of", "which"), values=columns, signed=columns, best="min", decimals=3, shade=True,
        paper="Tang et al. (2024) Figure 5",
    )  # fmt: skip


def neurons(view: ThinkView) -> Table:
    """Neurons by language and layer."""
    assert view.neurons is not None
    counts = view.neurons.counts()
    frame = pd.DataFrame(counts, columns=[f"layer {layer}" for layer in range(1, counts.shape[1] + 1)])
    frame.insert(0, "all layers", counts.sum(axis=1))
    frame.insert(0, "language", view.neurons.languages)
    return Table(
        "neurons", "Neurons of each language, by layer",
        "Neurons of the lowest entropy over languages that this language uses; one may belong to several languages.",
        frame, index=("language",), decimals=0, paper="Tang et al. (2024) Table 3, Figure 6",
    )  # fmt: skip
