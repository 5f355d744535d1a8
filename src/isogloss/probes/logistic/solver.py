"""L-BFGS on many logistic problems at once, preconditioned by a Hessian that nested problems share.

The problems are convex, so the step along a direction is found from slopes alone: no values of the objective are
compared, and single precision loses nothing to cancellation. Margins change linearly along a direction, so a trial
step costs no matrix product.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from isogloss.probes.logistic.certificate import bound_gap, centre_intercepts
from isogloss.probes.logistic.objective import Objective, Preconditioner

_MEMORY = 8  # pairs of L-BFGS
_REFRESH = 16  # iterations after which the preconditioner is built anew; the first time after two
_FLAT = 0.2  # a step ends where the slope is at most this share of the slope at its start
_FLAT_FIRST = 0.02  # the first step sets the scale of all that follow
_PATIENCE = 3  # each trial is content with a slope so many times steeper, up to these shares
_UNDER, _OVER = 0.9, 0.5  # short of the lowest point, where all is safe, and beyond it
_TRIALS = 16
_FULL_UP_TO = 64  # columns per problem up to which a full preconditioner pays
_NEAR = 10  # times the tolerance, as estimated from gradient and Hessian, from which on the gap is bounded
_CLOSE = 100  # times the tolerance, from which on a gap that does not shrink is one of rounding
_SHRINKS, _WAIT = 0.9, 4  # a gap shrinks if it falls to this share of the least so far, in so many iterations
_SHRINK = 0.8  # problems that are done leave once this share or less is still at work


@dataclass(frozen=True)
class Solution:
    """What was found for B x K problems."""

    coefficients: Tensor  # B x K x M x D
    loss: Tensor  # B x K, the objective in nats
    gap: Tensor  # B x K, the objective is no further from its optimum than this, in nats
    gradient: Tensor  # B x K, the largest entry of the gradient of the mean objective (scikit-learn's measure)
    iterations: Tensor  # B x K

    @classmethod
    def empty(cls, objective: Objective) -> "Solution":
        W = torch.zeros(objective.shape, dtype=objective.features.dtype, device=objective.features.device)
        loss = torch.zeros_like(W[:, :, 0, 0])
        return cls(W, loss, loss.clone(), loss.clone(), torch.zeros_like(objective.sizes))

    def reached(self, tol: float) -> Tensor:
        """B x K: whether the gap is at most ``tol`` nats, or that share of the objective where it is below one nat."""
        return self.gap <= tol * self.loss.clamp(0, 1)

    def put(self, part: "Solution", places: Tensor) -> None:
        """Store the solution of some problems (indices along K) among all."""
        self.coefficients[:, places], self.loss[:, places] = part.coefficients, part.loss
        self.gap[:, places], self.gradient[:, places] = part.gap, part.gradient
        self.iterations[:, places] = part.iterations


def minimise(
    objective: Objective, tol: float, max_iter: int, start: Tensor | None = None, *, give_up: bool = False
) -> Solution:
    """Solve until every gap is within ``tol`` (``Solution.reached``), from ``start`` (B x K x M x D) or zero.

    ``give_up`` leaves a problem as it is once rounding keeps its gap from shrinking: for a caller with finer numbers.
    """
    state = _State.at(objective, start)
    solution = Solution.empty(objective)
    best = state.unknown()
    waited = torch.zeros_like(objective.sizes)
    near = start is not None
    for iteration in range(max_iter + 1):
        # Far from the optimum the bound is not worth its price: the intercepts are centred only once all is near.
        gap = state.bound() if near or iteration == max_iter else state.unknown()
        active = gap > (tol * state.scale() if near else tol)
        if give_up and near:
            waited = torch.where((gap < _SHRINKS * best) | (gap > _CLOSE * tol), 0, waited + 1)
            best = torch.minimum(best, gap)
            active &= waited < _WAIT
        if iteration == max_iter or not bool(active.any()):
            break
        working = active.any(dim=0)
        if int(working.sum()) <= _SHRINK * len(working):
            done, left = (~working).nonzero()[:, 0], working.nonzero()[:, 0]
            solution.put(state.only(done).solution(gap[:, done]), state.places[done])
            state, active = state.only(left), active[:, left]
            best, waited = best[:, left], waited[:, left]
        if iteration % _REFRESH == 2:
            state = state.refreshed()
        state, step, slope = state.descent()
        near = near or bool((slope > -2 * _NEAR * tol).any())
        state = state.moved(step * active[..., None, None], slope, active, near)
    solution.put(state.solution(gap), state.places)
    return solution


@dataclass(frozen=True)
class _Pair:
    """One step and the change of gradient along it."""

    step: Tensor  # B x K x M x D
    change: Tensor  # B x K x M x D
    inverse: Tensor  # B x K, one over their product; zero where there was no step

    @classmethod
    def of(cls, step: Tensor, change: Tensor) -> "_Pair":
        product = _dot(step, change)
        noise = torch.finfo(step.dtype).eps * (_dot(step, step) * _dot(change, change)).sqrt()
        return cls(step, change, torch.where(product > noise, 1 / product, 0.0))

    def only(self, problems: Tensor) -> "_Pair":
        return _Pair(self.step[:, problems], self.change[:, problems], self.inverse[:, problems])


@dataclass(frozen=True)
class _State:
    """Where the descent stands."""

    objective: Objective
    W: Tensor  # B x K x M x D, coefficients
    Z: Tensor  # B x K x M x n, margins
    G: Tensor  # B x K x M x D, gradient
    precondition: Preconditioner | None  # built when the first step needs it
    pairs: tuple[_Pair, ...]
    full: bool  # whether the preconditioner is a full matrix
    iterations: Tensor  # B x K
    places: Tensor  # K, where these problems stand among all

    @classmethod
    def at(cls, objective: Objective, start: Tensor | None) -> "_State":
        blocks, problems, outputs, columns = objective.shape
        W = objective.features.new_zeros(objective.shape)
        Z = W.new_zeros(blocks, problems, outputs, objective.features.shape[2])
        if start is not None:
            W = start.to(W) * objective.mask
            W, Z = centre_intercepts(objective, W, objective.margins(W))
        G = objective.gradient(objective.residuals(Z), W)
        # A full Hessian costs as much for one problem as for all that share it, so it pays for many.
        full = columns <= _FULL_UP_TO * problems * outputs
        precondition = Preconditioner.at(objective, Z, full, objective.gram) if start is None else None
        places = torch.arange(problems, device=W.device)
        return cls(objective, W, Z, G, precondition, (), full, torch.zeros_like(objective.sizes), places)

    def refreshed(self) -> "_State":
        """With the preconditioner of where we stand; pairs from far away are forgotten."""
        return replace(self, precondition=Preconditioner.at(self.objective, self.Z, self.full), pairs=())

    def bound(self) -> Tensor:
        """B x K: how far each objective can be from its optimum at most."""
        return bound_gap(self.objective, self.W, self.Z, self.G)

    def scale(self) -> Tensor:
        """B x K: the objective, at most one nat: a separable problem's optimum may be below the tolerance itself."""
        return self.objective.losses(self.Z, self.W).clamp(0, 1)

    def unknown(self) -> Tensor:
        """B x K: a gap that is not bounded yet; a problem that sees no column has none."""
        return torch.where(self.objective.sizes > 0, torch.inf, 0.0)

    def descent(self) -> tuple["_State", Tensor, Tensor]:
        """The next step, its slope (B x K), and the state that it was found from."""
        state = self if self.precondition is not None else self.refreshed()
        step = state.direction()
        slope = _dot(state.G, step)
        if state.pairs and bool((~(slope < 0) & (state.G != 0).any(dim=(2, 3))).any()):  # a memory that leads uphill
            state = replace(state, pairs=())
            step = state.direction()
            slope = _dot(state.G, step)
        return state, step, slope

    def direction(self) -> Tensor:
        """The two loops of L-BFGS, for all problems side by side."""
        assert self.precondition is not None
        Q, shares = self.G, []
        for pair in reversed(self.pairs):
            share = pair.inverse * _dot(pair.step, Q)
            Q = Q - share[..., None, None] * pair.change
            shares.append(share)
        Q = self.precondition(Q, self.objective.mask)
        for pair, share in zip(self.pairs, reversed(shares), strict=True):
            Q = Q + (share - pair.inverse * _dot(pair.change, Q))[..., None, None] * pair.step
        return -Q

    def moved(self, step: Tensor, slope: Tensor, active: Tensor, near: bool) -> "_State":
        """One step further, as long as the line search makes it; near the optimum with the best intercepts."""
        along = self.objective.margins(step)
        length, R = _line_search(self, step, along, slope, active=active)
        W, Z = self.W + length[..., None, None] * step, self.Z + along.mul_(length[..., None, None])
        if near:
            W, Z = centre_intercepts(self.objective, W, Z)
            R = self.objective.residuals(Z)
        G = self.objective.gradient(R, W)
        pairs = (*self.pairs, _Pair.of(W - self.W, G - self.G))[-_MEMORY:]
        return replace(self, W=W, Z=Z, G=G, pairs=pairs, iterations=self.iterations + active)

    def only(self, kept: Tensor) -> "_State":
        """The state of some problems (indices along K)."""
        return _State(
            self.objective.only(kept),
            self.W[:, kept],
            self.Z[:, kept],
            self.G[:, kept],
            self.precondition,
            tuple(pair.only(kept) for pair in self.pairs),
            self.full,
            self.iterations[:, kept],
            self.places[kept],
        )

    def solution(self, gap: Tensor) -> Solution:
        total = self.objective.weights.sum(dim=(2, 3))
        largest = self.G.abs().amax(dim=(2, 3)) / total
        return Solution(self.W, self.objective.losses(self.Z, self.W), gap, largest, self.iterations)


def _line_search(state: _State, step: Tensor, along: Tensor, slope: Tensor, active: Tensor) -> tuple[Tensor, Tensor]:
    """The length of the step (B x K) and the residuals at its end.

    The slope rises all along the line (convexity), so its zero is sought by secants, between a length known to be too
    short and one known to be too long. Each trial asks for less, but never for so little that the objective may rise.
    """
    objective, flat = state.objective, _FLAT if state.pairs else _FLAT_FIRST
    weighted = objective.penalty * step
    start, rise = _dot(weighted, state.W), _dot(weighted, step)
    length, bracket = active.to(step.dtype), _Bracket.open(slope)
    for trial in range(_TRIALS):
        R = objective.residuals(torch.addcmul(state.Z, length[..., None, None], along))
        here = _dot(R, along) + start + length * rise
        over = ~(here <= 0)  # an overflow is too far as well
        enough = torch.where(over, here <= min(flat, _OVER) * -slope, here >= max(-flat, -_UNDER) * -slope)
        steep = active & ~enough
        if not bool(steep.any()):
            return length, R
        if trial < _TRIALS - 1:
            bracket, following = bracket.narrowed(length, here, over)
            length, flat = torch.where(steep, following, length), flat * _PATIENCE
    length = torch.where(steep & over, bracket.low, length)
    return length, objective.residuals(torch.addcmul(state.Z, length[..., None, None], along))


@dataclass(frozen=True)
class _Bracket:
    """Lengths between which a slope is zero, B x K each, and the slopes there."""

    low: Tensor
    falling: Tensor
    high: Tensor
    rising: Tensor

    @classmethod
    def open(cls, slope: Tensor) -> "_Bracket":
        return cls(torch.zeros_like(slope), slope, torch.full_like(slope, torch.inf), torch.zeros_like(slope))

    def narrowed(self, length: Tensor, here: Tensor, over: Tensor) -> tuple["_Bracket", Tensor]:
        """The bracket with one more slope known, and the length to try next."""
        beyond = length - here * (length - self.low) / (here - self.falling)
        beyond = torch.minimum(torch.maximum(beyond.nan_to_num(0.0), 1.1 * length), 5 * length)
        low, falling = torch.where(over, self.low, length), torch.where(over, self.falling, here)
        high, rising = torch.where(over, length, self.high), torch.where(over, here, self.rising)
        width = high - low
        inside = low - falling * width / (rising - falling)
        inside = torch.minimum(torch.maximum(inside.nan_to_num(0.0), low + 0.01 * width), low + 0.9 * width)
        return _Bracket(low, falling, high, rising), torch.where(high.isinf(), beyond, inside)


def _dot(a: Tensor, b: Tensor) -> Tensor:
    """B x K: inner products over outputs and columns (or rows)."""
    return (a * b).sum(dim=(2, 3))
