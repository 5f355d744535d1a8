"""From predictions to sentences: expected scores, what they rest on, whether to believe them, and what to do next."""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from isogloss.probes.statistics import bootstrap_mean
from isogloss.probes.statistics.verdicts import Lead, Scale, interval, lead, rests_on, verdict
from isogloss.studies.predict.view import ALL, WAYS, PredictView, band_of, chosen_way
from isogloss.studies.result import Finding
from isogloss.studies.shared.comparison import counted, finding

SHOWN = 4  # rivals that a sentence names


def findings_of(view: PredictView) -> Iterator[Finding]:
    """Scores or a ranking first, then whether to believe them, then what to label and where to start."""
    if view.predicts:
        yield from expected(view)
        yield from belief(view)
        yield from next_steps(view)
    yield from ranking(view)


def expected(view: PredictView) -> Iterator[Finding]:
    """Best and worst target, and what the predictions rest on."""
    best_way = chosen_way(view)
    found = view.predictions(best_way)
    decimals = view.decimals
    order = sorted(found, key=lambda code: -found[code].value)
    for code in dict.fromkeys((order[0], order[-1])):
        one = found[code]
        sure = interval(one, decimals) or " (too few known languages for an interval)"
        text = (
            f"{view.source} to {code}: expected score {one.value:.{decimals}f}{sure} ({rests_on(one)}, by {best_way})."
        )
        yield finding(text, one, "score")
    if best_way == ALL:
        (first, share), *_ = view.rests_on()
        yield Finding(
            f"The predictions depend mostly on {_named(view, first)} ({share:.0%} of their variation).",
            effect=share, n=len(view.targets), unit="share",
        )  # fmt: skip


def belief(view: PredictView) -> Iterator[Finding]:
    """Error and coverage on languages left out, beside each baseline."""
    ours = view.judged[ALL]
    decimals = view.decimals
    off = f"{ours.error.value:.{decimals}f}{interval(ours.error, decimals)}"
    how = f"{ours.error.n} languages; correlation {ours.correlation:.2f}"
    text = f"On languages left out, all features are off by {off} ({how})"
    if not math.isnan(ours.coverage):
        text += f". {ours.coverage:.0%} of {ours.covered} scores are in their {view.confidence:.0%} intervals"
    yield finding(text + ".", ours.error, "score")
    scale = Scale("", decimals, higher_is_better=True)
    beaten = [way for way in WAYS if way != ALL and verdict(view.advantage(way), scale) == "better"]
    others = [way for way in WAYS if way != ALL and way not in beaten]
    if beaten:
        yield Finding(
            f"All features predict better than {', '.join(beaten)}.", effect=float(len(beaten)), n=ours.error.n
        )
    if others:
        worst = max(others, key=lambda way: -view.judged[way].error.value)
        gap = view.advantage(worst)
        yield finding(
            f"All features together are not measurably better than {', '.join(others)}. The best of these, {worst}, "
            f"is off by {view.judged[worst].error.value:.{decimals}f} (difference "
            f"{gap.value:+.{decimals}f}{interval(gap, decimals)}).",
            gap, "score",
        )  # fmt: skip


def next_steps(view: PredictView) -> Iterator[Finding]:
    """Which language to label next, and which source to fine-tune from; those that tie are named."""
    decimals = view.decimals
    doubt = " All known scores are from one source: read this as a direction." if view.one_source else ""
    found = view.gains()
    if found:
        top = lead(found)
        one = found[str(top.best)]
        yield finding(
            f"Label {top.best} next{tied(top)}: expected gain {one.value:.{decimals}f}{interval(one, decimals)} in the "
            f"mean over {len(view.targets)} targets ({rests_on(one)}).{doubt}", one, "score", holds=top.alone,
        )  # fmt: skip
    sources = view.sources()
    top = lead(sources)
    one = sources[str(top.best)]
    yield finding(
        f"Of {len(sources)} sources, {top.best} is expected to transfer best{tied(top)}: {one.value:.{decimals}f}"
        f"{interval(one, decimals)} in the mean over targets ({rests_on(one)}).{doubt}", one, "score", holds=top.alone,
    )  # fmt: skip


def tied(top: Lead) -> str:
    """``, tied with es, it and 9 more``; nothing where one stands alone."""
    rivals = [str(name) for name in (*top.ties, *top.open)]
    if not rivals:
        return ""
    shown = ", ".join(rivals[:SHOWN])
    return f" (tied with {shown}{f' and {len(rivals) - SHOWN} more' if len(rivals) > SHOWN else ''})"


def ranking(view: PredictView) -> Iterator[Finding]:
    """Targets by alignment, ties said."""
    groups = [[code for _, code, _ in part] for _, part in groupby(view.ranking(), key=lambda row: row[0])]
    shown = ", then ".join(" = ".join(group) for group in groups[:4])
    more = f", and {sum(map(len, groups[4:]))} more" if len(groups) > 4 else ""
    top = view.ranking()[0][2]
    yield finding(
        f"By alignment with {view.source} alone (MEXA): {shown}{more}. Languages joined by = are tied; the first has "
        f"{top.value:.3f}{interval(top, 3)} ({top.n} sentences).", top, "share",
    )  # fmt: skip
    if view.output is not None:
        yield output(view)


def output(view: PredictView) -> Finding:
    """How the output of a pipeline aligns, beside its layers; an interval over targets where there are enough."""
    by_target = view.mexa_by_layer()
    hidden = by_target.drop(columns=view.output).mean(axis=1)
    gap = bootstrap_mean((by_target[view.output] - hidden).to_numpy())
    return finding(
        f"The output of the pipeline has MEXA {by_target[view.output].mean():.3f} with {view.source} (mean over "
        f"{counted(len(by_target), 'target')}), against {hidden.mean():.3f} in the mean over its layers: "
        f"{gap.value:+.3f}{interval(gap, 3)}. Rankings and predictions are made from the layers.",
        replace(gap, over="languages"), "share",
    )  # fmt: skip


def _named(view: PredictView, feature: str) -> str:
    measure, _, band = feature.partition(", ")
    if not band:
        return feature
    layers = [
        layer for layer in range(view.depth + 1) if band_of(layer, view.depth + 1) == band.removesuffix(" layers")
    ]
    return f"{measure} at layers {layers[0]}-{layers[-1]}"
