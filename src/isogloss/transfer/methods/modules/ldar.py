"""L-DAR: keep the language-specific part of hidden states where pretraining left it (Liang21 App. B)."""

from collections.abc import Callable
from copy import deepcopy

import torch
from torch import Tensor

from isogloss.encoders.layers import Stack, find_stack
from isogloss.transfer.batches import Batch
from isogloss.transfer.entering_layers import run
from isogloss.transfer.frozen_states import Keeper
from isogloss.transfer.language_texts import Subspace
from isogloss.transfer.methods.ldar import LDAR
from isogloss.transfer.methods.modules.part import Hidden, Part
from isogloss.transfer.network import Step


class LDARPart(Part):
    still = True

    def __init__(
        self,
        stack: Stack,
        spaces: dict[int, Subspace],
        dims: int,
        method: LDAR,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        self.alpha, self.over, self.wants = method.alpha, method.over, tuple(spaces)
        for layer, space in spaces.items():
            directions = torch.as_tensor(space.components_[:dims].T, dtype=torch.float32)  # d x dims
            shares = torch.as_tensor(space.explained_share_[:dims], dtype=torch.float32)
            shares = shares / shares.sum() if method.renormalise else shares
            scale = shares if method.weights else torch.ones_like(shares)
            self.register_buffer(f"map_{layer}", directions * scale)  # W * (E Q) = E (Q W)
        original = find_stack(deepcopy(stack.model).requires_grad_(False).eval())

        def project_original(batch: Batch) -> dict[int, Tensor]:
            with torch.autocast(batch.ids.device.type, dtype=dtype, enabled=dtype != torch.float32):
                states = run(original, batch.inputs, self.wants)
            return {layer: self.project(given, layer) for layer, given in states.items()}

        widths = {layer: self.map_of(layer).shape[1] for layer in self.wants}
        self.original = Keeper(project_original, widths, torch.float32)

    def map_of(self, layer: int) -> Tensor:
        """``Q W`` of a layer, d x dims."""
        mapped: Tensor = getattr(self, f"map_{layer}")
        return mapped

    def project(self, states: Tensor, layer: int) -> Tensor:
        """Weighted coordinates in the language subspace."""
        return states.float() @ self.map_of(layer)

    def objective(self, step: Step, inner: Callable[[], Tensor]) -> Tensor:
        mask = step.batch.labelled if self.over == "labelled" else step.batch.mask
        return inner() + self.alpha * self.penalty(step.hidden, self.original.of(step.batch), mask)

    def penalty(self, hidden: Hidden, original: Hidden, mask: Tensor) -> Tensor:
        """How far states have moved in the language subspace, summed over layers."""
        moved = [self.project(hidden[layer], layer) - original[layer] for layer in self.wants]
        return torch.stack([gap.norm(dim=-1)[mask].mean() for gap in moved]).sum()
