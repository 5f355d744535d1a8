"""Pages of results can be read: short lines, narrow tables, a verdict under every claim."""

from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs" / "results").glob("*.md"))
LONGEST, MOST_COLUMNS = 120, 7


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_lines_are_short_and_tables_narrow(page: Path) -> None:
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("|"):
            assert line.replace("\\|", "").count("|") - 1 <= MOST_COLUMNS, f"{page.name}:{number} is too wide"
        else:
            assert len(line) <= LONGEST, f"{page.name}:{number} has {len(line)} characters"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_is_folded_away_is_closed_again(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.count("<details") == text.count("</details>") == text.count("<summary>") == text.count("</summary>")
