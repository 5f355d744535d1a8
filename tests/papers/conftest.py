"""Stand-in data and tiny random models under the names that the papers' presets use."""

import os
from pathlib import Path

import pytest

from .desk import write_desk, write_more_data
from .standins import write_all, write_model


@pytest.fixture(scope="session")
def standin_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_all(tmp_path_factory.mktemp("data"))
    write_more_data(root)
    return root


@pytest.fixture
def data(standin_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ISOGLOSS_DATA", str(standin_data))
    return standin_data


@pytest.fixture(scope="session")
def whole_desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_desk(tmp_path_factory.mktemp("desk"))


@pytest.fixture
def desk(data: Path, whole_desk: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a preset finds all that it names, unchanged: text, models and a word aligner."""
    monkeypatch.chdir(whole_desk)
    monkeypatch.setenv("PATH", f"{whole_desk / 'bin'}:{os.environ['PATH']}")
    return whole_desk


@pytest.fixture(scope="session")
def mbert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Twelve random layers under the name that the comparison with published numbers asks for."""
    return str(write_model(tmp_path_factory.mktemp("models") / "bert-base-multilingual-cased"))
