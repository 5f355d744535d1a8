"""The cells of think: one per translation, one per language counted, one per language tested without neurons."""

from dataclasses import dataclass

from isogloss.errors import IsoglossError
from isogloss.studies.plan import StudyPlan
from isogloss.studies.think.cells import Activations, Decoder, Latent, Silenced, find_translations, name_decoder
from isogloss.studies.think.config import Config
from isogloss.transfer import Data, find_data


@dataclass(frozen=True)
class ThinkCondition:
    """One translation that is watched, or one language whose neurons are counted and missed."""

    source: str = ""
    target: str = ""
    language: str = ""
    latent: Latent | None = None
    activations: Activations | None = None
    silenced: Silenced | None = None


def plan(config: Config) -> StudyPlan[Config, ThinkCondition]:
    """Translations first, then languages."""
    if not config.pairs and not config.languages:
        raise IsoglossError(
            "nothing to measure",
            where="study 'think'",
            remedy="name pairs (--pairs de-fr) or languages (--langs de,fr)",
        )
    if len(config.languages) == 1:
        raise IsoglossError("language neurons need at least two languages", remedy="name at least two with --langs")
    model = name_decoder(config.model, config.revision, config.seed)
    return StudyPlan(config, (*_translations(config, model), *_languages(config, model)))


def _translations(config: Config, model: Decoder) -> list[ThinkCondition]:
    pairs = [_read_pair(pair) for pair in config.pairs]
    if not pairs:
        return []
    named = dict.fromkeys([*(code for pair in pairs for code in pair), *config.others])
    languages = [code for code in named if code != config.pivot]
    translations = find_translations(config.dictionary, config.pivot, languages)
    codes = dict(zip(languages, translations.languages, strict=True)) | {config.pivot: translations.pivot}
    affine = _texts(config, tuple(named), config.lens_limit) if config.lens == "affine" else ()
    return [
        ThinkCondition(
            codes[source], codes[target],
            latent=Latent(
                model, translations, codes[source], codes[target], config.words, config.shots, config.template,
                affine, config.seed, config.device, config.dtype,
            ),
        )
        for source, target in pairs
    ]  # fmt: skip


def _languages(config: Config, model: Decoder) -> list[ThinkCondition]:
    texts = _texts(config, config.languages, config.limit)
    counts = tuple(Activations(model, text, config.device, config.dtype) for text in texts)
    tests = _texts(config, config.languages, config.test_limit, skip=config.limit)
    return [
        ThinkCondition(
            language=cell.text.language, activations=cell,
            silenced=Silenced(
                model, counts, test, config.share, config.bar, config.draws, config.seed, config.device, config.dtype
            ),
        )
        for cell, test in zip(counts, tests, strict=True)
    ]  # fmt: skip


def _texts(config: Config, languages: tuple[str, ...], limit: int, skip: int = 0) -> tuple[Data, ...]:
    """Sentences of each language; ``skip`` leaves the first ones to others."""
    part = f"{config.text_part}[{skip}:{skip + limit}]"
    return tuple(find_data(config.text, "text", code, part, limit) for code in languages)


def _read_pair(pair: str) -> tuple[str, str]:
    source, dash, target = pair.partition("-")
    if not dash or not source or not target or source == target:
        raise IsoglossError(f"'{pair}' is not a pair of languages", where="--pairs", remedy="as in --pairs de-fr")
    return source, target
