"""A bounded shelf of what several cells of one process have in common, so that it is made once.

Keys are the content that a value is made from, so a value found here is the one that would be made: no number changes.
"""

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

SENTENCES = 10_000  # per shelf: some tens of MB of short sentences

Value = TypeVar("Value")


class Shelf(Generic[Value]):
    """Values by key. Those that were used longest ago go first once all together are larger than ``room``.

    ``size`` measures a value; one that is larger than the room by itself is never kept.
    """

    def __init__(self, size: Callable[[Value], int], room: int = SENTENCES) -> None:
        self.size, self.room = size, room
        self._kept: dict[Hashable, Value] = {}  # the one used last stands at the end
        self._used = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def take(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of ``key``: as kept, or made now. Records that cannot be hashed are made every time."""
        try:
            hash(key)
        except TypeError:
            return make()
        with self._lock:
            if key in self._kept:
                value = self._kept[key] = self._kept.pop(key)
                return value
        value = make()
        with self._lock:
            if key not in self._kept and self.size(value) <= self.room:
                self._kept[key] = value
                self._used += self.size(value)
                self._make_room()
        return value

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self._used = 0

    def _make_room(self) -> None:
        while self._used > self.room:
            oldest = next(iter(self._kept))
            self._used -= self.size(self._kept.pop(oldest))


def is_plain(record: object) -> bool:
    """Whether a record's fields are all that it is: a dataclass itself, not only a child of one."""
    return "__dataclass_fields__" in vars(type(record))
