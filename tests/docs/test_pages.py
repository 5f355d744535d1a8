"""Pages people read: lines that fit a screen and tables that can be read."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
LONGEST_LINE, MOST_COLUMNS, LONGEST_CELL = 120, 7, 160
OPEN = {"results/index.md", "results/gemma.md", "results/think.md", "results/encoders.md"}  # still to be rewritten


def prose(page: Path) -> Iterator[tuple[int, str]]:
    """The lines of a page that are not a table, a heading or a link reference, with their numbers."""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.startswith(("|", "#")):
            yield number, line


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def is_open(page: Path) -> bool:
    return page.is_relative_to(ROOT / "docs") and page.relative_to(ROOT / "docs").as_posix() in OPEN


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_fits_a_screen(page: Path):
    if is_open(page):
        pytest.skip("still to be rewritten")
    assert [(number, len(line)) for number, line in prose(page) if len(line) > LONGEST_LINE] == []
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    assert [row[:80] for row in rows if len(cells(row)) > MOST_COLUMNS] == []
    assert [cell for row in rows for cell in cells(row) if len(cell) > LONGEST_CELL] == []
