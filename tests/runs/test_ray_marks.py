"""Marks of runs on a cluster: one that was killed leaves its mark, which is told from a living one's and removed."""

import subprocess
import sys
from pathlib import Path

from isogloss.runs import Store
from isogloss.runs.audit import audit, repair
from isogloss.runs.ray_marks import FOLDER, dead_marks, run_mark
from isogloss.runs.ray_progress import progress_folder

HOLD = """
import sys, time
from pathlib import Path
from isogloss.runs.ray_marks import run_mark
with run_mark(Path(sys.argv[1])) as mark:
    print(mark, flush=True)
    time.sleep(60)
"""


def hold_mark(root: Path) -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(root)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_the_mark_of_a_killed_run_is_removed_by_the_next_and_by_doctor(tmp_path: Path):
    store = Store(tmp_path / "store")
    process, mark = hold_mark(store.root)
    try:
        assert dead_marks(store.root) == []
        with run_mark(store.root) as own:
            assert mark.exists()
            assert own.exists()
        assert audit(store.root).left == ()
    finally:
        process.kill()
        process.wait()
    assert dead_marks(store.root) == [mark]
    (left,) = audit(store.root).left
    assert (left.kind, left.path) == ("mark of a killed run", mark)
    assert repair(audit(store.root)) == [left]
    assert list((store.root / FOLDER).iterdir()) == []

    process, mark = hold_mark(store.root)
    process.kill()
    process.wait()
    assert mark.exists() and progress_folder(mark).exists()
    with run_mark(store.root) as own:
        assert not mark.exists() and not progress_folder(mark).exists()
        assert own.exists()
    assert list((store.root / FOLDER).iterdir()) == []


def test_a_mark_without_a_lock_is_left_alone(tmp_path: Path):
    old = tmp_path / FOLDER / ("0" * 32)
    old.parent.mkdir()
    old.write_text("0.0.1")
    with run_mark(tmp_path):
        assert old.exists()
