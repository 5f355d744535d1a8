"""Batch normalisation that leaves padding out of its statistics."""

import torch
from torch import Tensor, nn


class MaskedBatchNorm(nn.Module):
    """As ``nn.BatchNorm1d`` over the real tokens of a batch (rows x time x d, ``mask`` rows x time)."""

    running_mean: Tensor
    running_var: Tensor

    def __init__(self, width: int, momentum: float = 0.1, eps: float = 1e-5) -> None:
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
        self.register_buffer("running_mean", torch.zeros(width))
        self.register_buffer("running_var", torch.ones(width))

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        mean, variance = self.running_mean, self.running_var
        if self.training and int(mask.sum()) > 1:  # one token has no variance: it is normalised by what was seen before
            real = tokens[mask]  # tokens x d
            mean, variance = real.mean(0), real.var(0, unbiased=False)
            self._remember(mean.detach(), variance.detach() * len(real) / (len(real) - 1))
        return (tokens - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias

    @torch.no_grad()
    def _remember(self, mean: Tensor, variance: Tensor) -> None:
        self.running_mean.lerp_(mean, self.momentum)
        self.running_var.lerp_(variance, self.momentum)
