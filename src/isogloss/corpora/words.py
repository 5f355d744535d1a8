"""Running text as words: split at blanks, punctuation at a word's edges set apart."""

import sys
import unicodedata
from functools import cache


def split_words(text: str) -> list[str]:
    """The words of a sentence; ``(Ja, gut.)`` is six of them. Marks inside a word (``l'eau``) stay where they are.

    Languages written without blanks must come segmented.
    """
    words = []
    for piece in text.split():
        core = piece.strip(_marks())
        if not core:
            words += list(piece)
            continue
        start = piece.index(core)
        words += [*piece[:start], core, *piece[start + len(core) :]]
    return words


@cache
def _marks() -> str:
    """All punctuation and symbols of Unicode."""
    return "".join(sign for sign in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(sign)[0] in "PS")
