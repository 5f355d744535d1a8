"""A fixed number of threads for a cell, whatever ran before it and beside it: another number rounds differently."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def cores() -> int:
    """The cores this process may use, which in a container can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def begin_with(threads: int) -> None:
    """In a new process, before torch and numpy are loaded: the number of threads that they start with."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(threads)))


@contextmanager
def fixed_threads(threads: int) -> Iterator[None]:
    """This many threads for libraries that are loaded and for those that will be; then what was before.

    Where a process began with that number, only torch's is set again, which cells may change.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    if all(os.environ.get(name) == str(threads) for name in THREAD_VARIABLES):
        _set_torch(threads)
        yield
        return
    before, torch_before = {name: os.environ.get(name) for name in THREAD_VARIABLES}, _torch_threads()
    begin_with(threads)
    _set_torch(threads)
    try:
        with threadpool_limits(threads):
            yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
        _set_torch(torch_before)


def _torch_threads() -> int:
    """What torch has now, or would have if it were loaded now."""
    if "torch" in sys.modules:
        return int(sys.modules["torch"].get_num_threads())
    return int(os.environ.get(THREAD_VARIABLES[0]) or cores())


def _set_torch(threads: int) -> None:
    if "torch" in sys.modules and sys.modules["torch"].get_num_threads() != threads:
        sys.modules["torch"].set_num_threads(threads)
