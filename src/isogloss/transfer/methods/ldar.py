"""L-DAR: keep the language-specific part of hidden states where pretraining left it (Liang21 App. B)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from isogloss.bounds import Count, Limit, Weight
from isogloss.transfer.method import Ground, Method
from isogloss.transfer.methods.layers import read_layers

if TYPE_CHECKING:
    from torch import Tensor

    from isogloss.transfer.methods.modules.part import Part


@dataclass(frozen=True)
class LDAR(Method):
    """Adds ``alpha * sum over layers of mean over tokens of || W * (E Q - E' Q) ||``; the encoder's dropout is off.

    ``E`` are the states of a frozen copy of the pretrained model, ``Q`` the first ``dims`` directions in which
    languages differ, ``W`` their shares of the eigenvalues (all ones without ``weights``). The authors' code takes the
    mean over the subwords that bear labels (``over=labelled``), and shares of the first ``dims`` eigenvalues, which
    sum to one (``renormalise=true``).
    """

    name: ClassVar[str] = "ldar"
    needs_texts: ClassVar[bool] = True
    alpha: Weight = 5e-3  # Liang21 B.2; 2e-2 for four layers at a time (B.4)
    layers: str = "all"
    dims: Count | None = None  # None: one more than there are languages (105 of 104)
    by: Literal["densray", "lda"] = "densray"
    weights: bool = True
    tokens: Limit = 10_000  # per language, to fit the subspace on
    over: Literal["tokens", "labelled"] = "tokens"  # which tokens the mean is over
    renormalise: bool = False

    def attach(self, ground: Ground) -> "Part":
        from isogloss.transfer.language_texts import fit_subspaces
        from isogloss.transfer.methods.modules.ldar import LDARPart

        layers = read_layers(self.layers, ground.stack.depth)
        spaces = fit_subspaces(ground, layers, self.by, self.tokens, self.name)
        dims = self.dims or len(ground.texts) + 1
        return LDARPart(ground.stack, spaces, dims, self, ground.dtype)

    def restore(self, ground: Ground, tensors: "Mapping[str, Tensor]") -> "Part":
        from isogloss.transfer.methods.modules.part import Part

        return Part()
