"""Terms explained where they first stand on a page: the glossary's sentence on hover, focus or touch."""

import re
from functools import cache

from markupsafe import Markup, escape

from isogloss.report.glossary import explain, explanations

# Everyday words that the glossary explains for readers of the documentation; in a sentence they explain themselves.
PLAIN = {
    "n", "cell", "cells", "finding", "head", "home", "lab", "measure", "recipe", "store", "study", "study file",
    "window",
}  # fmt: skip


class Tooltips:
    """Marks the first place of each term on one page; text comes out escaped."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def __call__(self, text: str) -> Markup:
        parts, end = [], 0
        for found in _pattern().finditer(text):
            sentence = explain(found.group())
            if sentence is None or sentence in self._seen:
                continue
            self._seen.add(sentence)
            parts += [escape(text[end : found.start()]), _tip(found.group(), sentence)]
            end = found.end()
        return Markup("").join([*parts, escape(text[end:])])


def _tip(term: str, sentence: str) -> Markup:
    return Markup('<span class="term" tabindex="0" data-tip="{}">{}</span>').format(sentence, term)


@cache
def _pattern() -> re.Pattern[str]:
    """Any term as a whole word, the longest first."""
    words = sorted((name for name in explanations() if name not in PLAIN), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, words))})(?![\w-])", re.IGNORECASE)
