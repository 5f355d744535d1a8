"""The settings of an emergence study: which pairs of languages, which text, tasks and translations, which factors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from isogloss.bounds import SOME, DeviceName, Limit, Names, Seeds
from isogloss.corpora.labdata import is_lab
from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe
from isogloss.studies.shared.options import change, change_setups
from isogloss.studies.shared.pretraining import find_recipe
from isogloss.studies.shared.setups import Setup
from isogloss.studies.shared.study_presets import load_study_preset

SEED = "{seed}"
DEMO_STEPS = {"demo": 400, "tiny": 20}
Kind = Literal["linear", "rbf", "unbiased", "rbf-unbiased"]


@dataclass(frozen=True)
class Pair:
    """Two languages. What is left empty is as the study has it.

    ``text`` is a folder of code.txt files, a file, a catalog name or the lab; ``target_text`` the target's, where it
    lies elsewhere; ``other_text`` is what the target is pretrained on where domains differ. ``data`` and ``test_data``
    name a task's data. ``conditions`` are all, unless named.
    """

    source: str = "qaa"
    target: str = "qab"
    name: str = ""
    text: str = ""
    target_text: str = ""
    other_text: str = ""
    dictionary: str = ""
    parallel: str = ""
    data: dict[str, str] = field(default_factory=dict)
    test_data: dict[str, str] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return self.name or self.target


@dataclass(frozen=True)
class Config:
    """Factors x pairs x seeds. ``{seed}`` in a name of data is the seed: every seed has a world of its own in the lab.

    ``recipe`` is a preset of pretraining or a YAML file, which ``settings`` (``training.steps: 1000``) change.
    Sentences of ``parallel`` come in ``pools``: retrieval is read off the first, CKA off the last; or CKA off a part of
    other parallel text (``cka_parallel``, ``cka_part``).
    """

    pairs: Annotated[tuple[Pair, ...], SOME] = (Pair(),)
    conditions: Names = ()  # all, unless named; the default is always one of them
    tasks: tuple[Setup, ...] = (Setup("pos", data="lab:families:{seed}"),)
    text: str = "lab:families:{seed}/0"
    target_text: str = ""
    other_text: str = "lab:families:{seed}/1"  # empty: no condition with another domain
    sentences: Limit | None = 40_000  # of text per language
    dictionary: str = "lab:families:{seed}"  # empty: no code-switching
    parallel: str = "lab:families:{seed}"  # empty: neither retrieval nor CKA
    parallel_limit: Limit = 500
    pools: Annotated[tuple[str, ...], SOME] = ("",)  # parts of the parallel text
    cka_parallel: str = ""  # as parallel, unless named
    cka_part: str = "test"
    similarity: tuple[Kind, ...] = ("linear", "unbiased")
    recipe: str = "lab"
    settings: dict[str, Any] = field(default_factory=dict)
    search: bool = False  # the grid of each task's preset: the mean of the best two settings stands beside the rest
    seeds: Seeds = (0,)
    device: DeviceName = "auto"

    @property
    def text_pools(self) -> tuple[str, ...]:
        """The pools that layers are measured on; the last one is what CKA is read off."""
        return (*self.pools, self.cka_part) if self.cka_parallel else self.pools

    def pretraining(self) -> Recipe:
        """The recipe that treatments change."""
        device = {"training.device": self.device} if self.device != "auto" else {}
        return find_recipe(self.recipe, device | self.settings)

    def pair(self, pair: Pair) -> Pair:
        """``pair`` with the study's settings where it has none of its own."""
        names = ("text", "target_text", "other_text", "dictionary", "parallel")
        filled: dict[str, Any] = {name: getattr(pair, name) or getattr(self, name) for name in names}
        return replace(pair, **filled)


def fill(name: str, seed: int) -> str:
    """A name of data for one seed."""
    return name.replace(SEED, str(seed))


def configure(
    preset: str = "lab", *, pairs: Sequence[str | Pair] = (), tasks: Sequence[str] = (), text: str = "",
    target_text: str = "", other_text: str | None = None, dictionary: str | None = None, parallel: str | None = None,
    data: str = "", test_data: str = "", limit: int | None = None, test_limit: int | None = None,
    settings: Mapping[str, Any] | None = None, **given: Any,
) -> Config:  # fmt: skip
    """The settings of a preset with what is given in their place, as the command and ``isogloss.emerge`` do it.

    ``pairs`` are the preset's by name, or ``source-target``. An empty ``other_text``, ``dictionary`` or ``parallel``
    leaves out what needs it.
    """
    config = change(load_study_preset("emerge", preset, Config), **given)
    config = replace(config, settings={**config.settings, **(settings or {})})
    config.pretraining()  # a setting that recipes do not have is refused here
    config = _with_pairs(config, pairs)
    texts = {"text": text or None, "target_text": target_text or None, "other_text": other_text}
    config = _with_data(config, {**texts, "dictionary": dictionary, "parallel": parallel})
    if data or test_data:  # pairs learn and are tested on the tasks' data, not on their own
        config = replace(config, pairs=tuple(replace(pair, data={}, test_data={}) for pair in config.pairs))
    return change_setups(config, tasks, data=data, test_data=test_data, limit=limit, test_limit=test_limit)


def _with_pairs(config: Config, asked: Sequence[str | Pair]) -> Config:
    """The preset's pairs that were named (by name, or ``source-target``), and new ones."""
    known = {f"{pair.source}-{pair.target}": pair for pair in reversed(config.pairs)}  # of two, the first
    known |= {pair.label: pair for pair in config.pairs}
    chosen = [one if isinstance(one, Pair) else known.get(one) or _new_pair(one, config) for one in asked]
    return replace(config, pairs=tuple(chosen)) if chosen else config


def _new_pair(name: str, config: Config) -> Pair:
    source, dash, target = name.partition("-")
    if not (dash and source and target):
        remedy = f"as in --pairs en-fr, or one of the preset's: {', '.join(pair.label for pair in config.pairs)}"
        raise IsoglossError(f"'{name}' names no pair of languages", where="--pairs", remedy=remedy)
    return Pair(source, target)


def _with_data(config: Config, given: Mapping[str, str | None]) -> Config:
    """Other data for all pairs, also for those that had their own.

    With new text, what belonged to the old (another domain, a dictionary, translations) stays only where it is named.
    """
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if "text" in changes:
        changes = {"target_text": "", "other_text": "", "dictionary": "", "parallel": "", **changes}
    if not changes:
        return config
    pools = config.pools if is_lab(changes.get("parallel", config.parallel)) else ("",)
    nothing: dict[str, Any] = dict.fromkeys(changes, "")
    pairs = tuple(replace(pair, **nothing) for pair in config.pairs)
    return replace(config, pairs=pairs, pools=pools, **changes)


def demo(seed: int = 0, size: str = "demo") -> Config:
    """Small enough for a demo: one pair, one task, three conditions, one seed, short pretraining."""
    steps = DEMO_STEPS[size]
    lab = f"lab:neighbours:{seed}"
    pos = Setup("pos", data=lab, limit=200, test_limit=150, settings={"epochs": 2})
    return Config(
        pairs=(Pair("qaa", "qab", name="sisters"),), conditions=("default", "sep-emb-most", "untrained"), tasks=(pos,),
        text=lab, other_text="", dictionary="", sentences=40 * steps, parallel=lab,
        parallel_limit=300 if size == "demo" else 60, pools=("hard", "test"),
        settings={"training.steps": steps, "training.warmup": max(1, steps // 20), "training.validate_every": steps,
                  "training.save_every": steps, "training.kernels": "fast"},
        seeds=(seed,),
    )  # fmt: skip
