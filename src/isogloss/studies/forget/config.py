"""The settings of a study of forgetting: conditions, tasks, and the text that languages are told apart on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from isogloss.bounds import Count, CountOrZero, DeviceName, Limit, Name, Names, Seed, Seeds
from isogloss.errors import unknown_name
from isogloss.studies.shared import setups
from isogloss.studies.shared.fine_tuning import LAB, is_lab_model
from isogloss.studies.shared.models import name_model
from isogloss.studies.shared.options import change_study
from isogloss.studies.shared.study_presets import load_study_preset
from isogloss.tasks import TASKS
from isogloss.transfer.examples import LanguageUnits

INITIAL, FINE_TUNED, REVERSAL, ENTROPY = "initial", "fine-tuned", "reversal", "entropy"
MACRO = {"select_by": "macro_f1"}


@dataclass(frozen=True)
class ForgetSetup(setups.Setup):
    """A task as other studies have it; ``presets`` names a preset of fine-tunings for some of the conditions.

    ``draws`` are those of the study's search unless named here.
    """

    presets: dict[str, str] = field(default_factory=dict)
    draws: CountOrZero | None = None


@dataclass(frozen=True)
class Config:
    """How an encoder is trained for each task, and on which text its languages are told apart afterwards.

    ``conditions`` maps a name to a method; an empty method is that of the task's preset for this condition. ``texts``
    has the languages to tell apart: training rows for methods and probes, and test rows (parts of the data, or, where
    it has none, the rows that follow). ``search`` has the values that ``draws`` random combinations are drawn from,
    for each condition those that mean something to it; the best on the source's validation part is taken. No draws:
    no search. ``points`` of a map and its clusters are so many per label and language, ``text_points`` per language.
    """

    model: Name = "lab:families"
    tasks: tuple[ForgetSetup, ...] = (ForgetSetup("pos", options=MACRO),)
    source: Name = "qaa"
    targets: Names = ()  # all languages of the test data, unless named
    conditions: dict[str, str] = field(
        default_factory=lambda: {INITIAL: "linear", FINE_TUNED: "plain", REVERSAL: "reversal", ENTROPY: "entropy"}
    )
    texts: str = "lab:families"
    text_languages: Names = ()  # those of the tests, unless named
    text_part: str = "train"
    text_test_part: str = "test"
    text_limit: Limit = 2000  # texts per language
    text_test_limit: Limit = 500
    most: Limit = 2000  # tokens (or texts) per language that a probe learns from and is tested on
    controls: CountOrZero = 1  # probes with random labels
    units: LanguageUnits = "subwords"  # of plain text, what has a language: every subword, or the first of each word
    points: dict[str, Count] = field(default_factory=lambda: {"words": 10, "texts": 50})  # Tanti21 App. B
    text_points: Count = 100
    clusterings: Count = 10
    search: dict[str, list[Any]] = field(default_factory=dict)
    draws: CountOrZero = 0
    seeds: Seeds = (0,)
    seed: Seed = 0  # of the lab's model
    vary_pretraining: bool = False  # each of seeds also pretrains a lab model of its own
    revision: str | None = None
    device: DeviceName = "auto"


def configure(
    model: str = "", preset: str = "lab", *, tasks: Sequence[str] = (), conditions: Sequence[str] = (),
    methods: Mapping[str, str] | None = None, settings: Mapping[str, Any] | None = None, draws: int | None = None,
    **given: Any,
) -> Config:  # fmt: skip
    """The settings of a preset with what is ``given`` in their place, as command and Python do it.

    ``methods`` maps conditions to methods, ``settings`` are those of all fine-tunings.
    """
    config = choose_conditions(load_study_preset("forget", preset, Config), conditions, methods or {})
    config = add_tasks(config, tasks)
    of_lab = any(setup.preset in ("", LAB) for setup in config.tasks)
    config = change_study(config, model, tasks, model=model, draws=draws, settings=settings, **given)
    drawn: dict[str, Any] = {} if draws is None else {"draws": draws}
    if model and of_lab and config.search and not is_lab_model(name_model(model)):
        drawn = {"draws": draws}  # the lab's grid is for the lab's encoders
        config = replace(config, search=load_study_preset("forget", "paper", Config).search, draws=draws or 0)
    return replace(config, tasks=tuple(replace(one, **drawn) for one in config.tasks))


def choose_conditions(config: Config, names: Sequence[str], methods: Mapping[str, str]) -> Config:
    """Only the conditions named, and the methods given; a new name is a new condition."""
    chosen = {**config.conditions, **methods}
    for name in names:
        if name not in chosen:
            raise unknown_name("condition", name, chosen, where="--conditions")
    kept = {name: chosen[name] for name in names or chosen}
    tasks = tuple(
        replace(setup, presets={name: preset for name, preset in setup.presets.items() if name in kept})
        for setup in config.tasks
    )
    return replace(config, conditions=kept, tasks=tasks)


def add_tasks(config: Config, names: Sequence[str]) -> Config:
    """The preset's tasks, and those named that it lacks, on the data and with the limits of its first one."""
    known = {setup.label for setup in config.tasks}
    more = tuple(_setup_like(config.tasks[0], name) for name in names if name not in known and name in TASKS)
    return replace(config, tasks=(*config.tasks, *more))


def _setup_like(setup: ForgetSetup, task: str) -> ForgetSetup:
    """Another task on the data and with the limits of ``setup``; it has no chosen settings of its own."""
    options = MACRO if "select_by" in {field.name for field in fields(TASKS[task])} else {}
    return replace(setup, task=task, name="", options=options, preset="", presets={})


def demo(seed: int = 0, size: str = "demo") -> Config:
    """Small enough for a demo, on the lab's own encoder; ``tiny`` only shows that everything runs."""
    small = size == "tiny"
    lab = f"lab:families:{seed}"
    limit, test_limit = (60, 30) if small else (200, 100)
    pos = ForgetSetup("pos", data=lab, limit=limit, test_limit=test_limit, options=MACRO, settings={"epochs": 3})
    seeds = 2 if small else 3
    return Config(
        model="lab:families", tasks=(pos,), texts=lab, text_limit=40 if small else 80,
        text_test_limit=30 if small else 50, most=200 if small else 500, points={"words": 4, "texts": 20},
        text_points=20 if small else 40, clusterings=5, seeds=tuple(range(seed, seed + seeds)), seed=seed,
    )  # fmt: skip
