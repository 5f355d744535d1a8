"""Which problems are solved together: the same rows, nested columns, alike in shape."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import Indices
from isogloss.probes.logistic.problem import Problem, control_codes, join_rows

Multiclass = Literal["multinomial", "ovr"]
_FEATURES = 1 << 21  # numbers of features held by a chunk of several blocks: what stays in a processor's cache
_MARGINS = 1 << 22  # numbers of margins held at a time
_ALIKE = 0.8  # blocks in a chunk are padded to one shape; the smaller has at least this share of the rows


@dataclass(frozen=True, eq=False)
class Labels:
    """Rows and their labels as numbers of the training classes; -1 is a class unseen there, or no label."""

    train: Indices
    parts: tuple[Indices, ...]  # what ``train`` was joined from
    test: Indices
    train_codes: NDArray[np.int64]
    test_codes: NDArray[np.int64]
    classes: NDArray[Any]


@dataclass(frozen=True)
class Encoded:
    """A problem and its labels, which problems that differ only in columns share."""

    index: int
    problem: Problem
    labels: Labels
    outputs: int  # M of the solver: 1, or the number of classes for softmax
    parts: int  # problems of the solver: the number of classes for one-vs-rest, else 1
    size: int  # columns


@dataclass
class Block:
    """Problems on the same rows of the same array whose column sets form a chain."""

    order: list[int]  # columns, those of the smallest set first
    members: list[Encoded] = field(default_factory=list)

    @property
    def problems(self) -> int:
        return sum(member.parts for member in self.members)

    @property
    def rows(self) -> int:
        return len(self.members[0].labels.train)


def encode(problems: Sequence[Problem], multiclass: Multiclass) -> Iterator[Encoded]:
    """Check and number the labels; what several problems share is looked at once."""
    coded: dict[int, tuple[NDArray[np.int64], NDArray[Any]]] = {}
    rows: dict[tuple[int, int], tuple[Indices, tuple[Indices, ...]]] = {}
    known: dict[tuple[object, ...], Labels] = {}
    for index, problem in enumerate(problems):
        if id(problem.y) not in coded:
            codes, names = pd.factorize(np.asarray(problem.y), sort=True)
            coded[id(problem.y)] = codes.astype(np.int64), np.asarray(names)
        for part in (problem.train, problem.test):
            if (id(part), len(problem.X)) not in rows:
                rows[id(part), len(problem.X)] = join_rows(part, len(problem.X))
        train, parts = rows[id(problem.train), len(problem.X)]
        test, _ = rows[id(problem.test), len(problem.X)]
        key = (id(problem.y), id(train), id(test), id(problem.weights), problem.control, id(problem.types))
        if key not in known:
            known[key] = _labels(problem, train, parts, test, *coded[id(problem.y)])
        count = len(known[key].classes)
        yield Encoded(
            index=index,
            problem=problem,
            labels=known[key],
            outputs=count if count > 2 and multiclass == "multinomial" else 1,
            parts=count if count > 2 and multiclass == "ovr" else 1,
            size=len(problem.column_numbers()),
        )


def _labels(
    problem: Problem,
    train: Indices,
    parts: tuple[Indices, ...],
    test: Indices,
    codes: NDArray[np.int64],
    names: NDArray[Any],
) -> Labels:
    both = np.concatenate([train, test])
    counted = np.ones(len(both), bool) if problem.weights is None else np.asarray(problem.weights)[both] > 0
    chosen = codes[both]
    if problem.control is not None:
        types = None if problem.types is None else np.asarray(problem.types)[both][counted]
        chosen[counted] = control_codes(chosen[counted], problem.control, types)
    learnt = chosen[: len(train)][counted[: len(train)]]
    if not learnt.size:
        raise IsoglossError("there are no training rows", where=problem.label())
    if (learnt < 0).any():
        raise IsoglossError("a training row has no label", where=problem.label(), remedy="give it weight zero")
    present = np.bincount(learnt, minlength=len(names)) > 0
    numbers = np.append(np.where(present, np.cumsum(present) - 1, -1), -1)  # the last for a missing label
    found = np.where(counted, numbers[chosen], -1)
    tested = counted[len(train) :]
    return Labels(
        train=train,
        parts=parts,
        test=test if tested.all() else test[tested],
        train_codes=found[: len(train)],
        test_codes=found[len(train) :][tested],
        classes=names[present],
    )


def chunks(encoded: Iterable[Encoded]) -> list[list[Block]]:
    """Blocks to be solved in one go, each chunk small enough for the cache and the memory."""
    blocks = [piece for block in _blocks(encoded) for piece in _split(block)]
    blocks.sort(key=lambda block: (block.members[0].outputs, block.rows, len(block.order), block.problems))
    found: list[list[Block]] = []
    for block in blocks:
        if found and _fits(found[-1], block):
            found[-1].append(block)
        else:
            found.append([block])
    return found


def _blocks(encoded: Iterable[Encoded]) -> Iterator[Block]:
    """Chains of nested column sets, among the problems with the same rows and the same number of outputs."""
    groups: dict[tuple[object, ...], list[Encoded]] = {}
    digests: dict[int, bytes] = {}
    for one in encoded:
        digest = digests.get(id(one.labels.train)) or one.labels.train.tobytes()
        digests[id(one.labels.train)] = digest
        groups.setdefault((id(one.problem.X), one.outputs, digest), []).append(one)
    for group in groups.values():
        yield from _chains(group)


def _chains(group: list[Encoded]) -> list[Block]:
    chains: list[tuple[Block, set[int]]] = []
    for one in sorted(group, key=lambda one: (one.size, one.index)):
        wanted = [int(column) for column in one.problem.column_numbers()]
        block, held = next((pair for pair in chains if pair[1].issubset(wanted)), (Block(order=[]), set()))
        if not block.members:
            chains.append((block, held))
        block.order.extend(column for column in wanted if column not in held)
        held.update(wanted)
        block.members.append(one)
    return [block for block, _ in chains]


def _split(block: Block) -> Iterator[Block]:
    """Pieces of a chain whose margins fit in memory, each with the columns it needs."""
    piece = Block(order=[])
    for member in block.members:
        size = (piece.problems + member.parts) * member.outputs * block.rows
        if piece.members and size > _MARGINS:
            yield piece
            piece = Block(order=[])
        piece.order = block.order[: member.size]
        piece.members.append(member)
    yield piece


def _fits(chunk: list[Block], block: Block) -> bool:
    first, count = chunk[0], len(chunk) + 1
    columns = max(len(other.order) for other in (*chunk, block)) + 1
    problems = max(other.problems for other in (*chunk, block))
    return (
        first.members[0].outputs == block.members[0].outputs
        and first.rows >= _ALIKE * block.rows  # blocks come in ascending order of rows
        and min(len(first.order), len(block.order)) + 1 >= _ALIKE * columns
        and count * columns * block.rows <= _FEATURES
        and count * problems * block.members[0].outputs * block.rows <= _MARGINS
        and problems <= 2 * min(first.problems, block.problems)
    )
