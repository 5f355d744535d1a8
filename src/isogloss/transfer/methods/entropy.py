"""Entropy maximisation: epochs in which the language head learns alternate with ones that confuse it (Tanti21 §3.1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from isogloss.bounds import Share
from isogloss.transfer.examples import LanguageUnits
from isogloss.transfer.method import Ground, Method

if TYPE_CHECKING:
    from torch import Tensor

    from isogloss.transfer.methods.modules.part import Part


@dataclass(frozen=True)
class Entropy(Method):
    """``(1 - w) * task loss + w * mean of -sum over languages of ln y``, which is least for equal probabilities.

    Before each epoch of the task the language head is trained alone for one epoch of the texts, on states without
    dropout, by an Adam that starts afresh. In the authors' code one Adam serves all epochs (``adam=kept``), the
    encoder's dropout is on (``dropout=true``), no more texts are read than the task has examples (``phase=smaller``),
    and the language is read off the first subword of each word (``units=words``).
    """

    name: ClassVar[str] = "entropy"
    needs_texts: ClassVar[bool] = True
    rank: ClassVar[int] = 2
    weight: Share = 0.1  # w; Tanti21 Table 5 has 0.7 for UDPOS, 0.1 for XNLI
    adam: Literal["new", "kept"] = "new"
    dropout: bool = False
    phase: Literal["texts", "smaller"] = "texts"
    units: LanguageUnits = "subwords"

    def attach(self, ground: Ground) -> "Part":
        from isogloss.transfer.language_texts import LanguageTexts
        from isogloss.transfer.methods.modules.entropy import EntropyPart

        return EntropyPart(LanguageTexts(ground, self.name, self.units), ground.width, self)

    def restore(self, ground: Ground, tensors: "Mapping[str, Tensor]") -> "Part":
        from isogloss.transfer.methods.modules.part import Part

        return Part()
