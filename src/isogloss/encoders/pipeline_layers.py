"""The layers that may stand behind the pooling of a pipeline: Dense, LayerNorm, Normalize."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from isogloss.errors import IsoglossError

LAYERS = ("Dense", "LayerNorm", "Normalize")


class Dense(nn.Module):
    """A linear layer and its activation, with a residual path where the model has one."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        given, made = int(config["in_features"]), int(config["out_features"])
        self.linear = nn.Linear(given, made, bias=bool(config.get("bias", True)))
        self.activation = _activation(str(config.get("activation_function", "torch.nn.modules.activation.Tanh")))
        self.use_residual = bool(config.get("use_residual", False))
        if self.use_residual and given != made:
            self.residual = nn.Linear(given, made, bias=False)

    def forward(self, rows: Tensor) -> Tensor:
        """Rows n x given to rows n x made."""
        changed: Tensor = self.activation(self.linear(rows))
        if not self.use_residual:
            return changed
        return changed + (self.residual(rows) if hasattr(self, "residual") else rows)


class Normalise(nn.Module):
    """Rows at length one."""

    def forward(self, rows: Tensor) -> Tensor:
        return nn.functional.normalize(rows, p=2, dim=-1)


def make_layer(kind: str, config: Mapping[str, Any], weights: Mapping[str, Tensor], where: str) -> nn.Module:
    """The layer called ``kind`` with its weights, in float32."""
    layer: nn.Module
    try:
        if kind == "Normalize":
            return Normalise()
        if kind == "LayerNorm":
            layer = nn.LayerNorm(int(config["dimension"]))
            layer.load_state_dict({name.removeprefix("norm."): weight for name, weight in weights.items()})
            return layer
        if config.get("module_input_name", "sentence_embedding") != "sentence_embedding":
            raise IsoglossError(
                "this Dense layer reads token states, not the pooled one", where=where, remedy="name another model"
            )
        layer = Dense(config)
        layer.load_state_dict(dict(weights))
    except (KeyError, RuntimeError) as error:
        first = str(error).splitlines()[0]
        raise IsoglossError(
            f"the weights of this {kind} layer do not fit its configuration ({first})",
            where=where,
            remedy="save the model again",
        ) from error
    return layer.float()


def _activation(name: str) -> nn.Module:
    """A parameterless activation of torch, by its class name; nothing is imported by name."""
    found = getattr(torch.nn, name.rpartition(".")[2], None)
    if not name.startswith("torch.nn.") or not isinstance(found, type) or not issubclass(found, nn.Module):
        raise IsoglossError(f"'{name}' is not an activation of torch", where="Dense", remedy="name another model")
    return found()
