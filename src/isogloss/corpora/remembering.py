"""Reading data once per process, as long as it stays as it was: an edited file is read again."""

from collections.abc import Callable, Iterator
from functools import lru_cache, update_wrapper
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from isogloss.corpora.catalog import locate
from isogloss.corpora.hub import is_hub
from isogloss.corpora.labdata import is_lab
from isogloss.corpora.own_text import several_files
from isogloss.digests import Version, is_fresh, version_of

Rest = ParamSpec("Rest")
Read = TypeVar("Read")
Versions = tuple[tuple[str, Version], ...]


def remember(
    most: int,
) -> Callable[[Callable[Concatenate[str, Rest], Read]], Callable[Concatenate[str, Rest], Read]]:
    """Keep what a function read of the data that is its first argument, up to ``most`` times, while no file of it
    changes. A file that was written this very second is read each time: its next version could bear the same time."""

    def wrap(read: Callable[Concatenate[str, Rest], Read]) -> Callable[Concatenate[str, Rest], Read]:
        def read_version(version: Versions, data: str, *rest: Rest.args, **named: Rest.kwargs) -> Read:
            return read(data, *rest, **named)

        kept: Callable[..., Read] = lru_cache(maxsize=most)(read_version)

        def remembering(data: str, /, *rest: Rest.args, **named: Rest.kwargs) -> Read:
            version = data_version(data)
            if any(is_fresh(file) for _, file in version):
                return read(data, *rest, **named)
            return kept(version, data, *rest, **named)

        update_wrapper(remembering, read)
        return remembering

    return wrap


def data_version(data: str) -> Versions:
    """Every file of a data set with its size and times; nothing for the lab and the hub, whose names say all."""
    if is_lab(data) or is_hub(data):
        return ()
    return tuple((str(path), version_of(path)) for path in _files_of(data))


def _files_of(data: str) -> Iterator[Path]:
    for place in several_files(data) or [locate(data).folder]:
        yield from (path for path in ([place] if place.is_file() else sorted(place.rglob("*"))) if path.is_file())
