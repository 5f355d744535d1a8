"""What was read is remembered while its files stay as they are, and read again when one of them is edited."""

import os
import time
from pathlib import Path

import pytest

from isogloss.corpora.parallel_sentences import read_parallel
from isogloss.corpora.remembering import remember
from isogloss.corpora.text_by_language import read_texts
from isogloss.studies.choose.cells import read_sentences


def write(folder: Path, name: str, word: str, age: float = 10.0) -> None:
    """30 lines, as if written ``age`` seconds ago."""
    (folder / name).write_text("".join(f"{word} {number}\n" for number in range(30)))
    then = time.time() - age
    os.utime(folder / name, (then, then))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for code, word in (("de", "haus"), ("en", "house")):
        write(tmp_path, f"{code}.txt", word)
    return tmp_path


@pytest.mark.parametrize("read", [read_parallel, read_sentences, lambda *given: read_texts(*given).sentences])
def test_an_edited_file_is_read_again(folder: Path, read):
    first = read(str(folder), (), 100)
    assert read(str(folder), (), 100) is first or read is not read_parallel
    write(folder, "de.txt", "hund", age=5.0)
    texts = getattr(read(str(folder), (), 100), "texts", None) or read(str(folder), (), 100)
    assert texts["de"][0] == "hund 0"


def test_the_same_size_and_the_same_time_do_not_hide_an_edit(folder: Path):
    read_parallel(str(folder), (), 100)
    write(folder, "de.txt", "huns")
    before = (folder / "de.txt").stat()
    write(folder, "de.txt", "hunt")
    os.utime(folder / "de.txt", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert read_parallel(str(folder), (), 100).texts["de"][0] == "hunt 0"


def test_what_stays_is_read_once_and_what_is_fresh_each_time(folder: Path):
    calls = []

    @remember(4)
    def read(data: str, number: int) -> int:
        calls.append(data)
        return number

    names = f"{folder}/de.txt,{folder}/en.txt"
    assert [read(data, number) for data in (str(folder), names) for number in (1, 2, 1)] == [1, 2, 1] * 2
    assert len(calls) == 4
    write(folder, "en.txt", "new", age=0.0)
    assert [read(names, 1) for _ in range(3)] == [1, 1, 1]
    assert len(calls) == 7
    assert [read("lab:twins", 3) for _ in range(3)] == [3, 3, 3]
    assert len(calls) == 8
