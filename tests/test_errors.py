"""Trouble with the disk is told as what it is, whichever library met it."""

import ast
import errno
import subprocess
import sys
from pathlib import Path

import pytest

import isogloss
from isogloss.errors import IsoglossError, explain_os_error
from isogloss.files import write_whole

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


def test_a_folder_in_the_place_of_a_file_is_named(tmp_path: Path):
    with pytest.raises(IsoglossError, match=f"{tmp_path.name}: this is a folder"):
        write_whole(tmp_path, "text")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [ValueError("no"), OSError("no number"), RuntimeError("os error"), OSError(5, "I/O")])
def test_other_errors_stay_what_they_are(error: Exception):
    assert explain_os_error(error) is None


def test_a_name_that_is_too_long_is_cut_in_the_message():
    told = explain_os_error(OSError(errno.ENAMETOOLONG, "File name too long", "a" * 5000))
    assert told is not None and len(str(told)) < 400


ARRAYS = {"geometry", "probes", "tasks"}  # take arrays from Python: what is wrong says what to do


def test_every_complaint_about_a_users_input_has_a_hint():
    source, bare = Path(isogloss.__file__).parent, []
    for path in sorted(source.rglob("*.py")):
        if path.relative_to(source).parts[0] in ARRAYS:
            continue
        calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
        for call in calls:
            about = ast.unparse(call.args[0]) if call.args else ""
            if isinstance(call.func, ast.Name) and call.func.id == "IsoglossError" and "describe_failures" not in about:
                hinted = "remedy" in {keyword.arg for keyword in call.keywords}
                bare += [] if hinted else [f"{path.relative_to(source)}:{call.lineno}: {about}"]
    assert bare == []
