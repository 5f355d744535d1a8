"""The optimiser with its two learning rates, and the schedule that both follow."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Adam, AdamW, Optimizer
from torch.optim.lr_scheduler import LambdaLR

from isogloss.errors import IsoglossError
from isogloss.transfer.network import Network
from isogloss.transfer.settings import Settings

Group = dict[str, object]
TINY = 1e-6  # added to a norm before dividing by it, as torch does


def make_optimiser(network: Network, settings: Settings) -> Optimizer:
    """Adam or AdamW: the encoder at its rate, head and methods at theirs; biases and norms do not decay."""
    encoder = {id(parameter) for parameter in network.encoder.parameters()}
    groups = list(_groups(network, encoder, settings))
    if not groups:
        raise IsoglossError("nothing is left to train", where="method", remedy="leave the head to be trained")
    device = next(network.parameters()).device.type
    if device == "cpu":
        return LeanAdam(groups, decoupled=settings.optimiser == "adamw")
    return (AdamW if settings.optimiser == "adamw" else Adam)(groups, fused=device == "cuda")


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


@torch.no_grad()
def clip_gradients(parameters: Iterable[nn.Parameter], largest: float) -> float:
    """Scale gradients down to a norm of at most ``largest``; 0 leaves them. The norm before is returned.

    As torch's own does it, to the bit. What has to be sorted out for several devices is left out.
    """
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    if not gradients:
        return 0.0
    norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))
    share = (largest or float("inf")) / (norm + TINY)
    if not share >= 1:  # what is no number reaches all parameters, as in torch
        torch._foreach_mul_(gradients, share)
    return float(norm)


class LeanAdam(Optimizer):
    """Adam or (``decoupled``) AdamW on a CPU, to the bit what torch's fused one does, with less work around it.

    Torch sorts all parameters again at every step and counts the steps of each in a tensor of its own, which takes
    longer than moving those of a small model.
    """

    def __init__(self, groups: Iterable[Group], *, decoupled: bool) -> None:
        super().__init__(groups, {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.0})
        self.move = torch._fused_adamw_ if decoupled else torch._fused_adam_

    @torch.no_grad()
    def step(self, _closure: None = None) -> None:  # type: ignore[override]
        """Move the parameters that have gradients."""
        for group in self.param_groups:
            together: defaultdict[int, list[nn.Parameter]] = defaultdict(list)  # by the steps taken before
            for parameter in group["params"]:
                if parameter.grad is not None:
                    together[self._state_of(parameter)["steps"]].append(parameter)
            for steps, parameters in together.items():
                self._move(parameters, steps + 1, group)

    def _move(self, parameters: list[nn.Parameter], steps: int, group: dict[str, Any]) -> None:
        states = [self.state[parameter] for parameter in parameters]
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        for state in states:
            state["steps"] = steps
        beta1, beta2 = group["betas"]
        self.move(
            list[Tensor](parameters),
            gradients,
            [state["average"] for state in states],
            [state["square"] for state in states],
            [],
            [torch.tensor(float(steps))] * len(parameters),
            lr=group["lr"],
            beta1=beta1,
            beta2=beta2,
            weight_decay=group["weight_decay"],
            eps=group["eps"],
            amsgrad=False,
            maximize=False,
        )

    def _state_of(self, parameter: nn.Parameter) -> dict[str, Any]:
        state: dict[str, Any] = self.state[parameter]
        if not state:
            average, square = torch.zeros_like(parameter), torch.zeros_like(parameter)
            state.update(steps=0, average=average, square=square)
        return state
