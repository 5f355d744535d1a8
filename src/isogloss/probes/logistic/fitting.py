"""From blocks of problems through the solver to one fit a problem, and its answers to the test rows."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from isogloss.probes.logistic.parts import Parts, gather, read_part
from isogloss.probes.logistic.plan import Block, Encoded
from isogloss.probes.logistic.problem import Problem
from isogloss.probes.logistic.solver import Solution, minimise
from isogloss.probes.logistic.tensors import Settings, make_objective

Floats = NDArray[np.floating[Any]]
_SINGLE_ITERATIONS = 80  # what has not converged by then in single precision goes on in double
_SINGLE_AIM = 0.5  # of the tolerance: what rounding takes away is seldom more than the other half


@dataclass(frozen=True)
class Fit:
    """A fitted probe: margins are ``X[:, columns] @ coef.T + intercept``."""

    problem: Problem
    classes: NDArray[Any]
    coef: NDArray[np.float64]  # M x d, columns in the problem's order
    intercept: NDArray[np.float64]  # M
    converged: bool
    iterations: int
    gap: float  # the objective is no further from its optimum than this, in nats; with one-vs-rest, the worst class's
    gradient: float  # the largest entry of the gradient of the mean objective
    loss: float

    def decide(self, X: Any) -> NDArray[np.float64]:
        """Margins (n x M) of rows that have all of the array's columns."""
        columns = self.problem.column_numbers()
        return np.asarray(np.asarray(X)[:, columns] @ self.coef.T + self.intercept, dtype=np.float64)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        return np.asarray(self.classes[choose(self.decide(X), len(self.classes))])


@dataclass(frozen=True)
class Answer:
    """The fit of one problem and the classes it chose for its test rows (numbers of training classes)."""

    encoded: Encoded
    fit: Fit
    chosen: NDArray[np.int64]


def choose(margins: Floats, classes: int) -> NDArray[np.int64]:
    """n x M margins to class numbers; one margin tells two classes apart, or none if there is only one."""
    if classes < 2:
        return np.zeros(len(margins), dtype=np.int64)
    chosen = margins[:, 0] > 0 if margins.shape[1] == 1 else margins.argmax(axis=1)
    return np.asarray(chosen, dtype=np.int64)


@torch.inference_mode()
def solve_chunk(chunk: list[Block], parts: Parts, settings: Settings) -> list[Answer]:
    """Fit every problem of some blocks that are alike, and let each answer its test rows."""
    loaded = [parts.of(block) for block in chunk]
    shifts = [own[0].shift for own in loaded]
    single = settings.dtype == torch.float32
    iterations = min(settings.max_iter, _SINGLE_ITERATIONS) if single else settings.max_iter
    aim = settings.tol * _SINGLE_AIM if single else settings.tol
    solution = minimise(make_objective(chunk, loaded, settings, parts.desk), aim, iterations, give_up=single)
    if single:
        solution = _finish_in_double(chunk, shifts, solution, settings)
    answers = [_answers(block, place, solution, shifts[place], settings) for place, block in enumerate(chunk)]
    return [answer for block in answers for answer in block]


def _finish_in_double(chunk: list[Block], shifts: list[Tensor], found: Solution, settings: Settings) -> Solution:
    """Bound the gap in full precision, with features read again, and continue where it is still too wide."""
    loaded = [
        [read_part(block.members[0].problem.X, block.members[0].labels.train, block.order, torch.float64, shift)]
        for block, shift in zip(chunk, shifts, strict=True)
    ]
    start = torch.where(torch.isfinite(found.coefficients).all(dim=-1, keepdim=True), found.coefficients, 0.0)
    rest = minimise(make_objective(chunk, loaded, settings), settings.tol, settings.max_iter, start=start)
    return replace(rest, iterations=found.iterations + rest.iterations)


def _answers(block: Block, place: int, solution: Solution, shift: Tensor, settings: Settings) -> Iterator[Answer]:
    W = solution.coefficients[place].cpu()  # K x M x D
    weights, offset = W.double().numpy(), shift.double().numpy()
    reports = [getattr(solution, name)[place].tolist() for name in ("gap", "gradient", "loss", "iterations")]
    reached = solution.reached(settings.tol)[place].tolist()
    part = W.shape[0] - block.problems
    tests: dict[int, NDArray[np.float32]] = {}
    for member in block.members:
        labels, own = member.labels, slice(part, part + member.parts)
        part += member.parts
        if id(labels.test) not in tests:
            tests[id(labels.test)] = _margins(member, block.order, W, shift)
        coef = weights[own, :, 1 : member.size + 1].reshape(-1, member.size)
        gap, gradient, loss, iterations = (report[own] for report in reports)
        fit = Fit(
            problem=member.problem,
            classes=labels.classes,
            coef=_in_order(coef, block.order, member.problem),
            intercept=weights[own, :, 0].ravel() - coef @ offset[: member.size],
            converged=all(reached[own]),
            iterations=max(iterations),
            gap=max(0.0, *gap),
            gradient=max(gradient),
            loss=sum(loss) if len(labels.classes) > 1 else 0.0,
        )
        margins = tests[id(labels.test)][own].reshape(len(coef), len(labels.test)).T
        yield Answer(member, fit, choose(margins, len(labels.classes)))


def _margins(member: Encoded, order: list[int], W: Tensor, shift: Tensor) -> NDArray[np.float32]:
    """K x M x t: the margins of all the block's problems on this one's test rows."""
    rows = gather(member.problem.X, member.labels.test, order).sub(shift).to(W.dtype)
    margins: NDArray[np.float32] = (W[..., 1 : len(order) + 1] @ rows.T + W[..., :1]).numpy()
    return margins


def _in_order(coef: NDArray[np.float64], order: list[int], problem: Problem) -> NDArray[np.float64]:
    """Columns as the problem's user named them; the chain has an order of its own."""
    wanted, held = list(problem.column_numbers()), order[: coef.shape[1]]
    return coef if wanted == held else coef[:, [held.index(column) for column in wanted]]
