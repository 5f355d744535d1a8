import errno
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

import isogloss.cli
from isogloss.errors import IsoglossError


def commands() -> list[list[str]]:
    """Every command and subcommand by its words."""
    isogloss.cli.register()
    found: list[list[str]] = []

    def walk(command: object, words: list[str]) -> None:
        for name, inner in getattr(command, "commands", {}).items():
            walk(inner, [*words, name])
        if not hasattr(command, "commands"):
            found.append(words)

    walk(typer.main.get_command(isogloss.cli.app), [])
    return found


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_has_help_with_an_example(isogloss: Callable, words: list[str]):
    ran = isogloss(*words, "--help")
    assert ran.code == 0
    assert f"isogloss {' '.join(words)}" in " ".join(ran.out.split())
    assert "Example" in ran.out


def test_help_is_instant_because_nothing_heavy_is_imported():
    heavy = "torch numpy scipy pandas sklearn transformers plotly yaml msgspec filelock isogloss.runs isogloss.studies"
    code = (
        "import atexit, runpy, sys\n"
        f"atexit.register(lambda: print(sorted(set({heavy.split()}) & set(sys.modules)), file=sys.stderr))\n"
        "sys.argv = ['isogloss', '--help']\n"
        "runpy.run_module('isogloss', run_name='__main__')"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "inspect" in ran.stdout
    assert ran.stderr.strip() == "[]"


def test_a_misspelt_command_is_a_users_mistake(isogloss: Callable):
    ran = isogloss("inspekt")
    assert ran.code == 2
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (IsoglossError("bad", where="a.txt:3", remedy="fix it"), 2, ["a.txt:3: bad", "hint: fix it"]),
        (OSError(errno.ENOSPC, "No space left on device", "x.json"), 2, ["x.json", "no space left", "free some space"]),
        (PermissionError(errno.EACCES, "Permission denied", "/there/x"), 2, ["/there/x", "permission"]),
        (KeyboardInterrupt(), 130, ["stopped"]),
    ],
)
def test_what_goes_wrong_ends_with_a_message_and_a_code(
    isogloss: Callable, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, words: list[str]
):
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("isogloss.cli.checks.all_checks", fail)
    ran = isogloss("doctor")
    assert ran.code == code
    assert "Traceback" not in ran.err
    assert all(word in ran.err for word in words)


def test_a_bug_keeps_its_traceback(isogloss: Callable, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("isogloss.cli.checks.all_checks", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        isogloss("doctor")


def test_doctor_names_versions_device_space_extras_and_data(isogloss: Callable, isogloss_home: Path):
    ran = isogloss("doctor", "--json")
    checks = {check["subject"]: check for check in json.loads(ran.out)}
    assert {"isogloss", "python", "torch", "device", "bf16", "threads", "memory", "free disk", "store"} <= set(checks)
    assert {"extra [hub]", "extra [search]", "data: lab"} <= set(checks)
    assert str(isogloss_home) in checks["store"]["found"]
    assert all(check["remedy"] for check in checks.values() if not check["good"])
    shown = isogloss("doctor").out
    assert "extra [search]" in shown  # brackets are text here, not markup


def test_doctor_says_when_the_store_cannot_be_written(
    isogloss: Callable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ISOGLOSS_HOME", str(tmp_path / "file"))
    ran = isogloss("doctor")
    assert ran.code == 1
    assert "cannot create this folder" in " ".join(ran.out.split())


def test_doctor_says_when_the_data_folder_is_not_one(
    isogloss: Callable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path / "nowhere"))
    ran = isogloss("doctor")
    assert ran.code == 1
    assert "ISOGLOSS_DATA" in ran.out


def test_a_study_file_with_an_unknown_study_names_the_nearest(isogloss: Callable, tmp_path: Path):
    (tmp_path / "s.yaml").write_text("study: glanze\n")
    ran = isogloss("run", tmp_path / "s.yaml")
    assert ran.code == 2
    assert "did you mean 'glance'" in ran.err
