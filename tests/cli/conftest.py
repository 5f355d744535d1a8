"""The command line as a user has it: arguments in; exit code, standard output and standard error out."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from isogloss.cli import main


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture
def isogloss(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["isogloss", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        captured = capsys.readouterr()
        code = stopped.value.code
        return Ran(code if isinstance(code, int) else 0, captured.out, captured.err)

    return run
