"""The table of tables: every table and figure of the papers as Markdown, for ``docs/papers.md`` and the terminal."""

import textwrap
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

**Which command makes which table or figure of the five papers?** For anyone who wants to repeat, check or extend one of
them.

| paper | studies | complete |
|---|---|---|
{summary}

## How to use this page

1. Find the table or figure below. The command above its table makes it, at the paper's size.
2. See what it needs before you start it: the data, the cells and an estimate of the hours.

        isogloss papers muller21 table-1 --plan

3. Run the command. Its report has the tables and figures in the column "in the report".

How to read the tables:

- **Published** counts the numbers that the paper prints for this item. A run of the paper's model shows them beside its
  own in the table `published`, and says why where it cannot compare one. Pictures in a paper print no numbers.
- **Data that you give by path**: `wikipedia` and `lid-wikipedia` are only names in a preset.
- **Nothing of this size was run here.** This page says what a command makes, not what came out. For smaller sizes, see
  the page of each study and the [results](results/index.md).

<details markdown="1"><summary>Where hours, published numbers and this page come from</summary>

- Hours are the paper's own times where it prints any, and an estimate by a stated rule otherwise.
- Published numbers were taken from the papers themselves. They are kept in `studies/expectations`.
- This page is made by `isogloss papers --markdown`, and a test holds it to that.

</details>
"""
WIDTH = 86  # of a command, so that it fits its box on the page


def papers_page() -> str:
    """The whole page."""
    papers = load_papers().values()
    head = HEAD.replace("{summary}", "\n".join(_summary(paper) for paper in papers))
    return head + "".join(f"\n{_section(paper)}" for paper in papers)


def _summary(paper: Paper) -> str:
    studies = dict.fromkeys(item.study for item in paper.items if item.study)
    links = ", ".join(f"[{name}](studies/{name}.md)" for name in studies)
    return f"| [{paper.name}](#{_anchor(paper)}) | {links} | {_sum(paper)} |"


def _anchor(paper: Paper) -> str:
    """The anchor of a paper's section, as mkdocs and GitHub make it."""
    words = "".join(letter for letter in _heading(paper).lower() if letter.isalnum() or letter in " -")
    return "-".join(words.split())


def _heading(paper: Paper) -> str:
    return f"{paper.name}: {paper.title.partition(' (')[0]}"


def _section(paper: Paper) -> str:
    """A paper: a table of items under each command that makes some, then what is missing and what differs."""
    _, _, authors = paper.title.partition(" (")
    lines = [f"## {_heading(paper)}", "", f"{authors.removesuffix(')')}.", ""]
    for command in dict.fromkeys(item.command for item in paper.items if item.command):
        lines += [*_wrapped(command), "", "| item | what it shows | in the report | published |", "|---|---|---|---|"]
        lines += [_row(paper, item) for item in paper.items if item.command == command]
        lines += [""]
    for note in _notes(paper):
        lines += textwrap.wrap(f"- {note}", width=118, subsequent_indent="  ", break_on_hyphens=False)
    if lines[-1]:
        lines += [""]
    lines += ['<details markdown="1"><summary>Where the paper, the authors\' code and Isogloss differ</summary>', ""]
    return "\n".join(lines) + f"\n{deviations_table(paper.deviations)}\n</details>\n"


def _notes(paper: Paper) -> Iterator[str]:
    """What is not made, or not all of it, and why."""
    yield from (f"{item.title} is made in part: {item.why}." for item in paper.items if item.why)
    drawings = [f"{item.title} ({item.about.removesuffix(', a drawing')})" for item in paper.items if not item.study]
    if drawings:
        yield f"Drawings, with nothing to compute: {'; '.join(drawings)}."


def _wrapped(command: str) -> list[str]:
    """A command as an indented block, continued on further lines where it is long."""
    parts = command.replace(" --", "\n--").split("\n")
    lines = [f"    {parts[0]}"]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) + 3 > WIDTH:
            lines[-1] += " \\"
            lines.append(f"        {part}")
        else:
            lines[-1] += f" {part}"
    return lines


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
    return f"{whole} of {len(made)}"


def _row(paper: Paper, item: Item) -> str:
    about = f"{item.about} (in part)" if item.why else item.about
    gives = [name.partition(" ") for name in item.names_given if name != "table published"]
    shown = ", ".join(f"{kind} `{name}`" for kind, _, name in gives) or "table `published`"
    return f"| {item.title} | {about} | {shown} | {paper.published(item) or '-'} |"


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
