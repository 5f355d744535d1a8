"""What the machine has, and what a piece of work took of it."""

import time

import numpy as np

from isogloss.memory import available_memory, physical_memory, watch_memory


def test_this_machine_has_memory() -> None:
    assert (physical_memory() or 10**9) > 10**8


def test_no_more_is_free_than_there_is() -> None:
    assert 0 < (available_memory() or 1) <= (physical_memory() or 1)


def test_growth_is_what_was_held_meanwhile_even_if_it_is_given_back() -> None:
    with watch_memory(every=0.001) as growth:
        held = np.ones(256 * 2**20 // 8)
        time.sleep(0.05)
        del held
    assert 128 * 2**20 < growth.bytes < 512 * 2**20
