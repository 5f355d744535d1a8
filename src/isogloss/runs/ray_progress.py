"""How far a cell is on another machine: a word now and then in a file beside the run's mark, in the shared store."""

import time
from contextlib import suppress
from pathlib import Path

import msgspec

TELL_SECONDS = 1.0  # between two words of a running cell
Told = tuple[str, str, float, float | None, str]  # machine, stage, done, total, note


class Teller:
    """Writes how far a cell is into a file that the run reads; a store is shared anyway."""

    def __init__(self, mark: Path, key: str, node: str) -> None:
        self._path, self._node, self._told = progress_folder(mark) / key, node, 0.0
        self._write("", 0.0, None, "")

    def __call__(self, stage: str, done: float, total: float | None, text: str) -> None:
        if time.monotonic() - self._told >= TELL_SECONDS:
            self._write(stage, done, total, text)

    def _write(self, stage: str, done: float, total: float | None, text: str) -> None:
        self._told = time.monotonic()
        with suppress(OSError):  # progress that cannot be shown is no reason to stop
            part = self._path.with_suffix(".part")
            part.write_bytes(msgspec.json.encode((self._node, stage, done, total, text)))
            part.replace(self._path)


def read_progress(mark: Path, key: str) -> Told | None:
    """What a running cell said last."""
    try:
        told: Told = msgspec.json.decode((progress_folder(mark) / key).read_bytes(), type=Told)
    except (OSError, msgspec.DecodeError):
        return None
    return told


def progress_folder(mark: Path) -> Path:
    """Where the cells of a run say how far they are."""
    return mark.with_suffix(".cells")
