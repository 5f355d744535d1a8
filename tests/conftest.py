"""Every test has a home of its own, so that no test reads or writes the user's stores and caches."""

from pathlib import Path

import pytest

from isogloss.places import data_folder


@pytest.fixture(autouse=True)
def isogloss_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "isogloss-home"
    monkeypatch.setenv("ISOGLOSS_HOME", str(home))
    return home


@pytest.fixture
def real_data() -> Path:
    """The folder of real data sets; tests that ask for it are skipped where ISOGLOSS_DATA is not set."""
    folder = data_folder()
    if folder is None:
        pytest.skip("ISOGLOSS_DATA is not set")
    return folder
