"""``isogloss papers``"""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from isogloss.studies.expectations.items import Item, Paper


def papers(
    paper: Annotated[str, typer.Argument(help="Paper: liang21, tanti21, wu20, muller21 or chen22. Default: all.")] = "",
    item: Annotated[str, typer.Argument(help="A table or figure, such as table-1 or figure-7.")] = "",
    plan: Annotated[bool, typer.Option("--plan", help="Also print the data, cells and hours that it needs.")] = False,
    deviations: Annotated[
        str, typer.Option("--deviations", metavar="STUDY", help="Print where this study differs from its paper.")
    ] = "",
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the documentation page (docs/papers.md).")
    ] = False,
) -> None:
    """List which command reproduces which table or figure of the five papers, and what it needs.

    Example: [bold]isogloss papers muller21 table-1 --plan[/]
    """
    from isogloss.report.papers_page import describe_item, papers_page, study_deviations
    from isogloss.studies.expectations.items import find_paper, load_papers
    from isogloss.studies.study import get_study

    if deviations:
        get_study(deviations)  # or says what is meant
        typer.echo(study_deviations(deviations), nl=False)
        return
    if markdown:
        typer.echo(papers_page(), nl=False)
        return
    chosen = [find_paper(paper)] if paper else list(load_papers().values())
    for one in chosen:
        if item:
            found = one.find(item)
            typer.echo("\n".join(describe_item(one, found)))
            if plan and found.study:
                _print_needs(one, found.study, found)
            continue
        typer.echo(f"{one.name}: {one.title}")
        for each in one.items:
            state = f"{each.state}: {each.why}" if each.why else each.state
            typer.echo(f"  {each.id:<10} {each.about}; {each.command or 'nothing to run'} ({state})")
        if plan:
            for study in dict.fromkeys(each.study for each in one.items if each.study):
                typer.echo(f"isogloss {study} --preset paper")
                _print_needs(one, study)


def _print_needs(paper: "Paper", study: str, item: "Item | None" = None) -> None:
    from isogloss.studies.expectations.work import RULE, hours_as_published, work_of
    from isogloss.studies.shared.needs import needs_of

    needs, work = needs_of(study, item), work_of(study, item.options if item else "")
    missing = [name for name, here in needs.data.items() if not here]
    typer.echo(f"data: {', '.join(needs.data)}")
    typer.echo(f"not on this machine: {', '.join(missing) or 'nothing'}")
    counts = ", ".join(f"{count:,} {kind}" for kind, count in needs.cells.items())
    planned = (
        f"once all data is there; not planned yet: {needs.problem}" if needs.problem else "planned on this machine"
    )
    typer.echo(f"cells: {sum(needs.cells.values()):,} ({counts}), {planned}")
    stated = hours_as_published(work, paper.minutes)
    if stated is not None:
        typer.echo(f"hours, fine-tuning: about {stated:,.0f} on one {paper.machine}, by the paper's own times")
    typer.echo(f"hours, estimate: about {sum(one.hours for one in work):,.0f}, {RULE}")
