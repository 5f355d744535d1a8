"""Token ids on disk: 32-bit and memory-mapped, so that a corpus larger than memory trains like a small one."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from isogloss.digests import digest_file, read_sealed_json, sealed_json
from isogloss.errors import IsoglossError
from isogloss.files import whole_file, write_whole
from isogloss.pretrain.word_ids import SentenceEncoder, in_chunks

Ids = npt.NDArray[np.uint32]
CHUNK = 10_000  # sentences encoded at a time
COUNTED = 1 << 24  # ids counted at a time


@dataclass(frozen=True)
class Stream:
    """A language's text as ids, a separator after every sentence; ``starts`` has one offset more than sentences."""

    ids: Ids
    starts: npt.NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def lengths(self) -> npt.NDArray[np.int64]:
        """Tokens of each sentence, separator not counted."""
        offsets: npt.NDArray[np.int64] = self.starts.astype(np.int64)
        return offsets[1:] - offsets[:-1] - 1

    def counts(self, size: int) -> npt.NDArray[np.int64]:
        """How often each of ``size`` ids occurs, without holding the text in memory."""
        total = np.zeros(size, dtype=np.int64)
        for first in range(0, len(self.ids), COUNTED):
            total += np.bincount(self.ids[first : first + COUNTED], minlength=size)
        return total

    def sentence(self, number: int) -> Ids:
        """The ids of one sentence, without its separator."""
        return self.ids[int(self.starts[number]) : int(self.starts[number + 1]) - 1]


def write_stream(path: Path, sentences: Iterable[str], tokeniser: Tokenizer, separator: int) -> Stream:
    """Encode sentences into ``path``.ids and ``path``.starts, each whole or not at all; their digests come last."""
    lengths: list[npt.NDArray[np.int64]] = []
    encoder = SentenceEncoder(tokeniser)
    with whole_file(_ids_path(path)) as part, part.open("wb") as out:
        for chunk in in_chunks(iter(sentences), CHUNK):
            ids, sizes = encoder.encode(chunk)
            sizes = sizes[sizes > 0]  # empty: invisible characters only
            out.write(np.insert(ids, np.cumsum(sizes), separator).astype("<u4").tobytes())
            lengths.append(sizes + 1)
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), *lengths]).cumsum().astype("<u8")
    with whole_file(_starts_path(path)) as part, part.open("wb") as out:
        out.write(offsets.tobytes())
    write_whole(_digests_path(path), sealed_json(_digests(path)))
    return open_stream(path)


def open_stream(path: Path) -> Stream:
    """Map what ``write_stream`` wrote; nothing is read until it is used."""
    if _ids_path(path).stat().st_size == 0:
        raise IsoglossError("this text has no tokens", where=path.name, remedy="check the text")
    return Stream(
        np.memmap(_ids_path(path), dtype="<u4", mode="r"), np.memmap(_starts_path(path), dtype="<u8", mode="r")
    )


def is_written(path: Path) -> bool:
    """Whether a stream was written whole at ``path``."""
    return _digests_path(path).exists()


def is_damaged(path: Path) -> bool:
    """Whether a stream that was written at ``path`` is no longer as it was written."""
    held = read_sealed_json(_digests_path(path))
    there = _ids_path(path).is_file() and _starts_path(path).is_file()
    return held is None or not there or held != _digests(path)


def _digests(path: Path) -> dict[str, str]:
    return {"ids": digest_file(_ids_path(path)), "starts": digest_file(_starts_path(path))}


def _ids_path(path: Path) -> Path:
    return path.with_name(path.name + ".ids")


def _starts_path(path: Path) -> Path:
    return path.with_name(path.name + ".starts")


def _digests_path(path: Path) -> Path:
    return path.with_name(path.name + ".digests")
