"""The settings of a pretraining run: one frozen record, written as YAML. Every factor of Wu20 is a switch here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import yaml
from msgspec import Meta

from isogloss.bounds import (
    Count,
    CountOrZero,
    DeviceName,
    Limit,
    LimitOrZero,
    Rate,
    Seed,
    Share,
    Weight,
    check_settings,
)
from isogloss.errors import IsoglossError, unknown_name
from isogloss.runs.cells import ADDED_LATER
from isogloss.runs.config import build
from isogloss.runs.yaml_text import read_documents, read_settings_text


@dataclass(frozen=True)
class Vocabulary:
    """How text becomes entries.

    ``scope``: ``joint`` learns one vocabulary on all text; ``united`` learns one per language and unites them (equal
    strings are anchors); ``marked`` is the same with a language's marker in every entry (no anchors); ``own`` keeps an
    id space per language and needs separate embeddings. ``size`` counts all entries, and languages share it evenly; or
    ``size_a_language`` counts a language's part. With ``accept_fewer`` a text too small gives a smaller vocabulary;
    otherwise it is an error.
    """

    kind: Literal["bpe", "wordpiece", "unigram"] = "bpe"
    scope: Literal["joint", "united", "marked", "own"] = "joint"
    size: Annotated[int, Meta(ge=8, le=10**7)] = 80_000
    size_a_language: Annotated[int, Meta(ge=8, le=10**7)] | None = None
    min_frequency: Count = 2
    lowercase: bool = False
    accept_fewer: bool = False

    def entries(self, languages: int) -> int:
        """All entries of a vocabulary for this many languages."""
        return self.size if self.size_a_language is None else self.size_a_language * languages


@dataclass(frozen=True)
class Data:
    """How rows are cut. ``stream``: ``length`` tokens of running text; ``sentences``: one sentence per row, or two in
    the share ``pairs`` of the batches, so that a task on pairs of sentences meets positions that were trained. In the
    share ``repeats`` of these the second sentence is the first again, masked elsewhere."""

    layout: Literal["stream", "sentences"] = "stream"
    length: Annotated[int, Meta(ge=4, le=10**6)] = 256
    pairs: Share = field(default=0.0, metadata=ADDED_LATER)
    repeats: Share = field(default=0.0, metadata=ADDED_LATER)
    draws: Count = 8  # batches a step, each of one language; the paper's eight GPUs drew theirs each for itself
    alpha: Weight = 0.7  # languages are drawn in proportion to sentences^alpha
    validation: Limit = 500  # sentences per language held out


@dataclass(frozen=True)
class Masking:
    """Of the ``share`` of tokens to predict, ``mask`` become the mask token, ``random`` another word, the rest stay."""

    share: Share = 0.15
    mask: Share = 0.8
    random: Share = 0.1
    random_words: Literal["all", "own"] = "all"  # from every language, or only the text's own
    whole_words: bool = False


@dataclass(frozen=True)
class CodeSwitch:
    """Words replaced by a translation, where dictionaries are given (Wu20 §4.2: extra anchors)."""

    share: Share = 0.3  # of the words that a dictionary has
    limit: Share = 0.15  # of all words of a batch


@dataclass(frozen=True)
class Model:
    """The encoder. ``options`` go into the transformers config; ``start`` continues from a folder instead."""

    architecture: str = "bert"
    layers: Annotated[int, Meta(ge=1, le=1000)] = 8
    heads: Count = 12
    width: Count = 768
    feedforward: Count = 3072
    activation: str = "gelu"
    dropout: Share = 0.1
    attention: Literal["auto", "eager", "sdpa"] = "auto"  # auto: plain products on a CPU, where they are faster
    options: dict[str, Any] = field(default_factory=dict)
    start: str | None = None


@dataclass(frozen=True)
class Sharing:
    """What languages have apart. Positions belong to the embeddings; the output layer is tied to them (Wu20 §4.3)."""

    embeddings: Literal["shared", "separate"] = "shared"
    separate_layers: CountOrZero = 0  # the lowest so many


@dataclass(frozen=True)
class Training:
    """The loop. ``batch_tokens`` counts all processes together; ``micro_batches`` splits a process's part.

    With ``kernels: fast``, batches of a step whose languages share the whole model go through it in one pass, and
    dropout in bfloat16 draws less: numbers differ from ``plain`` by rounding and by what is dropped. Models other
    than a masked BERT are trained as with ``plain``.
    """

    steps: Limit = 500_000
    batch_tokens: Limit = 196_608
    micro_batches: Count = 1
    kernels: Literal["plain", "fast"] = field(default="plain", metadata=ADDED_LATER)
    learning_rate: Rate = 1e-4
    warmup: LimitOrZero = 30_000
    schedule: Literal["inverse_sqrt", "linear", "constant"] = "inverse_sqrt"
    weight_decay: Weight = 0.01
    betas: tuple[Share, Share] = (0.9, 0.999)
    clip: Weight = 1.0
    precision: Literal["auto", "fp32", "bf16"] = "auto"  # auto: bf16 where the hardware has it and width is 128 or more
    compile: bool = False
    threads: Count | None = None  # None leaves torch's own choice
    device: DeviceName = "auto"
    validate_every: Limit = 5_000
    save_every: Limit = 5_000
    log_every: Limit = 100
    best_by: str | None = None  # a language; None keeps the last step
    tensorboard: bool = False


@dataclass(frozen=True)
class Recipe:
    """All settings of a run; the default is the paper's model (Wu20 §3.1).

    ``objective``: ``masked`` hides tokens and guesses them; ``causal`` guesses each token from those before it, with a
    model that sees no others, and leaves ``masking`` unused.
    """

    seed: Seed = 0
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    data: Data = field(default_factory=Data)
    masking: Masking = field(default_factory=Masking)
    codeswitch: CodeSwitch = field(default_factory=CodeSwitch)
    model: Model = field(default_factory=Model)
    sharing: Sharing = field(default_factory=Sharing)
    training: Training = field(default_factory=Training)
    objective: Literal["masked", "causal"] = field(default="masked", metadata=ADDED_LATER)

    def __post_init__(self) -> None:
        _check(self)

    @staticmethod
    def preset(name: str) -> Recipe:
        """A recipe that comes with Isogloss: ``paper``, ``laptop`` or ``lab``."""
        folder = files("isogloss.pretrain").joinpath("presets")
        known = {entry.name.removesuffix(".yaml"): entry for entry in folder.iterdir() if entry.name.endswith(".yaml")}
        if name not in known:
            raise unknown_name("preset", name, known)
        return Recipe.from_yaml(known[name].read_text(encoding="utf-8"), where=f"preset {name}")

    @staticmethod
    def from_yaml(text: str, where: str = "recipe") -> Recipe:
        """Read settings; what is left out keeps the paper's value."""
        documents = read_documents(text, where)
        if not documents:
            return Recipe()
        content, first, lines = documents[0]
        if not isinstance(content, dict) or len(documents) > 1:
            remedy = "start from --print-config"
            raise IsoglossError("a recipe is one mapping of sections", where=f"{where}:{first}", remedy=remedy)
        return build(Recipe, content, lines, where)

    @staticmethod
    def load(path: Path) -> Recipe:
        """Read a YAML file."""
        if not path.is_file():
            raise IsoglossError("there is no such recipe file", where=path, remedy="write one with --print-config")
        return Recipe.from_yaml(read_settings_text(path), where=str(path))

    def to_yaml(self) -> str:
        """The same settings as text; ``from_yaml`` reads them back."""
        content = msgspec.to_builtins(asdict(self))
        return yaml.safe_dump(content, sort_keys=False, allow_unicode=True)

    def changed(self, **sections: Any) -> Recipe:
        """A copy with some settings changed: ``recipe.changed(sharing={"separate_layers": 2}, seed=1)``."""
        content: dict[str, Any] = asdict(self)
        for name, value in sections.items():
            content[name] = {**content[name], **value} if isinstance(value, Mapping) else value
        return build(Recipe, content, path="recipe")

    def is_large(self) -> bool:
        """Whether cells with this recipe, and with the model it makes, use all cores: no number of threads is set."""
        return self.training.threads is None

    def changed_at(self, dotted: Mapping[str, Any]) -> Recipe:
        """A copy with settings changed by their dotted names: ``{"training.steps": 100}``."""
        sections: dict[str, Any] = {}
        for name, value in dotted.items():
            section, _, setting = name.partition(".")
            if setting:
                sections.setdefault(section, {})[setting] = value
            else:
                sections[section] = value
        return self.changed(**sections)

    def differences(self, other: Recipe) -> list[str]:
        """Dotted names of the settings in which two recipes differ."""
        mine, theirs = dict(_walk(asdict(self))), dict(_walk(asdict(other)))
        return sorted(name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name))


def _walk(content: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in content.items():
        if isinstance(value, Mapping) and value:
            yield from _walk(value, f"{prefix}{name}.")
        else:
            yield prefix + name, list(value) if isinstance(value, tuple) else value


def _check(recipe: Recipe) -> None:
    """Refuse numbers that cannot work, each by its name."""
    check_settings(recipe, "recipe")
    least = recipe.data.length * recipe.data.draws
    if recipe.training.batch_tokens < least:
        what = f"training.batch_tokens is {recipe.training.batch_tokens}, and must be at least {least}"
        raise IsoglossError(what, where="recipe", remedy="that is data.length times data.draws")
    if recipe.data.pairs and recipe.data.layout != "sentences":
        raise IsoglossError("data.pairs needs data.layout: sentences", where="recipe", remedy="set one of the two")
    if recipe.data.repeats and not recipe.data.pairs:
        raise IsoglossError("data.repeats needs data.pairs", where="recipe", remedy="set data.pairs too, e.g. to 0.5")
    if not recipe.masking.share > 0 or recipe.masking.mask + recipe.masking.random > 1:
        raise IsoglossError(
            "masking: share must be above 0, and mask + random at most 1",
            where="recipe",
            remedy="for example share 0.15, mask 0.8, random 0.1",
        )
    if recipe.model.width % recipe.model.heads:
        raise IsoglossError(
            "model.width must be a multiple of model.heads", where="recipe", remedy="for example width 128 with 4 heads"
        )
    if recipe.vocabulary.scope == "own" and recipe.sharing.embeddings == "shared":
        raise IsoglossError(
            "a separate vocabulary per language (scope: own) needs sharing.embeddings: separate",
            where="recipe",
            remedy="set sharing.embeddings to separate, or vocabulary.scope to united or marked",
        )
    if recipe.vocabulary.kind == "unigram" and recipe.vocabulary.scope in {"united", "marked"}:
        raise IsoglossError(
            "a unigram vocabulary cannot be united over languages", where="recipe", remedy="use kind: bpe or wordpiece"
        )
    if recipe.sharing.separate_layers >= recipe.model.layers and recipe.model.start is None:
        raise IsoglossError(
            f"sharing.separate_layers is {recipe.sharing.separate_layers} of {recipe.model.layers} layers: nothing "
            "would be shared",
            where="recipe",
            remedy="leave at least the top layer shared",
        )
