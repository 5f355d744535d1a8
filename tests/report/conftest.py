"""One headless browser for all tests of pages."""

import shutil
from collections.abc import Iterator

import pytest
from browser import Browser


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        pytest.skip("Chromium and its driver are not installed")
    window = Browser(tmp_path_factory.mktemp("browser"))
    yield window
    window.close()
