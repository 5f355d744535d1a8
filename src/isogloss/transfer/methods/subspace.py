"""The head sees only some dimensions of a projection: for instance what is left without languages (Liang21 Fig. 4)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.bounds import Limit
from isogloss.errors import IsoglossError
from isogloss.transfer.method import Ground, Method
from isogloss.transfer.methods.layers import read_layers

if TYPE_CHECKING:
    from torch import Tensor

    from isogloss.transfer.methods.modules.part import Part


@dataclass(frozen=True)
class Subspace(Method):
    """``subspace:20:`` leaves out the 20 dimensions that tell languages best, ``:20`` keeps them, ``random-20`` draws.

    The projection is fitted on states of ``layer`` before fine-tuning and then stays.
    """

    name: ClassVar[str] = "subspace"
    needs_texts: ClassVar[bool] = True
    dims: str = "20:"
    by: Literal["densray", "lda"] = "densray"
    layer: str = "last"
    tokens: Limit = 10_000

    def attach(self, ground: Ground) -> "Part":
        from isogloss.transfer.language_texts import fit_subspaces
        from isogloss.transfer.methods.modules.subspace import SubspacePart

        layer = read_layers(self.layer, ground.stack.depth)[-1]
        space = fit_subspaces(ground, (layer,), self.by, self.tokens, self.name)[layer]
        chosen = read_dims(self.dims, len(space.components_), ground.settings.seed)
        return SubspacePart(space.components_[chosen])

    def restore(self, ground: Ground, tensors: "Mapping[str, Tensor]") -> "Part":
        from isogloss.transfer.methods.modules.subspace import SubspacePart

        return SubspacePart(tensors["directions"].T.double().numpy())


def read_dims(text: str, size: int, seed: int) -> NDArray[np.int64]:
    """Which of ``size`` dimensions ``20:``, ``:20``, ``10:20`` or ``random-20`` mean; brackets are allowed."""
    bare = text.strip().strip("[]")
    if match := re.fullmatch(r"random-([0-9]{1,6})", bare):
        count = int(match[1])
        chosen = np.sort(np.random.default_rng(seed).permutation(size)[:count])
    elif match := re.fullmatch(r"([0-9]{0,6}):([0-9]{0,6})", bare):
        count = size
        chosen = np.arange(int(match[1] or 0), int(match[2] or size))
    else:
        raise IsoglossError(f"dimensions '{text}' are not understood", where="method", remedy="20:, :20 or random-20")
    if not len(chosen) or chosen[-1] >= size or count > size:
        raise IsoglossError(f"dimensions '{text}' of {size}", where="method", remedy=f"there are {size} of them")
    return chosen.astype(np.int64)
