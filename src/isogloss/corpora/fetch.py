"""``isogloss data get``: fetch a data set of the catalog into a folder that the loaders read."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isogloss import places
from isogloss.corpora.archives import extract
from isogloss.corpora.catalog import CATALOG, PAIRS, entry_of
from isogloss.corpora.convert import write_sentences, write_verses
from isogloss.corpora.corpus import Corpus
from isogloss.corpora.download import download, file_hash
from isogloss.corpora.download_sources import (
    ARCHIVES,
    FILES,
    HUB_SETS,
    TREEBANKS,
    Archive,
    Files,
    HubName,
    treebank_archive,
)
from isogloss.corpora.hub import folder_instead, hub_sources
from isogloss.corpora.origins import known_digest, note_digest
from isogloss.corpora.records import Pair, TaggedSentence
from isogloss.errors import IsoglossError, unknown_name
from isogloss.files import whole_file, write_whole
from isogloss.languages import language
from isogloss.progress import track

MANIFEST = "isogloss.json"


def fetch(name: str, out: Path | None = None, languages: Sequence[str] | None = None) -> Path:
    """Fetch a data set and return its folder. What was fetched before and is whole is not fetched again."""
    known = entry_of(name)
    if known is None:
        raise unknown_name("data set", name, [*CATALOG, *(f"ud-{treebank}" for treebank in TREEBANKS)])
    entry, treebank = known
    root = out or places.data_folder() or places.home() / "data"
    if entry.name == "ud":
        return _fetch_treebanks(root / entry.folders[0], treebank)
    if entry.name in HUB_SETS:
        only = ["en"] if entry.name == "mnli" else languages
        return _fetch_from_hub(HUB_SETS[entry.name], root / entry.folders[0], only)
    if entry.name in ARCHIVES:
        return _fetch_archive(ARCHIVES[entry.name], root / entry.folders[0])
    if entry.name in FILES:
        return _fetch_files(name, FILES[entry.name], root / entry.folders[0], languages)
    raise IsoglossError(f"'{name}' cannot be downloaded automatically", remedy=folder_instead(entry))


def _fetch_treebanks(folder: Path, treebank: str) -> Path:
    if treebank not in TREEBANKS:
        listed = ", ".join(f"ud-{name}" for name in TREEBANKS)
        raise IsoglossError(
            f"which treebank of Universal Dependencies? '{treebank}' is not one to fetch",
            remedy=f"one of {listed}; others by hand: {folder_instead(CATALOG['ud'])}",
        )
    for named in track(TREEBANKS[treebank], f"ud-{treebank}"):
        name = f"UD_{named}-{treebank.upper()}"
        _fetch_archive(treebank_archive(name), folder / name)
    return folder


def _fetch_archive(archive: Archive, folder: Path) -> Path:
    if _is_whole(folder, archive.url):
        return folder
    packed = folder.with_name(f".{folder.name}{Path(archive.url).suffix}")
    checksum = download(archive.url, packed, None if archive.contents else _pinned(folder, archive.url))
    note_digest(archive.url, checksum)
    pattern = re.compile(archive.members)

    def place(name: str) -> str | None:
        return match[1] if (match := pattern.fullmatch(name)) else None

    try:
        written = extract(packed, folder, place, archive.contents)
    finally:
        packed.unlink(missing_ok=True)
    _write_manifest(folder, archive.url, checksum, written)
    return folder


def _fetch_files(name: str, files: Files, folder: Path, languages: Sequence[str] | None) -> Path:
    """A language at a time; those of earlier calls stay, and verses of all of them are brought into step again."""
    codes = [
        code for code in dict.fromkeys(language(code).base for code in languages or ()) if code not in files.without
    ]
    if not codes:
        but = f" other than {', '.join(files.without)}" if files.without else ""
        raise IsoglossError(f"'{name}' is downloaded one language at a time", remedy=f"name some{but}: --langs de,fr")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MANIFEST).is_file():
        raise IsoglossError("contains other files", where=folder, remedy="download to another folder: --out FOLDER")
    hashes, origin = read_manifest(folder).get("sha256", {}), " ".join(files.addresses.values())
    for code in codes:
        for place, url in files.of(language(code)).items():
            if place not in hashes or _differs(folder / place, hashes[place]):
                whole = _fetch_file(url, folder.with_name(f".{folder.name}") / place, files)
                hashes[place] = _same_as_before(whole, hashes.get(place), url, folder)
                write_whole(folder / MANIFEST, _manifest(origin, "", hashes))  # first: a file without it is the user's
                whole.replace(folder / place)
    if files.become == "verses":
        sources = {place.split(".")[1]: folder / place for place in hashes if place.endswith(".xml")}
        hashes |= {path.name: file_hash(path) for path in write_verses(sources, folder)}
        write_whole(folder / MANIFEST, _manifest(origin, "", hashes))
    return folder


def _same_as_before(whole: Path, before: str | None, url: str, folder: Path) -> str:
    """The digest of a file that was fetched; if it was fetched before, it must be what came then."""
    found = file_hash(whole)
    if before not in {None, found}:
        whole.unlink()
        raise IsoglossError(
            f"the file has changed at its source (checksum {found}, {before} when it was first fetched)",
            where=url,
            remedy=f"inspect it before you trust it; to accept it, delete the folder {folder} and fetch the set again",
        )
    return found


def _fetch_file(url: str, path: Path, files: Files) -> Path:
    """The whole file, beside the set's folder: what is broken off stays there and is gone on with."""
    if files.become != "sentences":
        download(url, path)
        return path
    table = path.with_name(url.rpartition("/")[2])
    download(url, table)
    try:
        write_sentences(table, path)
    finally:
        table.unlink()
    return path


def _fetch_from_hub(name: HubName, folder: Path, languages: Sequence[str] | None) -> Path:
    """Write every configuration and split as a file of its own; those already there are kept."""
    kind, streams = hub_sources(name, languages)
    corpus: Corpus[Any] = Corpus(str(name), kind, tuple(streams))
    written = []
    for stream in track(streams, str(name)):
        path = folder / f"{stream.part}-{stream.language}.tsv"
        if not path.exists():
            with whole_file(path) as part, part.open("w", encoding="utf-8", newline="\n") as out:
                line = _pair_line if kind == PAIRS else _tagged_block
                out.writelines(line(record) for record in corpus.stream(stream.language, stream.part))
        written.append(path)
    _write_manifest(folder, str(name), name.revision or "", written)
    return folder


def _pair_line(pair: Pair) -> str:
    columns = (pair.first, pair.second, pair.label)
    return "\t".join(" ".join(column.split()) for column in columns) + "\n"


def _tagged_block(sentence: TaggedSentence) -> str:
    rows = zip(sentence.words, sentence.tags, strict=True)
    return "".join(f"{word}\t{tag}\n" for word, tag in rows if word.strip()) + "\n"


def _write_manifest(folder: Path, origin: str, version: str, files: Sequence[Path]) -> None:
    hashes = {path.resolve().relative_to(folder.resolve()).as_posix(): file_hash(path) for path in files}
    write_whole(folder / MANIFEST, _manifest(origin, version, hashes))


def _manifest(origin: str, version: str, hashes: dict[str, str]) -> str:
    return json.dumps({"origin": origin, "version": version, "sha256": hashes}, indent=1, ensure_ascii=False) + "\n"


def _pinned(folder: Path, origin: str) -> str | None:
    """The checksum of the archive that this folder was first unpacked from, or that came from there into another
    folder: what came once must come again."""
    manifest = read_manifest(folder)
    here = manifest.get("origin") == origin and manifest.get("version")
    return str(manifest["version"]) if here else known_digest(origin)


def _is_whole(folder: Path, origin: str) -> bool:
    return (folder / MANIFEST).is_file() and read_manifest(folder).get("origin") == origin and not broken_files(folder)


def read_manifest(folder: Path) -> dict[str, Any]:
    """What ``data get`` wrote down about a folder; empty where it wrote nothing."""
    path = folder / MANIFEST
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise IsoglossError(
            f"not readable ({error})", where=path, remedy="delete it and fetch the set again"
        ) from error
    good = isinstance(content, dict) and isinstance(content.get("sha256", {}), dict)
    return content if good else {}


def broken_files(folder: Path) -> list[str]:
    """Files that are missing or changed since they were fetched."""
    hashes = read_manifest(folder).get("sha256", {})
    return [name for name, expected in hashes.items() if _differs(folder / name, expected)]


def _differs(path: Path, expected: str) -> bool:
    return not path.is_file() or file_hash(path) != expected
