"""``isogloss doctor --store``: every stored result and hidden state read and compared with its digest."""

import json
import sys
import time
from collections import Counter
from pathlib import Path

from isogloss.cli.data_cache import size_in_words
from isogloss.console import Console, escape
from isogloss.encoders.cache import damaged_files
from isogloss.errors import IsoglossError
from isogloss.places import home
from isogloss.runs.audit import KEPT, Audit, Left, audit, repair


def find_store(path: Path | None) -> tuple[Path, Path | None]:
    """The store and the cache of states at ``path`` (a store, or a folder like ISOGLOSS_HOME), or this user's."""
    root = path.expanduser() if path else home()
    if (root / "store.json").is_file():
        return root, None
    if not (root / "store" / "store.json").is_file():
        raise IsoglossError(
            "there is no store here",
            where=root,
            remedy="name a folder that holds store.json, or one like ISOGLOSS_HOME",
        )
    states = root / "states"
    return root / "store", states if states.is_dir() else None


def examine(path: Path | None, repairing: bool, as_json: bool) -> bool:
    """Verify everything and print it; ``repairing`` deletes what is damaged. Returns whether all is sound now."""
    store, states = find_store(path)
    found = audit(store)
    spoilt = damaged_files(states) if states else []
    gone: list[Left] = repair(found) if repairing else []
    if repairing:
        for file in spoilt:
            file.unlink(missing_ok=True)
    if as_json:
        sys.stdout.write(json.dumps(_plain(found, spoilt, gone), indent=1) + "\n")
    else:
        _print(found, spoilt, gone, states, repairing)
    return repairing or not (found.damaged or spoilt)


def _print(found: Audit, spoilt: list[Path], gone: list[Left], states: Path | None, repaired: bool) -> None:
    console = Console()

    def line(text: str) -> None:
        console.print(escape(text), soft_wrap=True)

    line(f"store {found.root}: {len(found.results):,} sound results, {size_in_words(found.bytes)} in all")
    if found.results:
        ages = [one.created for one in found.results]
        line(f"  computed between {days_ago(min(ages))} and {days_ago(max(ages))}")
    old = sum(one.format == 1 for one in found.results)
    if old:
        line(f"  {old:,} were written before there were digests: their folders cannot be checked")
    for damage in found.damaged:
        line(f"  damaged: {damage.why}")
    others = Counter(one.kind for one in found.left if one.kind != "damaged")
    for kind, number in others.items():
        members = [one for one in found.left if one.kind == kind]
        size, oldest = sum(one.bytes for one in members), min(one.changed for one in members)
        kept = "; runs take these up again" if kind in KEPT else ""
        line(f"  {kind}: {number:,}, {size_in_words(size)}, the oldest {days_ago(oldest)}{kept}")
    if states is not None:
        line(f"hidden states {states}: {len(spoilt):,} files damaged or without a digest")
        for file in spoilt:
            line(f"  damaged: {file}")
    if repaired:
        freed = sum(one.bytes for one in gone)
        line(f"{len(gone) + len(spoilt):,} deleted, {size_in_words(freed)} freed; the next run computes what it needs")
    elif found.damaged or spoilt:
        line("isogloss doctor --store --repair deletes what is damaged; the next run computes it again")


def _plain(found: Audit, spoilt: list[Path], gone: list[Left]) -> dict[str, object]:
    return {
        "store": str(found.root),
        "results": len(found.results),
        "without_digests": sum(one.format == 1 for one in found.results),
        "bytes": found.bytes,
        "damaged": [one.why for one in found.damaged],
        "left_over": [
            {"kind": one.kind, "path": str(one.path), "bytes": one.bytes, "changed": one.changed}
            for one in found.left
            if one.kind != "damaged"
        ],
        "damaged_states": [str(file) for file in spoilt],
        "deleted": len(gone),
    }


def days_ago(seconds: float) -> str:
    """``today`` or ``12 days ago``."""
    days = int((time.time() - seconds) / (24 * 3600))
    return "today" if days <= 0 else f"{days:,} days ago" if days > 1 else "1 day ago"
