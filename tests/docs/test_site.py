"""The site builds strictly, holds everything it shows, and asks no other host for anything."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECTIONS = [
    "Get started",
    "Tutorials",
    "How-to",
    "Studies",
    "Reference",
    "Explanation",
    "Results",
    "FAQ",
    "Contributing",
]
ASSET = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*?\b(?:src|data)=["']?(?:https?:)?//[^"'\s>]*"""
    r"""|<link\b(?=[^>]*rel=["']?(?:stylesheet|preload|preconnect|icon|modulepreload))[^>]*href=["']?(?:https?:)?//[^"'\s>]*"""
    r"""|@import\s+["'(]*(?:url\()?["']?(?:https?:)?//|url\(["']?(?:https?:)?//""",
    flags=re.IGNORECASE,
)


def test_the_pattern_finds_what_it_must_not_find_on_the_site():
    for bad in (
        '<script src="https://unpkg.com/x"></script>',
        "<link rel=stylesheet href=//fonts.googleapis.com/css>",
        '<img alt="x" src="http://a.b/c.png">',
        '@import url("https://a.b/c.css")',
        "background: url(https://a.b/c.png)",
    ):
        assert ASSET.search(bad)
    assert not ASSET.search('<a href="https://wals.info">WALS</a> <img src="images/a.png">')


@pytest.mark.slow
def test_no_page_loads_anything_from_another_host(site: Path):
    pages = [path for kind in ("*.html", "*.css") for path in site.rglob(kind)]
    assert len(pages) > 50
    assert [
        (str(path.relative_to(site)), found.group())
        for path in pages
        for found in ASSET.finditer(path.read_text(encoding="utf-8"))
    ] == []


@pytest.mark.slow
def test_every_section_and_the_search_are_there(site: Path):
    home = (site / "index.html").read_text(encoding="utf-8")
    tabs = [
        " ".join(tab.split())
        for tab in re.findall(r'<a [^>]*class="md-tabs__link"[^>]*>(.*?)</a>', home, flags=re.DOTALL)
    ]
    assert tabs == SECTIONS
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    assert any("rogue" in one["text"] for one in index["docs"])
    assert (site / "search" / "search_index.js").is_file()  # for a site that is opened as files
    assert 'data-md-color-scheme="slate"' in home or "slate" in home


@pytest.mark.slow
def test_no_page_names_a_place_on_the_machine_that_built_it(site: Path):
    for path in site.rglob("*.html"):
        assert str(ROOT) not in path.read_text(encoding="utf-8"), path
