"""Trouble with the disk is told as what it is, whichever library met it."""

import errno
import subprocess
import sys

import pytest

from isogloss.errors import explain_os_error

# A quota of 4 kB a file stands for a disk that fills up in the middle of a checkpoint.
FULL_DISK = """
import resource, signal, sys, torch
from safetensors.torch import save_file
from isogloss.errors import explain_os_error
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    save_file({"x": torch.zeros(100_000)}, sys.argv[1])
except Exception as error:
    print(type(error).__name__, "|", explain_os_error(error))
"""


def test_a_full_disk_in_the_middle_of_a_checkpoint_is_a_message(tmp_path):
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path / "x.safetensors")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "free some space, then run the same command again" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS])
def test_an_error_of_the_system_is_known_by_its_number_in_any_librarys_words(number: int):
    told = explain_os_error(RuntimeError(f"Error while serializing: I/O error: oh no (os error {number})"))
    assert told is not None and told.remedy


@pytest.mark.parametrize("error", [ValueError("no"), OSError("no number"), RuntimeError("os error"), OSError(5, "I/O")])
def test_other_errors_stay_what_they_are(error: Exception):
    assert explain_os_error(error) is None


def test_a_name_that_is_too_long_is_cut_in_the_message():
    told = explain_os_error(OSError(errno.ENAMETOOLONG, "File name too long", "a" * 5000))
    assert told is not None and len(str(told)) < 400
