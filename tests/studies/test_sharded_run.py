"""Text in shards on the command line: undisturbed, and killed and resumed."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from isogloss.corpora.lab import Lab, preset

STUDY = "study: locate\nmodel: {model}\ndata: {data}\nlimit: 240\nshard: 20\nseeds: [0]\ntagging: []\ndevice: cpu\n"


@pytest.fixture
def study(tmp_path: Path, tiny_model: Path) -> Path:
    lab, folder = Lab(preset("twins")), tmp_path / "text"
    folder.mkdir()
    for code in ("qaa", "qab"):
        (folder / f"{code}.txt").write_text("\n".join(lab.text(code, 240)) + "\n")
    (tmp_path / "study.yaml").write_text(STUDY.format(model=tiny_model, data=folder))
    return tmp_path / "study.yaml"


def start(study: Path, name: str) -> subprocess.Popen:
    home = {"ISOGLOSS_HOME": str(study.parent / name)}
    command = [
        sys.executable,
        "-m",
        "isogloss",
        "run",
        str(study),
        "--workers",
        "2",
        "--out",
        str(study.parent / f"out-{name}"),
    ]
    return subprocess.Popen(
        command, env=os.environ | home, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def finished(study: Path, name: str) -> dict[Path, int]:
    results = (study.parent / name / "store" / "results").rglob("*.json")
    return {path: path.stat().st_mtime_ns for path in results}


def values(study: Path, name: str) -> pd.DataFrame:
    return pd.read_parquet(next((study.parent / f"out-{name}").rglob("results.parquet")))


def run_undisturbed(study: Path) -> pd.DataFrame:
    process = start(study, "undisturbed")
    assert process.wait() == 0, process.stderr and process.stderr.read()
    return values(study, "undisturbed")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_sharded_run_that_is_killed_goes_on_and_ends_with_the_same_numbers(study: Path) -> None:
    sound = run_undisturbed(study)
    assert len(finished(study, "undisturbed")) > 24  # two languages of twelve shards, and what is made of them
    process = start(study, "killed")
    while len(finished(study, "killed")) < 6 and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    assert process.wait() == -9
    time.sleep(1.0)  # its workers end with it
    kept = finished(study, "killed")
    assert 6 <= len(kept) < len(finished(study, "undisturbed"))
    assert start(study, "killed").wait() == 0
    assert {path: time for path, time in finished(study, "killed").items() if path in kept} == kept
    pd.testing.assert_frame_equal(values(study, "killed"), sound, check_exact=True)
