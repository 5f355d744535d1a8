"""The settings of an alignment study: which encoders, and what their spaces are mapped and compared on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from isogloss.bounds import Count, CountOrZero, DeviceName, Limit, Name, Rate, Seeds, Share, Sizes, SomeNames
from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe
from isogloss.studies.shared.options import change, change_setups
from isogloss.studies.shared.pretraining import find_recipe
from isogloss.studies.shared.setups import Setup
from isogloss.studies.shared.study_presets import load_study_preset

Kind = Literal["linear", "rbf", "unbiased", "rbf-unbiased"]


@dataclass(frozen=True)
class Config:
    """Encoders trained apart, one per language, and what is measured on them.

    An encoder that is not named is pretrained on ``text``, again for every seed. ``parallel`` and ``test_parallel`` may
    be the same text: its first sentences are then the test. Empty ``dictionary``, ``parallel`` or ``tasks`` leave the
    level of words, of sentences or of words in context out. ``paraphrases`` add the source language in other words
    (Wu20's en') as one more target, at the level of sentences.
    """

    source: Name = "qaa"
    targets: SomeNames = ("qab",)

    # Encoders.
    models: dict[str, str] = field(default_factory=dict)  # language: encoder of that language alone
    bilingual: dict[str, str] = field(default_factory=dict)  # target: encoder of the source and this target
    again: str = ""  # another encoder of the source language
    text: str = "lab:families"  # plain text by language; empty: nothing is pretrained
    text_part: str = "train"
    sentences: Limit | None = 40_000  # of text per language
    recipe: str = "lab"  # a preset of pretraining, or a file
    pretraining: dict[str, Any] = field(default_factory=dict)  # settings that differ: {training.steps: 1000}
    together: Rate = 2.0  # steps of a bilingual encoder in those of a monolingual one: as much text of each language

    # Words.
    dictionary: str = "lab:families"
    dictionary_parts: bool = False  # it comes in parts, train and test (MUSE); otherwise it is split by source word
    share: Share = 0.5  # of the source words for the map, where it is split here
    occurrences: Limit = 5_000  # sentences per language that words are read in
    most_words: Limit = 200_000  # per language
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
    sizes: Sizes = (200, 2_000)  # sentences to learn the map from; the largest is shown by layer
    test_parallel: str = "lab:families"
    test_part: str = "hard"
    test_limit: Limit = 500
    similarity: tuple[Kind, ...] = ("unbiased", "linear")  # the first one is shown
    cka_parallel: str = ""  # parallel text for CKA; as test_parallel, unless named
    cka_part: str = ""
    paraphrases: str = ""  # of the source: a file (sentence, tab, back-translation), labelled pairs, or the lab's

    rounds: CountOrZero = 10  # of iterative normalisation before a map is learnt
    seeds: Seeds = (0,)
    device: DeviceName = "auto"

    def recipe_of(self, languages: int, seed: int) -> Recipe:
        """How an encoder of this many languages is pretrained."""
        recipe = find_recipe(self.recipe, {**self.pretraining, "seed": seed})
        if languages == 1:
            return recipe
        times, training = self.together, recipe.training
        return recipe.changed(
            training={"steps": round(times * training.steps), "warmup": round(times * training.warmup)}
        )


def configure(
    models: Mapping[str, str] | None = None, preset: str = "lab", *, tasks: Sequence[str] | None = None, data: str = "",
    steps: int | None = None, text: str | None = None, dictionary: str | None = None, alignments: str | None = None,
    parallel: str | None = None, test_parallel: str | None = None, **given: Any,
) -> Config:  # fmt: skip
    """The settings of a preset with what is given in their place, as the command and ``isogloss.align`` do it.

    ``models`` are encoders by language, the source's first: then nothing of the preset's own languages stays, and only
    what is named is measured. An empty ``tasks``, ``dictionary`` or ``parallel`` leaves that level out.
    """
    config = load_study_preset("align", preset, Config)
    if models:
        config = _of_own_encoders(config, dict(models), tasks or (), data, given.get("targets") or ())
    elif tasks is not None and not tasks:
        config = replace(config, tasks=())
    else:
        config = change_setups(config, tasks or (), data=data)
    if models and parallel is not None:
        config = replace(config, test_parallel=parallel)
    texts: dict[str, Any] = {"text": text, "dictionary": dictionary, "alignments": alignments}
    texts |= {"parallel": parallel, "test_parallel": test_parallel}
    config = replace(config, **{name: value for name, value in texts.items() if value is not None})
    if steps is not None:
        changed = {"training.steps": steps, "training.warmup": max(1, steps // 20)}
        config = replace(config, pretraining={**config.pretraining, **changed})
    return change(config, **given)


def _of_own_encoders(
    preset: Config, models: dict[str, str], tasks: Sequence[str], data: str, targets: Sequence[str]
) -> Config:
    """Settings for encoders that are there: what belongs to the preset's languages is left out."""
    if tasks and not data:
        raise IsoglossError("tasks need data", where="--tasks", remedy="name it: --data ud-ewt")
    source, *others = models
    return replace(
        preset, source=source, targets=tuple(others) or tuple(targets), models=models, bilingual={}, again="", text="",
        text_part="", dictionary="", vectors={}, alignments="", parallel="", parallel_part="", test_parallel="",
        test_part="", paraphrases="", tasks=tuple(Setup(name, data=data) for name in tasks),
    )  # fmt: skip


def demo(seed: int = 0, size: str = "demo") -> Config:
    """Small enough for a demo: two languages of the lab, one seed, tagging on three layers."""
    lab = f"lab:neighbours:{seed}"
    tiny = size == "tiny"
    steps, sentences, epochs = (20, 60, 1) if tiny else (150, 300, 4)
    settings = {"epochs": epochs, "batch": 16, "head_rate": 1e-3}
    pos = Setup("pos", data=lab, limit=sentences, test_limit=sentences // 2, settings=settings)
    return Config(
        text=lab, sentences=600 if tiny else 12_000, together=1.0, dictionary=lab, alignments=lab, tasks=(pos,),
        pretraining={"training.steps": steps, "training.warmup": steps // 20, "training.kernels": "fast"},
        occurrences=500 if tiny else 2_000,
        aligned=100 if tiny else 500, layers="0,2,4", parallel=lab, test_parallel=lab,
        sizes=(100,) if tiny else (100, 1_000), test_limit=60 if tiny else 300, seeds=(seed,),
    )  # fmt: skip
