"""What the machine has, and what a piece of work took of it."""

import os
import platform
import subprocess
import sys
import time

import numpy as np
import pytest

from isogloss.memory import available_memory, keep_freed_memory, physical_memory, watch_memory


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


def test_what_a_user_has_set_for_the_c_library_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("MALLOC_", "GLIBC_TUNABLES"))]:
        monkeypatch.delenv(name)
    set_up = keep_freed_memory.__wrapped__
    assert set_up() is (sys.platform.startswith("linux") and platform.libc_ver()[0] == "glibc")
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "1000")
    assert not set_up()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_freed_megabytes_are_taken_again_without_asking_the_system() -> None:
    code = (
        "import resource, sys, numpy as np\n"
        "from isogloss.memory import keep_freed_memory\n"
        "if sys.argv[1] == 'kept': keep_freed_memory()\n"
        "def work():\n"
        "    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
        "    for size in range(200): np.ones(200_000 + 500 * size) + np.ones(200_000 + 500 * size)\n"
        "    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before\n"
        "work()\n"
        "print(work())\n"
    )
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_TUNABLES"))}
    faults = {
        kind: int(subprocess.run([sys.executable, "-c", code, kind], capture_output=True, check=True, env=plain).stdout)
        for kind in ("kept", "left")
    }
    assert faults["kept"] < faults["left"] / 10
