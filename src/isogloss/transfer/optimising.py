"""The optimiser with its two learning rates, and the schedule that both follow."""

from collections.abc import Iterable, Iterator

import torch
from torch import nn
from torch.optim import Adam, AdamW, Optimizer
from torch.optim.lr_scheduler import LambdaLR

from isogloss.errors import IsoglossError
from isogloss.transfer.network import Network
from isogloss.transfer.settings import Settings

Group = dict[str, object]


def make_optimiser(network: Network, settings: Settings) -> Optimizer:
    """Adam or AdamW: the encoder at its rate, head and methods at theirs; biases and norms do not decay."""
    encoder = {id(parameter) for parameter in network.encoder.parameters()}
    groups = list(_groups(network, encoder, settings))
    if not groups:
        raise IsoglossError("nothing is left to train", where="method", remedy="leave the head to be trained")
    fused = next(network.parameters()).device.type in {"cpu", "cuda"}
    if settings.optimiser == "adam":
        return Adam(groups, fused=fused)
    return AdamW(groups, fused=fused)


def _groups(network: Network, encoder: set[int], settings: Settings) -> Iterator[Group]:
    rates = {True: settings.encoder_rate, False: settings.head_rate or settings.encoder_rate}
    bare = _without_decay(network)
    decay = settings.weight_decay if settings.optimiser == "adamw" else 0.0
    for inside in (True, False):
        for decays in (True, False):
            chosen = [
                parameter
                for parameter in network.parameters()
                if parameter.requires_grad
                and (id(parameter) in encoder) == inside
                and (id(parameter) not in bare) == decays
            ]
            if chosen:
                yield {"params": chosen, "lr": rates[inside], "weight_decay": decay if decays else 0.0}


def _without_decay(network: nn.Module) -> set[int]:
    """Biases, and the weights of norms: everything with one dimension."""
    return {id(parameter) for parameter in network.parameters() if parameter.dim() < 2}


def make_schedule(optimiser: Optimizer, settings: Settings, steps: int) -> LambdaLR:
    """Linear warm-up over a share of the steps, then linear decay to zero, or constant."""
    warm = round(settings.warmup * steps)

    def factor(step: int) -> float:
        if step < warm:
            return (step + 1) / (warm + 1)
        if settings.schedule == "constant":
            return 1.0
        return max(0.0, (steps - step) / max(1, steps - warm))

    return LambdaLR(optimiser, factor)


def clip_gradients(parameters: Iterable[nn.Parameter], largest: float) -> float:
    """Scale gradients down to a norm of at most ``largest``; 0 leaves them. The norm before is returned."""
    parameters = [parameter for parameter in parameters if parameter.grad is not None]
    norm = torch.nn.utils.clip_grad_norm_(parameters, largest or float("inf"), error_if_nonfinite=False)
    return float(norm)
