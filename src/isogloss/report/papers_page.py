"""The table of tables: every table and figure of the papers as Markdown, for ``docs/papers.md`` and the terminal."""

from collections.abc import Iterator

from isogloss.studies.expectations.items import Item, Paper, load_papers

HEAD = """# The papers, table by table

Each table and figure of the five papers, the command that makes it at the paper's size, what it makes, and whether
that is all of it. This page is made by `isogloss papers --markdown`, and a test holds it to that. The command
`isogloss papers muller21 table-1` prints one item; `--plan` adds the data, cells and hours that it needs on your
machine. Data that a preset only names (`wikipedia`, `lid-wikipedia`) you give by path.

"Published" counts the printed numbers that are kept in `studies/expectations`, taken from the paper itself. A run of
the paper's model shows them beside its own, and lists each that it cannot compare with the reason. Pictures in a paper
print no numbers. Nothing of this size was run here: the page says what a command makes, not what came out.
"""


def papers_page() -> str:
    """The whole page."""
    return HEAD + "".join(f"\n{_section(paper)}" for paper in load_papers().values())


def _section(paper: Paper) -> str:
    lines = [f"## {paper.name}: {paper.title}", "", _sum(paper), ""]
    lines += ["| item | what it shows | command | gives | state | published |", "|---|---|---|---|---|---|"]
    lines += [_row(paper, item) for item in paper.items]
    lines += ["", "| where they differ | paper | authors' code | here |", "|---|---|---|---|"]
    lines += [f"| {one.what} | {one.paper} | {one.code} | {one.here} |" for one in paper.deviations]
    return "\n".join(lines) + "\n"


def _sum(paper: Paper) -> str:
    made = [item for item in paper.items if item.state != "drawing"]
    whole = sum(item.state == "complete" for item in made)
    drawings = len(paper.items) - len(made)
    rest = f"; {drawings} more {'is a drawing' if drawings == 1 else 'are drawings'}" if drawings else ""
    return f"{whole} of {len(made)} tables and figures are complete{rest}."


def _row(paper: Paper, item: Item) -> str:
    command = f"`{item.command}`" if item.command else "-"
    state = f"partly: {item.why}" if item.why else item.state
    return (
        f"| {item.title} | {item.about} | {command} | {item.gives or '-'} | {state} | {paper.published(item) or '-'} |"
    )


def describe_item(paper: Paper, item: Item) -> Iterator[str]:
    """One item in lines of plain text."""
    yield f"{paper.name} {item.title}: {item.about}"
    if not item.command:
        yield "a drawing: there is nothing to compute"
        return
    yield f"command: {item.command}"
    yield f"gives: {item.gives}"
    yield f"state: {item.state}" + (f" ({item.why})" if item.why else "")
    if count := paper.published(item):
        yield f"published: {count:,} printed numbers, shown beside the run's"
