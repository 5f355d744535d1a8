"""Work that does not fit is refused before it begins."""

import time

import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.memory import physical_memory, require_memory, watch_memory


def test_more_memory_than_there_is_is_refused_with_the_amount(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.memory.physical_memory", lambda: 8 * 10**9)
    require_memory(7e9, "this", "take less")
    with pytest.raises(IsoglossError, match=r"this needs about 22.5 GB of memory, and this machine has 8.0 GB"):
        require_memory(22.5e9, "this", "take less")


def test_this_machine_has_memory() -> None:
    assert (physical_memory() or 10**9) > 10**8


def test_nobody_is_refused_where_nobody_can_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.memory.physical_memory", lambda: None)
    require_memory(1e18, "this", "take less")


def test_growth_is_what_was_held_meanwhile_even_if_it_is_given_back() -> None:
    with watch_memory(every=0.001) as growth:
        held = np.ones(40 * 2**20 // 8)
        time.sleep(0.05)
        del held
    assert 30 * 2**20 < growth.bytes < 200 * 2**20
