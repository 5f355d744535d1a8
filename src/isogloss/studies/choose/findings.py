"""The answer first: which model and which layer. Languages that no tokeniser covers come even before it."""

from collections.abc import Iterator
from statistics import median

from isogloss.encoders.token_counts import poorly_covered
from isogloss.languages import language_name
from isogloss.probes.statistics import Estimate
from isogloss.probes.statistics.verdicts import POINTS, Lead, interval, listed, rests_on, size, verdict
from isogloss.studies.choose.view import ChooseView, SuitedView
from isogloss.studies.result import Finding
from isogloss.studies.shared.comparison import finding

WEAK = 10.0  # points below the other languages


def findings_of(view: ChooseView) -> Iterator[Finding]:
    """Warnings of tokenisers, the choice, its layers, languages that are weak, and what the models cost."""
    yield from coverage(view)
    yield choice(view)
    yield layers(view)
    yield from weak_languages(view)
    yield from costs(view)
    if not view.parallel:
        yield Finding(
            "These texts are not translations of each other, so the score is how well each model tells the languages "
            "apart. It says nothing about search across languages. Give parallel text to choose by retrieval."
        )


def coverage(view: ChooseView) -> Iterator[Finding]:
    """Languages that a model's tokeniser hardly supports."""
    for one in view.models:
        for code, reason in poorly_covered(one.record.tokens, parallel=view.parallel):
            yield Finding(f"{language_name(code)} in {one.name}: {reason}.", warning=True)


def choice(view: ChooseView) -> Finding:
    """The best model with its column, and every rival with a verdict."""
    best, score = view.best, view.best.score()
    chosen = _column(best, best.column)
    if best.output is not None and best.column != best.output and best.output in best.ties().ties:
        chosen += " (or its output, which ties with it)"
    start = f"Choose {best.name}, {chosen}" if len(view.models) > 1 else f"{best.name}: read {chosen}"
    text = f"{start}: {score.value:.1f}%{interval(score)} {view.what} ({rests_on(score)})."
    parts = "; ".join(_rival(view, one) for one in view.models if one is not best)
    return finding(f"{text} {parts}." if parts else text, score, "%")


def _rival(view: ChooseView, other: SuitedView) -> str:
    gap = view.gap(view.best, other)
    word = verdict(gap)
    if word == "tied":
        return f"{other.name} ties with it ({_column(other, other.column)})"
    if word == "worse":
        return f"{other.name} is ahead by {size(gap)} on the test sentences, but was behind on those used to choose"
    if word == "better":
        return f"{other.name} is worse by {size(gap)}"
    return f"{other.name}: too few sentences to tell"


def layers(view: ChooseView) -> Finding:
    """Which columns of the best model tie, and where its output stands."""
    best = view.best
    found = best.ties()
    text = f"In {best.name} {_ties(best, found)}"
    if best.output is not None and best.column != best.output and best.output not in found.ties:
        gap = best.gap(best.output, best.column)
        text += f"; its output is {verdict(gap)} by {size(gap)}"
    return Finding(text + ".")


def _ties(best: SuitedView, found: Lead) -> str:
    if not found.ties:
        return f"no other layer ties with {_column(best, best.column)}"
    places = sorted({best.column, *(place for place in found.ties if isinstance(place, int))})
    hidden = [place for place in places if place != best.output]
    names = [f"layer{'s' if len(hidden) > 1 else ''} {listed(hidden)}"] if hidden else []
    names += ["the output"] if best.output in places else []
    return f"{' and '.join(names)} tie"


def weak_languages(view: ChooseView) -> Iterator[Finding]:
    """Languages clearly below the others: in all models, or in the one chosen."""
    if len(view.languages) < 3:
        return
    for code in view.languages:
        if not all(view.languages.index(code) in one.counted for one in view.models):
            continue
        weak = [one.name for one in view.models if _is_weak(one.lag(code))]
        if view.best.name not in weak:
            continue
        score = view.best.language(code)
        usual = median(view.best.language(other).value for other in view.languages)
        where = "in all" if len(weak) == len(view.models) > 1 else f"in {listed(weak)}"
        yield Finding(
            f"{language_name(code)} is weak {where} ({score.value:.0f}%{interval(score, 0)} against a median of "
            f"{usual:.0f}% in {view.best.name}).",
            score.value, score.low, score.high, score.n, "%",
        )  # fmt: skip


def _is_weak(lag: Estimate) -> bool:
    return verdict(lag, POINTS) == "worse" and lag.value < -WEAK


def costs(view: ChooseView) -> Iterator[Finding]:
    """Speed, size, memory, width and licence of each."""
    for one in view.models:
        record = one.record
        width = record.output_width or record.width
        working = f", {one.memory / 2**20:,.0f} MB in use" if record.working_bytes else ""
        licence = f", licence {record.licence}" if record.licence else ""
        yield Finding(
            f"{one.name}: {record.sentences_per_second:,.0f} sentences per second on this machine, "
            f"{record.parameters / 1e6:,.1f} million parameters ({record.weight_bytes / 2**20:,.0f} MB{working}), "
            f"{width}-dimensional vectors{licence}."
        )


def _column(one: SuitedView, column: int) -> str:
    name = one.named(column)
    return {"output": "its output", "embedding": "the embedding"}.get(name, name)
