"""Labels of pairs are true by an independent reading of the meanings, and one side alone does not give them away."""

from collections import Counter

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from isogloss.corpora.lab import Lab, preset
from isogloss.corpora.lab.meanings import OBJECT, PLACE, SUBJECT, Meanings
from isogloss.corpora.lab.pairs import NLI_LABELS
from isogloss.corpora.records import Pair

PHRASE = ("head", "head2", "adjective", "number", "quantifier", "owner", "owner2", "plural", "definite")


class Reading:
    """One meaning, read slowly."""

    def __init__(self, meanings: Meanings, row: int) -> None:
        self.clause = {
            n: int(getattr(meanings, n)[row]) for n in ("kind", "verb", "predicate", "adverb", "tense", "adposition")
        }
        self.phrases = [{n: int(getattr(meanings, n)[row, role]) for n in PHRASE} for role in (SUBJECT, OBJECT, PLACE)]
        self.negated = bool(meanings.negated[row])


class Judge:
    """Decides what follows from what, by comparing descriptions part by part."""

    def __init__(self, lab: Lab) -> None:
        self.concepts = lab.world.concepts
        self.all, self.some = self.concepts.word("all"), self.concepts.word("some")

    def label(self, premise: Reading, hypothesis: Reading) -> str:
        if premise.negated and hypothesis.negated:
            return "entailment" if self.follows(hypothesis, premise) else "neutral"
        if premise.negated:
            return "contradiction" if self.follows(hypothesis, premise) else "neutral"
        if hypothesis.negated:
            return "contradiction" if self.follows(premise, hypothesis) else "neutral"
        if self.follows(premise, hypothesis):
            return "entailment"
        return "contradiction" if self.opposed(premise, hypothesis) else "neutral"

    def follows(self, x: Reading, y: Reading) -> bool:
        """Does the affirmative ``x`` imply the affirmative ``y``?"""
        a, b = x.clause, y.clause
        if any(a[n] != b[n] for n in ("kind", "verb", "predicate", "tense")):
            return False
        if b["adverb"] >= 0 and a["adverb"] != b["adverb"]:
            return False
        if b["adposition"] >= 0 and a["adposition"] != b["adposition"]:
            return False
        return all(self.narrower(p, q) for p, q in zip(x.phrases, y.phrases, strict=True))

    def narrower(self, p: dict[str, int], q: dict[str, int]) -> bool:
        if q["head"] < 0:
            return True
        same_thing = (p["head"], p["head2"]) == (q["head"], q["head2"])
        kind_of = p["head"] >= 0 and self.concepts.hypernym[p["head"]] == q["head"]
        fitting = q["adjective"] in {-1, p["adjective"]}
        rest = all(p[n] == q[n] for n in ("number", "owner", "owner2", "plural"))
        if p["quantifier"] == q["quantifier"] == self.all:
            return same_thing and p["adjective"] == q["adjective"] and rest
        quantified = p["quantifier"] == q["quantifier"] or (p["quantifier"], q["quantifier"]) == (self.all, self.some)
        return (same_thing or kind_of) and fitting and rest and quantified

    def opposed(self, x: Reading, y: Reading) -> bool:
        """Would ``x`` imply ``y`` if one adjective were its opposite, or if the parties changed roles?"""
        swapped = Reading.__new__(Reading)
        swapped.clause, swapped.negated = x.clause, False
        swapped.phrases = [x.phrases[1], x.phrases[0], x.phrases[2]]
        return self.follows(swapped, y) or any(self.follows(other, y) for other in self.turned(x))

    def turned(self, x: Reading) -> list[Reading]:
        readings = []
        for place in ("predicate", 0, 1):
            other = Reading.__new__(Reading)
            other.clause, other.phrases, other.negated = dict(x.clause), [dict(p) for p in x.phrases], False
            holder, name = (
                (other.clause, "predicate") if place == "predicate" else (other.phrases[int(place)], "adjective")
            )
            if holder[name] >= 0 and self.concepts.antonym[holder[name]] >= 0:
                holder[name] = int(self.concepts.antonym[holder[name]])
                readings.append(other)
        return readings


@pytest.mark.parametrize("seed", [0, 1])
def test_nli_labels_are_true_by_an_independent_judge(seed: int) -> None:
    lab = Lab(preset("twins", seed))
    judge = Judge(lab)
    pairs = lab.meaning_pairs("nli", 1_500, "train", "qaa")
    wrong = Counter()
    for row, label in enumerate(pairs.labels.tolist()):
        judged = judge.label(Reading(pairs.first, row), Reading(pairs.second, row))
        wrong[NLI_LABELS[label], judged] += judged != NLI_LABELS[label]
    assert +wrong == Counter()


def accuracy(texts: list[str], labels: list[str], split: int) -> float:
    """How well a bag of words and word pairs tells the labels of the texts after ``split`` from those before."""
    features = CountVectorizer(token_pattern=r"\S+", ngram_range=(1, 2)).fit_transform(texts)
    model = LogisticRegression(C=0.1, max_iter=300).fit(features[:split], labels[:split])
    return float(model.score(features[split:], labels[split:]))


def test_a_hypothesis_alone_tells_nothing_of_its_label() -> None:
    lab = Lab(preset("families"))
    pairs = lab.nli("qaa", 6_000) + lab.nli("qaa", 1_200, "test")
    texts, labels = [pair.second for pair in pairs], [pair.label for pair in pairs]
    assert accuracy(texts, labels, 6_000) == pytest.approx(1 / 3, abs=0.04)
    lengths = [f"words{len(text.split())}" for text in texts]
    assert accuracy(lengths, labels, 6_000) == pytest.approx(1 / 3, abs=0.04)


def test_nli_labels_are_balanced_from_the_first_pair_on() -> None:
    pairs = Lab(preset("families")).nli("qac", 300)
    for n in (3, 30, 300):
        assert set(Counter(pair.label for pair in pairs[:n]).values()) == {n // 3}


def constructions(lab: Lab, part: str, n: int = 1_500) -> Counter[tuple[str, str]]:
    """How premise and hypothesis differ, by label."""
    pairs = lab.meaning_pairs("nli", n, part, "qaa")
    p, h = pairs.first, pairs.second
    signs = {
        "hypernym": (p.head != h.head).any(1) & (p.negated == h.negated),
        "modifier": ((p.adjective >= 0) != (h.adjective >= 0)).any(1) | ((p.adposition >= 0) != (h.adposition >= 0)),
        "quantifier": (p.quantifier != h.quantifier).any(1),
        "passive": p.passive != h.passive,
        "role swap": (p.head[:, SUBJECT] == h.head[:, OBJECT]) & (p.head[:, OBJECT] == h.head[:, SUBJECT]),
        "negation": p.negated != h.negated,
        "antonym": (p.adjective != h.adjective).any(1) & (p.adjective >= 0).any(1) & (h.adjective >= 0).any(1),
    }
    found: Counter[tuple[str, str]] = Counter()
    for name, sign in signs.items():
        for label in range(3):
            found[name, NLI_LABELS[label]] = int((sign & (pairs.labels == label)).sum())
    return found


@pytest.mark.parametrize("part", ["train", "test"])
def test_every_construction_occurs_with_its_label(part: str) -> None:
    found = constructions(Lab(preset("twins")), part)
    for name in ("hypernym", "modifier", "quantifier", "passive"):
        assert found[name, "entailment"] > 5, name
    for name in ("antonym", "negation", "role swap"):
        assert found[name, "contradiction"] > 10, name
    assert found["quantifier", "neutral"] > 3
    assert found["negation", "entailment"] == found["negation", "neutral"] == 0


def words_of(pair: Pair) -> tuple[Counter[str], Counter[str]]:
    return Counter(pair.first.split()), Counter(pair.second.split())


def test_paraphrases_and_their_negatives_have_the_same_words() -> None:
    lab = Lab(preset("twins"))
    language = lab.language("qaa")
    voice = {language.word("by"), language.word("passive")}
    pairs = lab.paraphrases("qaa", 1_000)
    for pair in pairs:
        first, second = words_of(pair)
        assert set((first - second) + (second - first)) <= voice
        assert pair.first != pair.second
    assert Counter(pair.label for pair in pairs) == {"0": 500, "1": 500}


def test_paraphrase_labels_say_whether_the_meanings_are_one() -> None:
    lab = Lab(preset("families"))
    pairs = lab.meaning_pairs("paraphrase", 1_000, "train", "qaa")
    for row, label in enumerate(pairs.labels.tolist()):
        first, second = Reading(pairs.first, row), Reading(pairs.second, row)
        assert (first.phrases == second.phrases) == (label == 1)
        assert first.clause == second.clause


def test_word_overlap_and_one_side_do_not_give_paraphrases_away() -> None:
    pairs = Lab(preset("families")).paraphrases("qaa", 6_000)
    labels = [pair.label for pair in pairs]
    assert accuracy([pair.first for pair in pairs], labels, 4_000) < 0.56
    assert accuracy([pair.second for pair in pairs], labels, 4_000) < 0.56
    overlap = np.array([[sum((words_of(pair)[0] & words_of(pair)[1]).values())] for pair in pairs])
    model = LogisticRegression().fit(overlap[:4_000], labels[:4_000])
    assert model.score(overlap[4_000:], labels[4_000:]) < 0.56


def test_held_out_pairs_are_row_parallel_and_training_pairs_are_not() -> None:
    lab = Lab(preset("twins"))
    for task in ("nli", "paraphrase"):
        assert lab.meaning_pairs(task, 50, "test", "qaa") is lab.meaning_pairs(task, 50, "test", "qab")
        first, second = (lab.meaning_pairs(task, 50, "train", code) for code in lab.codes)
        assert (first.first.head != second.first.head).any()
