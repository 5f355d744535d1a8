"""Files that come with the report: scripts, styles, the land's outline."""

from functools import cache
from importlib.resources import files


@cache
def asset(name: str) -> str:
    """A file of ``report/assets`` as text."""
    return (files("isogloss.report") / "assets" / name).read_text("utf-8")
