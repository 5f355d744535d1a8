"""The ceiling of the lab's pair tasks: two sentences decide their label, so a perfect reader would score 100."""

from collections import defaultdict

import pytest

from isogloss.corpora.lab import Lab, preset


@pytest.mark.parametrize(("task", "repeated"), [("nli", 200), ("paraphrases", 10)])
def test_pairs_that_come_up_again_have_the_same_label(task: str, repeated: int) -> None:
    pairs = getattr(Lab(preset("families")), task)("qaa", 40_000, "train")
    labels = defaultdict(list)
    for pair in pairs:
        labels[pair.first, pair.second].append(pair.label)
    again = [found for found in labels.values() if len(found) > 1]
    assert len(again) >= repeated
    assert all(len(set(found)) == 1 for found in again)
