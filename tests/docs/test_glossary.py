"""The glossary has one source: its page is made from it, and every link of it leads somewhere."""

import re
from pathlib import Path

import pytest

from isogloss.report.glossary import Term, explain, glossary_page, terms

DOCS = Path(__file__).parents[2] / "docs"
WANTED = """
retrieval, hard pool, natural pool, standardised, centred, neutralised, home, gap, language share, rogue
dimension, CKA, unbiased CKA, DensRay, LDA, MEXA, CSLS, Procrustes, anchor, cell, store, study, study file,
recipe, condition, hub, hubness, zero-shot transfer, RANDOM-INIT, L-DAR, DLFA, fusion, gradient reversal,
entropy maximisation, probe, interval over, tie
"""


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings, as mkdocs and GitHub make them."""
    found = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip()) for title in found}


def test_the_page_is_made_from_its_source():
    assert (DOCS / "glossary.md").read_text(encoding="utf-8") == glossary_page()


def test_every_term_that_reports_and_pages_use_is_there():
    assert [word for word in " ".join(WANTED.split()).split(", ") if explain(word) is None] == []


def test_no_term_or_spelling_is_explained_twice():
    names = [name.lower() for one in terms() for name in (one.term, *one.forms)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("one", terms(), ids=lambda one: one.anchor)
def test_a_term_is_one_sentence_with_a_link_that_leads_somewhere(one: Term):
    assert one.text.endswith(".") and not re.search(r"[.!?] [A-Z]", one.text.replace("et al. ", ""))
    page, _, anchor = one.see.partition("#")
    assert (DOCS / page).is_file()
    assert not anchor or anchor in headings(DOCS / page)
