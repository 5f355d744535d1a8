"""From scores to sentences: what each knob does, and whether languages meet at all."""

from collections.abc import Iterator

from isogloss.probes.statistics import verdict
from isogloss.studies.result import Finding
from isogloss.studies.shared.comparison import cost_words, counted, finding, interval
from isogloss.studies.vary.view import UNTRAINED, VaryView


def findings_of(view: VaryView) -> Iterator[Finding]:
    """Knobs whose effect is shown first, then the others, then whether there is anything to vary."""
    found = [effect(view, knob) for knob in view.varied]
    yield from (one for one, shown in found if shown)
    yield from (one for one, shown in found if not shown)
    yield emergence(view)


def effect(view: VaryView, knob: str) -> tuple[Finding, bool]:
    """What the values of a knob do against its first, and whether any of it is shown."""
    first, *others = view.grid[knob]
    effects = {value: view.effect(knob, value) for value in others}
    shown = {value: estimate for value, estimate in effects.items() if verdict(estimate) in ("better", "worse")}
    clauses = "; ".join(f"{value} instead of {first} {cost_words(estimate)}" for value, estimate in effects.items())
    levels = ", ".join(f"{view.level({knob: value}).value:.1f}% at {value}" for value in view.grid[knob])
    text = f"{knob}: {clauses}. Translations found: {levels} ({scope(view, knob)})."
    return finding(text, max((shown or effects).values(), key=lambda one: abs(one.value))), bool(shown)


def scope(view: VaryView, knob: str) -> str:
    """Over what these means are."""
    settings = len(list(view.settings(but=knob)))
    rest = f"mean of {settings} settings of the other knobs, " if settings > 1 else ""
    return f"{rest}{counted(view.seeds, 'seed')}"


def emergence(view: VaryView) -> Finding:
    """Is retrieval above that of the untrained twins?"""
    gain, trained, untrained = view.emergence(), view.level({}), view.level({}, UNTRAINED)
    text = (
        f"Over all settings pretraining {cost_words(gain)} against untrained twins. Translations found: "
        f"{trained.value:.1f}%{interval(trained)}; untrained {untrained.value:.1f}%; chance "
        f"{100 / view.sentences:.1f}%."
    )
    return finding(text, gain)
