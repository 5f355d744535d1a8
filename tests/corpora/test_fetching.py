"""Fetching data, from this very machine: resumed transfers, checksums, archives that stay in their folder."""

import bz2
import gzip
import hashlib
import io
import json
import re
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from isogloss.corpora import archives, fetch, load_dictionary, load_parallel, load_tagged, load_text, load_vectors
from isogloss.corpora.archives import extract
from isogloss.corpora.catalog import CATALOG
from isogloss.corpora.contents import CONTENTS, contents_digest
from isogloss.corpora.download import download
from isogloss.corpora.download_sources import (
    ARCHIVES,
    FILES,
    MUSE_NAMES,
    TREEBANKS,
    Archive,
    Files,
    command_to_get,
    treebank_archive,
)
from isogloss.corpora.fetch import broken_files
from isogloss.errors import IsoglossError
from isogloss.languages import language

CONTENT = bytes(range(256)) * 4000


class Server(ThreadingHTTPServer):
    """Serves ``files``; the next ``breaks`` answers stop halfway."""

    files: dict[str, bytes]
    breaks = 0
    tags = True  # whether answers have an ETag
    shift = 0  # by which a resumed answer lies about where it starts
    asked: list[str]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        content = self.server.files.get(self.path)
        wanted = self.headers.get("Range")
        self.server.asked.append(wanted or "all")
        if content is None:
            self.send_error(404)
            return
        tag = f'"{hashlib.sha256(content).hexdigest()[:8]}"' if self.server.tags else ""
        if wanted and tag != self.headers.get("If-Range"):
            wanted = None
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if start >= len(content):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(content)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = content[start:]
        self.send_response(206 if wanted else 200)
        if wanted:
            first = start + self.server.shift
            self.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
        if tag:
            self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.server.breaks:
            self.server.breaks -= 1
            body = body[: len(body) // 2]
            self.close_connection = True
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(("127.0.0.1", 0), Handler)
    made.files, made.asked = {"/data.bin": CONTENT}, []
    thread = threading.Thread(target=made.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def address(server: Server, path: str = "/data.bin") -> str:
    return f"http://127.0.0.1:{server.server_port}{path}"


def test_a_file_is_fetched_and_its_checksum_returned(server: Server, tmp_path: Path) -> None:
    checksum = download(address(server), tmp_path / "new" / "data.bin")
    assert (tmp_path / "new" / "data.bin").read_bytes() == CONTENT
    assert checksum == hashlib.sha256(CONTENT).hexdigest()


def test_a_broken_transfer_goes_on_where_it_stopped(server: Server, tmp_path: Path) -> None:
    server.breaks = 2
    path = tmp_path / "data.bin"
    for _ in range(2):
        with pytest.raises(IsoglossError, match="bytes are kept; the same command resumes from there"):
            download(address(server), path)
        assert not path.exists()
    download(address(server), path, hashlib.sha256(CONTENT).hexdigest())
    assert path.read_bytes() == CONTENT
    assert server.asked == ["all", f"bytes={len(CONTENT) // 2}-", f"bytes={len(CONTENT) * 3 // 4}-"]


def broken_off(server: Server, path: Path) -> Path:
    """Half a file beside ``path``, as a broken transfer leaves it."""
    server.breaks = 1
    with pytest.raises(IsoglossError):
        download(address(server), path)
    server.asked.clear()
    return path.with_name(path.name + ".part")


def test_a_part_that_is_already_whole_is_not_fetched_again(server: Server, tmp_path: Path) -> None:
    broken_off(server, tmp_path / "data.bin").write_bytes(CONTENT)
    download(address(server), tmp_path / "data.bin")
    assert (tmp_path / "data.bin").read_bytes() == CONTENT
    assert server.asked == [f"bytes={len(CONTENT)}-"]


def test_two_versions_of_a_file_are_never_mixed(server: Server, tmp_path: Path) -> None:
    broken_off(server, tmp_path / "data.bin")
    server.files["/data.bin"] = CONTENT[::-1]
    download(address(server), tmp_path / "data.bin")
    assert (tmp_path / "data.bin").read_bytes() == CONTENT[::-1]
    assert [path.name for path in tmp_path.iterdir()] == ["data.bin"]


def test_without_a_version_from_the_server_a_transfer_begins_anew(server: Server, tmp_path: Path) -> None:
    server.tags = False
    broken_off(server, tmp_path / "data.bin")
    server.files["/data.bin"] = CONTENT[::-1]
    download(address(server), tmp_path / "data.bin")
    assert (tmp_path / "data.bin").read_bytes() == CONTENT[::-1] and server.asked == ["all"]


def test_a_part_longer_than_the_file_is_thrown_away(server: Server, tmp_path: Path) -> None:
    broken_off(server, tmp_path / "data.bin").write_bytes(CONTENT + b"more")
    download(address(server), tmp_path / "data.bin")
    assert (tmp_path / "data.bin").read_bytes() == CONTENT


def test_an_answer_that_starts_elsewhere_is_not_appended(server: Server, tmp_path: Path) -> None:
    broken_off(server, tmp_path / "data.bin")
    server.shift = 5
    with pytest.raises(IsoglossError, match="another part of the file"):
        download(address(server), tmp_path / "data.bin")
    download(address(server), tmp_path / "data.bin")
    assert (tmp_path / "data.bin").read_bytes() == CONTENT


def test_an_archive_that_changed_at_its_origin_is_not_taken(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = "NTREX-main/NTREX-128/newstest2019"
    server.files["/ntrex.zip"] = zipped(**{f"{root}-src.eng.txt": "one\n"})
    monkeypatch.setitem(ARCHIVES, "ntrex", Archive(address(server, "/ntrex.zip"), ARCHIVES["ntrex"].members))
    folder = fetch.fetch("ntrex", tmp_path)
    (folder / "newstest2019-src.eng.txt").unlink()
    server.files["/ntrex.zip"] = zipped(**{f"{root}-src.eng.txt": "another\n"})
    with pytest.raises(IsoglossError, match="is not the expected"):
        fetch.fetch("ntrex", tmp_path)


def test_an_archive_whose_files_are_not_the_published_ones_is_not_taken(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, members = "NTREX-main/NTREX-128/newstest2019", ARCHIVES["ntrex"].members
    (tmp_path / "one.txt").write_text("one\n")
    published = contents_digest({"newstest2019-src.eng.txt": tmp_path / "one.txt"})
    monkeypatch.setitem(ARCHIVES, "ntrex", Archive(address(server, "/ntrex.zip"), members, published))
    server.files["/ntrex.zip"] = zipped(**{f"{root}-src.eng.txt": "another\n"})
    with pytest.raises(IsoglossError, match="not those that were published"):
        fetch.fetch("ntrex", tmp_path / "data")
    assert list((tmp_path / "data").iterdir()) == []
    for other in ("README", "LICENSE"):  # packed in other bytes, and the same files
        server.files["/ntrex.zip"] = zipped(**{other: "x", f"{root}-src.eng.txt": "one\n"})
        folder = fetch.fetch("ntrex", tmp_path / other)
        assert (folder / "newstest2019-src.eng.txt").read_text() == "one\n"


def test_what_is_published_under_a_commit_or_release_is_pinned() -> None:
    assert all(ARCHIVES[name].contents for name in ("ntrex", "tatoeba", "dictionaries"))
    pinned = [name for name in TREEBANKS["pud"] if treebank_archive(f"UD_{name}-PUD").contents]
    assert set(TREEBANKS["pud"]) - set(pinned) == {"Japanese"}
    digests = list(CONTENTS.values())
    assert len(set(digests)) == len(digests) and all(len(one) == 64 for one in digests)


def test_an_archive_is_compared_with_what_came_first_even_into_another_folder(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isogloss_home: Path
) -> None:
    root = "NTREX-main/NTREX-128/newstest2019"
    server.files["/ntrex.zip"] = zipped(**{f"{root}-src.eng.txt": "one\n"})
    monkeypatch.setitem(ARCHIVES, "ntrex", Archive(address(server, "/ntrex.zip"), ARCHIVES["ntrex"].members))
    fetch.fetch("ntrex", tmp_path / "first")
    fetch.fetch("ntrex", tmp_path / "second")
    server.files["/ntrex.zip"] = zipped(**{f"{root}-src.eng.txt": "another\n"})
    with pytest.raises(IsoglossError, match="is not the expected") as caught:
        fetch.fetch("ntrex", tmp_path / "third")
    assert "origins.json" in str(caught.value)
    (isogloss_home / "origins.json").unlink()
    fetch.fetch("ntrex", tmp_path / "third")


def test_a_file_that_is_fetched_again_must_be_what_came_first(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [name.format(code="de") for name in MUSE_NAMES]
    serve_files(server, monkeypatch, "muse", dict.fromkeys(names, b"house haus\n"))
    folder = fetch.fetch("muse", tmp_path, ["de"])
    (folder / names[0]).write_text("damaged")
    fetch.fetch("muse", tmp_path, ["de"])
    assert (folder / names[0]).read_bytes() == b"house haus\n"
    (folder / names[0]).write_text("damaged")
    serve_files(server, monkeypatch, "muse", dict.fromkeys(names, b"house maus\n"))
    with pytest.raises(IsoglossError, match="changed at its source"):
        fetch.fetch("muse", tmp_path, ["de"])
    assert (folder / names[0]).read_text() == "damaged"


def test_a_wrong_checksum_leaves_nothing(server: Server, tmp_path: Path) -> None:
    with pytest.raises(IsoglossError, match="is not the expected 0000"):
        download(address(server), tmp_path / "data.bin", "0" * 64)
    assert list(tmp_path.glob("data*")) == []


def test_an_absent_file_and_an_odd_address_are_refused(server: Server, tmp_path: Path) -> None:
    with pytest.raises(IsoglossError, match="404") as caught:
        download(address(server, "/nothing"), tmp_path / "x")
    assert "no such file" in caught.value.remedy
    with pytest.raises(IsoglossError, match="only http and https"):
        download("file:///etc/hostname", tmp_path / "x")


def zipped(**members: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return packed.getvalue()


@pytest.mark.parametrize("name", ["../out.txt", "/abs.txt", "a/../../out.txt", "..\\out.txt", "C:/x", "."])
def test_no_member_is_written_outside_the_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.zip").write_bytes(zipped(**{name: "x"}))
    with pytest.raises(IsoglossError, match="outside the folder"):
        extract(tmp_path / "a.zip", tmp_path / "in")
    assert not (tmp_path / "out.txt").exists()


def test_a_member_that_is_larger_than_it_said_is_refused_as_it_comes(tmp_path: Path) -> None:
    with pytest.raises(IsoglossError, match="unpacks to more than"):
        archives._copy(io.BytesIO(bytes(100)), tmp_path / "member", room=99, archive=tmp_path / "set.zip")
    assert (tmp_path / "member").stat().st_size == 0
    assert archives._copy(io.BytesIO(bytes(99)), tmp_path / "member", room=99, archive=tmp_path / "set.zip") == 99


def test_links_in_an_archive_and_in_the_folder_are_not_followed(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc"
        archive.addfile(link)
        for name in ("link/x.txt", "good.txt"):
            member = tarfile.TarInfo(name)
            member.size = 2
            archive.addfile(member, io.BytesIO(b"ok"))
    extract(tmp_path / "a.tar.gz", tmp_path / "in")
    assert not (tmp_path / "in" / "link").is_symlink() and (tmp_path / "in" / "good.txt").read_text() == "ok"
    (tmp_path / "in" / "away").symlink_to(tmp_path)
    (tmp_path / "b.zip").write_bytes(zipped(**{"away/out.txt": "x"}))
    with pytest.raises(IsoglossError, match="outside the folder"):
        extract(tmp_path / "b.zip", tmp_path / "in")


def bomb(kind: str, size: int = 80 * 2**20) -> bytes:
    """``size`` zeros in a small archive."""
    packed = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("zeros.txt", bytes(size))
        return packed.getvalue()
    with tarfile.open(fileobj=packed, mode="w:gz") as opened:
        member = tarfile.TarInfo("zeros.txt")
        member.size = size
        opened.addfile(member, io.BytesIO(bytes(size)))
    return packed.getvalue()


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_bomb_is_refused_before_anything_is_written(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bomb").write_bytes(bomb(kind))
    monkeypatch.setattr("isogloss.corpora.archives._copy", lambda *_: pytest.fail("a member was written"))
    with pytest.raises(IsoglossError, match="times its size"):
        extract(tmp_path / "bomb", tmp_path / "in")
    assert [path.name for path in tmp_path.iterdir()] == ["bomb"]


def test_a_member_larger_than_the_archive_says_is_stopped_while_it_is_written(tmp_path: Path) -> None:
    content = bytearray(bomb("zip"))
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):
        place = content.index(mark) + (22 if mark.startswith(b"PK\x03") else 24)
        content[place : place + 4] = (5).to_bytes(4, "little")
    (tmp_path / "liar.zip").write_bytes(content)
    with pytest.raises(IsoglossError, match=r"broken archive|times its size"):
        extract(tmp_path / "liar.zip", tmp_path / "in")
    assert not (tmp_path / "in").exists()


def damaged_archives() -> dict[str, bytes]:
    """A flipped bit, a cut, a password: by what is wrong."""
    text = bytes(range(256)) * 64
    good = io.BytesIO()
    with tarfile.open(fileobj=good, mode="w:gz") as archive:
        for name in ("a.txt", "b.txt"):
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    tar = good.getvalue()
    stored = zipped(**{"a.txt": "hello"})
    flipped = bytearray(stored)
    flipped[stored.index(b"hello")] ^= 1
    secret = bytearray(stored)
    secret[stored.index(b"PK\x01\x02") + 8] |= 1
    plain = bytearray(gzip.decompress(tar))
    plain[plain.index(b"b.txt")] ^= 1
    return {
        "a zip's checksum": bytes(flipped),
        "a zip with a password": bytes(secret),
        "a member without a name": stored.replace(b"a.txt", b"\0.txt"),
        "a zip cut": stored[:40] + stored[-22:],
        "a tar.gz's checksum": tar[:-6] + bytes([tar[-6] ^ 1]) + tar[-5:],
        "a tar.gz cut": tar[:-10],
        "a tar's header": bytes(plain),
    }


@pytest.mark.parametrize("what", damaged_archives())
def test_a_damaged_archive_is_refused_and_leaves_nothing(tmp_path: Path, what: str) -> None:
    (tmp_path / "a.archive").write_bytes(damaged_archives()[what])
    with pytest.raises(IsoglossError, match=r"broken archive|neither a zip|is encrypted"):
        extract(tmp_path / "a.archive", tmp_path / "in")
    assert [path.name for path in tmp_path.iterdir()] == ["a.archive"]


def test_what_is_no_archive_or_a_broken_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"<html>not found</html>")
    with pytest.raises(IsoglossError, match="neither a zip nor a tar"):
        extract(tmp_path / "a.zip", tmp_path / "in")


def test_a_set_is_fetched_into_the_folder_that_its_loader_reads(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = "NTREX-main/NTREX-128/newstest2019"
    server.files["/ntrex.zip"] = zipped(
        **{f"{root}-src.eng.txt": "one\n", f"{root}-ref.deu.txt": "eins\n", "NTREX-main/README.md": "no"}
    )
    monkeypatch.setitem(ARCHIVES, "ntrex", Archive(address(server, "/ntrex.zip"), ARCHIVES["ntrex"].members))
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    folder = fetch.fetch("ntrex")
    assert load_parallel("ntrex").texts == {"de": ("eins",), "en": ("one",)}
    assert set(json.loads((folder / "isogloss.json").read_text())["sha256"]) == {
        "newstest2019-src.eng.txt",
        "newstest2019-ref.deu.txt",
    }
    fetch.fetch("ntrex")
    assert len(server.asked) == 1, "what is whole is not fetched again"
    (folder / "newstest2019-ref.deu.txt").write_text("zwei\n")
    assert broken_files(folder) == ["newstest2019-ref.deu.txt"]
    fetch.fetch("ntrex")
    assert not broken_files(folder) and len(server.asked) == 2


def test_addresses_of_the_catalog_choose_the_members_they_mean() -> None:
    wanted = {
        "ntrex": "NTREX-c9f/NTREX-128/newstest2019-ref.zho-CN.txt",
        "flores": "./flores200_dataset/devtest/deu_Latn.devtest",
        "tatoeba": "LASER-fec/data/tatoeba/v1/tatoeba.deu-eng.deu",
        "dictionaries": "xling-eval-88f/bli_datasets/en-de/yacle.train.freq.5k.en-de.tsv",
        "wals": "wals-2020.3/cldf/values.csv",
    }
    for name, member in wanted.items():
        assert re.fullmatch(ARCHIVES[name].members, member), name
    assert not re.fullmatch(ARCHIVES["ntrex"].members, "NTREX-c9f/NTREX-128/newstest2019-ref-2.spa.txt")


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("nothing", "unknown data set"),
        ("conll2003", "cannot be downloaded automatically"),
        ("bible", "one language at a time"),
        ("ud-foo", "which treebank"),
    ],
)
def test_what_cannot_be_fetched_says_where_to_put_it(name: str, what: str) -> None:
    with pytest.raises(IsoglossError, match=what):
        fetch.fetch(name)


def serve_files(server: Server, monkeypatch: pytest.MonkeyPatch, name: str, contents: dict[str, bytes]) -> None:
    """``contents`` by file name, in place of where the files of ``name`` are on the web."""
    files = FILES[name]
    addresses = {place: address(server, "/" + url.rpartition("/")[2]) for place, url in files.addresses.items()}
    monkeypatch.setitem(FILES, name, Files(addresses, files.become, files.without))
    server.files.update({f"/{file}": content for file, content in contents.items()})


def table_of(code: str, *sentences: str) -> bytes:
    return bz2.compress("".join(f"{n}\t{code}\t{text}\n" for n, text in enumerate(sentences)).encode())


def test_text_is_fetched_a_language_at_a_time_and_earlier_ones_stay(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    german, chinese = table_of("deu", "Eins.", " Zwei  davon. ", ""), table_of("cmn", "一。")
    contents = {"deu_sentences.tsv.bz2": german, "cmn_sentences.tsv.bz2": chinese}
    serve_files(server, monkeypatch, "tatoeba-text", contents)
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    fetch.fetch("tatoeba-text", languages=["deu"])
    folder = fetch.fetch("tatoeba-text", languages=["zh", "de"])
    assert len(server.asked) == 2, "German was there"
    assert {line.text for line in load_text("tatoeba-text")} == {"Eins.", "Zwei davon.", "一。"}
    assert sorted(path.name for path in folder.iterdir()) == ["de.txt", "isogloss.json", "zh.txt"]
    (folder / "de.txt").write_text("changed\n")
    fetch.fetch("tatoeba-text", languages=["de"])
    assert not broken_files(folder) and len(server.asked) == 3


def test_a_text_that_broke_off_goes_on_and_leaves_no_folder_behind(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    german = table_of("deu", *(f"Satz {n}." for n in range(500)))
    serve_files(server, monkeypatch, "tatoeba-text", {"deu_sentences.tsv.bz2": german})
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    server.breaks = 1
    with pytest.raises(IsoglossError, match="the same command resumes from there"):
        fetch.fetch("tatoeba-text", languages=["de"])
    with pytest.raises(IsoglossError, match="not on this machine"):
        load_text("tatoeba-text")
    with pytest.raises(IsoglossError, match="404"):
        fetch.fetch("tatoeba-text", languages=["de", "fr"])
    assert server.asked[1] == f"bytes={len(german) // 2}-"
    assert len(load_text("tatoeba-text").read()) == 500, "German came before French failed"
    fetch.fetch("tatoeba-text", languages=["de"])
    assert len(server.asked) == 3, "German is there and whole"


def bible_of(**verses: str) -> bytes:
    segments = (f'<seg id="b.{key.replace("_", ".")}" type="verse">\n {text} </seg>' for key, text in verses.items())
    return f"<cesDoc><text><body>{chr(10).join(segments)}</body></text></cesDoc>".encode()


def test_verses_of_bibles_are_brought_into_step(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = {
        "English.xml": bible_of(GEN_1_1="In &amp; out", GEN_1_2="two", GEN_1_10="ten", MAT_1_1="son"),
        "German.xml": bible_of(GEN_1_1="eins", GEN_1_10="zehn", MAT_1_1="Sohn"),
        "Czech.xml": bible_of(MAT_1_1="syn", MAT_1_2="Abraham"),
    }
    serve_files(server, monkeypatch, "bible", contents)
    fetch.fetch("bible", tmp_path, ["en", "de"])
    folder = fetch.fetch("bible", tmp_path, ["cs"])
    rows = {code: (folder / f"{code}.txt").read_text().split("\n")[:-1] for code in ("en", "de", "cs")}
    assert rows["en"] == ["In & out", "two", "ten", "son", ""]
    assert rows["de"] == ["eins", "", "zehn", "Sohn", ""]
    assert rows["cs"] == ["", "", "", "syn", "Abraham"]
    assert load_parallel(folder).texts == {"cs": ("syn",), "de": ("Sohn",), "en": ("son",)}
    assert sorted(load_text(folder, ["de"]).read(), key=str)[0].language == "de"


def test_dictionaries_and_vectors_are_kept_as_they_are(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = {name.format(code="de"): b"dog Hund\n" if name.startswith("en") else b"Hund dog\n" for name in MUSE_NAMES}
    serve_files(server, monkeypatch, "muse", named)
    folder = fetch.fetch("muse", tmp_path, ["en", "de"])
    assert [tuple(entry[:2]) for entry in load_dictionary(folder, "en", "de", part="test").entries] == [("dog", "Hund")]
    serve_files(server, monkeypatch, "fasttext", {"cc.de.300.vec.gz": gzip.compress(b"1 2\nHund 1 2\n")})
    assert load_vectors(fetch.fetch("fasttext", tmp_path, ["de"]) / "cc.de.300.vec.gz").words == ("Hund",)


def test_a_folder_of_ones_own_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "text" / "tatoeba").mkdir(parents=True)
    (tmp_path / "text" / "tatoeba" / "deu.txt").write_text("meins\n")
    with pytest.raises(IsoglossError, match="contains other files"):
        fetch.fetch("tatoeba-text", tmp_path, ["de"])


def test_every_remedy_that_names_a_command_names_one_that_fetches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    by_hand = {name for name in CATALOG if not command_to_get(name)}
    assert by_hand == {"conll2003", "alignments"}
    with pytest.raises(IsoglossError) as caught:
        load_parallel("flores")
    assert "isogloss data get flores" in caught.value.remedy
    for name in ("conll2003", "alignments"):
        with pytest.raises(IsoglossError, match="cannot be downloaded automatically"):
            fetch.fetch(name)
    with pytest.raises(IsoglossError) as caught:
        load_tagged("conll2003")
    assert "data get" not in caught.value.remedy


@pytest.mark.parametrize(("code", "there"), [("zh", "cmn"), ("de", "deu"), ("sr-Latn", "srp"), ("fa", "pes")])
def test_tatoeba_has_codes_of_its_own(code: str, there: str) -> None:
    (url,) = FILES["tatoeba-text"].of(language(code)).values()
    assert url.endswith(f"/{there}/{there}_sentences.tsv.bz2")
