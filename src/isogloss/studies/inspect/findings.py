"""From measures to an answer in words. The layer is chosen on other sentences than those whose numbers are shown,
and every judgement rests on standardised dimensions, so that no rogue dimension makes it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

import numpy as np

from isogloss.probes.statistics import Estimate, Lead, Scale, lead, verdict, wilson
from isogloss.probes.statistics.verdicts import amount, best_of, compared, interval, named, rests_on
from isogloss.studies.inspect.cells import find_pivot
from isogloss.studies.inspect.view import SOUND, InspectView, ModelView, name_of
from isogloss.studies.result import Finding
from isogloss.studies.shared.comparison import counted, finding, scaled, unconverged_probes

LAG = 0.8  # a language lags when it finds less than this share of what the median language finds
ROGUE = 0.3  # share of variance in three dimensions from which cosines cannot be trusted
MOST_NAMED = 5
LEAST_RELATED = 5  # languages with a relative in the data, for kinship to be asked about
MOST_BAD = 0.5  # share of unknown subwords, or of sentences cut, from which a language's numbers mean little
PERCENT = Scale("%", 1)
ERRORS = Scale("points", 1, higher_is_better=False)
CKA = Scale("", 3)
NEUTRAL = Scale("", 3, higher_is_better=None)
SHOWN = {"higher": "shows", "lower": "shows the other way round", "tied": "does not show"}
AS_POOLED = "plain cosine of states pooled by {} (the authors weight tokens by position or take the last: --pooling)"
MEXA_POOLING = {
    "weighted": "plain cosine of states weighted by position, as published",
    "last": "plain cosine of the last token's states, as published",
}
CORRECTIONS = {
    "retrieval_centred": "centring each language",
    "retrieval_neutralised": "projecting the language subspace away",
    "retrieval_standardised": "standardising dimensions",
}


def findings_of(view: InspectView) -> Iterator[Finding]:
    """Models against each other, then what is to be said of each."""
    several = len(view.models) > 1
    if several:
        yield ahead(view.models)
    for one in view.models:
        yield from describe(one, view.pivot, several)


def describe(view: ModelView, pivot: str, several: bool) -> list[Finding]:
    """What is to be said of one model, most useful first."""
    found = [*warnings(view), best_layer(view), gains(view), *laggards(view), *nearest(view), mexa(view, pivot)]
    found += [*rogues(view), identity(view), tokeniser(view), *word_alignment(view)]
    return [replace(one, text=f"{view.name}: {one.text}") for one in found] if several else found


def warnings(view: ModelView) -> list[Finding]:
    """Languages whose text the model hardly reads: unknown subwords, sentences cut, vectors that are all equal."""
    counts = view.record.tokens
    unknown = [one.language for one in counts if one.unknown > MOST_BAD * one.tokens]
    cut = [one.language for one in counts if one.cut_sentences > MOST_BAD * one.sentences]
    said = []
    if unknown:
        said.append(f"most subwords are unknown to the tokeniser in {listed(unknown)}; their numbers mean little.")
    if cut:
        said.append(f"most sentences are truncated to the model's length in {listed(cut)}; the rest is not measured.")
    if flat := flat_languages(view.similarity()):
        said.append(f"all sentences have the same vector at layer {view.layer} in {flat}; check the text.")
    unfinished = unconverged_probes(view.record.unconverged, view.record.probes)
    return [*(Finding(text, warning=True) for text in said), *unfinished]


def flat_languages(known: Mapping[str, Mapping[str, float]]) -> str:
    """Languages whose vectors do not differ, read off similarities, which are not defined with them; empty if none.

    Where no pair has a similarity, one language may be sound: nothing tells which.
    """
    flat = [code for code, near in known.items() if all(np.isnan(near[other]) for other in known if other != code)]
    if not flat:
        return ""
    return f"all languages, or all but one of {listed(flat)}" if 1 < len(flat) == len(known) else listed(flat)


def leading_layers(view: ModelView) -> Lead:
    """The layer chosen on other sentences, and the layers that tie with it or are ahead of it on these."""
    names: dict[int | str, int] = {
        layer if layer < view.hidden else "output": layer for layer in range(len(view.record.layers))
    }

    def gap(one: int | str, other: int | str) -> Estimate:
        return scaled(view.gap(SOUND, names[one], view, SOUND, names[other]))

    levels = {name: view.over_sentences(SOUND, layer) for name, layer in names.items()}
    return lead(levels, gap, PERCENT, best=view.layer if view.layer < view.hidden else "output")


def best_layer(view: ModelView) -> Finding:
    """The layer that aligned best on the fitted sentences: its score with both intervals, and the range of layers."""
    mean, profile, rivals = scaled(view.mean(SOUND)), view.by_layer(SOUND), leading_layers(view)
    lowest, highest = int(np.argmin(profile)), int(np.argmax(profile))
    chosen = f"Layer {view.layer} of {view.hidden - 1}" if view.layer < view.hidden else "The pipeline's output"
    return finding(
        f"{chosen} {_aligns(rivals)}: "
        f"{mean.value:.1f}% of translations are found among {view.record.measured} candidates. 95% intervals: "
        f"{both_intervals(view)}. Layers range from {100 * profile[lowest]:.1f}% ({view.named(lowest)}) to "
        f"{100 * profile[highest]:.1f}% ({view.named(highest)}).",
        mean, "%", holds=rivals.alone,
    )  # fmt: skip


def _aligns(found: Lead) -> str:
    """What may be said of the chosen layer, by what its rivals do on the sentences shown."""
    rivals = named(found).removeprefix(f"layer {found.best}").strip(" ()")
    if found.ahead:
        return f"was chosen on other sentences, but {rivals}"
    if found.count > 1 and len(found.ties) == found.count - 1:
        return "aligns no better than the others (all tie)"
    return f"aligns best, {rivals}" if rivals else "aligns best"


def both_intervals(view: ModelView) -> str:
    """``[38.9, 42.6] over sentences (n = 225 sentences; these languages), [35.1, 46.5] over languages (n = ...)``."""
    here = scaled(view.over_sentences(SOUND))
    said = [f"{interval(here).strip()} over sentences ({rests_on(here)}, these languages)"]
    others = scaled(view.over_languages(SOUND))
    if interval(others):
        said.append(f"{interval(others).strip()} over languages ({rests_on(others)} and others like them)")
    return ", ".join(said)


def gains(view: ModelView) -> Finding:
    """What cheap corrections are worth, against plain cosine at the same layer."""
    changes = {words: scaled(view.change(measure, to="retrieval_raw")) for measure, words in CORRECTIONS.items()}
    tied = {"tied": " (tied)", "too few to tell": " (too few observations to tell)"}
    lines = [
        f"{words}: {amount(one.value, signed=True)}{interval(one)}{tied.get(verdict(one), '')}"
        for words, one in changes.items()
    ]
    plain = scaled(view.mean("retrieval_raw"))
    return finding(f"Plain cosine finds {plain.value:.1f}% at this layer. Corrections: {'; '.join(lines)}.", plain, "%")


def laggards(view: ModelView) -> list[Finding]:
    """Languages that find much less than the median one, with family and script."""
    scores = sorted(view.by_language().items(), key=lambda item: item[1])
    if len(scores) < 3:
        return []
    middle = median(value for _, value in scores)
    behind = [(code, value) for code, value in scores if value < LAG * middle]
    if not behind:
        code, value = scores[0]
        return [Finding(f"No language lags behind. The lowest is {name_of(code)} with {100 * value:.1f}%.")]
    named = ", ".join(f"{name_of(code)} {100 * value:.1f}%" for code, value in behind[:MOST_NAMED])
    more = f" and {len(behind) - MOST_NAMED} more" if len(behind) > MOST_NAMED else ""
    text = f"{len(behind)} of {len(scores)} languages lag (below {LAG:.0%} of the median, {100 * middle:.1f}%): "
    return [Finding(f"{text}{named}{more}.", n=len(scores))]


def nearest(view: ModelView) -> Iterator[Finding]:
    """For each language the one to fine-tune on, by unbiased CKA of standardised dimensions."""
    if len(view.record.languages) < 3:
        return
    chosen = {language: nearest_source(view, language) for language in view.record.languages}
    said = [f"{language} from {_with_ties(found)}" for language, found in chosen.items()]
    shown, others = said[: 2 * MOST_NAMED], len(said) - 2 * MOST_NAMED
    more = f" and {others} more" if others > 0 else ""
    text = f"Suggested source language for each target, by similarity: {', '.join(shown)}{more}."
    yield Finding(text, n=view.record.measured, over="sentences")
    yield from kinship(view, view.similarity())


def nearest_source(view: ModelView, language: str) -> Lead:
    """The language most like this one, and those that tie with it; no tie is known without intervals."""
    rows = view.at_layer("cka_unbiased_standardised")
    rows = rows[(rows["source"] == language) | (rows["target"] == language)]
    others = np.where(rows["source"] == language, rows["target"], rows["source"]).tolist()
    spreads = zip(others, *(rows[name].astype(float).tolist() for name in ("value", "low", "high")), strict=True)
    n = view.record.measured
    return lead({other: Estimate(value, low, high, n) for other, value, low, high in spreads}, scale=CKA)


def _with_ties(found: Lead) -> str:
    """``zh (tied with ru)``; too many to name are counted."""
    if not found.ties:
        return str(found.best)
    shown = ", ".join(map(str, found.ties[:2])) + (f" and {len(found.ties) - 2} more" if len(found.ties) > 2 else "")
    return f"{found.best} (tied with {shown})"


def kinship(view: ModelView, alike: Mapping[str, Mapping[str, float]]) -> list[Finding]:
    """Whether the nearest language is of the same genus, among those that have a relative in the data."""
    genus = {code: known.genus for code, known in view.known.items() if known.genus}
    relatives = {code: [other for other in genus if other != code and genus[other] == genus[code]] for code in genus}
    asked = [code for code in genus if relatives[code]]
    if len(asked) < LEAST_RELATED:
        return []
    hits = sum(max(alike[code], key=lambda other: alike[code][other]) in relatives[code] for code in asked)
    share = replace(wilson(hits, len(asked)), over="languages")
    chance = float(np.mean([len(relatives[code]) for code in asked]) / (len(view.record.languages) - 1))
    word = verdict(Estimate(share.value - chance, share.low - chance, share.high - chance, share.n), NEUTRAL)
    text = (
        f"Language relatedness {SHOWN[word]}: for {hits} of the {len(asked)} languages that "
        f"have a relative in the data, the nearest language is of their genus (chance: {100 * chance:.0f}%)."
    )
    return [finding(text, scaled(share), "%")]


def mexa(view: ModelView, asked: str) -> Finding:
    """MEXA's score (Kargaran et al. 2024): mutual nearest neighbours with the pivot, mean and maximum over layers."""
    pivot = find_pivot(asked, view.record.languages)
    rows = view.rows("mexa_raw")
    rows = rows[(rows["source"] == pivot) & (rows["layer"] < view.hidden)]
    by_language = rows.groupby("target")["value"]
    mean, highest = float(by_language.mean().mean()), float(by_language.max().mean())
    how = MEXA_POOLING.get(view.pooling, AS_POOLED.format(view.pooling))
    return Finding(
        f"MEXA with pivot {pivot}: {mean:.3f} as the mean over layers, {highest:.3f} as the maximum, averaged over "
        f"{counted(by_language.ngroups, 'language')}. Read by {how}.",
        effect=mean, n=view.record.measured, over="sentences",
    )  # fmt: skip


def rogues(view: ModelView) -> list[Finding]:
    """A warning where a few dimensions hold so much variance that plain cosines and CKA only see them."""
    shares = view.by_layer("rogue_share")
    bad = [share for share in shares if share > ROGUE]
    if not bad:
        return []
    text = (
        f"Rogue dimensions: three hold {100 * min(bad):.0f}-{100 * max(bad):.0f}% of the variance in {len(bad)} of "
        f"{len(shares)} layers. Plain cosines and CKA say little there; the findings above do not use them."
    )
    return [Finding(text, effect=100 * max(bad), unit="%")]


def identity(view: ModelView) -> Finding:
    """How well a probe names the language, and how much room language takes."""
    here, last = view.scalar("identification"), view.by_layer("identification")[view.hidden - 1]
    share, dims = view.scalar("language_share"), view.scalar("language_dimensions")
    return finding(
        f"A linear probe names the language of {100 * here.value:.1f}% of unseen sentences at {view.named(view.layer)} "
        f"({100 * last:.1f}% at the last layer; chance {100 / len(view.record.languages):.1f}%). Language accounts for "
        f"{100 * share.value:.1f}% of the variance at that layer, in about {dims.value:.1f} dimensions.",
        scaled(here), "%",
    )  # fmt: skip


def tokeniser(view: ModelView) -> Finding:
    """Languages that the tokeniser splits most, unknown subwords, and sentences that were cut."""
    counts = view.record.tokens
    ranked = sorted(counts, key=lambda one: -one.tokens / max(1, one.characters))
    most, fewest = ranked[0], ranked[-1]
    unknown = [f"{one.language} {one.unknown / one.tokens:.1%}" for one in counts if one.unknown > 0.001 * one.tokens]
    cut = [f"{one.cut_sentences} of {one.sentences} in {one.language}" for one in counts if one.cut_sentences]
    return Finding(
        f"The tokeniser uses most subwords per character in {name_of(most.language)} "
        f"({most.tokens / max(1, most.characters):.2f}), fewest in {name_of(fewest.language)} "
        f"({fewest.tokens / max(1, fewest.characters):.2f}). Unknown subwords: {listed(unknown)}. "
        f"Truncated sentences: {listed(cut)}.",
        n=sum(one.tokens for one in counts),
    )


def listed(items: list[str]) -> str:
    more = f" and {len(items) - MOST_NAMED} more languages" if len(items) > MOST_NAMED else ""
    return ", ".join(items[:MOST_NAMED]) + more if items else "negligible"


def word_alignment(view: ModelView) -> Iterator[Finding]:
    """The alignment error rate at the chosen layer, and where it is lowest."""
    if view.rows("aer").empty:
        return
    levels = {layer: scaled(view.scalar("aer", layer)) for layer in range(len(view.record.layers))}
    here = levels[view.layer]
    pair = "-".join(view.rows("aer")[["source", "target"]].iloc[0])
    lowest = lead(levels, scale=ERRORS)
    yield finding(
        f"Words matched by their states ({pair}): alignment error rate {here.value:.1f} at layer {view.layer}; "
        f"lowest: {best_of(lowest, levels[int(str(lowest.best))], scale=ERRORS)}.",
        here, "",
    )  # fmt: skip


def ahead(views: Sequence[ModelView]) -> Finding:
    """Models by retrieval, each at its own layer; whether the first two differ is judged over the same pairs."""
    ranked = sorted(views, key=lambda view: -view.mean(SOUND).value)
    scores = ", ".join(f"{view.name} {100 * view.mean(SOUND).value:.1f}% (layer {view.layer})" for view in ranked)
    more = scaled(ranked[0].change(SOUND, other=ranked[1]))
    text = f"Translations found, each model at its chosen layer: {scores}. "
    return finding(f"{text}{compared(ranked[0].name, ranked[1].name, more)}.", more)
