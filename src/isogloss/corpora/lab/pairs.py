"""Pairs of meanings with gold labels: inference with three labels, and paraphrase with word-swap negatives."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from isogloss.corpora.lab.chance import Ints, Stream
from isogloss.corpora.lab.edits import Edits, Mask, apply, possible
from isogloss.corpora.lab.grammar import FRONTED
from isogloss.corpora.lab.habits import NATURAL, draw
from isogloss.corpora.lab.meanings import PART_SHARES, SUBJECT, TRANSITIVE, Meanings, concatenate

NLI_LABELS = ("entailment", "neutral", "contradiction")
ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)
PARAPHRASE_LABELS = ("0", "1")
_HYPOTHESES = replace(
    NATURAL, kinds=(0.7, 0.18, 0.12, 0.0), quantifier=0.2, negated=0.2, passive=0.2, relative=0.0, also=0.0, owner=0.04
)  # fmt: skip
_PARAPHRASED = replace(
    NATURAL, kinds=(1.0, 0.0, 0.0, 0.0), adjectives=(0.6, 0.6, 0.2), quantifier=0.0, negated=0.0, passive=0.0,
    relative=0.0, also=0.0, owner=0.0,
)  # fmt: skip
SECOND_EDIT = 0.3  # share of pairs with one more edit
MIXED = 0.6  # share of neutral premises that also say more, so that short premises are no sign of neutrality
OPPOSED = 0.92  # share of contradictions by antonym or role swap where they can be, so that negation is no sign


@dataclass(frozen=True)
class MeaningPairs:
    """n pairs; ``flip`` is what the second sentence's order has that the first one's has not (bits of a variant)."""

    first: Meanings
    second: Meanings
    labels: Ints
    flip: Ints

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: Ints | slice) -> "MeaningPairs":
        return MeaningPairs(self.first.take(rows), self.second.take(rows), self.labels[rows], self.flip[rows])


def draw_inferences(edits: Edits, stream: Stream, size: int, part: int) -> MeaningPairs:
    """Premises and hypotheses of a part, at most ``size``. A hypothesis alone tells nothing of its label.

    Hypotheses are drawn first and labels dealt blindly. The premise is the hypothesis edited: made more
    specific it entails it; made more general, or one thing of each, it is neutral; negated or opposed it
    contradicts it. Under negation specific and general change places. Voice turns whatever the label.
    """
    concepts = edits.concepts
    hypothesis = draw(edits.world, stream, size, _HYPOTHESES)
    hypothesis = hypothesis.take(hypothesis.parts(concepts) == part)
    narrower, wider = possible(edits.specialise, hypothesis), possible(edits.generalise, hypothesis)
    quantified = hypothesis.quantifier[:, SUBJECT] >= 0
    usable = narrower.any(1) & wider.any(1) & ~(quantified & (hypothesis.negated == 1))
    hypothesis, narrower = hypothesis.take(usable), narrower[usable]
    n = len(hypothesis)
    labels = np.arange(n) % len(NLI_LABELS)
    transitive, negated = hypothesis.kind == TRANSITIVE, hypothesis.negated == 1
    only_voice = (labels == ENTAILMENT) & transitive & stream.coin(0.15, n)
    premise = hypothesis.copy()
    make = _Premises(edits, premise, narrower, stream)
    edited = ~only_voice
    make.narrower(edited & (labels == np.where(negated, NEUTRAL, ENTAILMENT)))
    make.wider(edited & (labels == np.where(negated, ENTAILMENT, NEUTRAL)), mixed=~negated)
    make.opposite(labels == CONTRADICTION)
    turned = only_voice | (transitive & stream.coin(0.5, n))
    premise.passive[turned] = 1 - premise.passive[turned]
    pairs = MeaningPairs(premise, hypothesis, labels, np.zeros(n, dtype=np.int64))
    # A premise of the same words is in the part for certain. Keep it as seldom as the others, or labels whose
    # premises tend to have the same words would tell of the hypothesis.
    same_words = premise.bags(concepts) == hypothesis.bags(concepts)
    kept = ~same_words | stream.coin(PART_SHARES[part], n)
    return pairs.take(np.flatnonzero(kept & (premise.parts(concepts) == part)))


class _Premises:
    """Premises being made from hypotheses; ``addable`` tells which specialising edits the hypothesis leaves open."""

    def __init__(self, edits: Edits, premise: Meanings, addable: Mask, stream: Stream) -> None:
        self.edits, self.premise, self.addable, self.stream = edits, premise, addable, stream

    def narrower(self, where: Mask) -> None:
        """More specific than the hypothesis, by one edit or two."""
        self._add(np.flatnonzero(where))
        self._add(self._some(where))

    def wider(self, where: Mask, mixed: Mask) -> None:
        """More general by one edit or two; where ``mixed``, some also say what the hypothesis does not."""
        apply(self.edits.generalise, self.premise, np.flatnonzero(where), self.stream)
        apply(self.edits.generalise, self.premise, self._some(where), self.stream)
        self._add(self._some(where & mixed, MIXED))

    def opposite(self, where: Mask) -> None:
        """Opposed in a word or in the roles, or denied; what is denied may be wider, what is affirmed narrower."""
        stream, premise = self.stream, self.premise
        positive = where & (premise.negated == 0)
        opposed = positive & possible(self.edits.oppose, premise).any(1) & stream.coin(OPPOSED, len(premise))
        apply(self.edits.oppose, premise, np.flatnonzero(opposed), stream)
        self._add(self._some(opposed))
        apply(self.edits.generalise, premise, self._some(positive & ~opposed), stream)
        self._add(self._some(where & ~positive))
        denied = np.flatnonzero(where & ~opposed)
        premise.negated[denied] = 1 - premise.negated[denied]

    def _add(self, rows: Ints) -> None:
        apply(self.edits.specialise, self.premise, rows, self.stream, among=self.addable)

    def _some(self, where: Mask, share: float = SECOND_EDIT) -> Ints:
        return np.flatnonzero(where & self.stream.coin(share, len(where)))


def draw_paraphrases(edits: Edits, stream: Stream, size: int, part: int) -> MeaningPairs:
    """Pairs of the same words, at most ``size``: the same meaning said otherwise, or roles or adjectives swapped.

    Both kinds turn the voice or move place and adverb to the front equally often, so that only who does
    what to whom tells them apart (as in PAWS).
    """
    first = draw(edits.world, stream, size, _PARAPHRASED)
    first = first.take(first.parts(edits.concepts) == part)  # swaps stay in their part
    first = first.take(possible(edits.swap_words, first).any(1) & ((first.adposition >= 0) | (first.adverb >= 0)))
    n = len(first)
    labels = np.arange(n) % len(PARAPHRASE_LABELS)
    # A swap makes odd sentences. Half of all pairs start from one, so that oddness tells nothing.
    apply(edits.swap_words, first, np.flatnonzero(stream.coin(0.5, n)), stream)
    second = first.copy()
    apply(edits.swap_words, second, np.flatnonzero(labels == 0), stream)
    moved = stream.coin(0.5, n)
    side = stream.coin(0.5, n)
    first.passive[~moved & side] = 1
    second.passive[~moved & ~side] = 1
    return MeaningPairs(first, second, labels, np.where(moved, FRONTED, 0))


def deal(pairs: MeaningPairs, labels: int) -> MeaningPairs:
    """The pairs with their labels in turn, 0, 1, 2, 0, 1, ..., as far as they go: every beginning is balanced."""
    by_label = [np.flatnonzero(pairs.labels == label) for label in range(labels)]
    fewest = min(map(len, by_label))
    return pairs.take(np.stack([rows[:fewest] for rows in by_label], axis=1).ravel())


def join(pieces: Sequence[MeaningPairs]) -> MeaningPairs:
    """One column of pairs after the other."""
    return MeaningPairs(
        concatenate([piece.first for piece in pieces]),
        concatenate([piece.second for piece in pieces]),
        np.concatenate([piece.labels for piece in pieces]),
        np.concatenate([piece.flip for piece in pieces]),
    )
