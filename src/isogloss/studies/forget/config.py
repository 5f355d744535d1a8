"""The settings of a study of forgetting: conditions, tasks, and the text that languages are told apart on."""

from dataclasses import dataclass, field, fields, replace
from typing import Any

from isogloss.bounds import Count, CountOrZero, DeviceName, Limit, Name, Names, Seed, Seeds
from isogloss.studies.shared import setups
from isogloss.tasks import TASKS

INITIAL, FINE_TUNED, REVERSAL, ENTROPY = "initial", "fine-tuned", "reversal", "entropy"
MACRO = {"select_by": "macro_f1"}


@dataclass(frozen=True)
class Setup(setups.Setup):
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
    no search. ``points`` of a map and its clusters are so many a label and language, ``text_points`` a language.
    """

    model: Name = "lab:families"
    tasks: tuple[Setup, ...] = (Setup("pos", options=MACRO),)
    source: Name = "qaa"
    targets: Names = ()  # all languages of the test data, unless named
    conditions: dict[str, str] = field(
        default_factory=lambda: {INITIAL: "linear", FINE_TUNED: "plain", REVERSAL: "reversal", ENTROPY: "entropy"}
    )
    texts: str = "lab:families"
    text_languages: Names = ()  # those of the tests, unless named
    text_part: str = "train"
    text_test_part: str = "test"
    text_limit: Limit = 2000  # texts a language
    text_test_limit: Limit = 500
    most: Limit = 2000  # tokens (or texts) a language that a probe learns from and is tested on
    controls: CountOrZero = 1  # probes with random labels
    points: dict[str, Count] = field(default_factory=lambda: {"words": 10, "texts": 50})  # Tanti21 App. B
    text_points: Count = 100
    clusterings: Count = 10
    search: dict[str, list[Any]] = field(default_factory=dict)
    draws: CountOrZero = 0
    seeds: Seeds = (0,)
    seed: Seed = 0  # of the lab's model
    revision: str | None = None
    device: DeviceName = "auto"


def setup_like(setup: Setup, task: str) -> Setup:
    """Another task on the data and with the limits of ``setup``; it has no chosen settings of its own."""
    options = MACRO if "select_by" in {field.name for field in fields(TASKS[task])} else {}
    return replace(setup, task=task, name="", options=options, preset="", presets={})


def demo_config(seed: int = 0, size: str = "demo") -> Config:
    """Small enough for a demo, on the lab's own encoder; ``tiny`` only shows that everything runs."""
    small = size == "tiny"
    lab = f"lab:families:{seed}"
    limit, test_limit = (60, 30) if small else (200, 100)
    pos = Setup("pos", data=lab, limit=limit, test_limit=test_limit, options=MACRO, settings={"epochs": 3})
    seeds = 2 if small else 3
    return Config(
        model="lab:families", tasks=(pos,), texts=lab, text_limit=40 if small else 80,
        text_test_limit=30 if small else 50, most=200 if small else 500, points={"words": 4, "texts": 20},
        text_points=20 if small else 40, clusterings=5, seeds=tuple(range(seed, seed + seeds)), seed=seed,
    )  # fmt: skip
