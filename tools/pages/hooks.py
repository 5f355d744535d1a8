"""What mkdocs calls while it builds the site: pages made from the code and the notebooks, tooltips, offline search."""

import logging
import re
from pathlib import Path
from typing import Any

import api
import commands
import notebooks
import records
import settings
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
LONG_CELL, LONGEST_CELL = 40, 90  # characters; what phones give more width to, see docs/assets/site.css
CELL = re.compile(r"<td(?P<style>[^>]*)>(?P<content>.*?)</td>", flags=re.DOTALL)
PICTURE = re.compile(r"""<img [^>]*?src="(?P<source>[^":]*images/[^"]+)"[^>]*>""")


def generated_pages() -> dict[str, str]:
    """Every page that no person writes, by its place in the documentation."""
    return {
        "reference/commands.md": commands.commands_page(),
        "reference/study-files.md": settings.study_files_page(),
        "reference/settings.md": settings.settings_page(),
        "reference/result-frames.md": records.columns_page(),
        "contributing.md": from_root("CONTRIBUTING.md"),
        "changelog.md": from_root("CHANGELOG.md"),
        "security.md": from_root("SECURITY.md"),
        **api.api_pages(),
    }


def from_root(name: str) -> str:
    """A page of the repository's root with links that hold on the site."""
    text = re.sub(r"\]\(docs/", "](", (ROOT / name).read_text(encoding="utf-8"))
    return re.sub(r"\]\((SECURITY|CONTRIBUTING|CHANGELOG)\.md", lambda found: f"]({found[1].lower()}.md", text)


def on_startup(**_: Any) -> None:
    """Names of folders in ``studies.__all__`` are no mistake in the documentation."""
    logging.getLogger("mkdocs.plugins.griffe").addFilter(lambda record: "studies.__all__" not in record.getMessage())


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add generated pages, and every notebook as a page with its pictures."""
    for place, text in generated_pages().items():
        files.append(File.generated(config, place, content=text))
    for notebook in sorted((ROOT / "docs" / "tutorials").glob("*.ipynb")):
        for place, content in notebooks.page_of(notebook).items():
            files.append(File.generated(config, f"tutorials/{place}", content=content))
    for place, content in notebooks.scripts().items():
        files.append(File.generated(config, place, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Every page explains the terms of the glossary when the pointer rests on them."""
    if page.file.src_uri in ("glossary.md",) or page.file.src_uri.startswith("reference/"):
        return markdown
    return f"{markdown}\n\n{abbreviations()}\n"


def on_page_content(html: str, **_: Any) -> str:
    """Cells that hold sentences get room on a phone, and a picture opens at its full size."""
    html = CELL.sub(lambda found: f"<td{found['style']}{width_class(found['content'])}>{found['content']}</td>", html)
    return PICTURE.sub(lambda found: f'<a href="{found["source"]}">{found.group()}</a>', html)


def width_class(content: str) -> str:
    """The class of a table's cell, by how much text it holds."""
    length = len(re.sub(r"<[^>]+>", "", content).strip())
    return ' class="longest"' if length > LONGEST_CELL else ' class="long"' if length > LONG_CELL else ""


def abbreviations() -> str:
    """Terms that are not everyday words, in the syntax of the extension ``abbr``."""
    from isogloss.report.glossary import terms

    names = {name: one.text for one in terms() for name in (one.term, *one.forms)}
    special = {name: text for name, text in names.items() if " " in name or "-" in name or not name.islower()}
    return "\n".join(f"*[{name}]: {text}" for name, text in special.items() if len(name) > 1)
