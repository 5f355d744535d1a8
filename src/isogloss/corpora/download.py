"""Fetching a file: progress, going on where it stopped, and a checksum."""

import hashlib
import urllib.error
import urllib.request
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

from isogloss import __version__
from isogloss.errors import IsoglossError
from isogloss.files import make_folder
from isogloss.progress import Task

CHUNK = 1 << 18
TIMEOUT = 60.0  # seconds without a byte


def download(url: str, path: Path, sha256: str | None = None) -> str:
    """Fetch ``url`` to ``path`` and return its SHA-256; a broken transfer is kept as ``.part`` and gone on with."""
    if urlsplit(url).scheme not in {"http", "https"}:
        raise IsoglossError("only http and https addresses are fetched", where=url)
    make_folder(path.parent)
    part = path.with_name(path.name + ".part")
    try:
        _transfer(url, part)
    except (urllib.error.URLError, HTTPException, OSError) as error:
        raise IsoglossError(f"could not be fetched ({error})", where=url, remedy=_remedy(error, part)) from error
    found = file_hash(part)
    if sha256 is not None and found != sha256:
        part.unlink()
        raise IsoglossError(f"checksum {found} is not the expected {sha256}", where=url, remedy="fetch it again")
    part.replace(path)
    return found


def _remedy(error: Exception, part: Path) -> str:
    if isinstance(error, urllib.error.HTTPError) and error.code == 404:
        return (
            "there is no such file there: is the language one of the set's? isogloss data list says where it comes from"
        )
    kept = f"{part.stat().st_size:,} bytes are kept; " if part.exists() else ""
    return f"{kept}the same command goes on from there"


def file_hash(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _transfer(url: str, part: Path) -> None:
    have = part.stat().st_size if part.exists() else 0
    headers = {"User-Agent": f"isogloss/{__version__}"} | ({"Range": f"bytes={have}-"} if have else {})
    try:
        response: HTTPResponse = urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        # 416: there is nothing after what we have, so it is whole.
        if error.code == 416 and error.headers.get("Content-Range") == f"bytes */{have}":
            return
        raise
    with response:
        resumed = response.status == 206
        length = response.headers.get("Content-Length")
        total = int(length) + (have if resumed else 0) if length else None
        with part.open("ab" if resumed else "wb") as out, Task(url.rpartition("/")[2], total) as progress:
            progress.skip(have if resumed else 0)
            while chunk := response.read(CHUNK):
                out.write(chunk)
                progress.advance(len(chunk))
    if total is not None and part.stat().st_size != total:
        raise HTTPException(f"{part.stat().st_size:,} of {total:,} bytes came")
