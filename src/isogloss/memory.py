"""How much memory this machine has, how much of it is free, and how much this process takes and keeps."""

import ctypes
import os
import resource
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

KEPT = {-1: 256 * 2**20, -2: 16 * 2**20, -3: 32 * 2**20}  # glibc's M_TRIM_THRESHOLD, M_TOP_PAD and M_MMAP_THRESHOLD


@cache
def keep_freed_memory() -> bool:
    """Let the C library keep up to 256 MB that were freed for what comes next; whether it does.

    A small model frees and takes the same megabytes at every step. Returning them to the system and getting them
    again, page by page, takes longer than filling them. What a user has set for the C library stays.
    """
    if not sys.platform.startswith("linux") or any(
        name.startswith(("MALLOC_", "GLIBC_TUNABLES")) for name in os.environ
    ):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt  # glibc's; other C libraries may have none
    except (AttributeError, OSError):
        return False
    return all(mallopt(option, size) for option, size in KEPT.items())


def physical_memory() -> int | None:
    """Bytes of this machine, or of the container that this process is confined to; None where nobody can tell."""
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return None
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(machine, _container_limit() or machine)


def available_memory() -> int | None:
    """Bytes that can be had now without swapping; None where nobody can tell."""
    try:
        with open("/proc/meminfo", encoding="ascii") as table:  # noqa: PTH123  (a kernel file, no path of ours)
            line = next((line for line in table if line.startswith("MemAvailable:")), "")
    except OSError:
        return None
    number = line.removeprefix("MemAvailable:").split()
    return int(number[0]) * 1024 if number else None


def _container_limit() -> int | None:
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as limit:  # noqa: PTH123  (a kernel file, no path of ours)
            text = limit.read().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


@dataclass
class Growth:
    """How much more memory this process held at its peak than when the watch began, in bytes."""

    bytes: int = 0


@contextmanager
def watch_memory(every: float = 0.005) -> Iterator[Growth]:
    """Watch how far the memory of this process grows: sampled where the system tells, its highest mark otherwise."""
    growth, before, done = Growth(), resident_memory(), threading.Event()

    def sample() -> None:
        while not done.wait(every):
            growth.bytes = max(growth.bytes, resident_memory() - before)

    watcher = threading.Thread(target=sample, daemon=True)
    watcher.start()
    try:
        yield growth
    finally:
        done.set()
        watcher.join()
        growth.bytes = max(growth.bytes, resident_memory() - before)


def resident_memory() -> int:
    """Bytes that this process holds now; the most it ever held where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as kernel:  # noqa: PTH123  (a kernel file, no path of ours)
            return int(kernel.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
