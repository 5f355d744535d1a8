"""From measures to an answer in words. The layer is chosen on other sentences than those whose numbers are shown,
and every judgement rests on standardised dimensions, so that no rogue dimension makes it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

import numpy as np

from isogloss.probes.statistics import wilson
from isogloss.studies.inspect.cells import find_pivot
from isogloss.studies.inspect.view import SOUND, InspectView, ModelView, name_of, nearest_sources, say
from isogloss.studies.result import Finding

LAG = 0.8  # a language lags when it finds less than this share of what the median language finds
ROGUE = 0.3  # share of variance in three dimensions from which cosines cannot be trusted
MOST_NAMED = 5
LEAST_RELATED = 5  # languages with a relative in the data, for kinship to be asked about
CORRECTIONS = {
    "retrieval_centred": "centring each language",
    "retrieval_neutralised": "projecting the language subspace away",
    "retrieval_standardised": "standardising dimensions",
}


def findings_of(view: InspectView) -> Iterator[Finding]:
    """Models against each other, then what is to be said of each."""
    several = len(view.models) > 1
    if several:
        yield lead(view.models)
    for one in view.models:
        yield from describe(one, view.pivot, several)


def describe(view: ModelView, pivot: str, several: bool) -> list[Finding]:
    """What is to be said of one model, most useful first."""
    found = [best_layer(view), gains(view), *laggards(view), *nearest(view), mexa(view, pivot), *rogues(view)]
    found += [identity(view), tokeniser(view), *word_alignment(view)]
    return [replace(one, text=f"{view.name}: {one.text}") for one in found] if several else found


def best_layer(view: ModelView) -> Finding:
    """The layer that aligned best on the fitted sentences; its score, and the range of all layers, on the others."""
    mean, profile = view.mean(SOUND), view.by_layer(SOUND)
    lowest, highest = int(np.argmin(profile)), int(np.argmax(profile))
    tied = f" Tied with it: {ties}." if (ties := view.tied()) else ""
    chosen = f"Layer {view.layer} of {view.hidden - 1}" if view.layer < view.hidden else "The pipeline's output"
    return say(
        f"{chosen} aligns best (chosen on other sentences): "
        f"{100 * mean.value:.1f}% of translations are found there among {view.record.measured}; layers range from "
        f"{100 * profile[lowest]:.1f}% ({view.named(lowest)}) to {100 * profile[highest]:.1f}% "
        f"({view.named(highest)}).{tied}",
        mean, 100, "%",
    )  # fmt: skip


def gains(view: ModelView) -> Finding:
    """What cheap corrections are worth, against plain cosine at the same layer."""
    changes = {words: view.change(measure, to="retrieval_raw") for measure, words in CORRECTIONS.items()}
    lines = [
        f"{words} {100 * one.value:+.1f} points" + ("" if one.low > 0 or one.high < 0 else " (interval includes 0)")
        for words, one in changes.items()
    ]
    plain = view.mean("retrieval_raw")
    return say(f"Plain cosine finds {100 * plain.value:.1f}% there; {', '.join(lines)}.", plain, 100, "%")


def laggards(view: ModelView) -> list[Finding]:
    """Languages that find much less than the median one, with family and script."""
    scores = sorted(view.by_language().items(), key=lambda item: item[1])
    if len(scores) < 3:
        return []
    middle = median(value for _, value in scores)
    behind = [(code, value) for code, value in scores if value < LAG * middle]
    if not behind:
        code, value = scores[0]
        return [Finding(f"No language lags far behind; the lowest is {name_of(code)} with {100 * value:.1f}%.")]
    named = ", ".join(f"{name_of(code)} {100 * value:.1f}%" for code, value in behind[:MOST_NAMED])
    more = f" and {len(behind) - MOST_NAMED} more" if len(behind) > MOST_NAMED else ""
    text = f"{len(behind)} of {len(scores)} languages lag (below {LAG:.0%} of the median, {100 * middle:.1f}%): "
    return [Finding(f"{text}{named}{more}.", n=len(scores))]


def nearest(view: ModelView) -> list[Finding]:
    """For each language the one to fine-tune on, by unbiased CKA of standardised dimensions."""
    if len(view.record.languages) < 3:
        return []
    alike = view.similarity()
    named = [f"{language} from {nearest_sources(alike, language, 1)[0]}" for language in view.record.languages]
    shown, others = named[: 2 * MOST_NAMED], len(named) - 2 * MOST_NAMED
    more = f" and {others} more" if others > 0 else ""
    return [
        Finding(f"The source to fine-tune on for each target: {', '.join(shown)}{more}.", n=view.record.measured),
        *kinship(view, alike),
    ]


def kinship(view: ModelView, alike: Mapping[str, Mapping[str, float]]) -> list[Finding]:
    """Whether the nearest language is of the same genus, among those that have a relative in the data."""
    genus = {code: known.genus for code, known in view.known.items() if known.genus}
    relatives = {code: [other for other in genus if other != code and genus[other] == genus[code]] for code in genus}
    asked = [code for code in genus if relatives[code]]
    if len(asked) < LEAST_RELATED:
        return []
    hits = sum(nearest_sources(alike, code, 1)[0] in relatives[code] for code in asked)
    share = wilson(hits, len(asked))
    chance = np.mean([len(relatives[code]) for code in asked]) / (len(view.record.languages) - 1)
    text = (
        f"Kinship {'shows' if share.low > chance else 'does not show'}: for {hits} of the {len(asked)} languages that "
        f"have a relative here the nearest language is of their genus (by chance {100 * chance:.0f}%)."
    )
    return [say(text, share, 100, "%")]


def mexa(view: ModelView, asked: str) -> Finding:
    """MEXA's score (Kargaran et al. 2024): mutual nearest neighbours with the pivot, mean and maximum over layers."""
    pivot = find_pivot(asked, view.record.languages)
    rows = view.rows("mexa_raw")
    rows = rows[(rows["source"] == pivot) & (rows["layer"] < view.hidden)]
    by_language = rows.groupby("target")["value"]
    mean, highest = float(by_language.mean().mean()), float(by_language.max().mean())
    return Finding(
        f"MEXA with pivot {pivot}: {mean:.3f} as the mean over layers, {highest:.3f} as the maximum, averaged over "
        f"{by_language.ngroups} languages (plain cosine, as published).",
        effect=mean, n=view.record.measured,
    )  # fmt: skip


def rogues(view: ModelView) -> list[Finding]:
    """A warning where a few dimensions hold so much variance that plain cosines and CKA only see them."""
    shares = view.by_layer("rogue_share")
    bad = [share for share in shares if share > ROGUE]
    if not bad:
        return []
    text = (
        f"Rogue dimensions: three hold {100 * min(bad):.0f}-{100 * max(bad):.0f}% of the variance in {len(bad)} of "
        f"{len(shares)} layers, so plain cosines and CKA there say little; the answers above do not rest on them."
    )
    return [Finding(text, effect=100 * max(bad), unit="%")]


def identity(view: ModelView) -> Finding:
    """How well a probe names the language, and how much room language takes."""
    here, last = view.scalar("identification"), view.by_layer("identification")[view.hidden - 1]
    share, dims = view.scalar("language_share"), view.scalar("language_dimensions")
    return say(
        f"A linear probe names the language of {100 * here.value:.1f}% of unseen sentences at {view.named(view.layer)} "
        f"({100 * last:.1f}% at the last; chance {100 / len(view.record.languages):.1f}%); language accounts for "
        f"{100 * share.value:.1f}% of the variance there, in about {dims.value:.1f} dimensions.",
        here, 100, "%",
    )  # fmt: skip


def tokeniser(view: ModelView) -> Finding:
    """Languages that the tokeniser splits most, unknown subwords, and sentences that were cut."""
    counts = view.record.tokens
    ranked = sorted(counts, key=lambda one: -one.tokens / max(1, one.characters))
    most, fewest = ranked[0], ranked[-1]
    unknown = [f"{one.language} {one.unknown / one.tokens:.1%}" for one in counts if one.unknown > 0.001 * one.tokens]
    cut = [f"{one.cut_sentences} of {one.sentences} in {one.language}" for one in counts if one.cut_sentences]
    return Finding(
        f"The tokeniser needs most subwords per character in {name_of(most.language)} "
        f"({most.tokens / max(1, most.characters):.2f}), fewest in {name_of(fewest.language)} "
        f"({fewest.tokens / max(1, fewest.characters):.2f}); unknown subwords: {listed(unknown)}; "
        f"sentences cut to the model's length: {listed(cut)}.",
        n=sum(one.tokens for one in counts),
    )


def listed(items: list[str]) -> str:
    more = f" and {len(items) - MOST_NAMED} more languages" if len(items) > MOST_NAMED else ""
    return ", ".join(items[:MOST_NAMED]) + more if items else "negligible"


def word_alignment(view: ModelView) -> list[Finding]:
    """The alignment error rate at the chosen layer, and where it is lowest."""
    if view.rows("aer").empty:
        return []
    here, profile = view.scalar("aer"), view.by_layer("aer")
    lowest = int(np.argmin(profile))
    pair = "-".join(view.rows("aer")[["source", "target"]].iloc[0])
    return [
        say(
            f"Words matched by their states ({pair}): alignment error rate {100 * here.value:.1f} at layer "
            f"{view.layer}, lowest {100 * profile[lowest]:.1f} at layer {lowest}.",
            here,
            100,
        )
    ]


def lead(views: Sequence[ModelView]) -> Finding:
    """Models by retrieval, each at its own layer; whether the first two differ is judged over the same pairs."""
    ranked = sorted(views, key=lambda view: -view.mean(SOUND).value)
    scores = ", ".join(f"{view.name} {100 * view.mean(SOUND).value:.1f}% (layer {view.layer})" for view in ranked)
    ahead = ranked[0].change(SOUND, other=ranked[1])
    sure = "" if ahead.low > 0 else "; the interval of the lead includes zero"
    text = f"Translations found, each model at its own best layer: {scores}. {ranked[0].name} leads by "
    return say(f"{text}{100 * ahead.value:.1f} points{sure}.", ahead, 100, " points")
