"""The settings of an alignment study: which encoders, and what their spaces are mapped and compared on."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from isogloss.bounds import Count, CountOrZero, DeviceName, Limit, Name, Rate, Seeds, Share, Sizes, SomeNames
from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe
from isogloss.studies.shared.setups import Setup, check_setups

Kind = Literal["linear", "rbf", "unbiased", "rbf-unbiased"]


@dataclass(frozen=True)
class Config:
    """Encoders trained apart, one a language, and what is measured on them.

    An encoder that is not named is pretrained on ``text``, anew for every seed. ``parallel`` and ``test_parallel`` may
    be the same text: its first sentences are then the test. Empty ``dictionary``, ``parallel`` or ``tasks`` leave the
    level of words, of sentences or of words in context out.
    """

    source: Name = "qaa"
    targets: SomeNames = ("qab",)

    # Encoders.
    models: dict[str, str] = field(default_factory=dict)  # language: encoder of that language alone
    bilingual: dict[str, str] = field(default_factory=dict)  # target: encoder of the source and this target
    again: str = ""  # another encoder of the source language
    text: str = "lab:families"  # plain text by language; empty: nothing is pretrained
    text_part: str = "train"
    sentences: Limit | None = 40_000  # of text a language
    recipe: str = "lab"  # a preset of pretraining, or a file
    pretraining: dict[str, Any] = field(default_factory=dict)  # settings that differ: {training.steps: 1000}
    together: Rate = 2.0  # steps of a bilingual encoder in those of a monolingual one: as much text of each language

    # Words.
    dictionary: str = "lab:families"
    dictionary_parts: bool = False  # it comes in parts, train and test (MUSE); otherwise it is split by source word
    share: Share = 0.5  # of the source words for the map, where it is split here
    occurrences: Limit = 5_000  # sentences a language that words are read in
    most_words: Limit = 200_000  # a language
    vectors: dict[str, str] = field(default_factory=dict)  # language: .vec file; those not named come from the text
    window: Count = 5  # of words, for vectors from the text

    # Words in context, and tasks.
    alignments: str = "lab:families"  # gold ones; empty: an aligner finds them in the parallel text
    aligner: str = "auto"
    aligned: Limit = 1_000  # sentences
    tasks: tuple[Setup, ...] = ()
    layers: str = "all"
    task_layers: CountOrZero = 4

    # Sentences.
    parallel: str = "lab:families"
    parallel_part: str = "train"
    sizes: Sizes = (
        200,
        2_000,
    )  # sentences to learn the map from; the largest is shown by layer
    test_parallel: str = "lab:families"
    test_part: str = "hard"
    test_limit: Limit = 500
    similarity: tuple[Kind, ...] = ("unbiased", "linear")  # the first one is shown

    rounds: CountOrZero = 10  # of iterative normalisation before a map is learnt
    seeds: Seeds = (0,)
    device: DeviceName = "auto"

    def recipe_of(self, languages: int, seed: int) -> Recipe:
        """How an encoder of so many languages is pretrained."""
        path = Path(self.recipe).expanduser()
        recipe = Recipe.load(path) if path.suffix in {".yaml", ".yml"} else Recipe.preset(self.recipe)
        recipe = recipe.changed_at(self.pretraining).changed(seed=seed)
        if languages == 1:
            return recipe
        times, training = self.together, recipe.training
        return recipe.changed(
            training={"steps": round(times * training.steps), "warmup": round(times * training.warmup)}
        )


def check(config: Config) -> None:
    """Refuse what cannot work, before anything is trained."""
    if not config.targets or not config.source:
        raise IsoglossError("a source and a target language are needed", where="setting 'targets'")
    if config.source in config.targets:
        raise IsoglossError(f"'{config.source}' is both source and target", where="setting 'targets'")
    if not config.seeds:
        raise IsoglossError("no seed is given", where="setting 'seeds'")
    if not 0 < config.share < 1:
        raise IsoglossError(f"share is {config.share}", where="setting 'share'", remedy="between 0 and 1")
    if config.parallel and (not config.sizes or min(config.sizes) < 2):
        raise IsoglossError("a map needs two sentences or more", where="setting 'sizes'", remedy="sizes: [200, 2000]")
    if config.parallel and not config.similarity:
        raise IsoglossError("no kind of CKA is named", where="setting 'similarity'", remedy="similarity: [unbiased]")
    if not (config.dictionary or config.parallel or config.tasks):
        raise IsoglossError(
            "nothing to measure", where="settings", remedy="give a dictionary, parallel text, or alignments and tasks"
        )
    if config.tasks:
        check_setups(config.tasks)
        if not config.alignments and not config.parallel:
            raise IsoglossError(
                "tasks need aligned words", where="setting 'alignments'", remedy="name gold alignments or parallel text"
            )
