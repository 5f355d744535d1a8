"""Shards of text files: together they are the text, each is named by its content, and a changed one is refused."""

import bz2
import gzip
import lzma
from pathlib import Path

import pytest

from isogloss.corpora import load_text
from isogloss.corpora.shards import Shard, cut_text
from isogloss.digests import ChangedError
from isogloss.errors import IsoglossError

PACKED = {"": lambda data: data, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def text_of(number: int, name: str = "Satz") -> bytes:
    """Numbered sentences with blank lines, both kinds of line end, a byte order mark, and no end of the last line."""
    lines = [
        f"{name} {n} äöü\u2028x" + ("\r\n" if n % 3 else "\n") + ("  \n" if n % 5 == 0 else "") for n in range(number)
    ]
    return ("\ufeff" + "".join(lines)).encode().rstrip()


def read_all(shards: tuple[Shard, ...]) -> list[str]:
    return [line for shard in shards for line in shard.read()]


@pytest.mark.parametrize("ending", PACKED)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_shards_together_are_the_text(tmp_path: Path, ending: str, size: int):
    for code, number in (("de", 53), ("en", 20)):
        (tmp_path / f"{code}.txt{ending}").write_bytes(PACKED[ending](text_of(number)))
    shards = cut_text(str(tmp_path), None, size, 40)
    assert set(shards) == {"de", "en"}
    for code, parts in shards.items():
        assert read_all(parts) == [sentence.text for sentence in load_text(tmp_path, [code], limit=40).read(code)]
        assert [part.sentences for part in parts[:-1]] == [size] * (len(parts) - 1)


def test_zstandard_is_read_in_shards_too(tmp_path: Path):
    zstandard = pytest.importorskip("zstandard")
    (tmp_path / "de.txt.zst").write_bytes(zstandard.ZstdCompressor().compress(text_of(53)))
    (parts,) = cut_text(str(tmp_path), ["de"], 7, 10**6).values()
    assert read_all(parts) == [sentence.text for sentence in load_text(tmp_path, ["de"]).read("de")]


def test_a_language_may_have_many_files(tmp_path: Path):
    (tmp_path / "de").mkdir()
    for number in range(3):
        (tmp_path / "de" / f"part-{number}").write_bytes(text_of(10, f"Datei {number}, Satz"))
    (parts,) = cut_text(str(tmp_path), ["de"], 4, 25).values()
    assert [part.sentences for part in parts] == [4, 4, 2, 4, 4, 2, 4, 1]
    assert read_all(parts) == [sentence.text for sentence in load_text(tmp_path, ["de"], limit=25).read("de")]


def test_titles_of_wikiextractor_stay_with_their_documents(tmp_path: Path):
    (tmp_path / "de").mkdir()
    document = '<doc id="{0}" url="x" title="Titel {0}">\nTitel {0}\n\nEin Satz {0}.\n</doc>\n'
    (tmp_path / "de" / "wiki_00").write_text("".join(map(document.format, range(9))))
    (parts,) = cut_text(str(tmp_path), ["de"], 2, 10**6).values()
    assert read_all(parts) == [f"Ein Satz {number}." for number in range(9)]


def test_a_file_that_grows_or_moves_keeps_the_names_of_its_shards(tmp_path: Path):
    from isogloss.studies.shared.shard_moments import ShardMoments

    def names(folder: Path) -> list[str]:
        from isogloss.runs import key_of

        return [key_of(ShardMoments(shard=shard)) for shard in cut_text(str(folder), ["de"], 10, 10**6)["de"]]

    first, second = tmp_path / "a", tmp_path / "b"
    first.mkdir()
    (first / "de.txt").write_bytes(text_of(35) + b"\n")
    before = names(first)
    first.rename(second)
    assert names(second) == before
    with (second / "de.txt").open("ab") as file:
        file.write(text_of(20))
    after = names(second)
    assert after[:3] == before[:3]
    assert len(after) == 6
    assert after[3] != before[3]


@pytest.mark.parametrize("change", [b"Sotz", b"Satzz"])
def test_a_shard_that_changed_after_planning_is_refused(tmp_path: Path, change: bytes):
    path = tmp_path / "de.txt"
    path.write_bytes(text_of(30))
    (parts,) = cut_text(str(tmp_path), ["de"], 10, 10**6).values()
    content = path.read_bytes()
    path.write_bytes(content.replace(b"Satz 15", change + b" 15"))
    assert len(list(parts[0].read())) == 10
    with pytest.raises(ChangedError, match=r"de\.txt:"):
        list(parts[1].read())


def test_what_is_not_text_is_named_with_its_line(tmp_path: Path):
    (tmp_path / "de.txt").write_bytes(text_of(12) + b"\nschlecht \xff\n")
    (parts,) = cut_text(str(tmp_path), ["de"], 5, 10**6).values()
    with pytest.raises(IsoglossError, match="UTF-8") as error:
        read_all(parts)
    assert str(error.value.where).endswith("de.txt:16")


def test_a_cut_archive_is_named(tmp_path: Path):
    (tmp_path / "de.txt.gz").write_bytes(gzip.compress(text_of(5000))[:-20])
    with pytest.raises(IsoglossError, match="broken archive"):
        cut_text(str(tmp_path), ["de"], 10, 10**6)


@pytest.mark.parametrize("data", ["lab", "table.csv"])
def test_what_is_no_text_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: str):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text("de,en\n" + "a,b\n" * 30)
    with pytest.raises(IsoglossError, match="plain text files") as error:
        cut_text(data, None, 10, 100)
    assert "--shard" in str(error.value)
