"""From measures to an answer in words. The layer is chosen on other sentences than those whose numbers are shown,
and every judgement rests on standardised dimensions, so that no rogue dimension makes it."""

import numpy as np
import pandas as pd

from isogloss.languages import try_language
from isogloss.probes.statistics import bootstrap_mean
from isogloss.studies.inspect.cells import FILE, Config, Inspection, inspections
from isogloss.studies.inspect.shown import figures_of, tables_of
from isogloss.studies.inspect.view import SOUND, View, name_of, similarity_matrix, view_of
from isogloss.studies.models import Checkpoint
from isogloss.studies.result import Finding, Provenance, Result, by_name
from isogloss.studies.study import Results

QUESTION = "Which layer aligns which languages, and what do they share?"
LAG = 0.8  # a language lags when it finds less than this share of what the median language finds
ROGUE = 0.3  # share of variance in three dimensions from which cosines cannot be trusted
MOST_NAMED = 5


def summarise(config: Config, results: Results) -> Result:
    """The answer for one model, or for several side by side."""
    cells = inspections(config)
    names = model_names(cells)
    views = [
        view_of(name, results[cell], pd.read_parquet(results.folder(cell) / FILE))
        for name, cell in zip(names, cells, strict=True)
    ]
    findings = [finding for view in views for finding in describe(view, config, several=len(views) > 1)]
    if len(views) > 1:
        findings.insert(0, compare(views))
    return Result(
        study="inspect",
        question=QUESTION,
        findings=tuple(findings),
        tables=by_name(*tables_of(views)),
        figures=by_name(*figures_of(views)),
        main_figure="layers",
        provenance=Provenance.gather(
            models=tuple(names),
            data=(config.data,),
            revisions=revisions(names, cells, config),
            seeds=(config.seed,),
            seconds=results.seconds(cells),
        ),
        records=tidy(views, cells),
    )


def model_names(cells: tuple[Inspection, ...]) -> list[str]:
    """Short names, told apart where two models share one."""
    names = [cell.model.label() for cell in cells]
    return [name if names.count(name) == 1 else f"{name} ({number + 1})" for number, name in enumerate(names)]


def revisions(names: list[str], cells: tuple[Inspection, ...], config: Config) -> dict[str, str]:
    found = {
        name: cell.model.revision for name, cell in zip(names, cells, strict=True) if isinstance(cell.model, Checkpoint)
    }
    return {config.data: cells[0].data_revision, **{name: revision for name, revision in found.items() if revision}}


def tidy(views: list[View], cells: tuple[Inspection, ...]) -> pd.DataFrame:
    """model, revision, layer, source, target, measure, value, low, high, n"""
    parts = []
    for view, cell in zip(views, cells, strict=True):
        revision = cell.model.revision if isinstance(cell.model, Checkpoint) else ""
        frame = view.measures.copy()
        frame.insert(0, "model", view.name)
        frame.insert(1, "revision", revision)
        parts.append(frame)
    return pd.concat(parts, ignore_index=True)


def describe(view: View, config: Config, several: bool) -> list[Finding]:
    """What is to be said of one model, most useful first."""
    found = [best_layer(view), gains(view), *laggards(view), *nearest(view), mexa(view, config), *rogues(view)]
    found += [identity(view), *tokeniser(view), *word_alignment(view)]
    if several:
        found = [
            Finding(
                f"{view.name}: {one.text[0].lower() + one.text[1:]}", one.effect, one.low, one.high, one.n, one.unit
            )
            for one in found
        ]
    return found


def best_layer(view: View) -> Finding:
    mean = view.mean(SOUND)
    profile = view.by_layer(SOUND)
    worst = int(profile.idxmin())
    return Finding(
        f"Layer {view.layer} of {len(view.record.layers) - 1} aligns best: {100 * mean.value:.1f}% of sentences find their "
        f"translation there among {view.record.measured}, against {100 * profile[worst]:.1f}% at layer {worst} "
        f"and {100 * profile.iloc[-1]:.1f}% at the last.",
        effect=100 * mean.value, low=100 * mean.low, high=100 * mean.high, n=mean.n, unit="%",
    )  # fmt: skip


def gains(view: View) -> Finding:
    """What cheap corrections are worth, against plain cosine at the same layer."""
    plain = view.at_layer("retrieval_raw").set_index(["source", "target"])["value"]
    lines, best = [], None
    for name, words in (("centred", "centring each language"), ("neutralised", "projecting the language subspace away"),
                        ("standardised", "standardising dimensions")):  # fmt: skip
        other = view.at_layer(f"retrieval_{name}").set_index(["source", "target"])["value"]
        change = bootstrap_mean(100 * (other - plain.reindex(other.index)).to_numpy())
        sure = "" if change.low > 0 or change.high < 0 else " (the interval includes zero)"
        lines.append(f"{words} {change.value:+.1f} points{sure}")
        best = change if best is None else best
    assert best is not None
    return Finding(
        f"Plain cosine finds {100 * plain.mean():.1f}%; " + ", ".join(lines) + ".",
        effect=best.value, low=best.low, high=best.high, n=best.n, unit=" points",
    )  # fmt: skip


def laggards(view: View) -> list[Finding]:
    """Languages that find much less than the median one, with family and script."""
    scores = view.by_language().sort_values()
    if len(scores) < 3:
        return []
    behind = scores[scores < LAG * scores.median()]
    if behind.empty:
        low = scores.index[0]
        return [Finding(f"No language lags far behind; the lowest is {name_of(low)} with {100 * scores.iloc[0]:.1f}%.")]
    named = ", ".join(f"{name_of(code)} {100 * value:.1f}%" for code, value in behind.head(MOST_NAMED).items())
    more = f" and {len(behind) - MOST_NAMED} more" if len(behind) > MOST_NAMED else ""
    return [
        Finding(
            f"{len(behind)} of {len(scores)} languages lag (below {LAG:.0%} of the median {100 * scores.median():.1f}%): {named}{more}.",
            n=len(scores),
        )
    ]


def nearest(view: View) -> list[Finding]:
    """For each language the one to fine-tune on, by unbiased CKA of standardised dimensions."""
    if len(view.record.languages) < 3:
        return []
    matrix = similarity_matrix(view)
    best = matrix.mask(np.eye(len(matrix), dtype=bool)).idxmax()
    named = ", ".join(f"{target} <- {source}" for target, source in list(best.items())[:8])
    more = ", ..." if len(best) > 8 else ""
    return [
        Finding(f"Nearest source for each target (the one to fine-tune on): {named}{more}.", n=view.record.measured)
    ]


def mexa(view: View, config: Config) -> Finding:
    """MEXA's own score (Kargaran et al. 2024): mutual nearest neighbours with the pivot, mean and maximum over layers."""
    pivot = pivot_of(view, config)
    rows = view.measures[(view.measures["measure"] == "mexa_raw") & (view.measures["source"] == pivot)]
    by_language = rows.groupby("target")["value"].agg(["mean", "max"])
    average = by_language.mean()
    return Finding(
        f"MEXA with pivot {pivot}: {average['mean']:.3f} as the mean over layers, {average['max']:.3f} as the maximum, "
        f"averaged over {len(by_language)} languages (plain cosine, as published).",
        effect=float(average["mean"]), n=view.record.measured,
    )  # fmt: skip


def pivot_of(view: View, config: Config) -> str:
    if config.pivot:
        known = try_language(config.pivot)
        code = known.code if known else config.pivot
        if code in view.record.languages:
            return code
    return "en" if "en" in view.record.languages else view.record.languages[0]


def rogues(view: View) -> list[Finding]:
    """A warning where a few dimensions hold so much variance that plain cosines and CKA only see them."""
    share = view.by_layer("rogue_share")
    bad = share[share > ROGUE]
    if bad.empty:
        return []
    return [
        Finding(
            f"Rogue dimensions: three hold {100 * bad.min():.0f}-{100 * bad.max():.0f}% of the variance in {len(bad)} of "
            f"{len(share)} layers, so plain cosines and CKA there say little; the answers above rest on standardised dimensions.",
            effect=100 * float(bad.max()),
            unit="%",
        )  # fmt: skip
    ]


def identity(view: View) -> Finding:
    probe = view.measures[view.measures["measure"] == "identification"].set_index("layer")
    here, last = probe.loc[view.layer], probe.iloc[-1]
    share, dims = view.by_layer("language_share"), view.by_layer("language_dimensions")
    return Finding(
        f"A linear probe names the language of {100 * here['value']:.1f}% of unseen sentences at layer {view.layer} "
        f"({100 * last['value']:.1f}% at the last layer; chance {100 / len(view.record.languages):.1f}%); language accounts for "
        f"{100 * share[view.layer]:.1f}% of the variance, in about {dims[view.layer]:.1f} dimensions.",
        effect=100 * here["value"], low=100 * here["low"], high=100 * here["high"], n=int(here["n"]), unit="%",
    )  # fmt: skip


def tokeniser(view: View) -> list[Finding]:
    """Languages that the tokeniser splits most, unknown subwords, and sentences that were cut."""
    counts = view.record.tokens
    fertility = sorted(((one.tokens / one.characters, one.language) for one in counts), reverse=True)
    unknown = [one for one in counts if one.unknown > 0.001 * one.tokens]
    cut = [one for one in counts if one.cut_sentences]
    text = f"The tokeniser needs most subwords a character in {name_of(fertility[0][1])} ({fertility[0][0]:.2f}) and fewest in {name_of(fertility[-1][1])} ({fertility[-1][0]:.2f})"
    text += (
        f"; unknown subwords: {', '.join(f'{one.language} {one.unknown / one.tokens:.1%}' for one in unknown[:MOST_NAMED])}"
        if unknown
        else "; no unknown subwords to speak of"
    )
    text += (
        f"; cut to the model's length: {', '.join(f'{one.cut_sentences} of {one.sentences} in {one.language}' for one in cut[:MOST_NAMED])}."
        if cut
        else "; no sentence was cut."
    )
    return [Finding(text, n=sum(one.tokens for one in counts))]


def word_alignment(view: View) -> list[Finding]:
    rows = view.measures[view.measures["measure"] == "aer"]
    if rows.empty:
        return []
    best = rows.loc[rows["value"].idxmin()]
    here = rows[rows["layer"] == view.layer].iloc[0]
    return [
        Finding(
            f"Words matched by their states: alignment error rate {100 * here['value']:.1f} at layer {view.layer}, lowest "
            f"{100 * best['value']:.1f} at layer {int(best['layer'])} ({best['source']}-{best['target']}).",
            effect=100 * here["value"],
            low=100 * here["low"],
            high=100 * here["high"],
            n=int(here["n"]),
        )  # fmt: skip
    ]


def compare(views: list[View]) -> Finding:
    """Models by retrieval, each at its own layer; whether the first two differ is judged over the same pairs."""
    ranked = sorted(views, key=lambda view: -view.mean(SOUND).value)
    listed = ", ".join(f"{view.name} {100 * view.mean(SOUND).value:.1f}% (layer {view.layer})" for view in ranked)
    first, second = (view.at_layer(SOUND).set_index(["source", "target"])["value"] for view in ranked[:2])
    gap = bootstrap_mean(100 * (first - second.reindex(first.index)).to_numpy())
    sure = "" if gap.low > 0 else "; the interval of the lead includes zero"
    return Finding(
        f"Translations found, each model at its own best layer: {listed}. {ranked[0].name} leads by {gap.value:.1f} points{sure}.",
        effect=gap.value, low=gap.low, high=gap.high, n=gap.n, unit=" points",
    )  # fmt: skip
