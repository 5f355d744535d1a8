"""The report: a study's result as a page, in the terminal and for papers.

Drawing libraries load when first used, so that commands which end early stay quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isogloss.report.compare import compare_runs
    from isogloss.report.figures import draw
    from isogloss.report.page import draw_page, page_html, write_page
    from isogloss.report.site import write_site
    from isogloss.report.terminal import print_json, show_in_terminal, show_site_in_terminal

__all__ = [
    "compare_runs",
    "draw",
    "draw_page",
    "page_html",
    "print_json",
    "show_in_terminal",
    "show_site_in_terminal",
    "write_page",
    "write_site",
]

_HOMES = {
    "compare_runs": "compare",
    "draw": "figures",
    "draw_page": "page",
    "page_html": "page",
    "print_json": "terminal",
    "show_in_terminal": "terminal",
    "show_site_in_terminal": "terminal",
    "write_page": "page",
    "write_site": "site",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"isogloss.report.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'isogloss.report' has no attribute '{name}'")
