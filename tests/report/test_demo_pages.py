"""Every page of the demo in a real browser."""

import subprocess
import sys
from pathlib import Path

import pytest

from browser import PAPER, UNDRAWN, Browser

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]


def test_every_page_of_the_demo_is_drawn_without_complaints_or_requests(browser: Browser, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "isogloss.cli", "demo", "--size", "tiny", "--workers", "1"]
    subprocess.run([*command, "--out", str(tmp_path / "demo")], check=True)
    pages = sorted((tmp_path / "demo").rglob("index.html"))
    assert len(pages) > 5
    for page in pages:
        for width, scheme in ((1400, "light"), (400, "dark")):
            browser.resize(width)
            browser.prefer(scheme)
            browser.open(page)
            assert browser.run(UNDRAWN) == [], page
            assert browser.complaints() == [], page
            assert browser.requests() == [page.as_uri()]
            assert browser.run("return document.documentElement.scrollWidth") <= width, page
        for paper in PAPER:
            browser.resize(1400)
            browser.open(page)
            *filled, _ = browser.filled_pages(paper)
            assert min(filled, default=1) >= 0.5 and max(filled, default=0) <= 1, (page, paper, filled)
