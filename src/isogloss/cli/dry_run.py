"""What ``--dry-run`` prints, and what a long run says before it starts."""

from collections.abc import Sequence

from isogloss.progress import say
from isogloss.studies.shared.disk_room import Room
from isogloss.studies.shared.downloads import Download
from isogloss.studies.shared.estimate import RunEstimate

NAMED = 3  # kinds of cells without an estimate that are named
UNKNOWN = "size unknown until downloaded; needs network"
LONG = 600.0  # seconds from which on a run says its estimate first


def describe(found: RunEstimate, title: str) -> str:
    """The estimate in lines."""
    lines = [f"{title}: {found.missing} of {found.cells} cells are missing"]
    if not found.missing:
        return f"{lines[0]}; a run only draws the page."
    bound = "at least" if found.unsized else "about"
    lines += [
        f"time on this machine: {_time(found)}",
        f"peak memory: {bound} {_bytes(found.memory)}",
        f"disk: {bound} {_bytes(found.room.models + found.room.states + found.room.moments)} ({_parts(found.room)})",
        *([f"  without {', '.join(found.unsized)}, whose size is not known on this machine"] if found.unsized else []),
        f"downloads: {described(found.downloads)}",
        "largest cells:",
    ]
    for one in found.largest:
        lines.append(f"  {words(one.seconds) if one.seconds is not None else 'not known':>10}  {one.label}")
    return "\n".join(lines)


def described(found: Sequence[Download]) -> str:
    """What is fetched and how large it is: ``xlm-roberta-base (about 1.1 GB)``; a line each where there are several."""
    sizes = (f"about {_bytes(one.size)}" if one.size is not None else UNKNOWN for one in found)
    lines = [f"{one.name} ({size})" for one, size in zip(found, sizes, strict=True)]
    return "".join(f"\n  {line}" for line in lines) if len(lines) > 1 else lines[0] if lines else "none"


def _parts(room: Room) -> str:
    parts = {"models": room.models, "cached hidden states": room.states}
    parts |= {"moments of shards": room.moments} if room.moments else {}
    return ", ".join(f"{name} {_bytes(size)}" for name, size in parts.items())


def warn_of_long_run(found: RunEstimate) -> None:
    """Say on standard error that a run takes over ten minutes."""
    if found.seconds > LONG:
        say(
            f"this run takes {_time(found)} for {found.missing} missing cells; "
            "--dry-run says more, and a run that is stopped resumes where it was"
        )


def _time(found: RunEstimate) -> str:
    if not found.unknown:
        return f"about {words(found.seconds)}"
    if not found.seconds:
        return f"not known: nothing like it has run here yet ({_kinds(found.unknown)})"
    return f"at least {words(found.seconds)} (not counted, since none has run here yet: {_kinds(found.unknown)})"


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
