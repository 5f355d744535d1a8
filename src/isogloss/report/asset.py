"""Files that come with the report: scripts, styles, the land's outline."""

from functools import cache
from importlib.resources import files


@cache
def asset(name: str) -> str:
    """A file of ``report/assets`` as text."""
    return asset_bytes(name).decode()


def asset_bytes(name: str) -> bytes:
    """The same as it lies there."""
    return (files("isogloss.report") / "assets" / name).read_bytes()
