"""Several results as one site: an index with the findings of each, and a page a result in a folder of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.files import write_whole
from isogloss.report.contexts import FigureSection, FindingLine, Payloads, figure_section, finding_lines
from isogloss.report.page import date_of, facts_of, render, write_page
from isogloss.report.palette import Colours
from isogloss.studies.result import Finding, Provenance, Result

MOST_FINDINGS = 4  # of a study on the index; its own page has them all


@dataclass(frozen=True)
class _Entry:
    """A result for the template ``site.html``."""

    name: str
    study: str
    question: str
    link: str
    findings: list[FindingLine]
    main: FigureSection | None


@dataclass(frozen=True)
class _Claim:
    """A finding on the first screen and the figure that shows it."""

    study: str
    line: FindingLine
    figure: FigureSection | None


def write_site(
    results: Sequence[tuple[str, Result]],
    folder: Path | str,
    title: str,
    findings: Sequence[Finding | str] = (),
    *,
    command: str = "",
    introduction: Sequence[str] = (),
    claims: Sequence[tuple[str, Finding]] = (),
) -> Path:
    """Save every result under ``folder/NAME`` with its page, and ``folder/index.html`` over them all.

    ``introduction`` (sentences), ``findings`` and ``claims`` (a result's name and a finding, shown with the result's
    main figure) open the index. A name keeps its colour on every page of the site.
    """
    folder = Path(folder)
    colours = Colours.of(result for _, result in results)
    for name, result in results:
        write_page(result, folder / name, home="../index.html", colours=colours)
    path = folder / "index.html"
    write_whole(path, _index_html(results, title, findings, command, colours, introduction, claims))
    return path


def _index_html(
    results: Sequence[tuple[str, Result]],
    title: str,
    findings: Sequence[Finding | str],
    command: str,
    colours: Colours,
    introduction: Sequence[str],
    claims: Sequence[tuple[str, Finding]],
) -> str:
    packed: dict[str, str] = {}
    entries = []
    for name, result in results:
        payloads = Payloads(name)
        main = result.figures.get(result.main_figure)
        number = list(result.figures).index(main.name) + 1 if main else 0
        entries.append(
            _Entry(
                name=name,
                study=result.study,
                question=result.question,
                link=f"{name}/index.html",
                findings=finding_lines(result.findings[:MOST_FINDINGS]),
                main=figure_section(main, number, colours, payloads) if main else None,
            )
        )
        packed |= payloads.packed
    together = merge_provenance([result.provenance for _, result in results], command)
    return render(
        "site.html",
        title=title,
        payloads=packed,
        date=date_of(together),
        findings=finding_lines(Finding(one) if isinstance(one, str) else one for one in findings),
        facts=facts_of(together),
        command=together.command,
        introduction=introduction,
        claims=_claims(claims, entries),
        studies=entries,
    )


def _claims(claims: Sequence[tuple[str, Finding]], entries: Sequence[_Entry]) -> list[_Claim]:
    """Each with the main figure of its study; a study that makes two claims shows its figure once."""
    figures = {entry.name: entry.main for entry in entries}
    lines = finding_lines(finding for _, finding in claims)
    return [_Claim(name, line, figures.pop(name, None)) for (name, _), line in zip(claims, lines, strict=True)]


def merge_provenance(parts: Sequence[Provenance], command: str = "") -> Provenance:
    """All models, data, revisions and seeds of several results, each once; their times added up.

    Without a ``command`` of its own the site names one only if it is the same for all parts.
    """
    commands = {part.command for part in parts}
    return Provenance(
        models=tuple(dict.fromkeys(model for part in parts for model in part.models)),
        data=tuple(dict.fromkeys(data for part in parts for data in part.data)),
        revisions={name: revision for part in parts for name, revision in part.revisions.items()},
        seeds=tuple(sorted({seed for part in parts for seed in part.seeds})),
        seconds=sum(part.seconds for part in parts),
        command=command or (commands.pop() if len(commands) == 1 else ""),
        versions={name: version for part in parts for name, version in part.versions.items()},
        created=max((part.created for part in parts), default=""),
        facts=_common([part.facts for part in parts]),
    )


def _common(parts: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """What is said of any of them; where they differ, all that is said."""
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: "+".join(dict.fromkeys(part[name] for part in parts if name in part)) for name in names}
