"""Entity types that the training part lacks: an error in the data, or, where asked, gold entities that are missed."""

import pytest

from isogloss.corpora.records import TaggedSentence
from isogloss.errors import IsoglossError
from isogloss.tasks import Labels, get_task, screen

LABELS = Labels(("B-PER", "I-PER", "O"))
GOLD = TaggedSentence(("Ann", "saw", "Cup", "Final"), ("B-PER", "O", "B-MISC", "I-MISC"), "en", "1")


def test_an_unseen_type_is_refused_unless_it_is_to_be_counted() -> None:
    with pytest.raises(IsoglossError, match="whose type the training part lacks"):
        screen(get_task("ner"), [GOLD], LABELS, what="test part")
    kept = screen(get_task("ner", unseen="count"), [GOLD], LABELS, what="test part")
    assert kept.records == [GOLD]


def test_entities_of_an_unseen_type_count_as_missed() -> None:
    task = get_task("ner", unseen="count")
    predicted = TaggedSentence(GOLD.words, ("B-PER", "O", "O", "O"), "en", "1")
    scores = task.tally([GOLD], [predicted]).scores()
    assert scores["precision"] == 1 and scores["recall"] == 0.5
