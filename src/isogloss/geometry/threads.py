"""Work side by side: one BLAS thread a piece of work scales better than many threads inside each small product."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from threadpoolctl import threadpool_info, threadpool_limits  # type: ignore[import-untyped]

Item = TypeVar("Item")
Result = TypeVar("Result")


def blas_threads() -> int:
    """The threads that matrix products may use now: OMP_NUM_THREADS and its like, or one per core."""
    return max((pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1)


def side_by_side(work: Callable[[Item], Result], items: Iterable[Item], threads: int | None = None) -> list[Result]:
    """``work`` on every item, in order, on as many threads as BLAS may use; each piece gets one of them."""
    count = threads or blas_threads()
    with threadpool_limits(limits=1, user_api="blas"):
        if count == 1:
            return [work(item) for item in items]
        with ThreadPoolExecutor(count) as pool:
            return list(pool.map(work, items))
