"""From scores to an answer: how good at home and abroad, by how much methods differ, with intervals over seeds."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from isogloss.probes.statistics import Estimate, over_seeds
from isogloss.studies.result import Figure, Finding, Provenance, Result, Table, by_name
from isogloss.studies.shared.families import families_in, languages_in
from isogloss.studies.study import Results
from isogloss.studies.transfer.naming import condition_names
from isogloss.studies.transfer.places import places
from isogloss.studies.transfer.plan import Condition, Config, conditions, sources
from isogloss.studies.transfer.searched import search_findings, search_tables, searches
from isogloss.tasks import get_task
from isogloss.transfer import Data, TransferRecord, Tuned, score_frame

QUESTION = "How well does a model fine-tuned in one language serve the others?"
SPREAD = ["value", "low", "high"]


def summarise(config: Config, results: Results) -> Result:
    """Findings, a table of languages by condition, and bars."""
    done = conditions(config)
    records = [results[condition.cell] for condition in done]
    names = condition_names(done)
    named = zip(names, done, records, strict=True)
    frames = [_frame(name, condition, record, config) for name, condition, record in named]
    searched = searches(names, done, results)
    tidy = pd.concat(frames, ignore_index=True)
    measure = get_task(config.task, **config.options).measure
    means = over_the_seeds(tidy[tidy["measure"] == measure])
    return Result(
        study="transfer",
        question=QUESTION,
        findings=(*findings(tidy, config, measure, records), *search_findings(searched)),
        tables=by_name(
            language_table(means, measure, config), summary_table(tidy, measure, config), *search_tables(searched)
        ),
        figures=by_name(bars(means, measure, config), *_places(means, measure, config)),
        main_figure="languages",
        provenance=Provenance.gather(
            models=config.models,
            data=(config.data, *config.test_data),
            revisions={data.describe(): data.revision for data in _data(done[0])},
            seeds=config.seeds,
            seconds=results.seconds([condition.cell for condition in done]),
        ),
        records=tidy,
    )


def _data(condition: Condition) -> tuple[Data, ...]:
    cell = condition.cell
    base = cell.candidates[0] if isinstance(cell, Tuned) else cell
    return (*base.train, *base.validation, *cell.tests)


def _frame(name: str, condition: Condition, record: TransferRecord, config: Config) -> pd.DataFrame:
    frame = score_frame(
        record.scores,
        task=config.task,
        model=condition.model,
        method=condition.method,
        source="+".join(config.sources),
        seed=condition.seed,
    )
    frame["condition"] = name
    frame["home"] = frame["language"].isin(_home(config, frame))
    return frame


def _home(config: Config, frame: pd.DataFrame) -> set[str]:
    """The source languages under the codes of the test data."""
    own = sources(config)
    return set(own) | {code for code in frame["language"] if code.partition("-")[0] in own}


def _families(config: Config, languages: set[str]) -> dict[str, str]:
    return dict(config.families) or families_in(config.data, languages)


def over_the_seeds(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a condition, data set and language: the mean over seeds; with one seed the interval over sentences."""
    rows = []
    for (condition, data, language), group in frame.groupby(["condition", "data", "language"], sort=False):
        low, high = float(group["low"].iloc[0]), float(group["high"].iloc[0])
        if len(group) > 1:
            spread = over_seeds(group["value"].to_numpy())
            low, high = spread.low, spread.high
        rows.append(
            (condition, data, language, bool(group["home"].iloc[0]), group["value"].mean(), low, high, len(group))
        )
    columns = ["condition", "data", "language", "home", "value", "low", "high", "n"]
    return pd.DataFrame(rows, columns=columns)


def average(frame: pd.DataFrame, condition: str, home: bool) -> Estimate | None:
    """The mean over languages at home or abroad (these languages, seeds drawn at random), in points."""
    chosen = frame[(frame["condition"] == condition) & (frame["home"] == home)]
    if chosen.empty:
        return None
    table = chosen.pivot_table(index="seed", columns=["data", "language"], values="value").to_numpy() * 100
    return over_seeds(table, items="fixed")


def difference(frame: pd.DataFrame, condition: str, baseline: str, home: bool) -> Estimate | None:
    """How many points a condition is above the baseline, paired by seed and language."""
    tables = [
        frame[(frame["condition"] == name) & (frame["home"] == home)].pivot_table(
            index="seed", columns=["data", "language"], values="value"
        )
        for name in (condition, baseline)
    ]
    if any(table.empty for table in tables):
        return None
    return over_seeds((tables[0] - tables[1]).dropna(axis=1).to_numpy() * 100, items="fixed")


def findings(tidy: pd.DataFrame, config: Config, measure: str, records: Sequence[TransferRecord]) -> list[Finding]:
    """At home and abroad for each condition; differences to the first one; what was lost in reading."""
    frame = tidy[tidy["measure"] == measure]
    names = list(dict.fromkeys(frame["condition"]))
    source = "+".join(config.sources)
    found = [_levels(frame, name, source, measure) for name in names]
    for name in names[1:]:
        for home, where in ((False, "in other languages"), (True, "at home")):
            if (gap := difference(frame, name, names[0], home)) is not None:
                found.append(_gap(gap, name, names[0], where))
    notes = dict.fromkeys(note for record in records for note in record.notes)
    skipped = sum(sum(record.skipped.values()) for record in records[:1])
    found += [Finding(f"Note: {note}.") for note in list(notes)[:5]]
    if skipped:
        found.append(Finding(f"Note: {skipped:,} records could not be used and were left out."))
    return found


def _levels(frame: pd.DataFrame, name: str, source: str, measure: str) -> Finding:
    home, abroad = average(frame, name, True), average(frame, name, False)
    at_home = f"{home.value:.1f} at home" if home else "no test at home"
    if abroad is None:
        return Finding(
            f"{name}: from {source}, {at_home} ({measure}).", effect=home.value if home else None, unit="points"
        )
    languages = frame[(frame["condition"] == name) & ~frame["home"]]["language"].nunique()
    plural = "" if languages == 1 else "s"
    interval = "" if np.isnan(abroad.low) else f" [{abroad.low:.1f}, {abroad.high:.1f}]"
    return Finding(
        f"{name}: from {source}, {at_home} and {abroad.value:.1f}{interval} on average in {languages} other "
        f"language{plural} ({measure}).",
        effect=abroad.value,
        low=None if np.isnan(abroad.low) else abroad.low,
        high=None if np.isnan(abroad.high) else abroad.high,
        n=abroad.n,
        unit="points",
    )


def _gap(gap: Estimate, name: str, baseline: str, where: str) -> Finding:
    moves = "gains" if gap.value >= 0 else "costs"
    if np.isnan(gap.low):
        sure, interval = " (one seed: no interval)", ""
    else:
        interval = f" [{gap.low:.1f}, {gap.high:.1f}]"
        sure = ", which may be chance: the interval includes zero" if gap.low <= 0 <= gap.high else ""
    return Finding(
        f"Against {baseline}, {name} {moves} {abs(gap.value):.1f} points {where}{interval}{sure}.",
        effect=gap.value,
        low=None if np.isnan(gap.low) else gap.low,
        high=None if np.isnan(gap.high) else gap.high,
        n=gap.n,
        unit="points",
    )


def language_table(means: pd.DataFrame, measure: str, config: Config) -> Table:
    """A row a language, a column a condition."""
    shown = means.copy()
    shown[SPREAD] *= 100
    several = shown["data"].nunique() > 1
    names = list(dict.fromkeys(shown["condition"]))
    return Table.from_tidy(
        "languages",
        f"{config.task} from {'+'.join(config.sources)}: {measure}, %",
        "Higher is better; intervals are over seeds, or over sentences where there is one seed.",
        shown[["language", "data", "condition", *SPREAD, "n"]],
        rows=("language", "data") if several else ("language",),
        columns="condition",
        best="max",
        best_in="row",
        baseline_column=names[0] if len(names) > 1 else None,
    )


def summary_table(tidy: pd.DataFrame, measure: str, config: Config) -> Table:
    """Means over the source, its family, and other languages (Chen22 Table III), and the zero-shot gap."""
    frame = tidy[tidy["measure"] == measure]
    families = _families(config, set(frame["language"]) | set(sources(config)))
    own = {families.get(code, "") for code in sources(config)} - {""}
    rows = []
    for name in dict.fromkeys(frame["condition"]):
        mine = frame[frame["condition"] == name]
        related = mine["language"].map(families).isin(own) & ~mine["home"]
        groups = {"source": mine["home"], "its family": related, "other families": ~related & ~mine["home"]}
        values = {group: 100 * mine.loc[rows_of, "value"].mean() for group, rows_of in groups.items() if rows_of.any()}
        abroad = 100 * mine.loc[~mine["home"], "value"].mean()
        rows.append({"condition": name, **values, "all others": abroad, "gap": values.get("source", np.nan) - abroad})
    return Table(
        "summary",
        "At home, in the family, and beyond",
        "Means over languages and seeds; the gap is the source's score minus the mean of all others.",
        pd.DataFrame(rows),
        index=("condition",),
        best="max",
    )


def _places(means: pd.DataFrame, measure: str, config: Config) -> Iterator[Figure]:
    codes = set(means["language"])
    points = means.assign(**{column: 100 * means[column] for column in SPREAD})
    return places(points, _families(config, codes), languages_in(config.data, codes), measure)


def bars(means: pd.DataFrame, measure: str, config: Config) -> Figure:
    """Scores by language, families together."""
    shown = means.copy()
    shown[SPREAD] *= 100
    families = _families(config, set(shown["language"]))
    shown["family"] = [families.get(code) or "family unknown" for code in shown["language"]]
    if shown["data"].nunique() > 1:
        shown["language"] = shown["language"] + " " + shown["data"]
    return Figure(
        "languages",
        f"{config.task} from {'+'.join(config.sources)}",
        "bars",
        shown[["language", "family", "condition", *SPREAD, "n"]],
        reading="Each bar is a language; the source itself is the level to reach.",
        alt=f"Bars of {measure} by language for {', '.join(dict.fromkeys(shown['condition']))}.",
        series="condition",
        y_title=f"{measure}, %",
        decimals=1,
    )
