"""Vocabularies: joint, united over languages, or marked so that no entry is shared (Wu20 §4.2).

Entries that continue a word begin with ``##``, as in BERT. In a marked vocabulary every entry of a language also holds
one invisible character of its own (a variation selector), which the language's tokeniser puts in and its decoder takes
out.
"""

import json
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, zip_longest
from typing import Any, TypeVar

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from isogloss.errors import IsoglossError
from isogloss.pretrain.recipe import Vocabulary
from isogloss.pretrain.tokenisers import CLS, CONTINUES, SEP, SPECIALS, UNK, WORD_START, Tokenisers
from isogloss.pretrain.word_ids import in_chunks

FIRST_MARKER, MARKERS = 0xE0100, 240  # Unicode's variation selectors supplement: nothing is drawn for them
_LETTERS, _LETTERS_SHARE = 100, 8  # single characters: an eighth of the entries, and at least a hundred
CHUNK = 10_000  # sentences counted at a time
_TOLERABLE = 0.01  # of a text's characters may be unknown without a word about it
Merge = tuple[str, str]
Start = Callable[[], Iterator[str]]
Corpus = Mapping[str, Start]
Item = TypeVar("Item")


def learn(settings: Vocabulary, corpus: Corpus) -> Tokenisers:
    """Learn the vocabulary of a corpus (for each language a function that restarts its sentences)."""
    entries = settings.entries(len(corpus))
    if settings.scope == "joint" or len(corpus) == 1:
        whole = _learn_one(settings, entries, lambda: chain.from_iterable(s() for s in corpus.values()), "the text")
        return Tokenisers(dict.fromkeys(corpus, whole), whole)
    size = (entries - len(SPECIALS)) // len(corpus) + len(SPECIALS)
    parts = {name: _learn_one(settings, size, start, f"language '{name}'") for name, start in corpus.items()}
    if settings.scope == "own":
        return Tokenisers(parts, None)
    if settings.scope == "marked":
        return _mark(settings, parts)
    return _unite(settings, parts)


def _learn_one(settings: Vocabulary, size: int, start: Start, where: str) -> Tokenizer:
    """One vocabulary of ``size`` entries, special tokens included."""
    if settings.kind == "unigram":
        tokeniser = _learn_unigram(settings, size, start, where)
    else:
        tokeniser = _learn_pieces(settings, size, start, where)
    reached = tokeniser.get_vocab_size()
    if reached < size and not settings.accept_fewer:
        raise IsoglossError(
            f"{where} supports {reached:,} entries, fewer than the requested {size:,}",
            where="vocabulary.size",
            remedy=f"set vocabulary.size to at most {reached:,} (a language's part, where languages have their own), "
            "give more text, or set vocabulary.accept_fewer",
        )
    return tokeniser


def _learn_unigram(settings: Vocabulary, size: int, start: Start, where: str) -> Tokenizer:
    tokeniser = Tokenizer(models.Unigram())
    _dress(tokeniser, settings)
    trainer = trainers.UnigramTrainer(
        vocab_size=size, special_tokens=list(SPECIALS), unk_token=UNK, show_progress=False
    )
    try:
        tokeniser.train_from_iterator(start(), trainer)
    except Exception as error:  # the library has no kind of its own for it
        if "all chars" not in str(error):
            raise
        raise IsoglossError(
            f"{size:,} entries have no room for the characters of {where}",
            where="vocabulary.size",
            remedy="set a larger vocabulary.size, or vocabulary.kind: bpe",
        ) from error
    return tokeniser


def _learn_pieces(settings: Vocabulary, size: int, start: Start, where: str) -> Tokenizer:
    """BPE or WordPiece. Letters are numbered beforehand: left to itself the trainer numbers them in the order of a
    hash table, breaks ties by those numbers, and so learns another vocabulary each time."""
    counts = _count_letters(settings, start())
    letters = _letters(counts, most=max(_LETTERS, size // _LETTERS_SHARE))
    _warn_of_lost_letters(counts, len(letters), size, where)
    fixed = [*SPECIALS, *letters, *(CONTINUES + letter for letter in letters)]
    learner = Tokenizer(models.BPE(unk_token=UNK, continuing_subword_prefix=CONTINUES))
    _dress(learner, settings)
    trainer = trainers.BpeTrainer(
        vocab_size=max(size, len(fixed)),
        min_frequency=settings.min_frequency,
        special_tokens=fixed,
        continuing_subword_prefix=CONTINUES,
        limit_alphabet=len(letters),
        show_progress=False,
    )
    learner.train_from_iterator(start(), trainer)
    return _assemble(settings, learner.get_vocab(), _merges(learner))


def _count_letters(settings: Vocabulary, sentences: Iterable[str]) -> Counter[str]:
    """How often each character occurs; white space is not counted."""
    counts: Counter[str] = Counter()
    for chunk in in_chunks(iter(sentences), CHUNK):
        words = Counter(chain.from_iterable(sentence.split(" ") for sentence in chunk))
        for word, number in words.items():  # a text has few different words
            text = unicodedata.normalize("NFC", word)
            for letter in text.lower() if settings.lowercase else text:
                counts[letter] += number
    return Counter({letter: number for letter, number in counts.items() if not letter.isspace()})


def _letters(counts: Counter[str], most: int) -> list[str]:
    """The characters of a text, at most this many, the most frequent ones where there are more."""
    ordered = sorted((-number, letter) for letter, number in counts.items())
    return sorted(letter for _, letter in ordered[:most])


class LostLettersWarning(UserWarning):
    """A vocabulary is too small for the characters of its text."""


def _warn_of_lost_letters(counts: Counter[str], kept: int, size: int, where: str) -> None:
    """Say which size would serve where the characters left out are more than a hundredth of the text."""
    ordered, total = sorted(counts.values(), reverse=True), counts.total()
    lost = sum(ordered[kept:]) / max(1, total)
    if lost <= _TOLERABLE:
        return
    read, needed = 0, 0
    while read < (1 - _TOLERABLE) * total:
        read, needed = read + ordered[needed], needed + 1
    warnings.warn(
        f"{where}: {size:,} entries have room for {kept:,} of its {len(counts):,} characters, so {lost:.0%} of the "
        f"text is unknown; set vocabulary.size to at least {needed * _LETTERS_SHARE:,} (per language, where languages "
        "have vocabularies of their own)",
        LostLettersWarning,
        stacklevel=2,
    )


def _dress(tokeniser: Tokenizer, settings: Vocabulary, marker: str = "") -> None:
    """Give a bare model its normaliser, its words, its special tokens' places and its decoder."""
    forms: list[Any] = [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " ")]
    forms += [normalizers.Lowercase()] if settings.lowercase else []
    tokeniser.normalizer = normalizers.Sequence(forms)
    words: list[Any] = [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()]
    start = marker or (WORD_START if settings.kind == "unigram" else "")
    words += [pre_tokenizers.Metaspace(replacement=start, prepend_scheme="always")] if start else []
    tokeniser.pre_tokenizer = pre_tokenizers.Sequence(words)
    if settings.kind == "unigram":
        tokeniser.decoder = decoders.Metaspace(replacement=start, prepend_scheme="always")
    else:
        joined = decoders.WordPiece(prefix=CONTINUES + marker, cleanup=False)
        tokeniser.decoder = decoders.Sequence([joined, decoders.Replace(marker, "")]) if marker else joined
    tokeniser.post_processor = processors.TemplateProcessing(
        single=f"{CLS} $A {SEP}",
        pair=f"{CLS} $A {SEP} $B {SEP}",
        special_tokens=[(CLS, SPECIALS.index(CLS)), (SEP, SPECIALS.index(SEP))],
    )


def _unite(settings: Vocabulary, parts: Mapping[str, Tokenizer]) -> Tokenisers:
    """One id space over all languages' entries; each language keeps its own merges, so its text splits as before."""
    vocabulary = _numbered(_entries(part) for part in parts.values())
    if settings.kind == "wordpiece":
        whole = _assemble(settings, vocabulary, [])
        return Tokenisers(dict.fromkeys(parts, whole), whole)
    merges = {language: _merges(part) for language, part in parts.items()}
    return Tokenisers(
        {language: _assemble(settings, vocabulary, own) for language, own in merges.items()},
        _assemble(settings, vocabulary, list(_in_turns(merges.values()))),
    )


def _mark(settings: Vocabulary, parts: Mapping[str, Tokenizer]) -> Tokenisers:
    """The same with each language's marker in all its entries: nothing but the special tokens is shared."""
    if len(parts) > MARKERS:
        raise IsoglossError(
            f"a marked vocabulary takes at most {MARKERS} languages",
            where="vocabulary.scope",
            remedy="take fewer languages, or another kind of vocabulary",
        )
    markers = {language: chr(FIRST_MARKER + number) for number, language in enumerate(sorted(parts))}
    entries, merges = {}, {}
    for language, part in parts.items():
        entries[language], merges[language] = _marked(_entries(part), _merges(part), markers[language])
    vocabulary = _numbered(entries.values())
    tokenisers = {language: _assemble(settings, vocabulary, merges[language], markers[language]) for language in parts}
    return Tokenisers(tokenisers, None)


def _marked(entries: list[str], merges: list[Merge], marker: str) -> tuple[list[str], list[Merge]]:
    """Entries and merges with a marker in each. The first merges fasten the marker to a word's first letter."""

    def mark(entry: str) -> str:
        if entry in SPECIALS:
            return entry
        return CONTINUES + marker + entry[2:] if entry.startswith(CONTINUES) else marker + entry

    letters = [entry for entry in entries if len(entry) == 1 and entry not in SPECIALS]
    inner = [CONTINUES + marker + letter for letter in letters]
    fastened = [(marker, letter) for letter in inner]
    all_entries = list(dict.fromkeys([*SPECIALS, marker, *map(mark, entries), *inner]))
    return all_entries, fastened + [(mark(left), mark(right)) for left, right in merges]


def _assemble(settings: Vocabulary, vocabulary: dict[str, int], merges: list[Merge], marker: str = "") -> Tokenizer:
    prefix = CONTINUES + marker
    model: models.Model
    if settings.kind == "wordpiece":
        model = models.WordPiece(
            vocab=vocabulary, unk_token=UNK, max_input_chars_per_word=200, continuing_subword_prefix=prefix
        )
    else:
        model = models.BPE(vocab=vocabulary, merges=merges, unk_token=UNK, continuing_subword_prefix=prefix)
    tokeniser = Tokenizer(model)
    _dress(tokeniser, settings, marker)
    tokeniser.add_special_tokens(list(SPECIALS))
    return tokeniser


def _entries(tokeniser: Tokenizer) -> list[str]:
    vocabulary = tokeniser.get_vocab()
    return sorted(vocabulary, key=vocabulary.__getitem__)


def _merges(tokeniser: Tokenizer) -> list[Merge]:
    return [(left, right) for left, right in json.loads(tokeniser.to_str())["model"].get("merges", [])]


def _numbered(lists: Iterable[list[str]]) -> dict[str, int]:
    """Ids for all entries, the languages' in turns; special tokens stand first in every list, and so in the result."""
    return {entry: number for number, entry in enumerate(_in_turns(lists))}


def _in_turns(lists: Iterable[list[Item]]) -> Iterator[Item]:
    """The first of each list, the second of each, ... without repeats."""
    return iter(dict.fromkeys(item for row in zip_longest(*lists) for item in row if item is not None))
