"""What ``--dry-run`` prints, and what a long run says before it starts."""

from collections.abc import Sequence

from isogloss.progress import say
from isogloss.studies.shared.estimate import RunEstimate

NAMED = 3  # kinds of cells without an estimate that are named
LONG = 600.0  # seconds from which on a run says its estimate first


def describe(found: RunEstimate, title: str) -> str:
    """The estimate in lines."""
    lines = [f"{title}: {found.missing} of {found.cells} cells are missing"]
    if not found.missing:
        return f"{lines[0]}; a run only draws the page."
    lines += [
        f"time on this machine: {_time(found)}",
        f"peak memory: about {_bytes(found.memory)}",
        f"disk: about {_bytes(found.room.models + found.room.states)} "
        f"(models {_bytes(found.room.models)}, cached hidden states {_bytes(found.room.states)})",
        f"downloads: {', '.join(found.downloads) or 'none'}",
        "largest cells:",
    ]
    for one in found.largest:
        lines.append(f"  {words(one.seconds) if one.seconds is not None else 'not known':>10}  {one.label}")
    return "\n".join(lines)


def warn_of_long_run(found: RunEstimate) -> None:
    """Say on standard error that a run takes over ten minutes."""
    if found.seconds > LONG:
        say(
            f"this run takes {_time(found)} for {found.missing} missing cells; "
            "--dry-run says more, and a run that is stopped resumes where it was"
        )


def _time(found: RunEstimate) -> str:
    known = len(found.unknown) == 0
    shown = f"about {words(found.seconds)}" if known else f"at least {words(found.seconds)}"
    return shown if known else f"{shown} (not counted, since none has run here yet: {_kinds(found.unknown)})"


def _kinds(names: Sequence[str]) -> str:
    shown = ", ".join(names[:NAMED])
    return shown if len(names) <= NAMED else f"{shown} and {len(names) - NAMED} more kinds of cells"


def words(seconds: float) -> str:
    """``3 s``, ``12 min``, ``2.5 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _bytes(size: float) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e8 else f"{size / 1e6:,.0f} MB"
