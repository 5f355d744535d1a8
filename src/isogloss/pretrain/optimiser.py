"""AdamW, and how the learning rate rises and falls."""

from torch import nn
from torch.optim import AdamW

from isogloss.pretrain.recipe import Training
from isogloss.pretrain.sharing import Paths


def build_optimiser(paths: Paths, settings: Training) -> AdamW:
    """AdamW over every parameter once. Norms and biases do not decay."""
    parameters = [parameter for _, parameter in paths.named_parameters() if parameter.requires_grad]
    groups = [
        {"params": [p for p in parameters if p.ndim > 1], "weight_decay": settings.weight_decay},
        {"params": [p for p in parameters if p.ndim <= 1], "weight_decay": 0.0},
    ]
    return AdamW(groups, lr=settings.learning_rate, betas=settings.betas, fused=True)


def rate_at(step: int, settings: Training) -> float:
    """The learning rate of a step, counted from 1: linear warm-up, then the schedule."""
    warmup = max(1, settings.warmup)
    if step <= warmup:
        return settings.learning_rate * step / warmup
    if settings.schedule == "linear":
        return settings.learning_rate * max(0, settings.steps + 1 - step) / (settings.steps + 1 - warmup)
    if settings.schedule == "inverse_sqrt":
        return settings.learning_rate * float((warmup / step) ** 0.5)
    return settings.learning_rate


def set_rate(optimiser: AdamW, rate: float) -> None:
    """Give all groups a learning rate."""
    for group in optimiser.param_groups:
        group["lr"] = rate


def gradients(paths: Paths) -> list[nn.Parameter]:
    """The parameters that the last batch reached."""
    return [parameter for _, parameter in paths.named_parameters() if parameter.grad is not None]
