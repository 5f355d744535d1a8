"""The terms of Isogloss, one sentence each: the source of ``docs/glossary.md`` and of explanations on report pages.

python -m isogloss.report.glossary > docs/glossary.md
"""

import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import fill

from isogloss.runs.yaml_text import read_documents

SOURCE = Path(__file__).with_suffix(".yaml")
WIDTH = 118
HEADER = """# Glossary

The words that Isogloss uses, each in one sentence. Commands, reports and these pages use them and no synonyms.

<!-- Made from src/isogloss/report/glossary.yaml by `python -m isogloss.report.glossary`: change that file. -->
"""


@dataclass(frozen=True)
class Term:
    """A term, its sentence, the page of the documentation that says more, and other spellings of the same term."""

    term: str
    text: str
    see: str
    forms: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """The term's own place on the page: ``glossary.md#unbiased-cka``."""
        return re.sub(r"[^a-z0-9]+", "-", self.term.lower()).strip("-")


@cache
def terms() -> tuple[Term, ...]:
    """Every term, in alphabetical order."""
    [(entries, _, _)] = read_documents(SOURCE.read_text(encoding="utf-8"), str(SOURCE))
    found = (Term(one["term"], one["text"], one["see"], tuple(one.get("forms", ()))) for one in entries)
    return tuple(sorted(found, key=lambda one: one.term.lower()))


@cache
def explanations() -> dict[str, str]:
    """The sentence for every term and every other spelling of one, in lower case."""
    return {name.lower(): one.text for one in terms() for name in (one.term, *one.forms)}


def explain(word: str) -> str | None:
    """The sentence that explains ``word``, or None where it is not a term."""
    return explanations().get(word.lower())


def glossary_page() -> str:
    """``docs/glossary.md``: a heading, the sentence, and a link per term."""
    parts = [HEADER]
    for one in terms():
        also = f" Also: {', '.join(one.forms)}." if one.forms else ""
        text = fill(f"{one.text}{also}", WIDTH, break_on_hyphens=False, break_long_words=False)
        parts.append(f"## {one.term}\n\n{text}\n[Read more]({one.see})\n")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(glossary_page())
