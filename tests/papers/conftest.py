"""Stand-in data and tiny random models under the names that the papers' presets use."""

from pathlib import Path

import pytest

from .standins import write_all, write_model


@pytest.fixture(scope="session")
def standin_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_all(tmp_path_factory.mktemp("data"))


@pytest.fixture
def data(standin_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ISOGLOSS_DATA", str(standin_data))
    return standin_data


@pytest.fixture(scope="session")
def mbert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Twelve random layers under the name that the comparison with published numbers asks for."""
    return str(write_model(tmp_path_factory.mktemp("models") / "bert-base-multilingual-cased"))
