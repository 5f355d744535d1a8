"""Every page of the site fits a phone: nothing is wider than the screen, and nothing wide is cut off."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from browser import Browser

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

PHONE = 390
WIDE = """
document.querySelectorAll('details').forEach((fold) => { fold.open = true; });
const screen = document.documentElement.clientWidth;
const scrolls = (part) => {
  for (let around = part.parentElement; around; around = around.parentElement) {
    if (['auto', 'scroll'].includes(getComputedStyle(around).overflowX)) return true;
  }
  return false;
};
const found = [...document.querySelectorAll('.md-content *')]
  .filter((part) => part.getBoundingClientRect().right > screen + 1 && !part.closest('svg') && !scrolls(part))
  .map((part) => part.outerHTML.slice(0, 80));
const whole = document.documentElement.scrollWidth;
return whole > screen ? [`the page is ${whole} wide`, ...found] : found;
"""


@pytest.fixture
def phone(browser: Browser) -> Iterator[Browser]:
    browser.resize(PHONE)
    browser.command("Network.enable")
    browser.command("Network.setBlockedURLs", urls=["*search_index*"])  # large, and not part of what is measured
    yield browser
    browser.command("Network.setBlockedURLs", urls=[])
    browser.resize(1400)


def test_no_page_is_wider_than_a_phone(site: Path, phone: Browser):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 50
    wide: dict[str, list[str]] = {}
    for page in pages:
        phone.driver.get(page.as_uri())
        if found := phone.run(WIDE):
            wide[str(page.relative_to(site))] = found[:3]
    assert wide == {}


@pytest.mark.parametrize("style", ["width: 600px", "width: 600px; margin-right: -400px"])
def test_the_check_finds_what_is_too_wide(site: Path, phone: Browser, style: str):
    phone.driver.get((site / "faq.html").as_uri())
    assert phone.run(WIDE) == []
    phone.run(f"document.querySelector('.md-typeset h1').outerHTML += '<p style=\"{style}\">wide</p>'")
    assert any("wide" in part for part in phone.run(WIDE))
