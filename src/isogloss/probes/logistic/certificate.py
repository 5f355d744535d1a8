"""How far an objective can be from its optimum: a bound that holds, not an estimate.

The dual of a penalised logistic regression gives a lower bound of the optimum for every choice ``p`` of a distribution
a row whose totals over the rows are those of the classes (the intercept is free, so its gradient must vanish):

    D(p) = sum_i weight_i H(p_i)  -  C/2 |v(p)|^2,    v(p) = sum_i weight_i (p_i - y_i) x_i

With the model's own probabilities the distance of the objective from ``D`` is ``C/2 |gradient|^2``. Where their totals
are a little off, they are mixed with one distribution for all rows, by a share ``t`` as small as the totals allow.
"""

import torch
from torch import Tensor

from isogloss.probes.logistic.objective import Objective, probabilities

_ROUNDS = 6  # Newton's steps for the intercepts


def bound_gap(objective: Objective, W: Tensor, Z: Tensor, G: Tensor) -> Tensor:
    """B x K: no problem is further from its optimum, in nats, than this (coefficients, margins and gradient in)."""
    C, b, g_b = objective.C, W[..., 0], G[..., 0]
    w, g_w = W[..., 1:], G[..., 1:]
    v = g_w - w / C
    totals, sums, class_sums = objective.class_totals
    rows = totals.sum(dim=-1, keepdim=True)  # B x K x 1
    found = g_b + totals[..., : g_b.shape[-1]]
    if W.shape[2] == 1:
        found = torch.cat([found, rows - found], dim=-1)
    t = (1 - totals / found).amax(dim=-1, keepdim=True).clamp(0, 1)  # B x K x 1
    mass = (totals - (1 - t) * found).clamp_min(0)[..., : g_b.shape[-1]] / rows  # what all rows share
    shift = mass[..., None] * sums - t[..., None] * (class_sums + v)
    entropy = objective.data_losses(Z) - _dot(w, v) - (b * g_b).sum(dim=-1)
    first = (b * g_b).sum(dim=-1) + t[..., 0] * entropy.clamp_min(0) + C * _dot(v, shift)
    gap = C / 2 * (_dot(g_w, g_w) + _dot(shift, shift)) + first.clamp_min(0)
    return torch.where(objective.sizes > 0, gap.nan_to_num(torch.inf, torch.inf, torch.inf), 0.0)


def centre_intercepts(objective: Objective, W: Tensor, Z: Tensor) -> tuple[Tensor, Tensor]:
    """Coefficients and margins with the best intercepts for their weights, by Newton's method: no product is needed."""
    seen = (objective.sizes > 0)[..., None]
    b = torch.zeros_like(W[..., 0])
    p, slope = _intercept_slope(objective, Z)
    noise = torch.finfo(Z.dtype).eps * objective.weights.sum(dim=-1).sqrt()  # of a sum over the rows
    step = _intercept_step(objective, p, slope) * seen
    for _ in range(_ROUNDS):
        if not bool((seen & (slope.abs() > noise)).any()):
            break
        p, following = _intercept_slope(objective, Z + (b + step)[..., None])
        better = following.norm(dim=-1, keepdim=True) < slope.norm(dim=-1, keepdim=True)
        b = torch.where(better, b + step, b)
        slope = torch.where(better, following, slope)
        step = torch.where(better, _intercept_step(objective, p, following) * seen, step / 4)
    moved = W.clone()
    moved[..., 0] += b
    return moved, Z + b[..., None]


def _intercept_slope(objective: Objective, Z: Tensor) -> tuple[Tensor, Tensor]:
    """Probabilities (B x K x M x n) and the objective's slopes along the intercepts (B x K x M)."""
    p = probabilities(Z)
    return p, ((p - objective.targets) * objective.weights).sum(dim=-1)


def _intercept_step(objective: Objective, p: Tensor, slope: Tensor) -> Tensor:
    """Newton's step for the intercepts, B x K x M."""
    weighted = p * objective.weights
    if p.shape[2] == 1:
        return (-slope / (weighted * (1 - p)).sum(dim=-1)).nan_to_num(0.0, 0.0, 0.0)
    totals = weighted.sum(dim=-1)
    curvature = torch.diag_embed(totals) - weighted @ p.mT
    scale = totals.mean(dim=-1)[..., None, None]
    # A constant added to all intercepts changes nothing: the ones make that direction harmless.
    curvature = curvature + scale / p.shape[2] + torch.finfo(p.dtype).eps * torch.diag_embed(totals)
    step, failed = torch.linalg.solve_ex(curvature, -slope[..., None])
    step = torch.where(failed[..., None] == 0, step[..., 0], 0.0)
    return step.nan_to_num(0.0, 0.0, 0.0)


def _dot(a: Tensor, b: Tensor) -> Tensor:
    return (a * b).sum(dim=(2, 3))
