"""Several fine-tunings of one encoder are said to be that."""

import pytest

from isogloss.studies import ablate, forget, fuse, inspect, preserve, transfer
from isogloss.studies.shared.seeds_note import seeds_note


@pytest.mark.parametrize("kind", [ablate.Config, forget.Config, fuse.Config, preserve.Config, transfer.Config])
def test_every_study_that_fine_tunes_has_what_the_note_reads(kind: type) -> None:
    assert {"seeds", "vary_pretraining"} <= kind.__dataclass_fields__.keys()


def test_seeds_of_one_encoder_say_nothing_of_others() -> None:
    (note,) = seeds_note(ablate.Config("lab:twins", seeds=(0, 1, 2)))
    assert note.text.startswith("Note: the 3 seeds fine-tune the same pretrained encoder.")


def test_seeds_with_an_encoder_each_say_so() -> None:
    (note,) = seeds_note(ablate.Config("lab:twins", seeds=(0, 1), vary_pretraining=True))
    assert note.text == "Note: each of the 2 seeds has its own pretrained encoder."


def test_one_seed_and_studies_that_do_not_fine_tune_need_no_note() -> None:
    assert not list(seeds_note(ablate.Config("lab:twins", seeds=(0,))))
    assert not list(seeds_note(inspect.Config(("lab:twins",))))
