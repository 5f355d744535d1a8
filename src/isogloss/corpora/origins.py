"""Digests of what was fetched once, by address: what comes again from the same place must be the same."""

import json
from pathlib import Path

from isogloss import places
from isogloss.files import write_whole

FILE = "origins.json"  # in ISOGLOSS_HOME


def known_digest(url: str) -> str | None:
    """The SHA-256 of what first came from ``url`` on this account; None where nothing did."""
    found = _read(_register()).get(url)
    return found if isinstance(found, str) else None


def note_digest(url: str, sha256: str) -> None:
    """Keep the digest of what came from ``url``."""
    path = _register()
    write_whole(path, json.dumps(_read(path) | {url: sha256}, indent=1) + "\n")


def _register() -> Path:
    return places.home() / FILE


def _read(path: Path) -> dict[str, object]:
    """The register; one that is damaged knows nothing, and the digests beside the data are still compared."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
