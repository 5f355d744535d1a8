"""Bad input by the thousand: good files and texts, damaged at random but reproducibly."""

import random
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from isogloss.errors import IsoglossError

# What has broken readers before: numbers that are none, texts that are not text, structure in the wrong place.
_TEXTS = (
    "", "0", "-1", "+2", "1_0", "²", "٣", "1e999", "nan", "inf", "-0", "00", "9" * 30, "9" * 5000, "None", "null",
    "true", "\0", "\t", "\n", "\r", "\r\n", "\n\n", " ", "\u2028", "\ufeff", "\ud800", "\x1b[2J", "e\u0301", "'", '"',
    ",", ":", "-", "[", "]", "{", "}", "[" * 60, '{"a":' * 60, "&a [*a]", "*a", "!!int abc", "!!python/x",
    "2001-99-99", "../../etc/passwd", "<script>", "=1+1", "B-", "I-", "O", "_", "#", "|||", "1-1", "0-0", "1p1", "3-4",
    "8.1", "a" * 300, "x" * 70_000,
)  # fmt: skip
_BYTES = (b"\xff\xfe", b"\x80", b"\xc3", b"\x00\x00", b"PK\x03\x04", b"\x1f\x8b\x08")
NASTY = [*(text.encode("utf-8", "surrogatepass") for text in _TEXTS), *_BYTES]
SLOW = 5.0  # seconds that no single input may take, on a machine that does other things too


@dataclass
class Tally:
    """How many inputs were tried, by what became of them; what must not happen is kept with its traceback."""

    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def line(self) -> str:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(self.outcomes.items()))
        return f"{sum(self.outcomes.values()):,} inputs: {kinds}"


def mutate(good: bytes, rng: random.Random) -> bytes:
    """``good`` with one to three damages."""
    data = bytearray(good)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        place = rng.randrange(len(data) + 1)
        size = min(rng.choice((1, 1, 2, 5, 20)), len(data) - place)
        what = rng.randrange(9)
        if what == 0 and data:
            data[place % len(data)] ^= 1 << rng.randrange(8)
        elif what == 1:
            del data[place : place + size]
        elif what == 2:
            data[place:place] = rng.choice(NASTY)
        elif what in (3, 4):
            start, stop = _field_around(data, place)
            data[start:stop] = rng.choice(NASTY)
        elif what == 5:
            data[place:place] = data[place : place + size] * rng.choice((1, 3))
        elif what == 6:
            data = data[:place]
        elif what == 7:
            data = _move_line(data, rng)
        else:
            data[place : place + size] = rng.randbytes(size)
    return bytes(data)


def _field_around(data: bytearray, place: int) -> tuple[int, int]:
    """The piece between separators that ``place`` lies in."""
    separators = b"\t\n ,:"
    start = stop = place
    while start > 0 and data[start - 1] not in separators:
        start -= 1
    while stop < len(data) and data[stop] not in separators:
        stop += 1
    return start, stop


def _move_line(data: bytearray, rng: random.Random) -> bytearray:
    """Lines swapped, doubled or dropped."""
    lines = bytes(data).split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(3)
    if kind == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif kind == 1:
        lines.insert(other, lines[one])
    else:
        del lines[one]
    return bytearray(b"\n".join(lines))


def try_inputs(inputs: Iterable[bytes], read: Callable[[bytes], object], tally: Tally) -> None:
    """Read each input: it may be read, or refused by an IsoglossError; anything else is a fault."""
    for content in inputs:
        start = time.perf_counter()
        try:
            read(content)
            outcome = "read"
        except IsoglossError:
            outcome = "refused"
        except Exception:  # noqa: BLE001  (that is what is looked for)
            outcome = "faults"
            tally.faults.append(f"{content[:300]!r}\n{traceback.format_exc()[-900:]}")
        if time.perf_counter() - start > SLOW:
            outcome = "too slow"
            tally.faults.append(f"{time.perf_counter() - start:.1f} s for {content[:300]!r}")
        tally.outcomes[outcome] += 1
