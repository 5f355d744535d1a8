"""Scores are exact: each against an independent library, a twin of the official rules, or by hand."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics import f1_score as seqeval_f1
from seqeval.metrics import precision_score as seqeval_precision
from seqeval.metrics import recall_score as seqeval_recall
from sklearn.metrics import f1_score as sklearn_f1

from isogloss.corpora import Tree
from isogloss.errors import IsoglossError
from isogloss.tasks import AttachmentTally, LabelTally, SpanTally, read_spans, repair_tags
from isogloss.tasks.spans import first_jump

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
tag_lists = st.lists(
    st.lists(st.tuples(st.sampled_from(TAGS), st.sampled_from(TAGS)), min_size=1, max_size=8), min_size=1, max_size=5
)


def draw_labels(seed: int, labels: str = "ABCD", sentences: int = 30) -> tuple[list[list[str]], list[list[str]]]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 12, sentences)
    gold = [rng.choice(list(labels), size).tolist() for size in sizes]
    return gold, [[tag if rng.random() < 0.6 else str(rng.choice(list(labels))) for tag in row] for row in gold]


@pytest.mark.filterwarnings("ignore")  # seqeval warns of 0 / 0, which it calls 0
@given(tag_lists)
def test_span_scores_equal_seqeval_for_any_tags_valid_or_not(rows: list[list[tuple[str, str]]]) -> None:
    gold, predicted = [[a for a, _ in row] for row in rows], [[b for _, b in row] for row in rows]
    scores = SpanTally.count(gold, predicted).scores()
    assert scores["f1"] == pytest.approx(seqeval_f1(gold, predicted))
    assert scores["precision"] == pytest.approx(seqeval_precision(gold, predicted))
    assert scores["recall"] == pytest.approx(seqeval_recall(gold, predicted))


@pytest.mark.parametrize("labels", ["AB", "ABCD", "ABCDEFGH"])
def test_macro_and_micro_f1_equal_scikit_learn(labels: str) -> None:
    gold, predicted = draw_labels(len(labels), labels)
    flat, guessed = list(chain(*gold)), list(chain(*predicted))
    scores = LabelTally.count(gold, predicted).scores()
    assert scores["macro_f1"] == pytest.approx(sklearn_f1(flat, guessed, average="macro"))
    assert scores["micro_f1"] == pytest.approx(sklearn_f1(flat, guessed, average="micro"))
    assert scores["accuracy"] == pytest.approx(np.mean(np.array(flat) == np.array(guessed)))


def test_macro_f1_equals_scikit_learn_when_a_label_is_only_predicted() -> None:
    gold, predicted = [["A", "A", "B"]], [["A", "C", "B"]]
    expected = sklearn_f1(gold[0], predicted[0], average="macro", zero_division=0)
    assert LabelTally.count(gold, predicted).score("macro_f1") == pytest.approx(expected)


def test_f1_of_each_label_equals_scikit_learn() -> None:
    gold, predicted = draw_labels(7)
    expected = sklearn_f1(list(chain(*gold)), list(chain(*predicted)), average=None, labels=list("ABCD"))
    assert list(LabelTally.count(gold, predicted).by_label().values()) == pytest.approx(expected)


def test_tallies_of_parts_add_up_to_the_tally_of_the_whole() -> None:
    gold, predicted = draw_labels(1, "ABCD")
    more_gold, more_predicted = draw_labels(2, "CDEF")  # other labels: columns are matched by name
    added = LabelTally.count(gold, predicted) + LabelTally.count(more_gold, more_predicted)
    whole = LabelTally.count(gold + more_gold, predicted + more_predicted)
    assert added.scores() == whole.scores()
    assert np.array_equal(added.counts, whole.counts)


def test_repair_follows_the_rule_of_wu20() -> None:
    assert repair_tags(["O", "I-PER", "I-PER", "O"]) == ("O", "B-PER", "I-PER", "O")
    assert repair_tags(["B-PER", "I-LOC", "I-ORG"]) == ("B-ORG", "I-ORG", "I-ORG")
    assert repair_tags(["B-PER", "B-LOC", "I-LOC"]) == ("B-PER", "B-LOC", "I-LOC")


@given(st.lists(st.sampled_from(TAGS), max_size=10))
def test_repaired_tags_are_valid_and_valid_tags_need_no_repair(tags: list[str]) -> None:
    assert first_jump(repair_tags(tags)) is None
    if first_jump(tags) is None:
        assert repair_tags(tags) == tuple(tags)


def test_spans_have_type_and_borders() -> None:
    assert read_spans(["B-PER", "I-PER", "O", "B-LOC", "B-LOC"]) == [("PER", 0, 2), ("LOC", 3, 4), ("LOC", 4, 5)]


def test_a_tag_that_is_not_bio_is_refused_with_its_word() -> None:
    with pytest.raises(IsoglossError, match="word 2"):
        read_spans(["O", "PER"])


def make_tree(heads: list[int], relations: list[str]) -> Tree:
    blank = ("w",) * len(heads)
    return Tree(blank, blank, tuple(heads), tuple(relations), "en")


def conll18_scores(gold: list[Tree], system: list[Tree]) -> tuple[float, float]:
    """UAS and LAS as F1 over aligned words, as the shared task's script defines them (universal relations only)."""
    total = right_head = right_both = 0
    for a, b in zip(gold, system, strict=True):
        for i in range(len(a.words)):
            total += 1
            parents = a.heads[i] == b.heads[i]
            right_head += parents
            right_both += parents and a.relations[i].split(":")[0] == b.relations[i].split(":")[0]
    precision, recall = right_both / total, right_both / total
    return right_head / total, 2 * precision * recall / (precision + recall)


def test_las_and_uas_follow_the_conll_2018_rules() -> None:
    rng = np.random.default_rng(3)
    names = ["nsubj", "nsubj:pass", "obj", "punct", "obl:tmod"]

    def draw() -> list[Tree]:
        sizes = np.random.default_rng(0).integers(2, 9, 40)
        return [make_tree(rng.integers(0, 3, n).tolist(), rng.choice(names, n).tolist()) for n in sizes]

    gold, system = draw(), draw()
    scores = AttachmentTally.count(gold, system).scores()
    assert (scores["uas"], scores["las"]) == pytest.approx(conll18_scores(gold, system))


def test_subtypes_and_punctuation_count_as_asked() -> None:
    gold = [make_tree([2, 0, 2], ["nsubj:pass", "root", "punct"])]
    system = [make_tree([2, 0, 1], ["nsubj", "root", "punct"])]
    assert AttachmentTally.count(gold, system).scores() == {"las": 2 / 3, "uas": 2 / 3}
    assert AttachmentTally.count(gold, system, subtypes=True).scores() == {"las": 1 / 3, "uas": 2 / 3}


def test_intervals_are_over_sentences_and_cover_the_score() -> None:
    gold, predicted = draw_labels(5, sentences=60)
    tally = LabelTally.count(gold, predicted)
    estimate = tally.estimate("accuracy")
    assert estimate.n == 60
    assert estimate.low < estimate.value < estimate.high
    # sentences that are all alike leave no doubt, however many tokens they have
    sure = LabelTally.count([["A", "B"]] * 30, [["A", "A"]] * 30).estimate("accuracy")
    assert (sure.low, sure.value, sure.high) == (0.5, 0.5, 0.5)


def test_the_interval_has_the_width_theory_gives_it() -> None:
    rng = np.random.default_rng(0)
    gold = [["A"]] * 2000
    predicted = [["A"] if hit else ["B"] for hit in rng.random(2000) < 0.7]
    estimate = LabelTally.count(gold, predicted).estimate("accuracy")
    expected = 2 * 1.96 * np.sqrt(0.7 * 0.3 / 2000)
    assert estimate.high - estimate.low == pytest.approx(expected, rel=0.1)


def test_a_misspelt_measure_is_an_error_with_the_right_name() -> None:
    with pytest.raises(IsoglossError, match="macro_f1"):
        LabelTally.count([["A"]], [["A"]]).score("macrof1")


def test_different_lengths_are_refused() -> None:
    with pytest.raises(IsoglossError, match="lengths"):
        LabelTally.count([["A", "B"]], [["A"]])
    with pytest.raises(IsoglossError, match="lengths"):
        SpanTally.count([["O", "O"]], [["O"]])
