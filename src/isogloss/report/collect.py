"""Which runs a user means, and what to draw of them: one page, or comparisons."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from isogloss.errors import IsoglossError
from isogloss.report.compare import compare_runs
from isogloss.report.contexts import opening_findings
from isogloss.report.page import draw_page, write_page
from isogloss.report.site import write_site
from isogloss.runs.config import read_study_files
from isogloss.studies.result import Result
from isogloss.studies.saved import load_head


def find_runs(named: Sequence[Path], *, unfinished: bool = False) -> list[Path]:
    """The run folders among ``named`` and, where one is a folder of runs, in it; ``unfinished`` counts those too."""
    marks = ("result.json", "study.yaml") if unfinished else ("result.json",)
    found: list[Path] = []
    for folder in named:
        if not folder.exists():
            raise IsoglossError("no such folder", where=folder, remedy="name a folder a study wrote with --out")
        if any((folder / mark).exists() for mark in marks):
            found.append(folder)
        elif folder.is_dir():
            found += sorted({path.parent for mark in marks for path in folder.glob(f"*/{mark}")})
    if not found:
        raise IsoglossError(
            "there is no finished run here", where=", ".join(map(str, named)),
            remedy="name folders that studies wrote with --out; a run that is under way can be followed with --watch",
        )  # fmt: skip
    comparisons = [folder for folder in found if is_comparison(folder)]
    return [folder for folder in dict.fromkeys(found) if folder not in comparisons] or found


def is_comparison(folder: Path) -> bool:
    """Whether a folder holds an earlier comparison, which is not a run to compare with."""
    path = folder / "result.json"
    return path.exists() and load_head(path).study == "compare"


def report_runs(folders: Sequence[Path], out: Path) -> tuple[list[tuple[str, Result]], Path]:
    """Draw one run's page in its own folder, or a comparison into ``out``; what was drawn, and where."""
    results = {folder: Result.load(folder) for folder in folders}
    if len(results) == 1:
        folder, result = next(iter(results.items()))
        draw_page(result, folder)
        return [(folder.name, result)], folder
    studies = dict.fromkeys(result.study for result in results.values())
    if len(studies) == 1:
        comparison = compare_runs(name_runs(results), _command(results), settings_of(results))
        write_page(comparison, out)
        return [(comparison.study, comparison)], out
    return _several_studies(results, list(studies), out)


def name_runs(results: dict[Path, Result]) -> dict[str, Result]:
    """Runs by the shortest end of their paths that tells them apart."""
    for parts in range(1, 1 + max(len(folder.resolve().parts) for folder in results)):
        names = ["/".join(folder.resolve().parts[-parts:]) for folder in results]
        if len(set(names)) == len(results):
            return dict(zip(names, results.values(), strict=True))
    raise IsoglossError("the same run is named twice", remedy="name two different runs")


def settings_of(results: dict[Path, Result]) -> dict[str, dict[str, object]]:
    """The settings of each run by name, one level deep, where its folder has its study file."""
    named = dict(zip(name_runs(results), results, strict=True)) if len(results) > 1 else {}
    found: dict[str, dict[str, object]] = {}
    for name, folder in named.items():
        path = folder / "study.yaml"
        if path.is_file():
            found[name] = {key: value for file in read_study_files(path) for key, value in _flat(file.settings).items()}
    return found


def _flat(settings: Mapping[str, object], before: str = "") -> dict[str, object]:
    """Nested settings under dotted names."""
    found: dict[str, object] = {}
    for key, value in settings.items():
        found |= _flat(value, f"{before}{key}.") if isinstance(value, Mapping) else {f"{before}{key}": value}
    return found


def _command(folders: Iterable[Path]) -> str:
    return shlex.join(["isogloss", "report", *map(str, folders)])


def _several_studies(
    results: dict[Path, Result], studies: list[str], out: Path
) -> tuple[list[tuple[str, Result]], Path]:
    """A site: a comparison for each study with several runs, the run itself for the others."""
    entries: list[tuple[str, Result]] = []
    for study in studies:
        mine = {folder: result for folder, result in results.items() if result.study == study}
        only, *others = mine.values()
        entries.append((study, compare_runs(name_runs(mine), _command(mine), settings_of(mine)) if others else only))
    findings = opening_findings(entries)
    write_site(entries, out, f"{len(results)} runs of {len(studies)} studies", findings, command=_command(results))
    return entries, out
