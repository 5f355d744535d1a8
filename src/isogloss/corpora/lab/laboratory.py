"""The lab: languages of one world, and everything that can be had in them."""

from collections.abc import Iterator, Sequence
from itertools import count

import numpy as np

from isogloss.corpora.lab.chance import TOTAL, Ints, Stream
from isogloss.corpora.lab.edits import Edits
from isogloss.corpora.lab.grammar import FRONTED, MINOR
from isogloss.corpora.lab.habits import HARD, NATURAL, Habits, draw, plainly_headed
from isogloss.corpora.lab.knobs import LabConfig
from isogloss.corpora.lab.language import Language, build_languages
from isogloss.corpora.lab.meanings import PARTS, Meanings, concatenate
from isogloss.corpora.lab.pairs import (
    NLI_LABELS,
    PARAPHRASE_LABELS,
    MeaningPairs,
    deal,
    draw_inferences,
    draw_paraphrases,
    join,
)
from isogloss.corpora.lab.speech import Speech, say
from isogloss.corpora.lab.truths import align, dictionary
from isogloss.corpora.lab.typology import FeatureValue, describe, newick
from isogloss.corpora.lab.world import World
from isogloss.corpora.records import Dictionary, Pair, ParallelText, TaggedSentence, Tree, WordAlignment
from isogloss.errors import IsoglossError, unknown_name

BLOCK = 4_096  # meanings drawn at a time; a set of n is the beginning of a set of more
FRONTING = 0.1  # share of sentences with place and adverb in front
POOLS = ("natural", "hard")
EXHAUSTED = 0.02  # a pool is exhausted when a block has a smaller share of new meanings


class Lab:
    """Constructed languages of one world. The same configuration gives the same sentences on every machine."""

    def __init__(self, config: LabConfig) -> None:
        self.config = config
        self.world = World(config)
        self._edits = Edits(self.world)
        # Meanings that all languages share are drawn once.
        self._kept_pools: dict[tuple[str, int, str], Meanings] = {}
        self._kept_pairs: dict[tuple[str, int, str], MeaningPairs] = {}
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
        meanings = self._pool(n, pool, part)
        texts = {code: tuple(self._say(meanings, code, pool, part).texts()) for code in languages or self.codes}
        return ParallelText(texts, name=f"lab {pool} {part}")

    def parallel_trees(
        self, n: int, languages: Sequence[str] | None = None, pool: str = "natural", part: str = "test"
    ) -> dict[str, list[Tree]]:
        """The trees of the sentences that ``parallel`` gives for the same arguments, by language."""
        meanings = self._pool(n, pool, part)
        return {code: self._say(meanings, code, pool, part).trees(f"{pool}-{part}") for code in languages or self.codes}

    def nli(self, language: str, n: int, part: str = "train") -> list[Pair]:
        """``n`` premises and hypotheses with three labels in turn; all parts but ``train`` are row-parallel."""
        return self._pairs("nli", language, n, part)

    def paraphrases(self, language: str, n: int, part: str = "train") -> list[Pair]:
        """``n`` pairs of the same words, labelled ``1`` (the same meaning) or ``0`` (roles or adjectives swapped)."""
        return self._pairs("paraphrase", language, n, part)

    def alignments(self, a: str, b: str, n: int, pool: str = "natural", part: str = "test") -> list[WordAlignment]:
        """Gold word alignments of the sentences that ``parallel`` gives for the same arguments."""
        meanings = self._pool(n, pool, part)
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

    def _speeches(self, purpose: str, language: str, n: int, part: str, domain: int | None) -> Iterator[Speech]:
        """Blocks of sentences of one language and part, ``n`` in all."""
        self._check_domain(domain)
        spoken, wanted, number = self.language(language), n, 0
        while wanted > 0:
            stream = Stream(self.config.seed, purpose, language, str(domain), number)
            meanings = self._keep(draw(self.world, stream, BLOCK, NATURAL, domain), part)
            variant = self._variants(spoken, len(meanings), stream)[:wanted]
            meanings = meanings.take(slice(wanted))
            yield say(meanings, spoken, variant)
            wanted -= len(meanings)
            number += 1

    def _pairs(self, task: str, language: str, n: int, part: str) -> list[Pair]:
        spoken = self.language(language)
        labels = NLI_LABELS if task == "nli" else PARAPHRASE_LABELS
        pairs = self.meaning_pairs(task, n, part, language)
        variant = self._variants(spoken, n, Stream(self.config.seed, "order", language, task, part))
        first = say(pairs.first, spoken, variant).texts()
        second = say(pairs.second, spoken, variant ^ pairs.flip).texts()
        return [
            Pair(a, b, labels[label], language, f"{task}-{part}-{number}")
            for number, (a, b, label) in enumerate(zip(first, second, pairs.labels.tolist(), strict=True))
        ]

    def meaning_pairs(self, task: str, n: int, part: str, language: str) -> MeaningPairs:
        """The meanings behind ``nli`` or ``paraphrases``; only training pairs depend on the language."""
        if part == "train":
            return self._draw_pairs(task, n, part, language)
        key = (task, n, part)
        if key not in self._kept_pairs:
            self._kept_pairs[key] = self._draw_pairs(task, n, part, "all")
        return self._kept_pairs[key]

    def _draw_pairs(self, task: str, n: int, part: str, whose: str) -> MeaningPairs:
        draws, labels = (draw_inferences, 3) if task == "nli" else (draw_paraphrases, 2)
        found: list[MeaningPairs] = []
        for number in count():
            stream = Stream(self.config.seed, task, whose, number)
            found.append(deal(draws(self._edits, stream, BLOCK, self._part(part)), labels))
            if sum(map(len, found)) >= n:
                break
        return join(found).take(slice(n))

    def _pool(self, n: int, pool: str, part: str) -> Meanings:
        """``n`` meanings with different bags of concepts; the hard pool deals them to its templates evenly."""
        if pool not in POOLS:
            raise unknown_name("pool", pool, POOLS, where="lab")
        key = (pool, n, part)
        if key not in self._kept_pools:
            self._kept_pools[key] = self._draw_pool(n, pool, part)
        return self._kept_pools[key]

    def _draw_pool(self, n: int, pool: str, part: str) -> Meanings:
        if pool == "natural":
            return self._distinct(n, NATURAL, "pool natural", part)
        share = -(-n // len(HARD))
        pieces = [self._distinct(share, habits, f"pool hard {k}", part) for k, habits in enumerate(HARD)]
        return concatenate(pieces).take(np.arange(share * len(HARD)).reshape(len(HARD), share).T.ravel()[:n])

    def _distinct(self, n: int, habits: Habits, purpose: str, part: str) -> Meanings:
        """``n`` meanings of a part, no two with the same bag of concepts."""
        found: list[Meanings] = []
        seen = np.zeros(0, dtype=np.uint64)
        for number in count():
            drawn = draw(self.world, Stream(self.config.seed, purpose, number), BLOCK, habits)
            if not habits.names:
                drawn = drawn.take(plainly_headed(drawn, self.world))
            drawn = self._keep(drawn, part)
            bags, first = np.unique(drawn.bags(self.world.concepts), return_index=True)
            fresh = np.sort(first[~np.isin(bags, seen)])
            found.append(drawn.take(fresh))
            seen = np.union1d(seen, bags)
            if len(seen) >= n:
                break
            if len(fresh) < EXHAUSTED * len(drawn) or not len(drawn):
                raise IsoglossError(
                    f"this world has too few different meanings of this kind: {len(seen)} found, {n} asked for",
                    where=f"lab, {purpose}",
                    remedy="ask for fewer, or set a larger lexicon",
                )
        return concatenate(found).take(slice(n))

    def _keep(self, meanings: Meanings, part: str) -> Meanings:
        return meanings.take(meanings.parts(self.world.concepts) == self._part(part))

    def _part(self, name: str) -> int:
        if name not in PARTS:
            raise unknown_name("part", name, PARTS, where="lab")
        return PARTS.index(name)

    def _say(self, meanings: Meanings, code: str, pool: str, part: str) -> Speech:
        language = self.language(code)
        stream = Stream(self.config.seed, "order", code, pool, part)
        return say(meanings, language, self._variants(language, len(meanings), stream))

    def _variants(self, language: Language, size: int, stream: Stream) -> Ints:
        """The order of each sentence; drawn sentence by sentence, so that more sentences begin with the same ones."""
        coins = stream.below(TOTAL, 2 * size).reshape(size, 2)
        minor = coins[:, 0] < round((1.0 - language.grammar.rigidity) * TOTAL)
        fronted = coins[:, 1] < round(FRONTING * TOTAL)
        return minor * MINOR + fronted * FRONTED

    def _check_domain(self, domain: int | None) -> None:
        if domain is not None and not 0 <= domain < self.config.domains:
            raise IsoglossError(
                f"there is no domain {domain}", where="lab",
                remedy=f"0 to {self.config.domains - 1}, or a larger value of the knob 'domains'",
            )  # fmt: skip
