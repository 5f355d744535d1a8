"""How much memory this machine has, and whether a piece of work fits before it begins."""

import os

from isogloss.errors import IsoglossError


def physical_memory() -> int | None:
    """Bytes of this machine, or of the container that this process is confined to; None where nobody can tell."""
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return None
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(machine, _container_limit() or machine)


def _container_limit() -> int | None:
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as limit:  # noqa: PTH123  (a kernel file, no path of ours)
            text = limit.read().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def require_memory(need: float, what: str, remedy: str) -> None:
    """Refuse work that needs more memory than there is, before it begins."""
    there = physical_memory()
    if there is not None and need > there:
        raise IsoglossError(
            f"{what} needs about {need / 1e9:,.1f} GB of memory, and this machine has {there / 1e9:,.1f} GB",
            remedy=remedy,
        )
