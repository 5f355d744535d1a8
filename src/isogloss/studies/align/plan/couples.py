"""Who is compared with whom: encoders trained apart, one of both languages, the same language again, a random one.

With paraphrases the source in other words is one more target: its encoder is another seed's, and the bilingual one
reads the source's text twice, with embeddings of its own for each (Wu20 section 5.2).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from isogloss.encoders.names import ModelName
from isogloss.errors import IsoglossError
from isogloss.pretrain.folders import encoder_folder
from isogloss.studies.align.cells.inputs import reworded
from isogloss.studies.align.config import Config
from isogloss.studies.shared.models import Model, Untrained, name_model
from isogloss.studies.shared.pretraining import Pretraining, find_text

APART, BILINGUAL, AGAIN, RANDOM = "trained apart", "bilingual", "same language", "random"
KINDS = (APART, BILINGUAL, AGAIN, RANDOM)
TITLES = {
    APART: "trained apart",
    BILINGUAL: "one bilingual encoder",
    AGAIN: "same language, another seed",
    RANDOM: "target's encoder random",
}


@dataclass(frozen=True)
class Couple:
    """Two encoders and the languages that they read; ``target`` is also the source where an encoder meets its twin."""

    kind: str
    seed: int
    target: str
    source_model: Model
    target_model: Model


class Encoders:
    """The encoders of a study, by language and seed; what is not named is pretrained."""

    def __init__(self, config: Config) -> None:
        self.config = config

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of encoders: one where all of them are there already."""
        named = all(code in self.config.models for code in (self.config.source, *self.config.targets))
        return self.config.seeds[:1] if named else self.config.seeds

    def alone(self, language: str, seed: int) -> Model:
        """The encoder of one language."""
        if name := self.config.models.get(language):
            return _speaking(name, language)
        if not self.config.text:
            raise IsoglossError(
                f"no encoder of '{language}' is named, and no text to pretrain one on",
                where="setting 'models'",
                remedy=f"models: {{{language}: FOLDER}}, or text: FOLDER",
            )
        return self._pretrained((language,), seed)

    def together(self, target: str, seed: int) -> tuple[Model, Model] | None:
        """The bilingual encoder as the source and as the target use it, which may be the source in other words; none
        is pretrained beside encoders that are there already, since it would be of another make."""
        source = self.config.source
        if name := self.config.bilingual.get(target):
            return _speaking(name, source), _speaking(name, target)
        if not self.config.text or {source, target} & set(self.config.models):
            return None
        model = self._twofold(seed) if target == reworded(source) else self._pretrained((source, target), seed)
        return model, model

    def again(self, seed: int) -> Model | None:
        """Another encoder of the source language: the next seed's, or a further one."""
        if self.config.again:
            return _speaking(self.config.again, self.config.source)
        if not self.config.text or self.config.source in self.config.models:
            return None
        later = [other for other in self.config.seeds if other > seed]
        other = later[0] if later else self.config.seeds[0] if len(self.config.seeds) > 1 else seed + 1
        return self._pretrained((self.config.source,), other)

    def _twofold(self, seed: int) -> Pretraining:
        """The source language and the same in other words."""
        config, source = self.config, self.config.source
        text = find_text(config.text, source, config.sentences, config.text_part)
        apart = config.recipe_of(2, seed).changed(vocabulary={"scope": "own"}, sharing={"embeddings": "separate"})
        return Pretraining(recipe=apart, texts=(text, text), called=(source, reworded(source)))

    def _pretrained(self, languages: tuple[str, ...], seed: int) -> Pretraining:
        config = self.config
        texts = tuple(find_text(config.text, code, config.sentences, config.text_part) for code in languages)
        return Pretraining(recipe=config.recipe_of(len(languages), seed), texts=texts)


def couples(config: Config) -> list[Couple]:
    """Seeds x targets x kinds."""
    encoders = Encoders(config)
    return [couple for seed in encoders.seeds for couple in _of_seed(config, encoders, seed)]


def _of_seed(config: Config, encoders: Encoders, seed: int) -> Iterator[Couple]:
    home = encoders.alone(config.source, seed)
    for target in config.targets:
        yield from _of_target(encoders, seed, target, home, encoders.alone(target, seed))
    twin = encoders.again(seed)
    if twin is not None:
        yield Couple(AGAIN, seed, config.source, home, twin)
    if config.paraphrases:
        if twin is None:
            raise IsoglossError(
                f"paraphrases are read by a second encoder of '{config.source}', and none is named",
                where="setting 'again'",
                remedy="name one with --again, or text to pretrain it on",
            )
        yield from _of_target(encoders, seed, reworded(config.source), home, twin)


def _of_target(encoders: Encoders, seed: int, target: str, home: Model, away: Model) -> Iterator[Couple]:
    yield Couple(APART, seed, target, home, away)
    if both := encoders.together(target, seed):
        yield Couple(BILINGUAL, seed, target, *both)
    if not isinstance(away, Untrained):
        yield Couple(RANDOM, seed, target, home, Untrained(away, seed))


def _speaking(name: str, language: str) -> Model:
    """The model of that name, or its part for a language where it has such parts."""
    parsed = ModelName.parse(name)
    folder = Path(parsed.path).expanduser()
    return name_model(str(replace(parsed, path=str(encoder_folder(folder, language)))) if folder.is_dir() else name)
