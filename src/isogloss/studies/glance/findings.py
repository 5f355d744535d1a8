"""What retrieval says on each pool, beside its baselines; what CKA adds; what the languages share."""

from isogloss.studies.glance.cells import POOLS
from isogloss.studies.glance.plan import PRETRAINED, TAGS, UNTRAINED
from isogloss.studies.glance.view import CHANCE, GlanceView
from isogloss.studies.result import Finding


def findings_of(view: GlanceView) -> list[Finding]:
    """What retrieval says on each pool, beside its baselines; what CKA adds; what the languages share."""
    layer, structure = view.layer, view.structure
    first, second = structure.languages
    words = f"{structure.common_words} of {structure.words:,} words" if structure.common_words else "no word"
    found = []
    for pool in POOLS:
        score = {name: view.pick(name, pool, "retrieval") for name in (PRETRAINED, UNTRAINED, TAGS, CHANCE)}
        best = score[PRETRAINED]
        rival = max((UNTRAINED, TAGS), key=lambda name: score[name]["value"])
        verdict = "The two languages align" if best["low"] > score[rival]["high"] else "Alignment is not shown"
        found.append(
            Finding(
                f"{verdict} ({pool} pool): a sentence of {first} finds its translation in {second}, or the other way "
                f"round, {percent(best)} of the time at layer {layer}; untrained {percent(score[UNTRAINED])}, "
                f"by its tags alone {percent(score[TAGS])}, by chance {percent(score[CHANCE])}.",
                effect=100 * best["value"],
                low=100 * best["low"],
                high=100 * best["high"],
                n=int(best["n"]),
                unit="%",
            )
        )
    similar, plain = (view.pick(name, "natural", "cka") for name in (PRETRAINED, UNTRAINED))
    found.append(
        Finding(
            f"Unbiased CKA of the two languages at layer {layer} is {similar['value']:.2f}, "
            f"against {plain['value']:.2f} in the untrained encoder.",
            effect=similar["value"],
            low=similar["low"],
            high=similar["high"],
            n=int(similar["n"]),
        )
    )
    found.append(Finding(f"{first} and {second} share {words} in their training text, which is never parallel."))
    return found


def percent(score: dict[str, float]) -> str:
    return f"{100 * score['value']:.1f}%"
