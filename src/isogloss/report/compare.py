"""Runs of one study side by side, as a result of its own: so its page, tables and downloads are those of any study."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from isogloss.errors import IsoglossError
from isogloss.probes.statistics import p_of_intervals
from isogloss.probes.statistics.verdicts import TOO_FEW, amount, compared, listed
from isogloss.report.paired import Difference, paired_differences
from isogloss.report.pairing import only_in_one, same_names
from isogloss.report.site import merge_provenance
from isogloss.studies.figure import Figure
from isogloss.studies.result import Finding, Result, Table, by_name

LINES = ("profile", "curve", "training", "gates", "bars")
MOST_FINDINGS = 8  # a sentence a difference up to here, a sentence a run beyond
MOST_NAMED = 4  # measures in such a sentence

Settings = Mapping[str, Mapping[str, object]]  # run -> setting -> value


def compare_runs(runs: Mapping[str, Result], command: str, settings: Settings | None = None) -> Result:
    """Compare the named runs; the first is the baseline. All must be of the same study.

    ``command`` is what repeats the comparison; the commands of the runs are on their own pages. ``settings`` are those
    of each run, where they are known: what differs is listed.
    """
    studies = {result.study for result in runs.values()}
    if len(studies) != 1 or len(runs) < 2:
        raise IsoglossError(
            f"these runs cannot be compared: {len(runs)} of {', '.join(sorted(studies))}",
            remedy="name two or more runs of the same study",
        )
    first, *_ = runs.values()
    records = {name: _named_alike(result, first) for name, result in runs.items()}
    gaps = paired_differences(records, first.study)
    figures = _figures(runs)
    tables = [*([_gap_table(gaps, next(iter(runs)))] if gaps else []), *_tables(runs)]
    if gaps and not figures:
        figures = [_gap_figure(gaps, next(iter(runs)))]
    return Result(
        study="compare",
        question=f"How do {len(runs)} runs of {first.study} differ?",
        findings=(*_findings(runs, gaps), *_apart(records, settings or {})),
        tables=by_name(*tables),
        figures=by_name(*figures),
        main_figure=_main(figures, first.main_figure),
        provenance=merge_provenance([run.provenance for run in runs.values()], command),
        records=pd.concat([run.records.assign(run=name) for name, run in runs.items()], ignore_index=True),
    )


def _named_alike(result: Result, first: Result) -> pd.DataFrame:
    """The records, with data that the first run names otherwise under the first run's name."""
    names = same_names(result, first)
    frame = result.records
    return frame.assign(data=frame["data"].replace(names)) if names and "data" in frame.columns else frame


def _main(figures: Sequence[Figure], wanted: str) -> str:
    names = [figure.name for figure in figures]
    if wanted in names:
        return wanted
    return names[0] if names else ""


def _findings(runs: Mapping[str, Result], gaps: list[Difference]) -> tuple[Finding, ...]:
    if not gaps:
        return (Finding("The runs' records share no measurement that could be paired; compare their intervals below."),)
    first = next(iter(runs))
    primary = [gap for gap in gaps if gap.primary]
    others = [gap for gap in gaps if not gap.primary]
    found = [_finding(gap, first) for gap in primary]
    if len(others) + len(primary) <= MOST_FINDINGS:
        return (*found, *(_finding(gap, first) for gap in sorted(others, key=lambda gap: gap.p)))
    kind = "other measures" if primary else "measures"
    return (*found, *(_summary([gap for gap in others if gap.run == run], first, kind) for run in _compared(others)))


def _compared(gaps: list[Difference]) -> list[str]:
    return list(dict.fromkeys(gap.run for gap in gaps))


def _summary(gaps: list[Difference], first: str, kind: str) -> Finding:
    """One run in a sentence: in how many measures it differs, in how many this cannot be told, and the surest."""
    told = [gap for gap in gaps if gap.word != "too few to tell"]
    sure = sorted((gap for gap in told if gap.word != "tied"), key=lambda gap: gap.p)
    name, count = gaps[0].run, len(gaps)
    if not told:
        return Finding(f"{name} against {first} in {count} {kind}: {TOO_FEW}.", n=count)
    unknown = f"; in {count - len(told)} there are {TOO_FEW}" if len(told) < count else ""
    if not sure:
        tied = count if not unknown else len(told)
        return Finding(f"{name} and {first} are tied in {tied} of {count} {kind}{unknown}.", n=count)
    named = ", ".join(f"{_words(gap.measure)} {_signed(gap)}" for gap in sure[:MOST_NAMED])
    most = f", most surely in {named}" if len(sure) > MOST_NAMED else f": {named}"
    return Finding(
        f"{name} differs from {first} in {len(sure)} of {count} {kind} (p < 0.05 after Holm's correction)"
        f"{most}{unknown}.",
        n=count,
    )


def _words(measure: str) -> str:
    return measure.replace("_", " ")


def _signed(gap: Difference) -> str:
    return amount(gap.estimate.value, gap.scale, signed=True)


def _finding(gap: Difference, first: str) -> Finding:
    found = gap.estimate
    if gap.word == "tied" and not found.low <= 0 <= found.high and not gap.primary:
        text = f"{gap.run} and {first} are tied: {_signed(gap)} has p = {gap.p:.2g} after Holm's correction"
    else:
        text = compared(gap.run, first, found, gap.scale)
    here = " in these languages" if found.over == "sentences" else ""
    low, high = (None if math.isnan(end) else end for end in (found.low, found.high))
    return Finding(
        f"{_words(gap.measure)}{here}: {text}.", found.value, low, high, found.n, gap.scale.unit, over=found.over
    )


def _apart(records: Mapping[str, pd.DataFrame], settings: Settings) -> list[Finding]:
    """What was not paired, and which settings differ."""
    said = []
    names = dict.fromkeys(name for chosen in settings.values() for name in chosen)
    if len(settings) == len(records):
        values = {name: [str(chosen.get(name, "-")) for chosen in settings.values()] for name in names}
        differ = [f"{name} {' / '.join(found)}" for name, found in values.items() if len(set(found)) > 1]
        said += [Finding(f"Settings that differ: {'; '.join(differ)}.")] if differ else []
    unpaired = only_in_one(records)
    return said + ([Finding(f"Not paired: {'; '.join(unpaired)}.")] if unpaired else [])


def _gap_table(gaps: list[Difference], first: str) -> Table:
    frame = pd.DataFrame(
        {
            "run": [gap.run for gap in gaps],
            "measure": [_words(gap.measure) for gap in gaps],
            "over": [gap.estimate.over or "nothing" for gap in gaps],
            "difference": [gap.estimate.value for gap in gaps],
            "difference_low": [gap.estimate.low for gap in gaps],
            "difference_high": [gap.estimate.high for gap in gaps],
            "difference_n": [gap.estimate.n for gap in gaps],
            "difference_p": [gap.p for gap in gaps],
            "unit": [gap.scale.unit for gap in gaps],
            "verdict": [gap.word for gap in gaps],
            "p": ["" if math.isnan(gap.p) else f"{gap.p:.2g}" for gap in gaps],
        }
    )
    primary = listed(list(dict.fromkeys(_words(gap.measure) for gap in gaps if gap.primary)) or ["none"])
    return Table(
        "paired_differences",
        f"Differences to {first}",
        "The mean over what both runs measured on the same language, layer, task, condition and seed, with an interval "
        "over languages and seeds, or over the sentences of these languages. "
        f"Primary measures ({primary}) are judged by their intervals, the others after Holm's correction.",
        frame,
        index=("run", "measure", "over"),
        values=("difference", "unit", "verdict", "p"),
        signed=("difference",),
        decimals=3,
    )


def _gap_figure(gaps: list[Difference], first: str) -> Figure:
    shown = list({(gap.run, gap.measure): gap for gap in reversed(gaps)}.values())[::-1]
    frame = pd.DataFrame([(g.run, g.measure, *g.estimate.columns()) for g in shown])
    frame.columns = pd.Index(["run", "measure", "value", "low", "high", "n"])
    alt = "; ".join(f"{g.run}, {g.measure}: {g.estimate.value:.3g}" for g in shown)
    reading = "A whisker that leaves out zero is a difference that chance hardly explains."
    return Figure(
        "differences", f"Differences to {first}", "bars", frame, reading, f"Mean differences: {alt}.",
        x="run", series="measure", y_title=f"difference to {first}",
    )  # fmt: skip


def _tables(runs: Mapping[str, Result]) -> list[Table]:
    first, *others = runs.values()
    shared = [name for name in first.tables if all(name in other.tables for other in others)]
    return [table for name in shared if (table := _side_by_side(runs, name)) is not None]


def _side_by_side(runs: Mapping[str, Result], name: str) -> Table | None:
    """A row for every number the runs share, a column per run, stars where intervals set it apart from the first."""
    first = next(iter(runs.values())).tables[name]
    numbers = {run: _numbers(result.tables[name]) for run, result in runs.items()}
    rows = [key for key in next(iter(numbers.values())) if all(key in found for found in numbers.values())]
    if not rows:
        return None
    heads = (*(first.index or ("row",)), "column")
    frame = pd.DataFrame(rows, columns=pd.Index(heads))
    baseline = next(iter(runs))
    for run, found in numbers.items():
        values = [found[row] for row in rows]
        frame[run] = [value for value, _, _ in values]
        frame[f"{run}_low"], frame[f"{run}_high"] = [v[1] for v in values], [v[2] for v in values]
        if run != baseline:
            frame[f"{run}_p"] = [p_of_intervals(found[row], numbers[baseline][row]) for row in rows]
    return Table(
        name, first.title, f"{first.reading} Differences are to {baseline}.", frame, index=heads, values=tuple(runs),
        best=first.best, best_in="row", baseline_column=baseline, decimals=first.decimals, paper=first.paper,
        caption="A star marks p < 0.05 from the two intervals, not corrected for the number of cells.",
    )  # fmt: skip


def _numbers(table: Table) -> dict[tuple[str, ...], tuple[float, float, float]]:
    """Every numeric cell by its row's names and its column: value, low, high (NaN where not known)."""
    frame = table.frame
    found = {}
    for place, name in enumerate(table.row_names()):
        names = tuple(str(frame[part].iloc[place]) for part in table.index) or (name,)
        for column in table.columns:
            if frame[column].dtype.kind in "if":
                ends = (
                    float(frame[column + s].iloc[place]) if column + s in frame else math.nan for s in ("_low", "_high")
                )
                found[(*names, column)] = (float(frame[column].iloc[place]), *ends)
    return found  # type: ignore[return-value]


def _figures(runs: Mapping[str, Result]) -> list[Figure]:
    first, *others = runs.values()
    shared = [name for name in first.figures if all(name in other.figures for other in others)]
    drawn = [_overlay(runs, name) if first.figures[name].kind in LINES else _change(runs, name) for name in shared]
    return [figure for figure in drawn if figure is not None]


def _overlay(runs: Mapping[str, Result], name: str) -> Figure:
    """All runs' lines or bars in one figure: a colour a run, what were its series in a drop-down."""
    first = next(iter(runs.values())).figures[name]
    series, facet = first.column("series"), first.column("facet")
    together = pd.concat([run.figures[name].frame.assign(run=label) for label, run in runs.items()], ignore_index=True)
    changes: dict[str, object] = {"series": "run", "baselines": (), "highlight": ()}
    if series and facet:
        together["line"] = together["run"] + ": " + together[series].astype(str)
        changes["series"] = "line"
    elif series:
        changes |= {"facet": series, "facet_start": ""}
    return replace(first, frame=together, reading=f"{first.reading} One colour a run.", **changes)  # type: ignore[arg-type]


def _change(runs: Mapping[str, Result], name: str) -> Figure | None:
    """For heat maps: every other run's cells minus the first run's. Other kinds stay on the runs' own pages."""
    baseline, first = next((run, result.figures[name]) for run, result in runs.items())
    if first.kind != "heatmap":
        return None
    x, y, value, facet = (first.column(role) for role in ("x", "y", "value", "facet"))
    keys = [key for key in (x, y, facet) if key]
    parts = []
    for run, result in runs.items():
        if run != baseline:
            both = result.figures[name].frame.merge(first.frame, on=keys, suffixes=("", "_first"))
            where = (run + f", {facet} " + both[facet].astype(str)) if facet else run
            parts.append(both[keys].assign(change=both[value] - both[f"{value}_first"], run=where))
    frame = pd.concat(parts, ignore_index=True)
    if frame.empty:
        return None
    return Figure(
        name, f"{first.title}: change", "heatmap", frame,
        reading=f"Each cell is the run's value minus that of {baseline}.",
        alt=f"Changes between {frame['change'].min():.3g} and {frame['change'].max():.3g} against {baseline}.",
        x=x, y=y, value="change", facet="run", diverging=True, decimals=first.decimals, annotate=first.annotate,
        x_title=first.x_title, y_title=first.y_title, value_title="change", paper=first.paper,
    )  # fmt: skip
