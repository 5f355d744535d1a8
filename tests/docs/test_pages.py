"""Pages people read: lines that fit a screen, tables that can be read, the gallery complete."""

import re
from collections.abc import Iterator
from pathlib import Path

import gallery
import pytest

from isogloss.studies.figure import KINDS

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
LONGEST_LINE, MOST_COLUMNS, LONGEST_CELL = 120, 7, 160


def prose(page: Path) -> Iterator[tuple[int, str]]:
    """The lines of a page that are not a table, a heading or a link reference, with their numbers."""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.startswith(("|", "#")):
            yield number, line


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_fits_a_screen(page: Path):
    assert [(number, len(line)) for number, line in prose(page) if len(line) > LONGEST_LINE] == []
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    assert [row[:80] for row in rows if len(cells(row)) > MOST_COLUMNS] == []
    assert [cell for row in rows for cell in cells(row) if len(cell) > LONGEST_CELL] == []


def test_the_changelog_says_everything_once():
    entries = re.split(r"\n(?=- |#)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    said = [" ".join(entry.split()) for entry in entries if entry.startswith("- ")]
    assert said and [entry[:80] for entry in set(said) if said.count(entry) > 1] == []


def test_the_gallery_shows_every_kind_of_figure_with_its_picture():
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert set(gallery.FIGURES) == set(KINDS)
    for name in (*gallery.FIGURES, *(f"table-{kind}" for kind in gallery.TABLES)):
        assert f"](images/gallery/{name}.png)" in page
        assert (ROOT / "docs" / "images" / "gallery" / f"{name}.png").is_file()
    for kind, (study, figure) in gallery.FIGURES.items():
        section = page.split(f"## {kind}\n")[1].split("\n## ")[0]
        assert f"{study} --figure {figure} --png" in section
