"""From scores to sentences: does holding the language subspace help, whom, in which layers, and was it held?"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from isogloss.studies.old_origins import origins
from isogloss.studies.preserve.cells import BASELINE, STILL, Config, conditions
from isogloss.studies.preserve.figures import figures_of, tested
from isogloss.studies.preserve.tables import tables_of
from isogloss.studies.preserve.view import SOURCE, ZERO_SHOT, View, view_of
from isogloss.studies.result import Finding, Result, by_name
from isogloss.studies.shared.comparison import compare, cost_words, counted, doubt, finding, interval, signed, spread
from isogloss.studies.study import Results

QUESTION = "Does keeping language-specific states where pretraining left them help transfer?"
COLUMNS = ["task", "source", "condition", "layers", "subspace", "alpha", "seed", "target", "data", "where", "layer"]
COLUMNS += ["measure", "value", "low", "high", "n"]
SURE = 0.05


def summarise(config: Config, results: Results) -> Result:
    """Findings, the paper's tables and figures, and the tidy records."""
    found = conditions(config)
    view = view_of(found, results)
    tables = by_name(*tables_of(view, config.model))
    return Result(
        study="preserve",
        question=QUESTION,
        findings=tuple(findings(view, tables["languages"].frame)),
        tables=tables,
        figures=by_name(*figures_of(view)),
        main_figure="alphas",
        provenance=origins(
            (config.model,), [condition.cell for condition in found], results, seeds=config.seeds, seed=config.seed,
            revision=config.revision, texts=(config.texts,),
        ),
        records=tidy(view),
    )  # fmt: skip


def tidy(view: View) -> pd.DataFrame:
    """One row a measurement: test scores, validation scores, and drifts inside and outside the subspace."""
    validation = view.validation.assign(target=view.validation["source"], data="", where="", measure="validation", n=1)
    parts = [view.scores.assign(layer=-1), validation.assign(layer=-1, low=np.nan, high=np.nan)]
    for part in ("inside", "outside") if len(view.drifts) else ():
        moved = view.drifts.assign(value=view.drifts[part], data="", where="", measure=f"drift_{part}")
        parts.append(moved.assign(low=np.nan, high=np.nan))
    return pd.concat([part[COLUMNS] for part in parts], ignore_index=True)


def findings(view: View, languages: pd.DataFrame) -> Iterator[Finding]:
    """Most useful first, fine-tuning by fine-tuning."""
    parts: tuple[Callable[[View, str, str], Iterator[Finding]], ...] = (
        effect, control, whose(languages), layers, subspaces, hindsight, kept,
    )  # fmt: skip
    for part in parts:
        for task, source in view.groups():
            for found in part(view, task, source):
                yield replace(found, text=f"{task} from {source}: {found.text}")


def effect(view: View, task: str, source: str) -> Iterator[Finding]:
    """The penalty that one would have taken, against fine-tuning without it."""
    name, where = view.leading(), tested(view, task, source)
    alpha = view.chosen(task, source, name)
    gain = view.gain(task, source, name, where)
    count = view.of(task, source, name, where)["target"].nunique()
    text = f"{name} (alpha {alpha:g}, chosen on validation data) {cost_words(gain)} "
    if where == ZERO_SHOT:
        home = view.gain(task, source, name, SOURCE)
        text += f"in {counted(count, 'language')} not trained on, and {cost_words(home)} in the source."
    else:
        text += f"in the {counted(count, 'language')} trained on."
    yield finding(text, gain)


def control(view: View, task: str, source: str) -> Iterator[Finding]:
    """L-DAR also switches dropout off: what that does by itself, and what is left for the penalty."""
    if STILL not in view.conditions():
        return
    where = tested(view, task, source)
    still = view.gain(task, source, STILL, where)
    own = view.gain(task, source, view.leading(), where, over=STILL)
    text = f"switching dropout off, which L-DAR also does, {cost_words(still)}; the penalty itself {cost_words(own)}."
    yield finding(text, own)


def whose(languages: pd.DataFrame) -> Callable[[View, str, str], Iterator[Finding]]:
    """Which languages gain and which lose, and how many of these differences are sure."""

    def part(view: View, task: str, source: str) -> Iterator[Finding]:
        name, where = view.leading(), tested(view, task, source)
        gaps = compare(view.of(task, source, name, where), view.of(task, source, BASELINE, where)).gaps.mean(axis=0)
        gaps = gaps.droplevel("data")
        if len(gaps) < 2:
            return
        rows = languages[(languages["task"] == task) & (languages["from"] == source)].set_index("language")
        sure = int((rows.loc[gaps.index, f"{name}_p"] < SURE).sum())
        text = (
            f"{name} is better in {int((gaps > 0).sum())} of {len(gaps)} languages, from {gaps.idxmin()} "
            f"({signed(gaps.min())}) to {gaps.idxmax()} ({signed(gaps.max())}); {sure} of these differences "
            f"{'is' if sure == 1 else 'are'} sure for these fine-tunings, by their sentences (p < 0.05, Holm)."
        )
        yield Finding(text, effect=float(gaps.mean()), n=len(gaps), unit="points")

    return part


def layers(view: View, task: str, source: str) -> Iterator[Finding]:
    """Lower layers only against upper layers only."""
    rows = view.scores[["condition", "layers", "subspace"]].drop_duplicates()
    lead = rows.loc[rows["condition"] == view.leading(), "subspace"].iloc[0]
    some = rows[(rows["subspace"] == lead) & ~rows["layers"].isin(["", "all"])]["condition"].tolist()
    if len(some) < 2:
        return
    where = tested(view, task, source)
    low, high = some[0], some[-1]
    more = view.gain(task, source, high, where, over=low)
    gains = {name.partition("layers ")[2]: view.gain(task, source, name, where).value for name in some}
    each = ", ".join(f"{held} {signed(gain)}" for held, gain in gains.items())
    text = (
        f"holding some layers only, against the baseline: {each}; the uppermost are {signed(more.value)} points"
        f"{interval(more)} from the lowest{doubt(more)}."
    )
    yield finding(text, more)


def subspaces(view: View, task: str, source: str) -> Iterator[Finding]:
    """The subspace of another method instead of the first one."""
    rows = view.scores[["condition", "layers", "subspace"]].drop_duplicates()
    lead = rows[rows["condition"] == view.leading()].iloc[0]
    others = rows[(rows["layers"] == lead["layers"]) & (rows["subspace"] != lead["subspace"])]["condition"]
    for name in others:
        more = view.gain(task, source, name, tested(view, task, source), over=view.leading())
        yield finding(f"{name} instead of {view.leading()} {cost_words(more)}.", more)


def hindsight(view: View, task: str, source: str) -> Iterator[Finding]:
    """The alpha that would have been best, which nobody knows beforehand."""
    name, where = view.leading(), tested(view, task, source)
    if len(view.alphas(name)) == 1:
        return
    chosen, best = view.chosen(task, source, name), view.hindsight(task, source, name)
    if chosen == best:
        text = f"no other of the {len(view.alphas(name))} alphas would have been better on the test data."
        yield finding(text, view.gain(task, source, name, where))
        return
    gaps = compare(view.of(task, source, name, where, best), view.of(task, source, name, where, chosen)).gaps
    more = spread(gaps.to_numpy())
    text = (
        f"on the test data alpha {best:g} would have been {more.value:.1f} points{interval(more)} above the chosen "
        f"{chosen:g}{doubt(more)}; the best of many is partly luck."
    )
    yield finding(text, more)


def kept(view: View, task: str, source: str) -> Iterator[Finding]:
    """Whether the penalty did what it is for."""
    if not len(view.drifts):
        return
    name = view.leading()
    tables = [view.drift_table(task, source, condition, "inside") for condition in (name, BASELINE)]
    less = spread((tables[0] - tables[1]).to_numpy())
    means = {
        (condition, part): view.drift(task, source, condition, part).value
        for condition in (name, BASELINE)
        for part in ("inside", "outside")
    }
    text = (
        f"fine-tuning moves states inside the language subspace by {means[BASELINE, 'inside']:.2f} of their spread "
        f"there, {name} by {means[name, 'inside']:.2f} (difference {less.value:+.2f}{interval(less, 2)}{doubt(less)}); "
        f"outside it by {means[BASELINE, 'outside']:.2f} and {means[name, 'outside']:.2f}."
    )
    yield finding(text, less, "of the spread")
