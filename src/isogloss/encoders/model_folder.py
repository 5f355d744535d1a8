"""The files of a model folder: what they hold, how large they are, and that they stay as a run was planned with."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from isogloss.digests import require_revision, steady, whole_digest
from isogloss.encoders.model_content import content_of
from isogloss.encoders.names import ModelName

LANGUAGES = "languages"  # where a model whose languages share little keeps a folder per language
_DECIDING = {".json", ".safetensors", ".txt", ".model", ".bin", ".spm"}
_WEIGHTS = {".safetensors", ".bin"}
LARGE = 100 * 2**20  # bytes of weights


def hash_folder(folder: Path) -> str:
    """A hash of everything a model folder holds that decides what the model does."""
    digest = hashlib.sha256()
    for path in model_files(folder):
        digest.update(path.name.encode())
        digest.update(bytes.fromhex(whole_digest(path)))
    return digest.hexdigest()[:16]


def revision_of(named: ModelName) -> str:
    """What names a model on this machine: a hash of its folder or file, and for a pipeline or an adapter also a hash
    of the files around the weights and the settings that change what is read. A bare encoder has the first alone."""
    place = Path(named.path).expanduser()
    whole = hash_folder(place) if place.is_dir() else whole_digest(place)[:16]
    told = replace(ModelName(""), prompt=named.prompt, pooling=named.pooling, dim=named.dim, attention=named.attention)
    return "-".join(part for part in (whole, content_of(named), str(told).removeprefix("?")) if part)


def model_files(folder: Path) -> list[Path]:
    """The files that decide what a model does, in a fixed order."""
    found = (*sorted(folder.iterdir()), *sorted((folder / LANGUAGES).glob("*/*")))
    return [path for path in found if path.suffix in _DECIDING and path.is_file()]


def is_large_model(name: str) -> bool:
    """Whether more than one thread pays for a model: a folder with large matrices, or any Hugging Face model."""
    return weight_bytes(name) >= LARGE if _folder_of(name) else bool(name)


def weight_bytes(name: str) -> int:
    """The size of a model's weights on disk; 0 for a Hugging Face model, which may not be on this machine yet."""
    folder = _folder_of(name)
    found = model_files(folder) if folder else ()
    return sum(path.stat().st_size for path in found if path.suffix in _WEIGHTS)


@contextmanager
def unchanged_model(model: Any) -> Iterator[None]:
    """Open a model inside this block: a folder (``name``) that does not hold what ``revision`` says is refused.

    A Hugging Face model is named by a revision that the hub keeps, and a cell's folder is checked by the store.
    """
    folder = _folder_of(getattr(model, "name", ""))
    if folder is None or not getattr(model, "revision", ""):
        yield
        return
    files = model_files(folder)
    with steady(files):
        try:
            yield
        finally:  # whatever a changed file makes of opening it, that it changed is what to say
            require_revision(revision_of(ModelName.parse(model.name)), model.revision, folder)


def _folder_of(name: object) -> Path | None:
    """The folder that a name, perhaps with settings after it, stands for; None for a Hugging Face model."""
    folder = Path(ModelName.parse(name).path).expanduser() if isinstance(name, str) and name else None
    return folder if folder is not None and folder.is_dir() else None
