"""Fetching a file: progress, resuming where it stopped, and a checksum."""

import hashlib
import re
import urllib.error
import urllib.request
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

from isogloss import __version__, places
from isogloss.errors import IsoglossError
from isogloss.files import make_folder, write_whole
from isogloss.progress import Task

CHUNK = 1 << 18
TIMEOUT = 60.0  # seconds without a byte


def download(url: str, path: Path, sha256: str | None = None) -> str:
    """Fetch ``url`` to ``path`` and return its SHA-256; a broken transfer is kept as ``.part`` and resumed.

    It is resumed only while the server says that the file is still the same one (by its ETag or date).
    """
    _check_address(url)
    make_folder(path.parent)
    part = path.with_name(path.name + ".part")
    try:
        _transfer(url, part)
    except (urllib.error.URLError, HTTPException, OSError, ValueError) as error:
        raise IsoglossError(f"could not be downloaded ({error})", where=url, remedy=_remedy(error, part)) from error
    found = file_hash(part)
    if sha256 is not None and found != sha256:
        _forget(part)
        raise IsoglossError(
            f"checksum {found} is not the expected {sha256}",
            where=url,
            remedy="download it again; if this persists, the file has changed at its source: inspect it before you "
            f"trust it (to take it, delete its line in {places.home() / 'origins.json'} and the folder it was "
            "unpacked to)",
        )
    part.replace(path)
    _forget(part)
    return found


def _check_address(url: str) -> None:
    if urlsplit(url).scheme not in {"http", "https"}:
        raise IsoglossError(
            "only http and https addresses can be downloaded",
            where=url,
            remedy="give an address that starts with https:// or http://",
        )


class _OnlyWeb(urllib.request.HTTPRedirectHandler):
    """Follows redirects to the web only, and never from https down to http."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):  # type: ignore[no-untyped-def]
        _check_address(newurl)
        if req.full_url.startswith("https:") and not newurl.startswith("https:"):
            raise IsoglossError(
                "redirected from https to http", where=newurl, remedy="fetch the file by hand if you trust its origin"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _remedy(error: Exception, part: Path) -> str:
    if isinstance(error, urllib.error.HTTPError) and error.code == 404:
        return (
            "there is no such file there: is the language one of the set's? isogloss data list says where it comes from"
        )
    kept = f"{part.stat().st_size:,} bytes are kept; " if part.exists() else ""
    return f"{kept}the same command resumes from there"


def file_hash(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _transfer(url: str, part: Path) -> None:
    """Fetch what is missing of ``part``; all of it where the file has changed since, or the server cannot tell."""
    version = _version_file(part)
    have = part.stat().st_size if part.exists() and version.exists() else 0
    headers = {"User-Agent": f"isogloss/{__version__}"}
    if have:
        headers |= {"Range": f"bytes={have}-", "If-Range": version.read_text(encoding="latin-1")}
    try:
        asked = urllib.request.Request(url, headers=headers)  # noqa: S310  (download has checked the address)
        response: HTTPResponse = _opener().open(asked, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code != 416 or not have:
            raise
        if error.headers.get("Content-Range") == f"bytes */{have}":
            return  # there is nothing after what we have, so it is whole
        _forget(part)  # longer than the file: not a part of it
        _transfer(url, part)
        return
    with response:
        resumed = response.status == 206 and _starts_at(response, have)
        if response.status == 206 and not resumed:
            _forget(part)
            raise HTTPException("the server sent another part of the file than was asked for")
        _remember(version, response)
        _write(response, part, url, have if resumed else 0)


def _write(response: HTTPResponse, part: Path, url: str, have: int) -> None:
    length = response.headers.get("Content-Length")
    total = int(length) + have if length else None
    with part.open("ab" if have else "wb") as out, Task(url.rpartition("/")[2], total) as progress:
        progress.skip(have)
        while chunk := response.read(CHUNK):
            out.write(chunk)
            progress.advance(len(chunk))
    if total is not None and part.stat().st_size != total:
        raise HTTPException(f"{part.stat().st_size:,} of {total:,} bytes came")


def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_OnlyWeb)


def _starts_at(response: HTTPResponse, have: int) -> bool:
    match = re.match(r"bytes ([0-9]{1,18})-", response.headers.get("Content-Range", ""))
    return match is not None and int(match[1]) == have


def _version_file(part: Path) -> Path:
    """Beside a part: which version of the file it is of, in the server's words."""
    return part.with_name(part.name + ".version")


def _remember(version: Path, response: HTTPResponse) -> None:
    """Keep the ETag, or the date; a weak ETag does not promise the same bytes. Without either nothing is resumed."""
    tag = response.headers.get("ETag", "")
    known = tag if tag.startswith('"') else response.headers.get("Last-Modified", "")
    if known:
        write_whole(version, known)
    else:
        version.unlink(missing_ok=True)


def _forget(part: Path) -> None:
    part.unlink(missing_ok=True)
    _version_file(part).unlink(missing_ok=True)
