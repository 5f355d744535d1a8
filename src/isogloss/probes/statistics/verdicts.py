"""From an estimate and its rivals to words: every study says "better", "tied" or "too few to tell" by these rules.

1. Without an interval, or where the test cannot give a p-value of 0.05 or less: too few observations to tell.
2. Where the interval includes zero, or the size would be shown as zero: tied.
3. Otherwise the sign decides: better or worse; higher or lower where neither is better.

    gap = over_pairs(100 * (first - second))
    compared("mini", "mini-small", gap)   # mini is better than mini-small by 3.2 points [1.0, 5.4] (n = 12 languages)
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from isogloss.errors import IsoglossError
from isogloss.probes.statistics.estimates import Estimate, share_difference

Word = Literal["better", "worse", "higher", "lower", "tied", "too few to tell"]
Name = TypeVar("Name", bound=Hashable)

LEVEL = 0.05
TOO_FEW = "too few observations to tell"


@dataclass(frozen=True)
class Scale:
    """How a measure is shown and which way is better; None for ``higher_is_better`` where neither way is.

    Differences below ``negligible`` are ties even where the interval excludes zero; unless given, that is half of the
    last decimal shown.
    """

    unit: str = "points"
    decimals: int = 1
    higher_is_better: bool | None = True
    negligible: float | None = None

    @property
    def threshold(self) -> float:
        return 0.5 * 10**-self.decimals if self.negligible is None else self.negligible


POINTS = Scale()


def smallest_p(n: int, tests: int = 1) -> float:
    """The smallest two-sided p-value that ``n`` paired observations can give when signs are flipped (2 in 2^n).

    With ``tests`` tests corrected for each other, the smallest of them counts that many times.
    """
    return min(1.0, tests * 2.0 ** (1 - n)) if n else 1.0


def verdict(difference: Estimate, scale: Scale = POINTS, smallest: float = 0.0) -> Word:
    """One word for a difference to a rival. ``smallest`` is the smallest p-value that the test behind it can give."""
    if not all(map(math.isfinite, (difference.value, difference.low, difference.high))) or smallest > LEVEL:
        return "too few to tell"
    if difference.low <= 0 <= difference.high or abs(difference.value) < scale.threshold:
        return "tied"
    up = difference.value > 0
    if scale.higher_is_better is None:
        return "higher" if up else "lower"
    return "better" if up == scale.higher_is_better else "worse"


def compared(first: str, second: str, difference: Estimate, scale: Scale = POINTS, smallest: float = 0.0) -> str:
    """``first`` against ``second`` as a clause, from the difference of the two (first minus second)."""
    word = verdict(difference, scale, smallest)
    if word == "too few to tell":
        return f"{first} against {second}: {TOO_FEW} ({_difference(difference, scale)}, {rests_on(difference)})"
    if word == "tied":
        small = "" if difference.low <= 0 <= difference.high else ", too small to matter"
        shown = f"{_difference(difference, scale)}{interval(difference, scale.decimals)}{small}"
        return f"{first} and {second} are tied: {shown} ({rests_on(difference)})"
    return f"{first} is {word} than {second} by {size(difference, scale)} ({rests_on(difference)})"


def changed(difference: Estimate, scale: Scale = POINTS, smallest: float = 0.0) -> str:
    """What a treatment does, as a predicate: it "costs 12.3 points [10.1, 14.4]"; n is left to the sentence around."""
    word = verdict(difference, scale, smallest)
    shown = f"{_difference(difference, scale)}{interval(difference, scale.decimals)}"
    if word == "too few to tell":
        return f"changes by {_difference(difference, scale)} ({TOO_FEW})"
    if word == "tied":
        chance = difference.low <= 0 <= difference.high
        return f"makes {'no measurable' if chance else 'a negligible'} difference ({shown})"
    verbs = {"better": "gains", "worse": "costs", "higher": "adds", "lower": "takes"}
    return f"{verbs[word]} {size(difference, scale)}"


def shows(what: str, found: Estimate, scale: Scale = POINTS, smallest: float = 0.0) -> str:
    """Whether an expected effect (a difference or a correlation above zero) is there: "kinship shows: 0.40 [...]"."""
    word = verdict(found, replace(scale, higher_is_better=None), smallest)
    shown = f"{_difference(found, scale)}{interval(found, scale.decimals)} ({rests_on(found)})"
    if word == "too few to tell":
        return f"whether {what} shows is open: {TOO_FEW} ({_difference(found, scale)}, {rests_on(found)})"
    return f"{what} {_SHOWN[word]}: {shown}"


_SHOWN = {"higher": "shows", "lower": "shows the other way round", "tied": "does not show"}


@dataclass(frozen=True)
class Lead:
    """The best of several options; those that tie with it, those with too few observations to tell, and those that
    are ahead of it after all, where it was chosen on other data.
    """

    best: Hashable
    ties: tuple[Hashable, ...]
    open: tuple[Hashable, ...]
    ahead: tuple[Hashable, ...]
    count: int

    @property
    def alone(self) -> bool:
        """Whether it may be said that this one is better than every other."""
        return self.count > 1 and not (self.ties or self.open or self.ahead)


def lead(
    options: Mapping[Name, Estimate],
    gap: Callable[[Name, Name], Estimate] | None = None,
    scale: Scale = POINTS,
    smallest: float = 0.0,
    best: Name | None = None,
) -> Lead:
    """Which of ``options`` is best, and which are not told from it.

    ``gap(a, b)`` is the paired difference of two options; without it, their intervals are taken as if independent,
    which is wider than paired differences mostly are. ``best`` names an option that was chosen on other data.
    """
    if not options:
        raise IsoglossError("no options to choose from", remedy="give at least one estimate")
    turn = -1 if scale.higher_is_better is False else 1
    top = max(options, key=lambda name: turn * options[name].value) if best is None else best
    difference = gap or (lambda a, b: share_difference(options[a], options[b]))
    words = {name: verdict(difference(top, name), scale, smallest) for name in options if name != top}
    return Lead(
        top,
        ties=tuple(name for name, word in words.items() if word == "tied"),
        open=tuple(name for name, word in words.items() if word == "too few to tell"),
        ahead=tuple(name for name, word in words.items() if word in ("worse", "lower")),
        count=len(options),
    )


def named(found: Lead, kind: str = "layer") -> str:
    """The best with what must be said of its rivals: ``layer 3``, ``layer 3 (tied with layers 4-6 and 9)``."""
    rivals = _rivals(found, kind)
    return f"{kind} {found.best} ({rivals})" if rivals else f"{kind} {found.best}"


def best_of(found: Lead, level: Estimate, kind: str = "layer", scale: Scale = POINTS) -> str:
    """A clause that names the best of all with its level: ``layer 3 is best of 5: 45.7 points [41.0, 50.3]``."""
    shown = f"{amount(level.value, scale)}{interval(level, scale.decimals)} ({rests_on(level)})"
    if found.count == 1:
        return f"{kind} {found.best}: {shown}"
    if found.alone:
        top = "highest" if scale.higher_is_better is None else "best"
        return f"{kind} {found.best} is {top} of {found.count}: {shown}"
    if len(found.ties) == found.count - 1:
        return f"no {kind} of {found.count} stands out: {kind} {found.best} has {shown}, the others tie with it"
    return f"{kind} {found.best} of {found.count} ({_rivals(found, kind)}): {shown}"


def _rivals(found: Lead, kind: str) -> str:
    """``layer 4 is ahead; tied with layers 5 and 6``; empty where the best stands alone."""
    parts = []
    if found.ahead:
        parts.append(f"{_others(found, found.ahead, kind)} {'are' if len(found.ahead) > 1 else 'is'} ahead")
    if found.ties:
        parts.append(f"tied with {_others(found, found.ties, kind)}")
    if found.open:
        parts.append(f"{TOO_FEW} it from {_others(found, found.open, kind)}")
    return "; ".join(parts)


def beyond_rivals(found: Lead, kind: str = "layer", more: str = "more") -> str:
    """What may be added to a size: ``, more than any other layer``; ``, tied with layers 4 and 5``; nothing for one."""
    rivals = f"{more} than any other {kind}" if found.alone else _rivals(found, kind)
    return f", {rivals}" if rivals else ""


def rests_on(found: Estimate) -> str:
    """``n = 58 languages``; ``n = 1 seed``."""
    units = found.over[:-1] if found.n == 1 and found.over.endswith("s") else found.over
    return f"n = {found.n:,} {units}".rstrip()


def interval(found: Estimate, decimals: int = 1) -> str:
    """`` [10.1, 14.4]``, signs as in the estimate; nothing where there is no interval."""
    if not math.isfinite(found.low) or not math.isfinite(found.high):
        return ""
    low, high = (round(end, decimals) + 0.0 for end in (found.low, found.high))  # no -0.0
    return f" [{low:.{decimals}f}, {high:.{decimals}f}]"


def size(found: Estimate, scale: Scale = POINTS) -> str:
    """A difference without its sign: ``12.3 points [10.1, 14.4]`` for -12.3."""
    shown = replace(found, value=-found.value, low=-found.high, high=-found.low) if found.value < 0 else found
    return f"{amount(shown.value, scale)}{interval(shown, scale.decimals)}"


def amount(value: float, scale: Scale = POINTS, signed: bool = False) -> str:
    """``3.2 points``, ``+3.2 points``, ``3.2%``; never minus nothing."""
    number = f"{round(value, scale.decimals) + 0.0:{'+' if signed else ''}.{scale.decimals}f}"
    return number + ("%" if scale.unit == "%" else f" {scale.unit}" if scale.unit else "")


def _difference(found: Estimate, scale: Scale) -> str:
    return amount(found.value, scale, signed=True)


def _others(found: Lead, some: Sequence[Hashable], kind: str) -> str:
    """``layer 4``, ``layers 4-6 and 9``, ``all 11 others``."""
    if len(some) == found.count - 1 and len(some) > 1:
        return "both others" if len(some) == 2 else f"all {len(some)} others"
    return f"{kind}{'s' if len(some) > 1 and not kind.endswith('s') else ''} {listed(some)}"


def listed(some: Sequence[Hashable]) -> str:
    """Names as a list; three or more whole numbers in a row as a range: ``1, 4-6 and 9``."""
    words = [part for run in _runs(some) for part in ([f"{run[0]}-{run[-1]}"] if len(run) > 2 else map(str, run))]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _runs(some: Sequence[Hashable]) -> list[list[Hashable]]:
    """Whole numbers by runs of neighbours, anything else one by one."""
    runs: list[list[Hashable]] = []
    for one in some:
        before = runs[-1][-1] if runs else None
        if isinstance(one, int) and isinstance(before, int) and one == before + 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs
