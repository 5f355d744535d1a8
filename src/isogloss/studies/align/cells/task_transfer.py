"""Task layers learnt on the source's encoder and used on the target's, with and without the map (Wu20 Figs. 5, 8)."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from isogloss.encoders.model_folder import unchanged_model
from isogloss.runs import Bench, Cell
from isogloss.studies.align.cells.sentences import pair_layers
from isogloss.studies.align.cells.word_maps import Bridges, read_map
from isogloss.studies.shared.models import place
from isogloss.transfer import Data, FineTune, Score

if TYPE_CHECKING:
    from torch import nn

    from isogloss.transfer import Fitted

HOME, MAPPED, AS_IS = "home", "mapped", "no map"


@dataclass(frozen=True)
class CrossedScore:
    """The task's main measure in a language: at home, through the map, or without it."""

    language: str
    how: str
    measure: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Crossed:
    """What task layers on one layer gave, at home and abroad."""

    validation: float
    scores: tuple[CrossedScore, ...]


@dataclass(frozen=True)
class Crossing(Cell[Crossed]):
    """Train task layers as ``training`` says, on ``layer`` of the source's encoder; score each partner's language.

    ``partners`` are the targets' encoders, ``bridges`` their maps and ``abroad`` their test data, in the same order.
    """

    name: ClassVar[str] = "align-crossing"
    record: ClassVar[type] = Crossed
    training: FineTune = field(default_factory=FineTune)
    layer: int = 0
    partners: tuple[Any, ...] = ()
    bridges: tuple[Bridges, ...] = ()
    abroad: tuple[Data, ...] = ()

    def label(self) -> str:
        return f"{self.training.task} on layer {self.layer}, seed {self.training.settings.seed}"

    def needs(self) -> tuple[Cell[Any], ...]:
        """The training happens here and not before, so that no model has to be kept."""
        encoders = tuple(one for one in self.partners if isinstance(one, Cell))
        return (*self.training.needs(), *encoders, *self.bridges)

    def run(self, bench: Bench) -> Crossed:
        fitted = self.training.fit(bench)
        home = self.training.evaluate(fitted, bench.workspace / HOME)
        scores = list(_main(home.scores, HOME))
        for partner, bridges, data in zip(self.partners, self.bridges, self.abroad, strict=True):
            scores += self._cross(fitted, bench, partner, bridges, data)
        return Crossed(home.validation, tuple(scores))

    def _cross(
        self, fitted: "Fitted", bench: Bench, partner: Any, bridges: Bridges, data: Data
    ) -> Iterator[CrossedScore]:
        from isogloss.transfer.carried_layers import carry, make_bridge

        folder, revision = place(partner, bench)
        matrix, offset = read_map(bench.folder(bridges), self.layer)
        depth = fitted.network.stack.depth
        other = dict(pair_layers(depth, bench.result(bridges).target_layers - 1))[self.layer]
        ways: dict[str, nn.Linear | None] = {MAPPED: make_bridge(matrix, offset)}
        if matrix.shape[0] == matrix.shape[1]:
            ways[AS_IS] = None
        for how, bridge in ways.items():
            with unchanged_model(partner):
                carried = carry(fitted, folder, revision, other, bridge)
            test = replace(self.training, tests=(data,))
            found = test.evaluate(carried, bench.workspace / f"{data.language}-{how.replace(' ', '-')}")
            yield from _main(found.scores, how)


def _main(scores: tuple[Score, ...], how: str) -> Iterator[CrossedScore]:
    for one in scores:
        if one.main:
            yield CrossedScore(one.language, how, one.measure, one.value, one.low, one.high, one.n)
