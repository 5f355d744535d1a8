"""Where Isogloss keeps things on a machine: one folder, moved by the variable ISOGLOSS_HOME."""

import os
from pathlib import Path


def home() -> Path:
    """The folder for stores and caches: ISOGLOSS_HOME, or ``isogloss`` in the user's cache folder."""
    if named := os.environ.get("ISOGLOSS_HOME"):
        return Path(named).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "isogloss"


def data_folder() -> Path | None:
    """The user's folder of real data sets, named by ISOGLOSS_DATA; None when unset."""
    named = os.environ.get("ISOGLOSS_DATA")
    return Path(named).expanduser() if named else None
