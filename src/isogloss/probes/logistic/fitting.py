"""From blocks of problems to tensors, through the solver, and back to one fit a problem."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import Indices
from isogloss.probes.logistic.objective import Objective
from isogloss.probes.logistic.plan import Block, Encoded
from isogloss.probes.logistic.problem import Problem
from isogloss.probes.logistic.solver import Solution, minimise

Floats = NDArray[np.floating[Any]]
ClassWeight = Literal["balanced"] | Mapping[Any, float] | None
_SINGLE_ITERATIONS = 40  # what has not converged by then in single precision goes on in double


@dataclass(frozen=True)
class Settings:
    """What the solver needs to know beside the data."""

    C: float
    tol: float
    max_iter: int
    class_weight: ClassWeight
    dtype: torch.dtype
    device: str


@dataclass(frozen=True)
class Fit:
    """A fitted probe: margins are ``X[:, columns] @ coef.T + intercept``."""

    problem: Problem
    classes: NDArray[Any]
    coef: NDArray[np.float64]  # M x d, columns in the problem's order
    intercept: NDArray[np.float64]  # M
    converged: bool
    iterations: int
    gap: float  # estimated distance of the objective from its optimum, in nats
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


def solve_chunk(chunk: list[Block], settings: Settings) -> list[Answer]:
    """Fit every problem of some blocks that are alike, and let each answer its test rows."""
    rows = max(block.rows for block in chunk)
    columns = max(len(block.order) for block in chunk) + 1
    dtype = settings.dtype
    features = torch.zeros(len(chunk), columns, rows, dtype=dtype)
    means = [_load(block, features[place]) for place, block in enumerate(chunk)]
    objective = _objective(chunk, features, settings)
    first = min(settings.max_iter, _SINGLE_ITERATIONS) if dtype == torch.float32 else settings.max_iter
    solution = minimise(objective, settings.tol, first)
    if dtype == torch.float32 and not bool((solution.gap <= settings.tol).all()):
        solution = _finish_in_double(chunk, objective, solution, settings)
    return [
        answer
        for place, block in enumerate(chunk)
        for answer in _answers(block, place, solution, means[place], settings)
    ]


def _load(block: Block, target: Tensor) -> Tensor:
    """Fill ``target`` (D x n) with a one for the intercept and the centred features; return what was subtracted.

    Centring changes only the intercept, which is not penalised, and keeps large offsets out of the products.
    """
    rows = block.members[0].labels.train
    features = gather(block.members[0].problem.X, rows, block.order)
    means = features.mean(dim=0)
    if not bool(torch.isfinite(means).all()):
        bad = (~torch.isfinite(features).all(dim=1)).nonzero()
        if len(bad):
            raise IsoglossError(
                "NaN or infinity in X", where=f"row {rows[int(bad[0])]}", remedy="drop this row, or mend it"
            )
        means = features.double().mean(dim=0).to(features.dtype)
    target[0, : len(features)] = 1
    target[1 : len(means) + 1, : len(features)] = features.T.sub(means[:, None])
    return means


def gather(X: Any, rows: Indices, order: list[int]) -> Tensor:
    """``X[rows][:, order]`` as single or double floats, by a plain slice where the columns are consecutive."""
    consecutive = order == list(range(order[0], order[0] + len(order)))
    part = X[:, order[0] : order[0] + len(order)][rows] if consecutive else X[rows][:, order]
    tensor = part.detach().cpu() if isinstance(part, Tensor) else torch.from_numpy(np.ascontiguousarray(part))
    if tensor.dtype in (torch.float32, torch.float64):
        return tensor
    return tensor.float() if tensor.is_floating_point() else tensor.double()


def _objective(chunk: list[Block], features: Tensor, settings: Settings) -> Objective:
    problems = max(block.problems for block in chunk)
    # Nested columns share their labels, which then stand there once.
    shared = all(
        member.labels is block.members[0].labels and member.parts == 1 for block in chunk for member in block.members
    )
    width = 1 if shared else problems
    rows, outputs = features.shape[2], chunk[0].members[0].outputs
    targets = torch.zeros(len(chunk), width, outputs, rows)
    weights = torch.zeros(len(chunk), width, 1, rows)
    sizes = torch.zeros(len(chunk), problems, dtype=torch.long)
    for place, block in enumerate(chunk):
        # Problems that only fill up the shape come first: they see no column and are done at once.
        part = problems - block.problems
        weights[place, : width if shared else part, 0, : block.rows] = 1
        for member in block.members:
            last = part + member.parts
            if len(member.labels.classes) > 1:  # with one class there is nothing to learn: it sees no column
                sizes[place, part:last] = member.size + 1
            own = slice(0, 1) if shared else slice(part, last)
            if not shared or member is block.members[0]:
                targets[place, own, :, : block.rows] = torch.from_numpy(_targets(member))
                weights[place, own, 0, : block.rows] = torch.from_numpy(_weights(member, settings.class_weight))
            part = last
    device, dtype = settings.device, features.dtype
    return Objective(
        features.to(device), targets.to(device, dtype), weights.to(device, dtype), sizes.to(device), settings.C
    )


def _targets(member: Encoded) -> NDArray[np.float32]:
    """parts x M x n, zeros and ones."""
    codes, count = member.labels.train_codes, max(member.parts, member.outputs)
    single: NDArray[np.float32] = (codes == (np.arange(count)[:, None] if count > 1 else 1)).astype(np.float32)
    return single.reshape(member.parts, member.outputs, len(codes))


def _weights(member: Encoded, class_weight: ClassWeight) -> NDArray[np.float32]:
    """n: the problem's own weights times the classes' weights."""
    codes, classes = member.labels.train_codes, member.labels.classes
    given = member.problem.weights
    rows = np.ones(len(codes)) if given is None else np.asarray(given, dtype=np.float64)[member.labels.train]
    if class_weight is not None:
        if class_weight == "balanced":
            totals = np.bincount(codes[codes >= 0], minlength=len(classes))
            by_class = totals.sum() / (len(classes) * totals)
        else:
            by_class = np.array([class_weight.get(name, 1.0) for name in classes.tolist()])
        rows = rows * np.where(codes >= 0, by_class[codes], 0)
    return rows.astype(np.float32)


def _finish_in_double(chunk: list[Block], objective: Objective, found: Solution, settings: Settings) -> Solution:
    """Go on from where single precision stopped, with features read anew in full precision."""
    features = torch.zeros(objective.features.shape, dtype=torch.float64)
    for place, block in enumerate(chunk):
        _load(block, features[place])
    exact = Objective(
        features.to(settings.device),
        objective.targets.double(),
        objective.weights.double(),
        objective.sizes,
        objective.C,
    )
    start = torch.where(torch.isfinite(found.coefficients).all(dim=-1, keepdim=True), found.coefficients, 0.0)
    rest = minimise(exact, settings.tol, settings.max_iter, start=start)
    return Solution(rest.coefficients, rest.loss, rest.gap, rest.gradient, found.iterations + rest.iterations)


def _answers(block: Block, place: int, solution: Solution, means: Tensor, settings: Settings) -> Iterator[Answer]:
    W = solution.coefficients[place].cpu()  # K x M x D
    weights, shift = W.double().numpy(), means.double().numpy()
    reports = [getattr(solution, name)[place].tolist() for name in ("gap", "gradient", "loss", "iterations")]
    part = W.shape[0] - block.problems
    tests: dict[int, NDArray[np.float32]] = {}
    for member in block.members:
        labels, own = member.labels, slice(part, part + member.parts)
        part += member.parts
        if id(labels.test) not in tests:
            tests[id(labels.test)] = _margins(member, block.order, W, means)
        coef = weights[own, :, 1 : member.size + 1].reshape(-1, member.size)
        gap, gradient, loss, iterations = (report[own] for report in reports)
        fit = Fit(
            problem=member.problem,
            classes=labels.classes,
            coef=_in_order(coef, block.order, member.problem),
            intercept=weights[own, :, 0].ravel() - coef @ shift[: member.size],
            converged=max(gap) <= settings.tol,
            iterations=max(iterations),
            gap=max(0.0, *gap),
            gradient=max(gradient),
            loss=sum(loss) if len(labels.classes) > 1 else 0.0,
        )
        margins = tests[id(labels.test)][own].reshape(len(coef), len(labels.test)).T
        yield Answer(member, fit, choose(margins, len(labels.classes)))


def _margins(member: Encoded, order: list[int], W: Tensor, means: Tensor) -> NDArray[np.float32]:
    """K x M x t: the margins of all the block's problems on this one's test rows."""
    rows = gather(member.problem.X, member.labels.test, order).sub(means).to(W.dtype)
    margins: NDArray[np.float32] = (W[..., 1 : len(order) + 1] @ rows.T + W[..., :1]).numpy()
    return margins


def _in_order(coef: NDArray[np.float64], order: list[int], problem: Problem) -> NDArray[np.float64]:
    """Columns as the problem's user named them; the chain has an order of its own."""
    wanted, held = list(problem.column_numbers()), order[: coef.shape[1]]
    return coef if wanted == held else coef[:, [held.index(column) for column in wanted]]
