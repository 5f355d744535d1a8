"""The tables of a choice: models, languages, layers, tokenisers."""

from collections.abc import Iterator

import pandas as pd

from isogloss.languages import language_name
from isogloss.probes.statistics.verdicts import verdict
from isogloss.studies.choose.view import ChooseView, SuitedView
from isogloss.studies.result import Table
from isogloss.studies.shared.comparison import spread_frame, spread_of


def tables_of(view: ChooseView) -> Iterator[Table]:
    """Models first."""
    yield models(view)
    yield languages(view)
    yield layers(view)
    yield tokenisers(view)


def models(view: ChooseView) -> Table:
    return Table(
        "models", "Models, each at the layer chosen for it",
        f"The score is per cent: how many {view.what}, with intervals over sentences. Layers were chosen on other "
        "sentences. The gap is to the chosen model, on the same sentences; a tie is not a measurable difference. "
        "Memory is that of the weights and of encoding 64 sentences.",
        pd.DataFrame([_model(view, one) for one in view.models]), index=("model",), signed=("gap",),
        values=(
            "read", "score", "output", "gap", "verdict", "sentences/s", "million parameters", "weights, MB",
            "memory, MB", "width", "licence",
        ),
    )  # fmt: skip


def _model(view: ChooseView, one: SuitedView) -> dict[str, object]:
    gap = view.gap(one, view.best)
    return {
        "model": one.name,
        "read": one.named(one.column),
        **spread_of("score", one.score()),
        "output": one.score(one.output).value if one.output is not None else None,
        **spread_of("gap", gap),
        "verdict": "chosen" if one is view.best else verdict(gap),
        "sentences/s": one.record.sentences_per_second,
        "million parameters": one.record.parameters / 1e6,
        "weights, MB": one.record.weight_bytes / 2**20,
        "memory, MB": one.memory / 2**20 if one.record.working_bytes else None,
        "width": one.record.output_width or one.record.width,
        "licence": one.record.licence or "not stated",
    }


def languages(view: ChooseView) -> Table:
    rows = [
        (f"{language_name(code)} ({code})", one.name, one.language(code))
        for code in view.languages
        for one in view.models
    ]
    return Table.from_tidy(
        "languages", "Languages, %",
        "Each model at its chosen layer; the mean over the pairs that a language is in, with intervals over sentences.",
        spread_frame(("language", "model"), rows), rows=("language",), columns="model", best="max", best_in="row",
    )  # fmt: skip


def layers(view: ChooseView) -> Table:
    rows = []
    for one in view.models:
        ties = one.ties().ties
        for place, name in enumerate(one.record.columns):
            mark = "chosen" if place == one.column else "tied" if place in ties else ""
            rows.append({"model": one.name, "layer": name, "found": mark, **spread_of("score", one.score(place))})
    return Table(
        "layers", "Every layer and the output, %",
        "Chosen is the best on other sentences; tied are those whose difference to it has an interval that includes 0.",
        pd.DataFrame(rows), index=("model", "layer"), values=("score", "found"),
    )  # fmt: skip


def tokenisers(view: ChooseView) -> Table:
    rows = [
        {
            "model": one.name,
            "language": f"{language_name(counts.language)} ({counts.language})",
            "subwords per word": counts.tokens / max(1, counts.words),
            "subwords per character": counts.tokens / max(1, counts.characters),
            "unknown, %": 100 * counts.unknown / max(1, counts.tokens),
            "sentences cut, %": 100 * counts.cut_sentences / max(1, counts.sentences),
        }
        for one in view.models
        for counts in one.record.tokens
    ]
    return Table(
        "tokenisers", "What tokenisers do to each language",
        "Many subwords per word or character, unknown subwords and cut sentences are signs that a model barely "
        "supports a language.",
        pd.DataFrame(rows), index=("model", "language"), decimals=2,
    )  # fmt: skip
