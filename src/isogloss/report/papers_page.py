"""The table of tables: every table and figure of the papers as Markdown, for ``docs/papers.md`` and the terminal."""

from collections.abc import Iterator, Sequence

from isogloss.studies.expectations.items import (
    Deviation,
    Item,
    Paper,
    deviations_of,
    deviations_of_methods,
    load_papers,
)

TRANSFER = "transfer"
HEAD = """# The papers, table by table

Each table and figure of the five papers, the command that makes it at the paper's size, what it makes, and whether
that is all of it. This page is made by `isogloss papers --markdown`, and a test holds it to that. The command
`isogloss papers muller21 table-1` prints one item; `--plan` adds the data and cells that it needs and the hours: by the
paper's own times where it prints any, and an estimate by a stated rule. Data that a preset only names (`wikipedia`,
`lid-wikipedia`) you give by path.

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
    return "\n".join(lines) + f"\n\n{deviations_table(paper.deviations)}"


def deviations_table(found: Sequence[Deviation]) -> str:
    """Paper, authors' code, here: a row per difference. A dash: no code of the authors, or no option is needed."""
    lines = ["| where they differ | paper | authors' code | here | for the authors' way |", "|---|---|---|---|---|"]
    lines += [f"| {_what(one)} | {one.paper} | {one.code} | {one.here} | {one.way or '-'} |" for one in found]
    return "\n".join(lines) + "\n"


def study_deviations(study: str) -> str:
    """The table of a study, as it stands on the study's page; ``transfer`` has those of methods and tasks."""
    return deviations_table(deviations_of_methods() if study == TRANSFER else deviations_of(study))


def _what(one: Deviation) -> str:
    methods = ", ".join(f"`{name}`" for name in one.method.split(", ")) if one.method else ""
    return f"{methods}: {one.what}" if methods else one.what


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
        yield f"published: {count:,} printed {'number' if count == 1 else 'numbers'}, shown beside the run's"
