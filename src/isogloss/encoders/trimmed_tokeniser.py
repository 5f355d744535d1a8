"""A tokeniser with part of its vocabulary: text whose subwords were kept is tokenised as before.

- BPE: a merge stays where its result and both parts stay, and with a subword all that it is merged from. The merges
  that made a kept subword are then all there, in their old order, so none of them is missed or overtaken.
- WordPiece takes the longest entry that fits; the longest one of all is still there if it was kept.
- Unigram takes the best sum of scores; the best of all is still there if its pieces were kept. The piece with the
  lowest score stays, since the penalty of unknown characters is counted from it.
"""

import json
import unicodedata
from collections.abc import Iterable
from typing import Any

from isogloss.errors import IsoglossError

BYTES = {f"<0x{number:02X}>" for number in range(256)}


def definition_of(tokenizer: Any) -> dict[str, Any]:
    """What a fast tokeniser is made of, as plain data."""
    if not getattr(tokenizer, "is_fast", False):
        raise IsoglossError(
            "this tokeniser has no fast form (tokenizer.json), and cannot be trimmed", where=type(tokenizer).__name__,
            remedy="name a model with tokenizer.json",
        )  # fmt: skip
    found: dict[str, Any] = json.loads(tokenizer.backend_tokenizer.to_str())
    kind = found["model"].get("type")
    if kind not in {"BPE", "WordPiece", "Unigram"}:
        raise IsoglossError(f"a vocabulary of kind {kind} cannot be trimmed", remedy="BPE, WordPiece and Unigram can")
    return found


def entries_of(definition: dict[str, Any]) -> dict[str, int]:
    """Every entry of the vocabulary with its number, added ones among them."""
    vocabulary = definition["model"]["vocab"]
    if isinstance(vocabulary, list):
        vocabulary = {piece: number for number, (piece, _) in enumerate(vocabulary)}
    return {**vocabulary, **{token["content"]: token["id"] for token in definition["added_tokens"]}}


def always_kept(definition: dict[str, Any]) -> set[str]:
    """Entries that no text need use: added and special ones, bytes, digits, and what the tokeniser itself needs."""
    entries = entries_of(definition)
    kept = {token["content"] for token in definition["added_tokens"]}
    kept |= {entry for entry in entries if entry in BYTES or entry.strip("▁Ġ#").isdecimal()}
    model = definition["model"]
    kept |= {entry for entry in (model.get("unk_token"),) if entry in entries}
    if model["type"] == "Unigram":
        kept.add(min(model["vocab"], key=lambda pair: pair[1])[0])
        kept |= {model["vocab"][model["unk_id"]][0]} if model.get("unk_id") is not None else set()
    if _is_byte_level(definition):
        kept |= {entry for entry in entries if len(entry) == 1}
    return kept


def _is_byte_level(definition: dict[str, Any]) -> bool:
    return "ByteLevel" in json.dumps([definition.get("pre_tokenizer"), definition.get("normalizer")])


def letters_of(definition: dict[str, Any], used: Iterable[str]) -> set[str]:
    """Single characters of the scripts that ``used`` entries are written in, so that new words can be spelt."""
    scripts = {_script(letter) for entry in used for letter in entry if letter.isalpha()}
    bare = {entry: entry.removeprefix("##").strip("▁Ġ") for entry in entries_of(definition)}
    return {entry for entry, letter in bare.items() if len(letter) == 1 and _script(letter) in scripts}


def _script(letter: str) -> str:
    return unicodedata.name(letter, "?").partition(" ")[0]


def with_parts(definition: dict[str, Any], wanted: set[str]) -> set[str]:
    """``wanted`` and all entries that BPE merges them from."""
    if definition["model"]["type"] != "BPE":
        return wanted
    made: dict[str, tuple[str, str]] = {}
    for first, second in _merges(definition):
        made.setdefault(first + second, (first, second))
    kept, open_ = set(wanted), list(wanted)
    while open_:
        for part in made.get(open_.pop(), ()):
            if part not in kept:
                kept.add(part)
                open_.append(part)
    return kept


def cut_definition(definition: dict[str, Any], kept: set[str]) -> tuple[dict[str, Any], list[int]]:
    """The definition with only the ``kept`` entries, renumbered in their old order, and their old numbers."""
    entries = entries_of(definition)
    numbers = sorted(entries[entry] for entry in kept)
    new = {old: place for place, old in enumerate(numbers)}
    cut: dict[str, Any] = json.loads(json.dumps(definition))
    model = cut["model"]
    if model["type"] == "Unigram":
        model["vocab"] = [pair for number, pair in enumerate(model["vocab"]) if number in new]
        if model.get("unk_id") is not None:
            model["unk_id"] = new[model["unk_id"]]
    else:
        model["vocab"] = {entry: new[number] for entry, number in model["vocab"].items() if number in new}
    if model["type"] == "BPE":
        there = model["vocab"]
        model["merges"] = [
            [first, second]
            for first, second in _merges(definition)
            if first in there and second in there and first + second in there
        ]
    for token in cut["added_tokens"]:
        token["id"] = new[token["id"]]
    if cut.get("padding"):
        cut["padding"]["pad_id"] = new[cut["padding"]["pad_id"]]
    cut["post_processor"] = _renumbered(cut.get("post_processor"), new)
    return cut, numbers


def _merges(definition: dict[str, Any]) -> list[tuple[str, str]]:
    """The merges in order; older files write them as one string."""
    pairs = [pair.split(" ", 1) if isinstance(pair, str) else pair for pair in definition["model"]["merges"]]
    return [(str(first), str(second)) for first, second in pairs]


def _renumbered(part: Any, new: dict[int, int]) -> Any:
    """A post-processor with its special tokens under their new numbers."""
    if isinstance(part, list):
        if len(part) == 2 and isinstance(part[0], str) and isinstance(part[1], int):  # BERT's and RoBERTa's [token, id]
            return [part[0], new[part[1]]]
        return [_renumbered(one, new) for one in part]
    if not isinstance(part, dict):
        return part
    changed = {key: _renumbered(value, new) for key, value in part.items()}
    if isinstance(part.get("ids"), list) and "tokens" in part:  # a template's special token
        changed["ids"] = [new[number] for number in part["ids"]]
    return changed
