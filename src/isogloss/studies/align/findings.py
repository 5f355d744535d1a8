"""From measures to sentences: can encoders that share nothing be aligned, how well, and at which layers?"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from isogloss.probes.statistics import Estimate
from isogloss.studies.align.cells.inputs import reworded
from isogloss.studies.align.cells.sentences import AS_IS as FOUND_AS_IS
from isogloss.studies.align.cells.task_transfer import AS_IS, HOME, MAPPED
from isogloss.studies.align.cells.words import BASELINE, CONTEXT, ENTRIES
from isogloss.studies.align.plan.couples import AGAIN, APART, BILINGUAL, RANDOM
from isogloss.studies.align.view import AlignView, best_layer, gap, layer_means, mean_of
from isogloss.studies.result import Finding
from isogloss.studies.shared.comparison import counted, doubt, finding, interval
from isogloss.studies.shared.scores import pick


def findings_of(view: AlignView) -> Iterator[Finding]:
    """Most useful first: sentences, tasks, words, similarity, and what goes with what."""
    for target in view.targets:
        yield from sentence_findings(view, target)
    for task, target in view.groups():
        yield from task_findings(view, task, target)
    for target in view.word_records:
        yield from word_findings(view, target)
    for part in (similarity_findings, correlation_findings):
        for target in view.targets:
            yield from part(view, target)
    yield from hindsight(view)
    if view.one_seed:
        yield Finding("Note: these are encoders of one seed, so differences between encoders have no interval.")


def said(rows: pd.DataFrame) -> str:
    """The mean in points with its interval: ``71.2 [69.0, 73.4]``."""
    found = mean_of(rows)
    return f"{found.value:.1f}{interval(found)}"


def against(found: Estimate, decimals: int = 1) -> str:
    """``+3.1 [1.2, 5.0]``, and that it may be chance where it may."""
    return f"{found.value:+.{decimals}f}{interval(found, decimals)}{doubt(found) if interval(found) else ''}"


def is_above(rows: pd.DataFrame, others: pd.DataFrame) -> bool:
    """Paired over seeds; of one seed, whether the intervals over sentences lie apart."""
    more = gap(rows, others)
    return more.low > 0 if np.isfinite(more.low) else mean_of(rows).low > mean_of(others).high


def seeds_of(rows: pd.DataFrame) -> str:
    return counted(int(rows["seed"].nunique()), "seed")


def tested(rows: pd.DataFrame) -> int:
    """How many words or sentences each seed was tested on."""
    return int(rows["n"].iloc[0])


def sentence_findings(view: AlignView, target: str) -> Iterator[Finding]:
    """What a map from parallel sentences finds, beside a random encoder and a bilingual one."""
    pair, layer = view.pair(target), view.sentence_layer(APART, target)
    mine = view.found(APART, target, layer)
    what = "paraphrases" if target == reworded(view.source) else "translations"
    text = (
        f"{pair}, encoders trained apart: after a map from {int(mine['size'].iloc[0]):,} sentences, {said(mine)}% of "
        f"{tested(mine)} {what} are found (layer {layer}, chosen on held-out sentences; {seeds_of(mine)})."
    )
    random = view.found(RANDOM, target, layer)
    if len(random):
        text += f" With a random encoder for {target}: {said(random)}%."
    yield finding(text, mean_of(mine), "%", holds=is_above(mine, random) if len(random) else None)
    for kind in (APART, BILINGUAL):
        yield from output_findings(view, kind, target)
    if (BILINGUAL, target) not in view.pairs():
        return
    best = view.sentence_layer(BILINGUAL, target)
    both, raw = (view.found(BILINGUAL, target, best, *measure) for measure in ((), (FOUND_AS_IS,)))
    more = gap(both, mine)
    text = (
        f"{pair}: one bilingual encoder finds {said(both)}% after a map (layer {best}), {against(more)} points against "
        f"encoders trained apart. Without any map it finds {said(raw)}%."
    )
    yield finding(text, more)


def output_findings(view: AlignView, kind: str, target: str) -> Iterator[Finding]:
    """What two pipelines find as they are deployed, beside the chosen layer of theirs."""
    ends, raw = view.output(kind, target), view.output(kind, target, FOUND_AS_IS)
    if not len(ends):
        return
    layer = view.sentence_layer(kind, target)
    more = gap(ends, view.found(kind, target, layer))
    who = "the outputs of both pipelines find" if kind == APART else "the output of the bilingual pipeline finds"
    text = f"{view.pair(target)}: {who} {said(ends)}% after a map, {against(more)} points against layer {layer}"
    yield finding(f"{text}. Without any map: {said(raw)}%." if len(raw) else f"{text}.", more)


def task_findings(view: AlignView, task: str, target: str) -> Iterator[Finding]:
    """Task layers used on an encoder that they have never seen."""
    name, layer = f"{task}, {view.pair(target)}", view.task_layer(task, APART, target)
    mine, lost, home = (view.score_rows(task, APART, target, how, layer) for how in (MAPPED, AS_IS, HOME))
    text = f"{name}: through a map, task layers of {view.source} score {said(mine)} on {target}'s own encoder"
    about = f"Layer {layer}, chosen on {view.source}'s validation part; at home {mean_of(home).value:.1f}"
    about += f"; {seeds_of(mine)}."
    more = gap(mine, lost) if len(lost) else mean_of(mine)
    yield finding(f"{text}, {against(more)} points against no map. {about}" if len(lost) else f"{text}. {about}", more)
    if not len(view.score_rows(task, BILINGUAL, target, AS_IS)):
        return
    other = view.task_layer(task, BILINGUAL, target)
    plain, mapped = (view.score_rows(task, BILINGUAL, target, how, other) for how in (AS_IS, MAPPED))
    ahead, change = gap(plain, mine), gap(mapped, plain)
    text = (
        f"{name}: a bilingual encoder scores {said(plain)} without a map (layer {other}), {against(ahead)} points "
        f"against encoders trained apart with one. A map changes it by {against(change)} points."
    )
    yield finding(text, ahead)


def word_findings(view: AlignView, target: str) -> Iterator[Finding]:
    """Entries, and means over occurrences, beside word vectors of the same words."""
    pair, baseline = view.pair(target), view.word_records[target].baseline
    if view.has_entries(target):
        mine, plain = view.word_rows(target, ENTRIES), view.word_rows(target, BASELINE[ENTRIES])
        more = gap(mine, plain)
        text = (
            f"{pair}, words without context: input embeddings translate {said(mine)}% of {tested(mine)} test words, "
            f"{against(more)} points against {baseline} vectors ({said(plain)}%)."
        )
        yield finding(text, more)
    else:
        text = f"{pair}: these vocabularies have too few whole words of the dictionary to align words without context."
        yield Finding(text)
    layer, last = view.word_layer(target), int(pick(view.words, what=CONTEXT)["layer"].max())
    mine, plain = view.word_rows(target, CONTEXT, layer), view.word_rows(target, BASELINE[CONTEXT])
    ends = [mean_of(view.word_rows(target, CONTEXT, end)).value for end in (0, last)]
    more = gap(mine, plain)
    text = (
        f"{pair}, words in context: means over occurrences translate {said(mine)}% of {tested(mine)} test words at "
        f"layer {layer} (chosen on held-out entries), {against(more)} points against {baseline} vectors. Layer 0: "
        f"{ends[0]:.1f}%; layer {last}: {ends[1]:.1f}%."
    )
    yield finding(text, more)


def similarity_findings(view: AlignView, target: str) -> Iterator[Finding]:
    """CKA of encoders trained apart between its bounds, and where in the encoder it is highest."""
    pair, mine = view.pair(target), view.found(APART, target, measure=view.shown)
    others = {
        "one bilingual encoder": view.found(BILINGUAL, target, measure=view.shown),
        "two encoders of the same language": view.found(AGAIN, view.source, measure=view.shown),
        "a random encoder": view.found(RANDOM, target, measure=view.shown),
    }
    words = [f"{name} {against(gap(rows, mine, 1.0), 2)}" for name, rows in others.items() if len(rows)]
    found = mean_of(layer_means(mine), 1.0)
    text = (
        f"{pair}: encoders trained apart have a CKA of {found.value:.2f}{interval(found, 2)} ({view.similarity[0]}, "
        f"mean over layers; {seeds_of(mine)})."
    )
    yield finding(f"{text} Against that: {', '.join(words)}." if words else text, found, "CKA")
    depth = int(mine["layer"].max())
    fall = gap(mine[mine["layer"] <= depth // 2], mine[mine["layer"] > depth // 2], 1.0)
    text = (
        f"{pair}: CKA of encoders trained apart is highest at layer {best_layer(mine)} of {depth}. Layers 0 to "
        f"{depth // 2} against those above: {against(fall, 2)}."
    )
    yield finding(text, fall, "CKA")


def correlation_findings(view: AlignView, target: str) -> Iterator[Finding]:
    """Does CKA, which needs no map, tell what a map would find?"""
    found = view.correlation(target, [APART])
    if np.isnan(found.value):
        return
    everyone = view.correlation(target)
    text = (
        f"{view.pair(target)}: CKA and retrieval after the map correlate with r = {found.value:.2f}"
        f"{interval(found, 2)} over layers of encoders trained apart (n = {found.n} layers and seeds, which are not "
        f"independent). Over all kinds of encoders: {everyone.value:.2f}."
    )
    yield finding(text, found, "Pearson's r")


def hindsight(view: AlignView) -> Iterator[Finding]:
    """The layers that would have been best on the test data, which nobody knows beforehand."""
    words, gains = [], []
    for task, target in view.groups():
        rows = view.score_rows(task, APART, target, MAPPED)
        chosen, best = view.task_layer(task, APART, target), best_layer(rows)
        more = gap(rows[rows["layer"] == best], rows[rows["layer"] == chosen])
        words.append(f"{task}, {view.pair(target)}: {best} ({against(more)} points against the chosen {chosen})")
        gains.append(more)
    if words:
        text = f"In hindsight the best layers through the map were {'; '.join(words)}. The best of many is partly luck."
        yield finding(text, max(gains, key=lambda more: more.value))
