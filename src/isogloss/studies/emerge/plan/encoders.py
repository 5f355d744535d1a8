"""The encoders of an emergence study: by pair, treatment and seed, and by name (``runs/emerge@no-anchors/near/1``)."""

from isogloss.corpora import load_dictionary
from isogloss.corpora.remembering import remember
from isogloss.pretrain import Recipe
from isogloss.studies.emerge.config import Config, Pair, fill
from isogloss.studies.emerge.plan.treatments import APART, DEFAULT, MONOLINGUAL, TREATMENTS, UNTRAINED, Treatment
from isogloss.studies.shared.chosen import named
from isogloss.studies.shared.models import Untrained
from isogloss.studies.shared.pretraining import Apart, Pretraining, Words, find_text
from isogloss.transfer import Data

Encoded = Pretraining | Apart | Untrained


class Encoders:
    """The encoders of one pair and seed."""

    def __init__(self, config: Config, pair: Pair, seed: int) -> None:
        self.recipe, self.pair, self.seed, self.limit = config.pretraining(), config.pair(pair), seed, config.sentences

    def of(self, treatment: Treatment) -> Encoded:
        """The encoder of a treatment."""
        if treatment.name == MONOLINGUAL:
            return self.alone(self.source)
        if treatment.name == APART:
            return Apart((self.alone(self.source), self.alone(self.target)))
        if treatment.name == UNTRAINED:
            return Untrained(self.together(TREATMENTS[DEFAULT]), self.seed)
        return self.together(treatment)

    def together(self, treatment: Treatment) -> Pretraining:
        """Both languages in one pretraining."""
        target = self._text(self.pair.other_text, self.pair.target) if treatment.other_domain else self.target
        words = self.dictionaries() if treatment.switched else ()
        return Pretraining(treatment.change(self.recipe, self.seed), (self.source, target), words)

    def alone(self, text: Data) -> Pretraining:
        """One language, with its share of the steps and of the vocabulary."""
        return Pretraining(halved(self.recipe, text.language).changed(seed=self.seed), (text,))

    @property
    def source(self) -> Data:
        return self._text(self.pair.text, self.pair.source)

    @property
    def target(self) -> Data:
        return self._text(self.pair.target_text or self.pair.text, self.pair.target)

    def dictionaries(self) -> tuple[Words, ...]:
        """Both directions."""
        name, codes = fill(self.pair.dictionary, self.seed), (self.source.language, self.target.language)
        return tuple(_words(name, *pair) for pair in (codes, codes[::-1]))

    def _text(self, name: str, language: str) -> Data:
        return _find_text(fill(name, self.seed), language, self.limit)


def halved(recipe: Recipe, language: str) -> Recipe:
    """The recipe for one of two languages: half the steps, so that it is read as often, and half the vocabulary."""
    training, vocabulary = recipe.training, recipe.vocabulary
    half = {"steps": max(1, training.steps // 2), "warmup": training.warmup // 2}
    best_by = None if training.best_by is None else language
    size = {"size": vocabulary.size // 2} if vocabulary.size_a_language is None else {}
    return recipe.changed(training={**half, "best_by": best_by}, vocabulary=size)


_find_text = remember(64)(find_text)  # seeds and pairs share texts


@remember(64)
def _words(name: str, source: str, target: str) -> Words:
    return Words(name, source, target, load_dictionary(name, source, target).revision)


def named_encoder(config: Config, which: str, where: str) -> Encoded:
    """The encoder of a run that ``CONDITION[/PAIR[/SEED]]`` means, each the run's first unless named."""
    condition, pair, seed = [*which.split("/"), "", "", ""][:3]
    treatment = named("condition", condition or DEFAULT, TREATMENTS, where)
    chosen = named("pair", pair, {one.label: one for one in config.pairs}, where)
    return Encoders(config, chosen, named("seed", seed, {str(one): one for one in config.seeds}, where)).of(treatment)
