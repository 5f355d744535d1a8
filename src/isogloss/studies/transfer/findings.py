"""From scores to sentences: how good at home and abroad, by how much conditions differ, what a search took."""

from collections.abc import Iterator

from isogloss.studies.columns import ABROAD, HOME
from isogloss.studies.result import Finding
from isogloss.studies.shared.comparison import compare, cost_words, counted, finding, interval, level
from isogloss.studies.transfer.view import TransferView

MOST_NOTES = 5


def findings_of(view: TransferView) -> Iterator[Finding]:
    """The level of each condition; differences to the first one; what was searched; what was lost in reading."""
    reference, *others = view.conditions
    for name in view.conditions:
        yield level_finding(view, name)
    for name in others:
        yield from difference_findings(view, name, reference)
    yield from search_findings(view)
    yield from (Finding(f"Note: {note}.") for note in view.notes[:MOST_NOTES])
    if view.skipped:
        yield Finding(f"Note: {view.skipped:,} records could not be used and were skipped.")


def level_finding(view: TransferView, name: str) -> Finding:
    """How good a condition is at home, and on average abroad."""
    home, abroad = level(view.of(name, HOME)), level(view.of(name, ABROAD))
    start = f"{name}: from {view.source}, " + (f"{home.value:.1f} at home" if home.n else "not tested at home")
    if not abroad.n:
        return finding(f"{start} ({view.measure}).", home)
    languages = counted(view.of(name, ABROAD)["target"].nunique(), "other language")
    return finding(
        f"{start} and {abroad.value:.1f}{interval(abroad)} on average in {languages} ({view.measure}).", abroad
    )


def difference_findings(view: TransferView, name: str, reference: str) -> Iterator[Finding]:
    """Against the reference, abroad and at home."""
    for side, where in ((ABROAD, "in other languages"), (HOME, "at home")):
        found = compare(view.of(name, side), view.of(reference, side))
        if found.gaps.size:
            text = f"Against {reference}, {name} {cost_words(found.estimate)} {where}."
            yield finding(text, found.estimate)


def search_findings(view: TransferView) -> Iterator[Finding]:
    """What was taken, and how far the others were."""
    for one in view.searches:
        taken = ", ".join(f"{name} {value}" for name, value in one.tried[one.best].items())
        yield Finding(
            f"{one.condition}: of {len(one.scores)} settings tried, {taken} is best on the source's validation part: "
            f"{one.scores[one.best]:.1f}; the worst has {min(one.scores):.1f}.",
            effect=one.scores[one.best], n=len(one.scores), unit="points",
        )  # fmt: skip
