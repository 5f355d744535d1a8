"""The lab: languages of one world, and everything that can be had in them."""

from collections.abc import Iterator, Sequence

from isogloss.corpora.lab.chance import TOTAL, Ints, Stream
from isogloss.corpora.lab.grammar import FRONTED, MINOR
from isogloss.corpora.lab.knobs import LabConfig
from isogloss.corpora.lab.language import Language, build_languages
from isogloss.corpora.lab.meanings import Meanings
from isogloss.corpora.lab.pairs import MeaningPairs
from isogloss.corpora.lab.source import PATIENCE, TASKS, Source, too_few
from isogloss.corpora.lab.speech import Speech, say
from isogloss.corpora.lab.truths import align, dictionary
from isogloss.corpora.lab.typology import FeatureValue, describe, newick
from isogloss.corpora.lab.world import World
from isogloss.corpora.records import Dictionary, Pair, ParallelText, TaggedSentence, Tree, WordAlignment
from isogloss.errors import unknown_name

FRONTING = 0.1  # share of sentences with place and adverb in front


class Lab:
    """Constructed languages of one world. The same configuration gives the same sentences on every machine."""

    def __init__(self, config: LabConfig) -> None:
        self.config = config
        self.world = World(config)
        self._source = Source(self.world)
        self.languages: tuple[Language, ...] = build_languages(config, self.world.concepts)

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the languages, in order."""
        return tuple(language.code for language in self.languages)

    def language(self, code: str) -> Language:
        """A language by its code."""
        if code not in self.codes:
            raise unknown_name("language", code, self.codes, where="lab")
        return self.languages[self.codes.index(code)]

    def text(self, language: str, n: int, part: str = "train", domain: int | None = None) -> list[str]:
        """``n`` sentences of plain text, drawn for this language alone: text is never parallel."""
        lines: list[str] = []
        noise = Stream(self.config.seed, "noise", language, part, str(domain))
        for speech in self._speeches("text", language, n, part, domain):
            if self.config.noise:
                lines += speech.noisy_texts(self.config.noise, noise)
            else:
                lines += speech.texts()
        return lines

    def trees(self, language: str, n: int, part: str = "train", domain: int | None = None) -> list[Tree]:
        """``n`` dependency trees, with UPOS tags and lemmas."""
        trees: list[Tree] = []
        for speech in self._speeches("trees", language, n, part, domain):
            trees += speech.trees(f"{language}-{part}", len(trees))
        return trees

    def entities(self, language: str, n: int, part: str = "train", domain: int | None = None) -> list[TaggedSentence]:
        """``n`` sentences with BIO tags of persons, places and organisations."""
        tagged: list[TaggedSentence] = []
        for speech in self._speeches("entities", language, n, part, domain):
            tagged += speech.entities(f"{language}-{part}", len(tagged))
        return tagged

    def parallel(
        self, n: int, languages: Sequence[str] | None = None, pool: str = "natural", part: str = "test"
    ) -> ParallelText:
        """``n`` different meanings in several languages (all unless named).

        The ``hard`` pool has a few templates, many sentences each, with the same function words and tags
        throughout, so that only the content words tell its sentences apart.
        """
        meanings = self._source.pool(n, pool, part)
        texts = {code: tuple(self._say(meanings, code, pool, part).texts()) for code in languages or self.codes}
        return ParallelText(texts, name=f"lab {pool} {part}")

    def parallel_trees(
        self, n: int, languages: Sequence[str] | None = None, pool: str = "natural", part: str = "test"
    ) -> dict[str, list[Tree]]:
        """The trees of the sentences that ``parallel`` gives for the same arguments, by language."""
        meanings = self._source.pool(n, pool, part)
        return {code: self._say(meanings, code, pool, part).trees(f"{pool}-{part}") for code in languages or self.codes}

    def nli(self, language: str, n: int, part: str = "train") -> list[Pair]:
        """``n`` premises and hypotheses with three labels in turn; all parts but ``train`` are row-parallel."""
        return self._pairs("nli", language, n, part)

    def paraphrases(self, language: str, n: int, part: str = "train") -> list[Pair]:
        """``n`` pairs of the same words, labelled ``1`` (the same meaning) or ``0`` (roles or adjectives swapped)."""
        return self._pairs("paraphrase", language, n, part)

    def alignments(self, a: str, b: str, n: int, pool: str = "natural", part: str = "test") -> list[WordAlignment]:
        """Gold word alignments of the sentences that ``parallel`` gives for the same arguments."""
        meanings = self._source.pool(n, pool, part)
        return align(self._say(meanings, a, pool, part), self._say(meanings, b, pool, part))

    def dictionary(self, a: str, b: str, forms: bool = False) -> Dictionary:
        """Word translations by lemma; with ``forms`` of every inflected word."""
        return dictionary(self.language(a), self.language(b), forms)

    def features(self) -> tuple[FeatureValue, ...]:
        """Typological feature values of all languages, under WALS's numbers."""
        return tuple(value for language in self.languages for value in describe(language))

    def family_tree(self) -> str:
        """The languages by family, in Newick's notation."""
        return newick(self.languages)

    def meaning_pairs(self, task: str, n: int, part: str, language: str) -> MeaningPairs:
        """The meanings behind ``nli`` (``paraphrase``): only training pairs depend on the language."""
        return self._source.pairs(task, n, part, language)

    def _speeches(self, purpose: str, language: str, n: int, part: str, domain: int | None) -> Iterator[Speech]:
        """Blocks of sentences of one language and part, ``n`` in all."""
        spoken, wanted, empty = self.language(language), n, 0
        for meanings, stream in self._source.blocks(purpose, language, part, domain):
            if wanted <= 0:
                return
            empty = 0 if len(meanings) else empty + 1
            if empty > PATIENCE:
                raise too_few(f"none found in part '{part}'", purpose)
            variant = _variants(spoken, len(meanings), stream)[:wanted]
            yield say(meanings.take(slice(wanted)), spoken, variant)
            wanted -= len(variant)

    def _say(self, meanings: Meanings, code: str, pool: str, part: str) -> Speech:
        language = self.language(code)
        stream = Stream(self.config.seed, "order", code, pool, part)
        return say(meanings, language, _variants(language, len(meanings), stream))

    def _pairs(self, task: str, language: str, n: int, part: str) -> list[Pair]:
        spoken, labels = self.language(language), TASKS[task][1]
        pairs = self._source.pairs(task, n, part, language)
        variant = _variants(spoken, n, Stream(self.config.seed, "order", language, task, part))
        first = say(pairs.first, spoken, variant).texts()
        second = say(pairs.second, spoken, variant ^ pairs.flip).texts()
        return [
            Pair(a, b, labels[label], language, f"{task}-{part}-{number}")
            for number, (a, b, label) in enumerate(zip(first, second, pairs.labels.tolist(), strict=True))
        ]


def _variants(language: Language, size: int, stream: Stream) -> Ints:
    """The order of each sentence; drawn sentence by sentence, so that more sentences begin with the same ones."""
    coins = stream.below(TOTAL, 2 * size).reshape(size, 2)
    minor = coins[:, 0] < round((1.0 - language.grammar.rigidity) * TOTAL)
    fronted = coins[:, 1] < round(FRONTING * TOTAL)
    return minor * MINOR + fronted * FRONTED
