"""Batches by token budget, and tokenising one window of text while the model reads another."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from isogloss.encoders.levels import Piece

Item = TypeVar("Item")
Ready = TypeVar("Ready")


def cut_batches(pieces: Sequence[Piece], budget: int, *, packed: bool = False) -> Iterator[list[Piece]]:
    """Batches of pieces of like length, longest first, at most ``budget`` tokens each with their padding.

    A batch ends early where lengths change and it is at least half full: padding is then nearly nil. ``packed`` pieces
    have no padding, and a batch ends only where it is full.
    """
    if packed:
        ordered = sorted(pieces, key=lambda piece: -len(piece.ids))
        yield from (batch for _, batch in chunks(ordered, lambda piece: len(piece.ids), budget, len(ordered)))
        return
    batch: list[Piece] = []
    longest = 0
    for piece in sorted(pieces, key=lambda piece: -len(piece.ids)):
        full = longest * (len(batch) + 1) > budget
        changes = len(piece.ids) != longest and 2 * longest * len(batch) >= budget
        if batch and (full or changes):
            yield batch
            batch = []
        if not batch:
            longest = len(piece.ids)
        batch.append(piece)
    if batch:
        yield batch


def chunks(
    items: Iterable[Item], rows_of: Callable[[Item], int], most_rows: int, most_items: int
) -> Iterator[tuple[int, list[Item]]]:
    """Lists of items that follow each other, each with the number of its first item; bounded by rows and by items."""
    chunk: list[Item] = []
    start = rows = 0
    for number, item in enumerate(items):
        more = rows_of(item)
        if chunk and (rows + more > most_rows or len(chunk) == most_items):
            yield start, chunk
            chunk, start, rows = [], number, 0
        chunk.append(item)
        rows += more
    if chunk:
        yield start, chunk


def prepared_ahead(chunks: Iterator[Item], prepare: Callable[[Item], Ready]) -> Iterator[Ready]:
    """``map(prepare, chunks)``, the next one made in a thread while the caller works on the present one."""

    def make() -> tuple[Ready] | None:
        chunk = next(chunks, None)
        return None if chunk is None else (prepare(chunk),)

    with ThreadPoolExecutor(1, thread_name_prefix="isogloss-tokenise") as pool:
        pending = pool.submit(make)
        while (made := pending.result()) is not None:
            pending = pool.submit(make)
            yield made[0]
