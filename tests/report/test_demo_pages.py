"""Every page of the demo in a real browser."""

from pathlib import Path

import pytest
from browser import UNDRAWN, Browser

from isogloss.cli.demo import demo

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_every_page_of_the_demo_is_drawn_without_complaints_or_requests(browser: Browser, tmp_path: Path) -> None:
    demo(out=tmp_path / "demo", size="tiny", workers=1)
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
