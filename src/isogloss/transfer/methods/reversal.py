"""Gradient reversal: the encoder is trained to make its languages hard to tell apart (Tanti21 §3.1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from isogloss.bounds import Weight
from isogloss.transfer.examples import LanguageUnits
from isogloss.transfer.method import Ground, Method

if TYPE_CHECKING:
    from torch import Tensor

    from isogloss.transfer.methods.modules.part import Part


@dataclass(frozen=True)
class Reversal(Method):
    """A language head learns on a second batch a step; its gradient reaches the encoder times ``-strength``.

    ``schedule="rising"`` lets the strength grow from 0 as in Ganin and Lempitsky (2015). The language is read off every
    subword of a text, or, as in the authors' code, off the first subword of each word (``units=words``).
    """

    name: ClassVar[str] = "reversal"
    needs_texts: ClassVar[bool] = True
    rank: ClassVar[int] = 2
    strength: Weight = 0.1  # lambda; Tanti21 Table 5
    schedule: Literal["constant", "rising"] = "constant"
    units: LanguageUnits = "subwords"

    def attach(self, ground: Ground) -> "Part":
        from isogloss.transfer.language_texts import LanguageTexts
        from isogloss.transfer.methods.modules.reversal import ReversalPart

        texts = LanguageTexts(ground, self.name, self.units)
        return ReversalPart(texts, ground.width, self.strength, self.schedule)

    def restore(self, ground: Ground, tensors: "Mapping[str, Tensor]") -> "Part":
        from isogloss.transfer.methods.modules.part import Part

        return Part()
