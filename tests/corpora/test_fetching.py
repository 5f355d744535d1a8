"""Fetching data, from this very machine: resumed transfers, checksums, archives that stay in their folder."""

import hashlib
import io
import json
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from isogloss.corpora import fetch, load_parallel
from isogloss.corpora.archives import extract
from isogloss.corpora.download import download
from isogloss.corpora.fetch import Archive, broken_files
from isogloss.errors import IsoglossError

CONTENT = bytes(range(256)) * 4000


class Server(ThreadingHTTPServer):
    """Serves ``files``; the next ``breaks`` answers stop halfway."""

    files: dict[str, bytes]
    breaks = 0
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
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if start >= len(content):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(content)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = content[start:]
        self.send_response(206 if wanted else 200)
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
        with pytest.raises(IsoglossError, match="bytes are kept; the same command goes on from there"):
            download(address(server), path)
        assert not path.exists()
    download(address(server), path, hashlib.sha256(CONTENT).hexdigest())
    assert path.read_bytes() == CONTENT
    assert server.asked == ["all", f"bytes={len(CONTENT) // 2}-", f"bytes={len(CONTENT) * 3 // 4}-"]


def test_a_part_that_is_already_whole_is_not_fetched_again(server: Server, tmp_path: Path) -> None:
    (tmp_path / "data.bin.part").write_bytes(CONTENT)
    download(address(server), tmp_path / "data.bin")
    assert (tmp_path / "data.bin").read_bytes() == CONTENT


def test_a_wrong_checksum_leaves_nothing(server: Server, tmp_path: Path) -> None:
    with pytest.raises(IsoglossError, match="is not the expected 0000"):
        download(address(server), tmp_path / "data.bin", "0" * 64)
    assert list(tmp_path.glob("data*")) == []


def test_an_absent_file_and_an_odd_address_are_refused(server: Server, tmp_path: Path) -> None:
    with pytest.raises(IsoglossError, match="404"):
        download(address(server, "/nothing"), tmp_path / "x")
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
    monkeypatch.setitem(
        fetch.ARCHIVES, "ntrex", Archive(address(server, "/ntrex.zip"), fetch.ARCHIVES["ntrex"].members)
    )
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
    import re

    wanted = {
        "ntrex": "NTREX-c9f/NTREX-128/newstest2019-ref.zho-CN.txt",
        "tatoeba": "LASER-fec/data/tatoeba/v1/tatoeba.deu-eng.deu",
        "dictionaries": "xling-eval-88f/bli_datasets/en-de/yacle.train.freq.5k.en-de.tsv",
        "wals": "wals-2020.3/cldf/values.csv",
    }
    for name, member in wanted.items():
        assert re.fullmatch(fetch.ARCHIVES[name].members, member), name
    assert not re.fullmatch(fetch.ARCHIVES["ntrex"].members, "NTREX-c9f/NTREX-128/newstest2019-ref-2.spa.txt")


@pytest.mark.parametrize(
    ("name", "what"),
    [("nothing", "unknown data set"), ("bible", "cannot be fetched by a program"), ("ud-foo", "which treebank")],
)
def test_what_cannot_be_fetched_says_where_to_put_it(name: str, what: str) -> None:
    with pytest.raises(IsoglossError, match=what):
        fetch.fetch(name)
