"""Tables and figures for papers: LaTeX and CSV as text, figures as PDF, SVG or PNG through a browser."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from isogloss.bounds import whole_number
from isogloss.errors import IsoglossError, unknown_name
from isogloss.files import write_whole
from isogloss.report.export_page import figure_html, pictures_in
from isogloss.studies.result import Result

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "msedge",
)
PATIENCE = 90  # seconds for a browser to draw one figure
Item = TypeVar("Item")


def choose(items: Mapping[str, Item], which: str, kind: str) -> Item:
    """A table or figure by the number it has on the page, or by its name."""
    number = whole_number(which)
    if number is not None and 1 <= number <= len(items):
        return list(items.values())[number - 1]
    if number is not None:
        raise IsoglossError(f"there is no {kind} {which}", remedy=f"this run has {len(items)}: {', '.join(items)}")
    if which not in items:
        raise unknown_name(kind, which, items)
    return items[which]


def export_figure(result: Result, which: str, path: Path) -> list[Path]:
    """Draw a figure into ``path``; the suffix says how: ``.pdf`` and ``.svg`` are vectors, ``.png`` is pixels.

    A map of several panels fills one PDF, but one SVG or PNG a panel (``name-1.svg``, ``name-2.svg``).
    """
    kind = path.suffix.lower()
    if kind not in (".pdf", ".svg", ".png"):
        raise unknown_name("picture format", kind, (".pdf", ".svg", ".png"), where=path)
    figure = choose(result.figures, which, "figure")
    page = figure_html(figure, kind)
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "figure.html"
        source.write_text(page, encoding="utf-8")
        if kind == ".pdf":
            target = Path(scratch) / "figure.pdf"
            _run_browser(source, Path(scratch), f"--print-to-pdf={target}", "--no-pdf-header-footer")
            if not target.exists():
                raise _no_picture("it wrote no PDF")
            pictures = [target.read_bytes()]
        else:
            pictures = pictures_in(_run_browser(source, Path(scratch), "--dump-dom"))
            if not pictures:
                raise _no_picture("it drew nothing")
    numbered = [path.with_stem(f"{path.stem}-{place}") for place in range(1, len(pictures) + 1)]
    paths = numbered if len(pictures) > 1 else [path]
    for one, picture in zip(paths, pictures, strict=True):
        write_whole(one, picture)
    return paths


def find_browser() -> str:
    """The browser that draws: ISOGLOSS_BROWSER, or Chromium, Chrome or Edge on the path."""
    named = os.environ.get("ISOGLOSS_BROWSER")
    for name in [named] if named else BROWSERS:
        if found := shutil.which(name):
            return found
    raise IsoglossError(
        "drawing a figure into a file needs Chromium, Chrome or Edge, and none was found",
        where=f"ISOGLOSS_BROWSER={named}" if named else None,
        remedy="install one (Debian: apt install chromium), or save the figure from the report's page: SVG, PNG, PDF",
    )


def _run_browser(source: Path, scratch: Path, *options: str) -> bytes:
    command = [
        find_browser(), "--headless=new", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
        "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
        f"--user-data-dir={scratch / 'profile'}", "--virtual-time-budget=20000",
        *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
        *options, source.as_uri(),
    ]  # fmt: skip
    try:
        return subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True).stdout  # noqa: S603  (no shell)
    except subprocess.TimeoutExpired as error:
        raise _no_picture(f"it took more than {PATIENCE} s") from error
    except subprocess.CalledProcessError as error:
        raise _no_picture(error.stderr.decode(errors="replace").strip()[-300:]) from error


def _no_picture(why: str) -> IsoglossError:
    return IsoglossError(
        f"the browser could not draw the figure ({why})", where=find_browser(),
        remedy="save it from the report's page instead (SVG, PNG or PDF below the figure)",
    )  # fmt: skip
