"""The settings of a variation: a lab, the values of its knobs, how encoders are pretrained and measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from isogloss.bounds import DeviceName, Limit, Name, Seeds, SomeNames
from isogloss.corpora.lab.names import LabName
from isogloss.corpora.labdata import is_lab
from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe
from isogloss.studies.shared.options import change
from isogloss.studies.shared.pretraining import find_recipe

# Two languages meet in this many steps, or do not; two batches per step are enough for two languages.
SHORT = {
    "training.steps": 700, "training.warmup": 35, "training.validate_every": 700, "training.save_every": 350,
    "data.draws": 2,
}  # fmt: skip
Grid = dict[str, tuple[str, ...]]  # the values of each knob


@dataclass(frozen=True)
class Config:
    """Every combination of the knobs' values x seeds. Every seed has a world of its own.

    ``knobs`` are written as on the command line: ``anchors=0,0.1,0.3``. The first value of a knob is what the others
    are compared with. ``recipe`` is a preset of pretraining or a YAML file, which ``settings`` change.
    """

    lab: Name = "lab:twins"
    knobs: SomeNames = ("anchors=0,0.1,0.3",)
    pair: tuple[Name, Name] = ("qaa", "qab")
    sentences: Limit = 40_000  # of text per language
    parallel_limit: Limit = 400
    recipe: Name = "lab"
    settings: dict[str, Any] = field(default_factory=lambda: dict(SHORT))
    seeds: Seeds = (0, 1, 2)
    device: DeviceName = "auto"

    def grid(self) -> Grid:
        """The values of each knob, in the order given."""
        found: Grid = {}
        for text in self.knobs:
            knob, equals, values = text.partition("=")
            levels = tuple(value.strip() for value in values.split(","))
            if not equals or not all(levels):
                raise IsoglossError(f"'{text}' names no values of a knob", where="knobs", remedy="as in anchors=0,0.3")
            if len(set(levels)) < len(levels):
                raise IsoglossError(f"'{text}' names a value twice", where="knobs", remedy="name each value once")
            if knob in found:
                raise IsoglossError(f"knob '{knob}' is named twice", where="knobs", remedy="give its values at once")
            found[knob] = levels
        if all(len(levels) == 1 for levels in found.values()):
            raise IsoglossError("nothing varies", where="knobs", remedy="give a knob two values: anchors=0,0.3")
        return found

    def world(self, levels: Mapping[str, str], seed: int) -> str:
        """The name of the lab with these knobs, for one seed."""
        return str(replace(self._base().changed(levels), seed=seed))

    def pretraining(self) -> Recipe:
        device = {"training.device": self.device} if self.device != "auto" else {}
        return find_recipe(self.recipe, device | self.settings)

    def _base(self) -> LabName:
        if not is_lab(self.lab):
            raise IsoglossError("only the lab has knobs", where=self.lab, remedy="name lab:twins or lab:families")
        base = LabName.parse(self.lab)
        if base.seed is not None or base.domain is not None:
            raise IsoglossError(
                "a seed or a domain is not allowed here", where=self.lab, remedy="give the seeds with --seeds"
            )
        return base


def configure(
    lab: str = "", knobs: Sequence[str] = (), *, steps: int | None = None, settings: Mapping[str, Any] | None = None,
    **given: Any,
) -> Config:  # fmt: skip
    """The settings with what is given in their place; ``steps`` are of pretraining."""
    config = change(Config(), lab=lab, knobs=tuple(knobs), **given)
    short = {} if steps is None else {"training.steps": steps, "training.warmup": max(1, steps // 20)}
    every = {} if steps is None else {"training.validate_every": steps, "training.save_every": steps}
    found = replace(config, settings={**config.settings, **short, **every, **(settings or {})})
    for knob, levels in found.grid().items():
        for level in levels:
            found.world({knob: level}, seed=0)  # a knob or a value that the lab does not have is refused here
    found.pretraining()  # and so is a setting that recipes do not have
    return found
