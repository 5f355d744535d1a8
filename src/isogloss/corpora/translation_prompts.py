"""Few-shot prompts that ask for the translation of one word (Wendler et al. 2024), made from dictionaries.

Deutsch: "Blume" - français: "fleur"
Deutsch: "Wasser" - français: "
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.corpora.records import Dictionary
from isogloss.errors import IsoglossError

TEMPLATE = '{source_name}: "{source}" - {target_name}: "{target}"'
SAME_STRING = "the same string in two languages"


@dataclass(frozen=True)
class Concept:
    """A word of the pivot language with its translations: ``words[language]`` are all right answers."""

    pivot: str
    words: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Prompt:
    """One question and the words that would answer it in each language, the pivot among them."""

    text: str
    concept: Concept


def join_concepts(dictionaries: Sequence[Dictionary], pivot: str) -> tuple[list[Concept], Counter[str]]:
    """Words that every dictionary has, and how many were left out, by reason. All dictionaries start at ``pivot``."""
    for dictionary in dictionaries:
        if dictionary.source != pivot:
            raise IsoglossError(
                f"this dictionary starts at {dictionary.source}", remedy=f"give dictionaries that start at {pivot}"
            )
    tables = {dictionary.target: _answers(dictionary) for dictionary in dictionaries}
    first = next(iter(tables.values()))
    shared = [word for word in first if all(word in table for table in tables.values())]
    left_out: Counter[str] = Counter()
    concepts = []
    for word in shared:
        words = {pivot: (word,), **{language: table[word] for language, table in tables.items()}}
        if _clash(words):
            left_out[SAME_STRING] += 1
        else:
            concepts.append(Concept(word, words))
    return concepts, left_out


def write_prompts(
    concepts: Sequence[Concept],
    source: str,
    target: str,
    names: Mapping[str, str],
    shots: int = 4,
    template: str = TEMPLATE,
    seed: int = 0,
) -> list[Prompt]:
    """A prompt per concept, with ``shots`` other concepts before it as examples; ``names`` are the languages' own."""
    check_template(template)
    if len(concepts) <= shots:
        raise IsoglossError(
            f"{len(concepts)} words are too few for prompts with {shots} examples",
            where=f"{source}-{target}",
            remedy="give larger dictionaries, or fewer examples",
        )
    prompts = []
    for number, concept in enumerate(concepts):
        others = np.delete(np.arange(len(concepts)), number)
        drawn = np.random.default_rng([seed, number]).choice(others, shots, replace=False)
        lines = [_line(concepts[place], source, target, names, template) for place in drawn]
        whole = _line(concept, source, target, names, template.partition("{target}")[0])
        prompts.append(Prompt("\n".join([*lines, whole.rstrip(" ")]), concept))
    return prompts


def check_template(template: str) -> None:
    """Refuse a template without the two words, or whose answer comes first."""
    known = {"source_name", "source", "target_name", "target"}
    try:
        template.format(**dict.fromkeys(known, "x"))
    except (KeyError, IndexError, ValueError) as error:
        raise IsoglossError(
            f"the template cannot be filled: {error}", where="template", remedy=f"as in {TEMPLATE}"
        ) from error
    if "{source}" not in template.partition("{target}")[0] or "{target}" not in template:
        raise IsoglossError(
            "the template needs {source} and after it {target}", where="template", remedy=f"as in {TEMPLATE}"
        )


def _line(concept: Concept, source: str, target: str, names: Mapping[str, str], template: str) -> str:
    return template.format(
        source_name=names[source],
        target_name=names[target],
        source=concept.words[source][0],
        target=concept.words[target][0],
    )


def _answers(dictionary: Dictionary) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for word, answer in dictionary.entries:
        found[word].append(answer)
    return {word: tuple(dict.fromkeys(answers)) for word, answers in found.items()}


def _clash(words: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether two languages have a word in common, case aside."""
    seen: dict[str, str] = {}
    for language, answers in words.items():
        for answer in answers:
            if seen.setdefault(answer.casefold(), language) != language:
                return True
    return False
