"""The report: a study's result as a page, in the terminal and for papers.

Drawing libraries load when first used, so that commands which end early stay quick.
"""

from typing import TYPE_CHECKING

from isogloss.lazy import on_first_use

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

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "compare": ("compare_runs",),
        "figures": ("draw",),
        "page": ("draw_page", "page_html", "write_page"),
        "site": ("write_site",),
        "terminal": ("print_json", "show_in_terminal", "show_site_in_terminal"),
    },
)
