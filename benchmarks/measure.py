"""Shared by the benchmarks: time two ways of doing the same work in turns, and print one JSON line a row."""

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path


def interleave(ours: Callable[[], object], peer: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Median seconds of ``ours`` and ``peer``, run in turns so that a noisy machine hurts both alike."""
    mine, theirs = [], []
    for _ in range(repeats):
        mine.append(seconds(ours))
        theirs.append(seconds(peer))
    return statistics.median(mine), statistics.median(theirs)


def seconds(work: Callable[[], object]) -> float:
    """Wall-clock seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def peak_megabytes() -> float:
    """The most memory this process held, of its own: what ``getrusage`` says includes its parent's before ``exec``."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) / 1024


def report_row(work: str, peer: str, ours_s: float, peer_s: float, target: float | None, n: int) -> None:
    """Print a row; ``ratio`` is peer time over ours, ``target`` the least ratio we promise, ``n`` the repeats."""
    row = {
        "work": work,
        "peer": peer,
        "ours_s": round(ours_s, 5),
        "peer_s": round(peer_s, 5),
        "ratio": round(peer_s / ours_s, 3),
        "target": target,
        "n": n,
    }
    print(json.dumps(row), flush=True)
