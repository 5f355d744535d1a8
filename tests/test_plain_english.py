"""What people read is plain English: unusual phrasings stay out of strings, docstrings, help texts and pages."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from isogloss.cli import app, register

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
TEMPLATES = sorted((ROOT / "src").rglob("*.html"))
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]

THING = (
    r"(?:language|pair|layer|task|line|cell|sentence|seed|core|model|study|batch|step|row|worker|word|token|paragraph"
    r"|dimension|subword|block|process|treebank|method|problem|neuron|feature|number|class|column|query|run)"
)
COUNTED = (
    r"(?:sentences|paragraphs|words|tokens|subwords|rows|characters|seeds|layers|examples|lines|files|cells|threads"
    r"|numbers|dimensions|records|syllables|neurons|outputs|problems|directions|columns|entries|runs|steps|points)"
)

BANNED = {  # what not to write: what to write instead
    r"\banew\b": "again, re-initialised, recomputed",
    r"\b(?:names?|models?) of the hub\b": "Hugging Face model name",
    rf"(?<!there )\b(?:is|are) no (?:{THING}|numbers|link|entry|file|folder|translations?|independent)\b": "is not a",
    r"\bremedy:": "hint:",
    r"\bmend(?:s|ed|ing)?\b": "fix",
    r"\bto speak of\b": "negligible",
    r"\b(?:goes|go|going) on (?:where|from|there|with|here)\b|\brun (?:itself )?goes on\b": "resumes, continues",
    r"\bby heart\b": "memorises",
    r"\bculprit": "place, cause",
    rf"(?<!how many )(?<!which )(?<!the )\b{COUNTED} an? {THING}\b": "per",
    rf"\b(?:one|(?:a|one) (?:row|column|line|file|section|sentence)) an? {THING}\b": "one per",
    r"\bone at least\b": "at least one",
    r"\bso many (?:sentences|days|steps|seconds|languages|paragraphs)\b": "this many",
    r"[,;.] else (?:its|the|what|those|half|None|neurons|BCP|Isogloss)|\bterminal else\b": "otherwise",
    r"\b(?:nothing|less) that (?:shows|matters)\b|\bthan home that shows\b": "makes no measurable difference",
}


def wrong(text: str, patterns: dict[str, str]) -> Iterator[str]:
    """Every banned phrase in ``text``, with what to write instead; a line's end counts as a space."""
    text = re.sub(r"\s+", " ", text)
    for pattern, instead in patterns.items():
        for found in re.finditer(pattern, text, flags=re.IGNORECASE):
            around = text[max(0, found.start() - 40) : found.end() + 40]
            yield f"'{found.group()}' (write: {instead}) in: ...{around}..."


def strings(source: Path) -> Iterator[tuple[int, str]]:
    """The literals and docstrings of a file; what an f-string puts in is a gap."""
    inside: set[int] = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
            yield node.lineno, "".join(p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)  # type: ignore[misc]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield node.lineno, node.value


@pytest.mark.parametrize(("text", "count"), [
    ("500 sentences a language", 1), ("layers drawn anew", 1), ("'x' is no\nnumber", 1), ("what is to\nmend", 1),
    ("500 sentences per language", 0), ("re-initialised", 0), ("recommended", 0), ("is not a number", 0),
])  # fmt: skip
def test_the_search_finds_banned_phrases_and_only_those(text: str, count: int):
    assert len(list(wrong(text, BANNED))) == count


def test_strings_and_docstrings_of_the_package_are_plain_english():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {fault}"
        for path in SOURCES
        for line, text in strings(path)
        for fault in wrong(text, BANNED)
    ]
    found += [f"{path.name}: {fault}" for path in TEMPLATES for fault in wrong(path.read_text("utf-8"), BANNED)]
    assert not found, "\n".join(found)


def commands(command: Any, name: str = "isogloss") -> Iterator[tuple[str, Any]]:
    """Every command below this one with its name."""
    for part, below in getattr(command, "commands", {}).items():
        yield f"{name} {part}", below
        yield from commands(below, f"{name} {part}")


def test_every_option_of_every_command_has_a_plain_sentence_as_help():
    register()
    for name, command in commands(typer.main.get_command(app)):
        helps = {"help": command.help, **{option.name: option.help for option in command.params}}
        for option, text in helps.items():
            assert text, f"{name}: {option} has no help"
            assert not list(wrong(text, BANNED)), f"{name}: {option}"
            if option != "help":
                assert text[0].isupper() and text[-1] in ".)", f"{name} {option}: not a sentence: {text}"


def test_pages_are_plain_english():
    found = [f"{page.relative_to(ROOT)}: {fault}" for page in PAGES for fault in wrong(page.read_text("utf-8"), BANNED)]
    assert not found, "\n".join(found)
