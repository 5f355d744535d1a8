"""What retrieval says on each pool, beside its baselines; what CKA adds; what the languages share."""

from collections.abc import Iterator

from isogloss.studies.glance.cells import POOLS
from isogloss.studies.glance.plan import PRETRAINED, TAGS, UNTRAINED
from isogloss.studies.glance.view import CHANCE, GlanceView
from isogloss.studies.result import Finding
from isogloss.studies.shared.comparison import finding, scaled


def findings_of(view: GlanceView) -> Iterator[Finding]:
    """What retrieval says on each pool, beside its baselines; what CKA adds; what the languages share."""
    layer, structure = view.layer, view.structure
    first, second = structure.languages
    for pool in POOLS:
        found = {name: scaled(view.level(name, pool, "retrieval")) for name in (PRETRAINED, UNTRAINED, TAGS, CHANCE)}
        best, shown = found[PRETRAINED], {name: f"{one.value:.1f}%" for name, one in found.items()}
        rival = max((found[UNTRAINED], found[TAGS]), key=lambda one: one.value)
        verdict = "The two languages align" if best.low > rival.high else "Alignment is not shown"
        yield finding(
            f"{verdict} ({pool} pool): {shown[PRETRAINED]} of sentences find their translation at layer {layer}. "
            f"Untrained: {shown[UNTRAINED]}; by tags alone: {shown[TAGS]}; by chance: {shown[CHANCE]}.",
            best, "%", holds=best.low > rival.high,
        )  # fmt: skip
    similar, plain = (view.level(name, "natural", "cka") for name in (PRETRAINED, UNTRAINED))
    yield finding(
        f"Unbiased CKA of the two languages at layer {layer} is {similar.value:.2f}, "
        f"against {plain.value:.2f} in the untrained encoder.",
        similar, "",
    )  # fmt: skip
    words = f"{structure.common_words} of {structure.words:,} words" if structure.common_words else "no word"
    yield Finding(f"{first} and {second} share {words} in their training text, which is never parallel.")
