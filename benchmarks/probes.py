"""Logistic probes against a loop of scikit-learn, and their growth with the number of rows.

The language-identity grid of Liang21 Fig. 1: random language pairs x the first 1, 10, 20, ..., 200 dimensions,
2,500 training rows a language, on vectors that are anisotropic, heavy-tailed and, like DensRay's, sorted by how much
they tell of the language. Both sides get the same rows in single precision; scikit-learn gathers a pair's rows once. It
is timed as it comes, and on one thread, which may suit problems of this size better.

    python benchmarks/probes.py [--quick] [--pairs N]
"""

import argparse

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from isogloss.probes import LogisticProbes, Problem
from measure import interleave, report_row, seconds

DIMS = [1, *range(10, 201, 10)]
LANGUAGES, TRAIN, TEST, WIDTH = 40, 2500, 500, 256


def make_vectors(seed: int = 0) -> NDArray[np.float32]:
    """LANGUAGES x (TRAIN + TEST) x WIDTH vectors, rotated so that the means differ most along the first axes."""
    rng = np.random.default_rng(seed)
    spectrum = np.arange(1, WIDTH + 1)
    mix = np.linalg.qr(rng.normal(size=(WIDTH, WIDTH)))[0] * spectrum**-0.35
    turn = np.linalg.qr(rng.normal(size=(WIDTH, WIDTH)))[0]
    means = 0.25 * (rng.normal(size=(LANGUAGES, WIDTH)) * spectrum**-0.5) @ turn.T
    tails = np.sqrt(5 / rng.chisquare(5, size=(LANGUAGES, TRAIN + TEST, 1)))
    vectors = (rng.normal(size=(LANGUAGES, TRAIN + TEST, WIDTH)) * tails) @ mix.T + means[:, None]
    centred = vectors.mean(axis=1) - vectors.mean(axis=(0, 1))
    axes = np.linalg.eigh(centred.T @ centred)[1][:, ::-1]
    return (vectors @ axes).astype(np.float32)


class Grid:
    """The same questions for both sides."""

    def __init__(self, vectors: NDArray[np.float32], pairs: int) -> None:
        rng = np.random.default_rng(1)
        every = [(first, second) for first in range(LANGUAGES) for second in range(first)]
        self.pairs = [every[number] for number in rng.permutation(len(every))[:pairs]]
        self.X = vectors.reshape(-1, WIDTH)
        self.y = np.repeat(np.arange(LANGUAGES), TRAIN + TEST)
        starts = np.arange(LANGUAGES) * (TRAIN + TEST)
        self.train = [np.arange(start, start + TRAIN) for start in starts]
        self.test = [np.arange(start + TRAIN, start + TRAIN + TEST) for start in starts]
        self.found: dict[str, float] = {}

    def ours(self) -> None:
        problems = []
        for first, second in self.pairs:
            train = (self.train[first], self.train[second])
            test = np.concatenate([self.test[first], self.test[second]])
            problems += [Problem(self.X, self.y, train, test, slice(0, size)) for size in DIMS]
        frame = LogisticProbes().fit_score(problems)
        assert frame.converged.all()
        self.found["ours"] = float(frame.accuracy.mean())

    def peer(self, threads: int | None = None) -> None:
        """The loop as it comes, or with the threads of its matrix products limited."""
        scores = []
        with threadpool_limits(threads):
            for first, second in self.pairs:
                train = np.concatenate([self.train[first], self.train[second]])
                test = np.concatenate([self.test[first], self.test[second]])
                X, y, X_test, y_test = self.X[train], self.y[train], self.X[test], self.y[test]
                for size in DIMS:
                    fitted = LogisticRegression().fit(X[:, :size], y)
                    scores.append(fitted.score(X_test[:, :size], y_test))
        self.found["peer"] = float(np.mean(scores))


def grow(vectors: NDArray[np.float32], repeats: int) -> None:
    """Four and sixteen times the rows: the peer is our own time for the smallest, times as many."""
    X = np.concatenate([vectors[0], vectors[1]])
    y = np.repeat([0, 1], TRAIN + TEST)
    rng = np.random.default_rng(2)
    spent = {}
    for times in (1, 4, 16):
        rows = rng.integers(0, len(X), TRAIN * times)
        problems = [Problem(X, y, rows, rows[:100], slice(0, size)) for size in DIMS]
        spent[times] = min(seconds(lambda p=problems: LogisticProbes().fit_score(p)) for _ in range(repeats))
    for times in (4, 16):
        work = f"one pair's grid, {TRAIN * times:,} rows"
        report_row(work, f"{times} x ours on {TRAIN:,} rows", spent[times], times * spent[1], 0.8, repeats)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="20 pairs instead of 200")
    parser.add_argument("--pairs", type=int)
    settings = parser.parse_args()
    pairs = settings.pairs or (20 if settings.quick else 200)
    repeats = 3
    vectors = make_vectors()
    grid = Grid(vectors, pairs)
    grid.ours()
    work = f"language-identity grid: {pairs} pairs x {len(DIMS)} sizes, {2 * TRAIN:,} rows each"
    ours, peer = interleave(grid.ours, grid.peer, repeats)
    report_row(work, "loop of scikit-learn LogisticRegression", ours, peer, 10.0, repeats)
    ours, peer = interleave(grid.ours, lambda: grid.peer(threads=1), repeats)
    report_row(work, "the same loop, its products on one thread", ours, peer, None, repeats)
    apart = 100 * abs(grid.found["ours"] - grid.found["peer"])
    print(f"mean accuracy: ours {grid.found['ours']:.5f}, peer {grid.found['peer']:.5f}: {apart:.4f} points apart")
    if apart > 0.2:
        raise SystemExit("the accuracies are more than 0.2 points apart")
    grow(vectors, repeats)


if __name__ == "__main__":
    main()
