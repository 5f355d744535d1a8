"""Syntax: the places a word can take in a sentence, who depends on whom, and in which order a language says them.

Places ("slots") are the same in every language; a language leaves some empty and puts the others in its
own order. So two words in the same slot of two languages translate each other.
"""

from dataclasses import dataclass

import numpy as np

from isogloss.corpora.lab.chance import Ints
from isogloss.corpora.lab.knobs import MINORITY, LanguageConfig

ROOT = "*"  # the head of the clause: its verb, or what is predicated
_PHRASE = {  # slot of a noun phrase: relation, head
    "adp": ("case", "head"), "art": ("det", "head"), "quant": ("det", "head"), "num": ("nummod", "head"),
    "adj": ("amod", "head"), "of": ("case", "owner"), "owner": ("nmod", "head"), "owner2": ("flat", "owner"),
    "head": ("", ROOT), "head2": ("flat", "head"), "case": ("case", "head"),
}  # fmt: skip
_PLACES = {
    **{f"s.{n}": (rel, h if h == ROOT else f"s.{h}") for n, (rel, h) in _PHRASE.items()},
    **{f"o.{n}": (rel, h if h == ROOT else f"o.{h}") for n, (rel, h) in _PHRASE.items()},
    **{f"p.{n}": (rel, h if h == ROOT else f"p.{h}") for n, (rel, h) in _PHRASE.items()},
    "which": ("nsubj", "r.verb"), "r.verb": ("acl:relcl", "s.head"), "r.art": ("det", "r.head"),
    "r.head": ("obj", "r.verb"), "r.head2": ("flat", "r.head"), "r.case": ("case", "r.head"),
    "not": ("advmod", ROOT), "aux": ("aux", ROOT), "pass": ("aux:pass", ROOT), "verb": ("", ROOT),
    "pred.art": ("det", "pred"), "pred": ("", ROOT), "cc": ("cc", "also"), "also": ("conj", ROOT),
    "adverb": ("advmod", ROOT), "stop": ("punct", ROOT),
}  # fmt: skip
SLOTS = tuple(_PLACES)
SLOT = {name: number for number, name in enumerate(SLOTS)}
RELATIONS = (
    "root", "nsubj", "nsubj:pass", "obj", "obl", "obl:agent", "cop",
    *sorted({relation for relation, _ in _PLACES.values()} - {"", "nsubj"}),
)  # fmt: skip
RELATION = {name: number for number, name in enumerate(RELATIONS)}
HEAD_SLOT: Ints = np.array([-1 if head == ROOT else SLOT[head] for _, head in _PLACES.values()])
BASE_RELATION: Ints = np.array([RELATION.get(relation, 0) for relation, _ in _PLACES.values()])
MINOR, PASSIVE, FRONTED = 1, 2, 4  # bits of a variant's number
VARIANTS = 8


@dataclass(frozen=True)
class Orders:
    """All orders of a language: ``columns`` is variants x slots, slot numbers in the order they are said."""

    columns: Ints


def compile_orders(grammar: LanguageConfig) -> Orders:
    """The order of slots for basic or minority order, active or passive, adverbials in place or in front."""
    minority = grammar.minority or MINORITY[grammar.order]
    rows = []
    for variant in range(VARIANTS):
        order = minority if variant & MINOR else grammar.order
        rows.append(_clause(grammar, order, bool(variant & PASSIVE), bool(variant & FRONTED)))
    return Orders(np.array([[SLOT[name] for name in row] for row in rows]))


def _clause(grammar: LanguageConfig, order: str, passive: bool, fronted: bool) -> list[str]:
    agent, patient = _phrase(grammar, "s"), _phrase(grammar, "o")
    blocks = {
        "S": patient if passive else agent,
        "O": [*(agent if passive else patient), "pred.art", "pred"],
        "V": ["not", "aux", "pass", "verb"],
    }
    core = [blocks[letter] for letter in order]
    place = _phrase(grammar, "p")
    at = len(core) if grammar.oblique == "VX" else 0 if order[0] == "V" else 1
    if fronted:
        at = 0 if at else len(core)
    adverbials = [["adverb"], place] if at == len(core) else [place, ["adverb"]]
    said = [*core[:at], *adverbials, *core[at:], ["cc", "also", "stop"]]
    return [slot for block in said for slot in block]


def object_first(grammar: LanguageConfig) -> bool:
    """Is the object before the verb in the basic order?"""
    return grammar.order.index("O") < grammar.order.index("V")


def _phrase(grammar: LanguageConfig, role: str) -> list[str]:
    """The slots of a noun phrase in order; the subject's has the relative clause."""
    owner = ["owner", "owner2", "of"] if grammar.adposition == "post" else ["of", "owner", "owner2"]
    relative = _relative(grammar) if role == "s" else []
    first = grammar.adposition == "pre"
    names = [
        *(["adp"] if first else []),
        *(relative if grammar.relative == "RN" else []),
        "art", "quant", "num",
        *(owner if grammar.genitive == "GN" else []),
        *(["adj"] if grammar.adjective == "AN" else []),
        "head", "head2",
        *(["adj"] if grammar.adjective == "NA" else []),
        *(owner if grammar.genitive == "NG" else []),
        *(relative if grammar.relative == "NR" else []),
        "case",
        *([] if first else ["adp"]),
    ]  # fmt: skip
    return [name if name in SLOT else f"{role}.{name}" for name in names]


def _relative(grammar: LanguageConfig) -> list[str]:
    related = ["r.art", "r.head", "r.head2", "r.case"]
    clause = [*related, "r.verb"] if object_first(grammar) else ["r.verb", *related]
    return ["which", *clause] if grammar.relative == "NR" else [*clause, "which"]
