"""The console that everything is printed through: text as it is, since ``file:100:`` is a place, not a pictograph."""

from typing import Any

from rich import console, markup

# Escape sequences in a file's name or in data could rewrite what a terminal shows; tabs and line ends may stay.
_CONTROL = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}


class Console(console.Console):
    """Rich's console without emoji codes and without guesses at what to colour."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"emoji": False, "highlight": False, **settings})


def escape(text: str) -> str:
    """Text from outside, so that neither markup nor control characters in it do anything."""
    return markup.escape(text.translate(_CONTROL))
