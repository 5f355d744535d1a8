"""Labels, heads, records and their checks."""

import conllu
import numpy as np
import pytest
import torch

from isogloss.corpora import Pair, TaggedSentence, Tree
from isogloss.errors import IsoglossError
from isogloss.tasks import TASKS, Labels, Parsing, get_task, screen
from isogloss.tasks.biaffine import BiaffineParser
from isogloss.tasks.heads import IGNORED, Classifier

TREE = Tree(
    ("zu", "dem", "Haus", "."),
    ("ADP", "DET", "NOUN", "PUNCT"),
    (3, 3, 0, 3),
    ("case", "det", "root", "punct"),
    "de",
    id="s1",
    spans=((1, 2, "zum"),),
)
TAGGED = TaggedSentence(("Ada", "sings"), ("B-PER", "O"), "en")
PAIR = Pair("It rains.", "It is wet.", "entailment", "en")
RECORDS = {"pos": TREE, "ner": TAGGED, "parsing": TREE, "nli": PAIR, "paraphrase": PAIR}


@pytest.mark.parametrize("name", TASKS)
def test_gold_targets_decode_to_the_record_itself_and_score_one(name: str) -> None:
    task = get_task(name)
    record = task.accept(RECORDS[name])
    labels = Labels(tuple(sorted({*task.labels_of(record), "other"})))
    answer = task.answer(record, task.targets(record, labels), labels)
    assert answer == record
    assert task.tally([record], [answer]).score(task.measure) == 1.0


@pytest.mark.parametrize("name", TASKS)
def test_every_head_learns_to_overfit_one_batch(name: str) -> None:
    task = get_task(name)
    torch.manual_seed(0)
    record = task.accept(RECORDS[name])
    labels = Labels(tuple(sorted({*task.labels_of(record), "other"})))
    targets = torch.from_numpy(task.targets(record, labels))[None]
    states, mask = torch.randn(1, targets.shape[1], 16), torch.ones(1, targets.shape[1], dtype=torch.bool)
    head = task.make_head(16, labels, dropout=0.0)
    optimiser = torch.optim.Adam(head.parameters(), lr=0.02)
    for _ in range(60):
        optimiser.zero_grad()
        head.loss(head(states, mask), targets).backward()
        optimiser.step()
    assert task.answer(record, head.decode(head(states, mask), mask)[0], labels) == record


def test_padding_changes_neither_the_parser_s_loss_nor_its_trees() -> None:
    torch.manual_seed(0)
    head = BiaffineParser(8, relations=5, root=2, dropout=0.0).eval()
    torch.nn.init.normal_(head.arc)
    torch.nn.init.normal_(head.relation)
    states = torch.randn(2, 6, 8)
    targets = torch.randint(0, 4, (2, 6, 2))
    mask = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
    targets[1, 4:] = IGNORED
    alone = head(states[1:, :4], mask[1:, :4])
    both = head(torch.where(mask[..., None], states, 1e4), mask)
    assert torch.allclose(both.arcs[1, :4, :5], alone.arcs[0], atol=1e-5)
    assert head.decode(both, mask)[1].tolist() == head.decode(alone, mask[1:, :4])[0].tolist()
    single = torch.full_like(targets, IGNORED)
    single[1] = targets[1]
    assert head.loss(both, single).item() == pytest.approx(head.loss(alone, targets[1:, :4]).item(), rel=1e-5)


def test_only_the_root_has_the_root_relation() -> None:
    torch.manual_seed(1)
    head = BiaffineParser(8, relations=5, root=2, dropout=0.0).eval()
    torch.nn.init.normal_(head.arc)
    torch.nn.init.normal_(head.relation)
    for tree in head.decode(head(torch.randn(8, 7, 8), torch.ones(8, 7, dtype=torch.bool)), torch.ones(8, 7).bool()):
        assert (tree[:, 0] == 0).sum() == 1
        assert ((tree[:, 0] == 0) == (tree[:, 1] == 2)).all()


def test_a_classifier_s_weights_start_with_the_spread_asked_for() -> None:
    torch.manual_seed(0)
    assert Classifier(400, 100, spread=0.3).out.weight.std().item() == pytest.approx(0.3, rel=0.05)


def test_a_loss_over_ignored_targets_only_is_zero_and_has_a_gradient() -> None:
    head = Classifier(4, 3)
    loss = head.loss(head(torch.randn(1, 2, 4), torch.ones(1, 2).bool()), torch.full((1, 2, 1), IGNORED))
    loss.backward()
    assert loss.item() == 0 and head.out.weight.grad is not None


def test_a_label_that_training_lacks_has_no_target() -> None:
    labels = Labels(("A", "B"))
    assert labels.encode(["B", "Z", "A"]).tolist() == [1, IGNORED, 0]


def test_placeholders_and_single_labels_cannot_be_learnt() -> None:
    with pytest.raises(IsoglossError, match="placeholder '-1'"):
        Labels.learn(["0", "-1", "1"], "pairs")
    with pytest.raises(IsoglossError, match="nothing can be learnt"):
        Labels.learn(["neutral"] * 5, "pairs")


BAD = [
    ("pos", TaggedSentence(("a",), ("NOUN", "VERB"), "en"), "1 words but 2 tags"),
    ("pos", TaggedSentence(("a",), ("_",), "en"), "placeholder"),
    ("pos", TaggedSentence(("a",), ("NNP",), "en"), "'NNP', which the training part lacks"),
    ("ner", TaggedSentence(("a", "b"), ("O", "I-PER"), "en"), "word 2 continues no entity"),
    ("ner", TaggedSentence(("a",), ("B-MISC",), "en"), "type the training part lacks"),
    ("parsing", Tree(("a", "b"), ("X", "X"), (0, 0), ("root", "root"), "en"), "2 roots"),
    ("parsing", Tree(("a", "b", "c"), ("X",) * 3, (2, 1, 0), ("x", "x", "root"), "en"), "cycle"),
    ("parsing", Tree(("a",), ("X",), (7,), ("root",), "en"), "head 7"),
    ("nli", Pair("a", "b", "-1", "en"), "placeholder"),
    ("nli", Pair("a", " ", "neutral", "en"), "empty text"),
    ("nli", Pair("a", "b", "maybe", "en"), "'maybe', which the training part lacks"),
]
TRAINED = {
    "pos": ("NOUN", "VERB"),
    "ner": ("B-PER", "I-PER", "O"),
    "parsing": ("nsubj", "root"),
    "nli": ("entailment", "neutral"),
}


@pytest.mark.parametrize(("name", "record", "message"), BAD)
def test_bad_records_are_errors_that_say_where_or_are_skipped_and_counted(
    name: str, record: object, message: str
) -> None:
    task, labels = get_task(name), Labels(TRAINED[name])
    good = task.answer(RECORDS[name], np.zeros((4, 2), dtype=np.int64), labels) if name == "nli" else RECORDS[name]
    with pytest.raises(IsoglossError, match=message) as caught:
        screen(task, [good, record], labels, what="en test")
    assert caught.value.where == "en test, record 2"
    screened = screen(task, [good, record], labels, what="en test", on_error="skip")
    assert len(screened.records) == 1 and screened.skipped.total() == 1


def test_a_tag_of_ud_that_training_lacks_is_the_model_s_error_not_the_data_s() -> None:
    record = TaggedSentence(("a", "b"), ("INTJ", "NOUN"), "en")
    assert screen(get_task("pos"), [record], Labels(("NOUN", "VERB")), what="en test").records == [record]


def test_hidden_labels_and_missing_data_are_refused() -> None:
    with pytest.raises(IsoglossError, match="all 60 labels are 'neutral'"):
        screen(get_task("nli"), [Pair("a", "b", "neutral", "sw")] * 60, what="sw test")
    with pytest.raises(IsoglossError, match="no data"):
        screen(get_task("nli"), [], what="sw test")


def test_predictions_are_valid_files_of_their_format() -> None:
    parsed = conllu.parse(get_task("parsing").write([TREE, TREE]))
    assert len(parsed) == 2 and parsed[0].metadata["sent_id"] == "s1"
    assert parsed[0][0]["id"] == (1, "-", 2) and parsed[0][0]["form"] == "zum"
    assert [token["head"] for token in parsed[0] if isinstance(token["id"], int)] == list(TREE.heads)
    pos = get_task("pos")
    tags = [token["upos"] for token in conllu.parse(pos.write([pos.accept(TREE)]))[0]]
    assert tags == list(TREE.upos)
    assert get_task("ner").write([TAGGED]) == "Ada\tB-PER\nsings\tO\n\n"
    assert get_task("nli").write([PAIR]) == "It rains.\tIt is wet.\tentailment\n"


def test_subtypes_are_kept_or_stripped_as_asked() -> None:
    tree = Tree(("a", "b"), ("X", "X"), (2, 0), ("nsubj:pass", "root"), "en")
    assert Parsing().labels_of(tree) == ["nsubj", "root"]
    assert Parsing(subtypes=True).labels_of(tree) == ("nsubj:pass", "root")


def test_a_misspelt_task_is_an_error_with_the_right_name() -> None:
    with pytest.raises(IsoglossError, match="did you mean 'parsing'"):
        get_task("parse")
