"""Words: every concept's form in every language, with its inflections, anchors, cognates and homonyms."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.corpora.lab.chance import Stream
from isogloss.corpora.lab.concepts import NAMES, UPOS, Concepts
from isogloss.corpora.lab.knobs import LabConfig, LanguageConfig
from isogloss.corpora.lab.phonology import STOPS, Phonology, SoundChange, draw_change, draw_phonology, spell
from isogloss.errors import IsoglossError

INFLECTIONS = 8  # nouns, adjectives: plural x 4 cases; verbs: 3 tenses x plural
SUFFIXES = ("plural", "accusative", "genitive", "locative", "past", "future", "agreement")
TRIES = 40  # words drawn at one length before a longer one is tried


@dataclass(frozen=True)
class Lexicon:
    """The words of one language: ``forms`` is concepts x inflections, ``lemmas`` one a concept."""

    forms: NDArray[np.object_]
    lemmas: tuple[str, ...]
    anchored: frozenset[int]
    suffixes: dict[str, str]
    phonology: Phonology


def anchored_concepts(config: LabConfig, concepts: Concepts) -> tuple[int, ...]:
    """The concepts with one spelling everywhere: a share of the content words, taken from the kinds asked for."""
    pools = {
        "names": [i for category in NAMES for i in concepts.of(category).tolist()],
        "numbers": concepts.of("number").tolist(),
        "cognates": [i for c in ("noun", "place", "transitive", "intransitive", "adjective", "adverb")
                     for i in concepts.of(c).tolist()],
        "random": list(range(concepts.content)),
    }  # fmt: skip
    pool = sorted({i for kind in config.anchor_kinds for i in pools[kind]})
    wanted = round(config.anchors * concepts.content)
    if wanted > len(pool):
        raise IsoglossError(
            f"{wanted} anchors are asked for ({config.anchors:g} of {concepts.content} content words), "
            f"but there are only {len(pool)} words of kind {', '.join(config.anchor_kinds)}",
            where="knob 'anchors'",
            remedy=f"at most {len(pool) / concepts.content:.3f}, or add 'random' to anchor_kinds",
        )
    order = Stream(config.seed, "anchors").order(len(pool))
    return tuple(sorted(pool[i] for i in order[:wanted].tolist()))


def build_lexicons(config: LabConfig, concepts: Concepts) -> list[Lexicon]:
    """The lexicons of all languages. No string belongs to two languages unless it is an anchor (or a shared stop)."""
    maker = _Maker(config, concepts)
    return [maker.lexicon(index) for index in range(config.languages)]


@dataclass(frozen=True)
class _Family:
    """What sisters inherit: sounds, a word for every concept, and suffixes."""

    phonology: Phonology
    words: list[str]
    suffixes: dict[str, str]


class _Maker:
    """Builds one lexicon after the other and remembers which strings are taken."""

    def __init__(self, config: LabConfig, concepts: Concepts) -> None:
        self.config, self.concepts = config, concepts
        self.syllables = _lengths(concepts)
        self.taken: set[str] = set()
        self.families = [self._family(number) for number in range(config.families)]
        self.anchors = self._anchor_words()

    def lexicon(self, index: int) -> Lexicon:
        config, grammar = self.config, self.config.language(index)
        number = config.family(index)
        family = self.families[number]
        sister = sum(config.family(other) == number for other in range(index))
        stream = Stream(config.seed, "lexicon", index)
        change = draw_change(family.phonology, sister, config.distance, stream)
        sounds = _own_sounds(family.phonology, change, grammar)
        suffixes = _spelt_suffixes({name: change(suffix) for name, suffix in family.suffixes.items()}, grammar)
        draft = _Draft(self, grammar, sounds, suffixes, stream)
        inherited = stream.coin(config.cognates, self.concepts.total)
        for concept in range(self.concepts.total):
            old = change(family.words[concept]) if inherited[concept] else None
            draft.settle(concept, old)
        draft.add_homonyms()
        draft.forms[self.concepts.word("stop"), :] = STOPS[index % len(STOPS)] if config.punctuation == "own" else "."
        self.taken |= draft.used
        return Lexicon(draft.forms, tuple(draft.forms[:, 0].tolist()), frozenset(self.anchors), suffixes, sounds)

    def _family(self, number: int) -> _Family:
        stream = Stream(self.config.seed, "family", number)
        first = next(i for i in range(self.config.languages) if self.config.family(i) == number)
        sounds = draw_phonology(stream, self.config.language(first).syllables)
        words = [sounds.word(stream, length) for length in self.syllables]
        suffixes: dict[str, str] = {}
        while len(suffixes) < len(SUFFIXES):
            new = sounds.syllable(stream, "VC")
            if new not in suffixes.values():
                suffixes[SUFFIXES[len(suffixes)]] = new
        return _Family(sounds, words, suffixes)

    def _anchor_words(self) -> dict[int, str]:
        """One spelling an anchor, in the first language's sounds and script; anchors do not inflect."""
        stream = Stream(self.config.seed, "anchor words")
        words: dict[int, str] = {}
        for concept in anchored_concepts(self.config, self.concepts):
            length, tries = self.syllables[concept], 0
            while concept not in words:
                word = spell(self.families[0].phonology.word(stream, length + tries // TRIES), self.config.script[0])
                if word not in self.taken:
                    words[concept] = word
                    self.taken.add(word)
                tries += 1
        return words


class _Draft:
    """One language's words while they are being settled."""

    def __init__(
        self, maker: _Maker, grammar: LanguageConfig, sounds: Phonology, suffixes: dict[str, str], stream: Stream
    ) -> None:
        self.maker, self.grammar, self.sounds, self.stream = maker, grammar, sounds, stream
        concepts = maker.concepts
        concord = grammar.agreement == "full"
        endings = [_endings(tag, suffixes, concord) for tag in UPOS]
        self.endings = [endings[tag] for tag in concepts.upos.tolist()]
        self.endings[concepts.word("be")] = endings[UPOS.index("VERB")]
        self.forms = np.empty((concepts.total, INFLECTIONS), dtype=object)
        self.used: set[str] = set()

    def settle(self, concept: int, inherited: str | None) -> None:
        """Give a concept its word: its anchor, what it inherited if that is still free, or a new one."""
        if concept in self.maker.anchors:
            self.forms[concept, :] = self.maker.anchors[concept]
            return
        tries = 0
        while True:
            length = self.maker.syllables[concept] + tries // TRIES
            word = inherited if inherited and not tries else self.sounds.word(self.stream, length)
            forms = self._inflect(concept, spell(word, self.grammar.script))
            if self.maker.taken.isdisjoint(forms) and self.used.isdisjoint(forms):
                break
            tries += 1
        self.forms[concept, :] = forms
        self.used.update(forms)

    def add_homonyms(self) -> None:
        """Spell a share of the verbs and adjectives like nouns."""
        concepts, anchors = self.maker.concepts, self.maker.anchors
        nouns = [i for i in concepts.of("noun").tolist() if i not in anchors]
        categories = ("transitive", "intransitive", "adjective")
        others = [i for c in categories for i in concepts.of(c).tolist() if i not in anchors]
        count = min(len(nouns), round(self.maker.config.homonyms * len(others)))
        chosen = self.stream.order(len(others))[:count].tolist()
        models = self.stream.order(len(nouns))[:count].tolist()
        for other, noun in zip(chosen, models, strict=True):
            forms = self._inflect(others[other], str(self.forms[nouns[noun], 0]))
            if self.maker.taken.isdisjoint(forms):
                self.forms[others[other], :] = forms
                self.used.update(forms)

    def _inflect(self, concept: int, stem: str) -> list[str]:
        return [stem + ending for ending in self.endings[concept]]


def marked_features(tag: str, suffixes: dict[str, str], concord: bool) -> list[str]:
    """What each inflection of a word with this tag marks, as UD writes it; ``_`` where nothing is marked."""
    numbers, cases = ("Sing", "Plur"), ("Nom", "Acc", "Gen", "Loc")
    if tag in {"NOUN", "PROPN"} or (tag == "ADJ" and concord):
        rows = [
            {"Case": case if suffixes["accusative"] else "", "Number": number if suffixes["plural"] else ""}
            for number in numbers
            for case in cases
        ]
    elif tag == "VERB":
        rows = [
            {"Number": number if suffixes["agreement"] else "", "Tense": tense if suffixes["past"] else ""}
            for tense in ("Pres", "Past", "Fut")
            for number in numbers
        ]
    else:
        rows = []
    feats = ["|".join(f"{name}={value}" for name, value in row.items() if value) or "_" for row in rows]
    return feats + ["_"] * (INFLECTIONS - len(feats))


def _lengths(concepts: Concepts) -> list[int]:
    """Syllables per word: function words one, the most frequent of each category one or two, the others three."""
    lengths = [1] * concepts.total
    for category, start in concepts.starts.items():
        count = concepts.counts[category]
        for i in range(count):
            rank = i / count
            lengths[start + i] = 1 if category == "function" else 2 if rank < 0.6 or category == "class" else 3
    return lengths


def _own_sounds(family: Phonology, change: SoundChange, grammar: LanguageConfig) -> Phonology:
    consonants = "".join(dict.fromkeys(change(family.consonants)))
    return Phonology(consonants, "".join(sorted(change(family.vowels))), tuple(grammar.syllables.split()))


def _spelt_suffixes(sounds: dict[str, str], grammar: LanguageConfig) -> dict[str, str]:
    """The suffixes that this grammar uses, spelt; the others are empty."""
    wanted = {
        "plural": grammar.plural == "suffix",
        "accusative": grammar.case == "suffix",
        "genitive": grammar.case == "suffix",
        "locative": grammar.case == "suffix",
        "past": grammar.tense == "suffix",
        "future": grammar.tense == "suffix",
        "agreement": grammar.agreement != "none",
    }
    return {name: spell(sounds[name], grammar.script) if wanted[name] else "" for name in sounds}


def _endings(tag: str, suffixes: dict[str, str], concord: bool) -> list[str]:
    """The ending of each inflection of a word with this tag; with concord, adjectives inflect like nouns."""
    if tag in {"NOUN", "PROPN"} or (tag == "ADJ" and concord):
        cases = ("", suffixes["accusative"], suffixes["genitive"], suffixes["locative"])
        return [number + case for number in ("", suffixes["plural"]) for case in cases]
    if tag == "VERB":
        tenses = ("", suffixes["past"], suffixes["future"])
        return [tense + number for tense in tenses for number in ("", suffixes["agreement"])] + ["", ""]
    return [""] * INFLECTIONS
