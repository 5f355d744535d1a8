"""What cells of one process share: found again by content, bounded, and without an effect on any number."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from isogloss.corpora.lab import Lab
from isogloss.digests import ChangedError
from isogloss.runs import Store
from isogloss.runs.work import do_job, job_of
from isogloss.shelf import Shelf, is_plain
from isogloss.tasks import Labels, get_task
from isogloss.tasks.tagging import PartsOfSpeech
from isogloss.transfer import FineTune, Settings, data, examples, find_data, screened
from isogloss.transfer.cells import Named
from isogloss.transfer.examples import Reader

SOURCE, TARGET = "qaa", "qab"
SHELVES = (data._READ, examples._LAID_OUT, screened._SCREENED)


@pytest.fixture(autouse=True)
def empty_shelves() -> None:
    for shelf in SHELVES:
        shelf.clear()


def test_a_shelf_never_holds_more_than_its_room_and_drops_what_was_used_longest_ago() -> None:
    made: list[str] = []

    def make(word: str) -> str:
        made.append(word)
        return word

    shelf: Shelf[str] = Shelf(size=len, room=10)
    for word in ("four", "four", "five5", "four", "six666"):
        shelf.take(word, lambda word=word: make(word))
    assert made == ["four", "five5", "six666"]
    shelf.take("four", lambda: make("four"))
    shelf.take("five5", lambda: make("five5"))
    assert made == ["four", "five5", "six666", "five5"]  # 'five5' had to go, 'four' was used later
    shelf.take("longer than ten", lambda: make("longer than ten"))
    assert len(shelf) == 2


def test_what_cannot_be_hashed_is_made_every_time() -> None:
    shelf: Shelf[list[int]] = Shelf(size=len)
    assert shelf.take(([],), lambda: [1]) == [1]
    assert shelf.take(([],), lambda: [2]) == [2]


def test_a_task_with_state_that_its_fields_do_not_tell_is_not_plain() -> None:
    class Odd(PartsOfSpeech):
        """Not a dataclass itself: equal to every other one."""

    @dataclass(frozen=True)
    class Own(PartsOfSpeech):
        extra: int = 0

    assert is_plain(get_task("pos")) and is_plain(Own())
    assert not is_plain(Odd())


def test_examples_are_shared_by_content_only(lab: Lab, tokenizer: Any) -> None:
    pos, records = get_task("pos"), list(map(get_task("pos").accept, lab.trees(SOURCE, 20)))
    labels = Labels.learn((label for record in records for label in pos.labels_of(record)), "labels")
    reader = Reader(tokenizer, 64)
    first = reader.read(pos, records, labels)
    assert Reader(tokenizer, 64).read(pos, list(records), labels) is first
    others = [
        Reader(tokenizer, 32).read(pos, records, labels),
        Reader(tokenizer, 64, "cut").read(pos, records, labels),
        reader.read(pos, records, Labels(labels.names[:-1])),
        reader.read(pos, records[:-1], labels),
    ]
    assert all(other is not first for other in others)


def test_a_file_that_changed_is_refused_although_its_records_are_known(tmp_path: Path, lab: Lab) -> None:
    file = tmp_path / f"train.{SOURCE}.tsv"
    file.write_text("".join(f"a{n}\tb{n}\t{n % 2}\n" for n in range(4)))
    part = find_data(str(tmp_path), "paraphrase", SOURCE, "train")
    assert len(part.read()) == 4
    file.write_text("".join(f"a{n}\tb{n}\t{n % 2}\n" for n in range(5)))
    with pytest.raises(ChangedError):
        part.read()


@pytest.mark.parametrize("task", ["pos", "parsing", "nli"])
def test_a_cell_gives_the_same_record_and_files_with_full_shelves_as_with_empty_ones(
    task: str, model_folder: str, tmp_path: Path
) -> None:
    def part(language: str, name: str) -> Any:
        return find_data("lab:twins", task, language, name, 40)

    settings = Settings(epochs=1, batch=8, encoder_rate=1e-3, threads=1)
    cell = FineTune(
        model=Named(model_folder), task=task, settings=settings, train=(part(SOURCE, "train"),),
        validation=(part(SOURCE, "dev"),), tests=(part(SOURCE, "test"), part(TARGET, "test")), keep_predictions=True,
    )  # fmt: skip
    other = replace(cell, settings=replace(settings, seed=1))
    found = []
    for name, first in (("cold", cell), ("warm", other)):  # the second time the shelves are full
        store = Store(tmp_path / name)
        for one in (first, cell):
            assert do_job(job_of(one, "test"), store) is None
        files = {path.name: path.read_bytes() for path in store.folder(cell).rglob("*") if path.is_file()}
        found.append((store.get(cell), files))
        if name == "cold":
            kept = [len(shelf) for shelf in SHELVES]
    assert found[0] == found[1]
    assert found[0][1] and all(kept)
    assert [len(shelf) for shelf in SHELVES] == kept  # nothing was read again
