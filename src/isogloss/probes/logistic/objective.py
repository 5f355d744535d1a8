"""The objective of scikit-learn's LogisticRegression, for many problems on the same rows in a few matrix products.

Shapes: B blocks of rows, K problems per block, M outputs per problem (1: logistic; more: softmax), n rows, D columns
of which the first is the intercept's and all ones. Features are stored column by column (B x D x n), because the
column sets of one block are nested: a problem of size s sees the first s columns, which are contiguous so.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

_NARROW = 64  # below this width one product for all problems beats several small ones
_EIGHT, _MANY = 8, 64
_PANEL = 112  # rows of a Hessian computed at a time: what lies above the diagonal is left out
_RIDGES = 4
_LINEAR = 50.0  # margins from which softplus is the margin itself, to the last digit of a double


@dataclass(frozen=True)
class Objective:
    """``sum_i weight_i * loss_i + |w|^2 / (2 C)`` for B x K problems; the intercept is not penalised."""

    features: Tensor  # B x D x n
    targets: Tensor  # B x (1 or K) x M x n, zeros and ones
    weights: Tensor  # B x (1 or K) x 1 x n
    sizes: Tensor  # B x K, how many columns a problem sees, the intercept's included; ascending along K
    C: float
    gram: Tensor | None = None  # B x D x D: the features' products, where known and no row has a weight of its own

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """B, K, M, D: the shape of the coefficients."""
        blocks, columns, _ = self.features.shape
        return blocks, self.sizes.shape[1], self.targets.shape[2], columns

    @cached_property
    def even(self) -> bool:
        """Whether every row weighs one."""
        return bool((self.weights == 1).all())

    @cached_property
    def mask(self) -> Tensor:
        """B x K x 1 x D: which columns a problem sees."""
        columns = torch.arange(self.features.shape[1], device=self.features.device)
        return (columns < self.sizes[..., None]).to(self.features.dtype)[:, :, None]

    @cached_property
    def penalty(self) -> Tensor:
        """D: the penalty's second derivative."""
        penalty = torch.full_like(self.features[0, :, 0], 1 / self.C)
        penalty[0] = 0
        return penalty

    @cached_property
    def segments(self) -> list[tuple[int, int, int]]:
        """Runs of problems of similar size, as (first, last, widest): each is one product, little of it zeros."""
        widths = self.sizes.amax(dim=0).cummax(dim=0).values.clamp_min(1).tolist()
        cuts, last = [], len(widths)
        while last:
            width = widths[last - 1]
            count = last if width <= _NARROW else sum(one > 0.55 * width for one in widths[:last])
            if count * self.targets.shape[2] < _MANY:  # products of eight rows, or of many, are the fast ones
                count = max(_EIGHT, count - count % _EIGHT)
            first = max(0, last - count)
            cuts.append((first, last, width))
            last = first
        return cuts[::-1]

    def margins(self, W: Tensor) -> Tensor:
        """B x K x M x D coefficients to B x K x M x n margins."""
        blocks, _, outputs, _ = W.shape
        parts = []
        for first, last, width in self.segments:
            part = W[:, first:last, :, :width].reshape(blocks, -1, width) @ self.features[:, :width]
            parts.append(part.view(blocks, last - first, outputs, -1))
        return parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)

    def residuals(self, Z: Tensor) -> Tensor:
        """Weighted probability minus target, B x K x M x n: the derivative of the loss by the margins."""
        found = probabilities(Z).sub_(self.targets)
        return found if self.even else found.mul_(self.weights)

    def gradient(self, R: Tensor, W: Tensor) -> Tensor:
        """B x K x M x D, zero in the columns that a problem does not see."""
        blocks, _, outputs, _ = R.shape
        G = torch.zeros_like(W)
        for first, last, width in self.segments:
            part = R[:, first:last].reshape(blocks, -1, R.shape[-1]) @ self.features[:, :width].mT
            G[:, first:last, :, :width] = part.view(blocks, last - first, outputs, width)
        return G.add_(self.penalty * W).mul_(self.mask)

    def data_losses(self, Z: Tensor) -> Tensor:
        """B x K: the objective's value without the penalty."""
        if Z.shape[2] == 1:
            rows = torch.nn.functional.softplus(Z, threshold=_LINEAR) - self.targets * Z
        else:
            rows = torch.logsumexp(Z, dim=2, keepdim=True) - (self.targets * Z).sum(dim=2, keepdim=True)
        return (rows * self.weights).sum(dim=(2, 3))

    def losses(self, Z: Tensor, W: Tensor) -> Tensor:
        """B x K: the objective's value."""
        return self.data_losses(Z) + (self.penalty * W * W).sum(dim=(2, 3)) / 2

    @cached_property
    def class_totals(self) -> tuple[Tensor, Tensor, Tensor]:
        """Weight per class (B x K x M; both if M is 1), and weighted sums of the features: all rows', each class's."""
        weighted = self.targets * self.weights
        totals = weighted.sum(dim=-1)
        if totals.shape[-1] == 1:
            totals = torch.cat([totals, self.weights.sum(dim=-1) - totals], dim=-1)
        columns = self.features.mT[:, None]
        sums, class_sums = (self.weights @ columns) * self.mask, (weighted @ columns) * self.mask
        return totals, sums[..., 1:], class_sums[..., 1:]

    def curvature(self, Z: Tensor) -> Tensor:
        """B x n: how much a row counts in the Hessian, averaged over problems; wide ones, the slow ones, count more."""
        p = probabilities(Z)
        rows = (p * (1 - p)).mul_(self.weights).mean(dim=2)
        share = self.sizes.clamp_min(1).to(rows.dtype)
        return ((share / share.sum(dim=1, keepdim=True))[:, None] @ rows)[:, 0]

    def only(self, problems: Tensor) -> "Objective":
        """The same rows with some of each block's problems (indices along K)."""
        targets = self.targets if self.targets.shape[1] == 1 else self.targets[:, problems]
        weights = self.weights if self.weights.shape[1] == 1 else self.weights[:, problems]
        return replace(self, targets=targets, weights=weights, sizes=self.sizes[:, problems])


def probabilities(Z: Tensor) -> Tensor:
    """Logistic for one output, softmax over dimension 2 for several."""
    return torch.sigmoid(Z) if Z.shape[2] == 1 else torch.softmax(Z, dim=2)


def products(features: Tensor, weights: Tensor) -> Tensor:
    """B x D x D, lower half only: the products of all columns with each other, rows weighted by ``weights`` (B x n)."""
    blocks, columns, _ = features.shape
    found = features.new_zeros(blocks, columns, columns)
    for first in range(0, columns, _PANEL):
        panel = features[:, first : first + _PANEL] * weights[:, None]
        found[:, first:, first : first + _PANEL] = features[:, first:] @ panel.mT
    return found


@dataclass(frozen=True)
class Preconditioner:
    """An approximate inverse Hessian, one per block, for all its nested problems at once.

    The Cholesky factor of a leading block is the leading block of the factor, so that one factor serves every
    nested problem: solve forward, drop what a problem does not see, solve backward.
    """

    factor: Tensor | None  # B x D x D, lower
    diagonal: Tensor  # B x D, used where the full matrix would cost more than it saves

    @classmethod
    def at(cls, objective: Objective, Z: Tensor, full: bool, gram: Tensor | None = None) -> "Preconditioner":
        """Built from the curvature at the margins ``Z``, or from ``gram`` where that is the same for all rows."""
        curvature = objective.curvature(Z)
        if full:
            hessian = products(objective.features, curvature) if gram is None else gram * curvature[:, :1, None]
            hessian.diagonal(dim1=1, dim2=2).add_(objective.penalty)
            factor = _cholesky(hessian)
            if factor is not None:
                return cls(factor, hessian.diagonal(dim1=1, dim2=2))
        diagonal = (objective.features.square() @ curvature[..., None])[..., 0] + objective.penalty
        return cls(None, diagonal.clamp_min(torch.finfo(diagonal.dtype).tiny))

    def __call__(self, G: Tensor, mask: Tensor) -> Tensor:
        """B x K x M x D gradients to steps of the same shape."""
        if self.factor is None:
            return G / self.diagonal[:, None, None]
        blocks, problems, outputs, columns = G.shape
        rows = G.reshape(blocks, problems * outputs, columns)
        half = torch.linalg.solve_triangular(self.factor.mT, rows, upper=True, left=False)
        half = (half.view_as(G) * mask).view_as(rows)
        whole: Tensor = torch.linalg.solve_triangular(self.factor, half, upper=False, left=False)
        return whole.view_as(G)


def _cholesky(hessian: Tensor) -> Tensor | None:
    """The lower factor, with a ridge relative to each column's own scale, as large as rounding asks for."""
    scale = hessian.diagonal(dim1=1, dim2=2).clone()
    ridge = torch.finfo(hessian.dtype).eps * hessian.shape[-1]
    for _ in range(_RIDGES):
        hessian.diagonal(dim1=1, dim2=2).add_(ridge * scale)
        factor: Tensor
        factor, failed = torch.linalg.cholesky_ex(hessian)
        if not bool(failed.any()):
            return factor
        ridge *= 10
    return None
