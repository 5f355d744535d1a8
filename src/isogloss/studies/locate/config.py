"""The settings of locate. Defaults are the paper's sizes (Liang21 §4); languages and data are the user's."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from isogloss import bounds
from isogloss.corpora.lab.names import LabName
from isogloss.corpora.labdata import is_lab
from isogloss.errors import IsoglossError, unknown_name
from isogloss.pretrain.lab_encoder import SENTENCES
from isogloss.studies.shared.models import LAB, UNTRAINED, Model, lab_model, name_model
from isogloss.studies.shared.options import change
from isogloss.studies.shared.setups import Setup
from isogloss.studies.shared.study_presets import load_study_preset

METHODS = {"densray": "DensRay", "lda": "LDA"}
TASKS = {"LI": "language identity", "LT": "typology", "LS": "similarity of sisters"}


@dataclass(frozen=True)
class Profile:
    """How many leading dimensions the comparison of layers looks at, by task (Liang21 Fig. 3)."""

    li: bounds.Count = 1
    lt: bounds.Count = 20
    ls: bounds.Count = 20

    def of(self, task: str) -> int:
        return {"LI": self.li, "LT": self.lt, "LS": self.ls}[task]


@dataclass(frozen=True)
class Config:
    """A model, text of several languages, and how much of each the probes see.

    The text of each language is halved: subspaces are fitted on tokens of one half, probes see the other. Every
    number is a mean over repetitions, one per seed, each with a draw of tokens, a fit and random dimensions of its own.
    ``tagging`` are tasks learnt in ``source`` without the leading dimensions and tested in all languages; with the
    method ``linear`` the encoder stays as it is, with ``plain`` it is fine-tuned.
    """

    model: bounds.Name
    data: str = "ntrex"
    languages: bounds.Names = ()  # all that the data has, unless named
    limit: bounds.Limit = 5_000  # sentences read per language
    shard: bounds.LimitOrZero = 0  # sentences a cell reads; 0: one reads all. With shards every token is fitted on
    tokens: bounds.Limit = 10_000  # per language, to fit on
    train: bounds.Limit = 8_000  # vectors per probe
    test: bounds.Limit = 2_000
    pairs: bounds.Count = 50  # of languages, for LI; the same in every repetition
    layer: bounds.LayerNumber = -1  # that Figs. 1, 2, 4 and 5 look at
    methods: bounds.SomeNames = ("densray", "lda")
    sizes: bounds.Sizes = (1, *range(10, 201, 10))
    window: bounds.Count = 10
    windows: bounds.Count = 20  # so many, one after the other
    draws: bounds.Count = 5  # of random dimensions beside windows
    size_draws: bounds.Count = 2  # and beside each size
    profile: Profile = field(default_factory=Profile)
    grouping: Literal["genus", "family"] = "genus"  # what LS looks for; the released code: genus
    typology: str = ""  # WALS, or the lab's own for its languages
    subsets: bounds.Names = ()  # families or genera for Fig. 5; the three largest unless named
    subset_size: bounds.Count = 10  # languages of each
    subset_window: bounds.Count = 2
    subset_windows: bounds.Count = 8
    tagging: tuple[Setup, ...] = ()
    tagging_sizes: bounds.SizesOrZero = (0, 50, 100, 200, 300, 400, 500, 600, 700)  # dimensions left out
    tagging_method: str = "linear"
    source: bounds.Name = "en"
    published: str = ""  # a paper whose numbers stand beside ours
    seeds: bounds.Seeds = (0, 1, 2, 3, 4)
    seed: bounds.Seed = 0  # of the lab's world, and of the choice of pairs
    revision: str | None = None
    device: bounds.DeviceName = "auto"
    dtype: bounds.DtypeName = "auto"
    sentences: bounds.Limit = SENTENCES  # per language, that an encoder of the lab is pretrained on
    steps: bounds.Limit | None = None  # of that pretraining

    def __post_init__(self) -> None:
        for method in self.methods:
            if method not in METHODS:
                raise unknown_name("method", method, METHODS, where="setting 'methods'")

    def build_model(self) -> Model:
        """The model, named by its content."""
        if self.model.startswith(LAB):
            return lab_model(self.model, self.seed, self.sentences, self.steps)
        return name_model(self.model, self.revision, self.seed)

    def name_data(self, data: str = "") -> str:
        """The data's name; languages of the lab are those that a model of the lab was pretrained on."""
        name = data or self.data
        if not is_lab(name) or LAB not in self.model:
            return name
        lab = LabName.parse(name)
        return name if lab.seed is not None else str(replace(lab, seed=self.seed))


def _start_from(preset: str, model: str, data: str) -> Config:
    """A preset's settings with another model and data; without a preset the lab's or the defaults."""
    if not preset and not model:
        raise IsoglossError("no model is named", where="locate", remedy="isogloss locate MODEL, or --preset lab")
    if not preset and not (model.startswith(LAB) or is_lab(data)):
        return Config(model, data or Config.data)
    config = load_study_preset("locate", preset or "lab", Config)
    own = model.removeprefix(UNTRAINED)
    text = data or (own if own.startswith(LAB) else config.data)
    # Tasks of the lab follow to another world of it, and stay behind when the text is none of its.
    kept = [setup for setup in config.tagging if is_lab(text) or not is_lab(setup.data)]
    tagging = tuple(replace(setup, data=text) if is_lab(setup.data) else setup for setup in kept)
    return replace(config, model=model or config.model, data=text, tagging=tagging)


def _tagged_with(config: Config, **data: str) -> Config:
    """Tagging on the data named, task by task (``pos="ud"``); as it was where nothing is named."""
    before = {setup.task: setup for setup in config.tagging}
    setups = [replace(before.get(task, Setup(task)), data=name) for task, name in data.items() if name]
    return replace(config, tagging=tuple(setups)) if setups else config


def configure(
    model: str = "", preset: str = "", *, data: str = "", pos: str = "", ner: str = "", tagging: bool = True,
    families: Sequence[str] = (), **given: Any,
) -> Config:  # fmt: skip
    """The settings of a preset, or the paper's sizes on the user's own data, with what is ``given`` in their place."""
    config = change(_start_from(preset, model, data), subsets=tuple(families), **given)
    return _tagged_with(config, pos=pos, ner=ner) if tagging else replace(config, tagging=())


def demo(seed: int = 0, size: str = "demo") -> Config:
    """A small version for the demo; ``tiny`` only shows that everything runs."""
    config = replace(load_study_preset("locate", "lab", Config), seed=seed)
    if size != "tiny":
        names = tuple(setup for setup in config.tagging if setup.task == "ner")
        return replace(config, seeds=(0, 1), tagging=names, tagging_sizes=(0, 5, 20))
    return replace(
        config, sentences=2_000, steps=40, seeds=(0,), tokens=300, train=200, test=100, sizes=(1, 4, 8), tagging=()
    )
