"""Very many small logistic regressions at once."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from isogloss.errors import IsoglossError, unknown_name
from isogloss.geometry.arrays import as_labels, as_matrix
from isogloss.geometry.estimator import Estimator
from isogloss.probes.logistic.fitting import Answer, Fit, choose, solve_chunk
from isogloss.probes.logistic.parts import Parts
from isogloss.probes.logistic.plan import Block, Multiclass, chunks, encode
from isogloss.probes.logistic.problem import Problem
from isogloss.probes.logistic.scoring import Score, score
from isogloss.probes.logistic.tensors import ClassWeight, Settings
from isogloss.progress import track

_LARGE = 1 << 24  # numbers of features in one problem from which several cores work on it together


class LogisticProbes(Estimator):
    """Logistic regressions with the objective of scikit-learn's default, solved together to the same optimum.

    ``fit_score(problems)`` answers a list of ``Problem``; ``fit(X, y)`` and ``predict`` serve a single one.
    A problem has converged when its objective cannot be further than ``tol`` nats from the optimum (the sum over rows,
    not their mean), or than that share of the objective where it is below one nat. This is a bound from the dual
    problem in double precision, never an estimate. What does not get there in ``max_iter`` steps says so and reports
    the bound that it reached. ``controls`` adds that many control tasks with
    random labels to each problem: selectivity is the accuracy beyond theirs. ``dtype`` float32 falls back to
    float64 for the problems that need it.
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        multiclass: Multiclass = "multinomial",
        class_weight: ClassWeight = None,
        tol: float = 1e-3,
        max_iter: int = 200,
        controls: int = 0,
        dtype: Literal["float32", "float64"] = "float32",
        device: str = "cpu",
        random_state: int = 0,
    ) -> None:
        self.C = C
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.controls = controls
        self.dtype = dtype
        self.device = device
        self.random_state = random_state

    def fit_score(self, problems: Sequence[Problem]) -> pd.DataFrame:
        """A tidy frame, one row per problem in the order given: its name, scores on its test rows, convergence."""
        answers = self._answers(problems)
        scores = [_score(answer) for answer in answers]
        frame = pd.DataFrame([_row(answer, one) for answer, one in zip(answers, scores, strict=True)])
        if self.controls and len(frame):
            tasks = [
                problem.as_control(self.random_state + number)
                for problem in problems
                for number in range(self.controls)
            ]
            found = np.array([_score(answer).accuracy for answer in self._answers(tasks)])
            frame["control_accuracy"] = found.reshape(len(frame), self.controls).mean(axis=1)
            frame["selectivity"] = frame["accuracy"] - frame["control_accuracy"]
        return frame

    def solve(self, problems: Sequence[Problem]) -> list[Fit]:
        """The fitted probes themselves, one per problem."""
        return [answer.fit for answer in self._answers(problems)]

    def fit(self, X: Any, y: Any) -> Self:
        """One probe on all rows of ``X`` (n x d)."""
        rows = as_matrix(X)
        classes, codes = as_labels(y, len(rows))
        every = np.arange(len(rows))
        (fit,) = self.solve([Problem(rows, codes, train=every, test=every[:0])])
        self.n_features_in_ = rows.shape[1]
        self.classes_ = np.asarray(classes)
        self.coef_, self.intercept_ = fit.coef, fit.intercept
        self.n_iter_, self.converged_, self.gap_ = fit.iterations, fit.converged, fit.gap
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Margins, n x M; M is 1 for two classes."""
        rows = self._fitted_rows(X)
        return np.asarray(rows @ self.coef_.T + self.intercept_)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        return np.asarray(self.classes_[choose(self.decision_function(X), len(self.classes_))])

    def score(self, X: Any, y: Any) -> float:
        """Accuracy."""
        return float(np.mean(self.predict(X) == np.asarray(y)))

    def _answers(self, problems: Sequence[Problem]) -> list[Answer]:
        settings = self._settings()
        work = chunks(encode(problems, self.multiclass))
        found = [answer for part in _solve_all(work, settings) for answer in part]
        return sorted(found, key=lambda answer: answer.encoded.index)

    def _settings(self) -> Settings:
        if self.multiclass not in ("multinomial", "ovr"):
            raise unknown_name("multiclass", self.multiclass, ["multinomial", "ovr"], where="LogisticProbes")
        if self.dtype not in ("float32", "float64"):
            raise unknown_name("dtype", self.dtype, ["float32", "float64"], where="LogisticProbes")
        if self.C <= 0 or self.tol <= 0:
            raise IsoglossError("C and tol must be above zero", where="LogisticProbes")
        dtype = getattr(torch, self.dtype)
        return Settings(self.C, self.tol, self.max_iter, self.class_weight, dtype, self.device)


def _solve_all(work: list[list[Block]], settings: Settings) -> list[list[Answer]]:
    """Chunk by chunk; on a processor with several cores each takes chunks of its own.

    One core a chunk wastes less than several cores a product: these are small, and every product would wait for
    the slowest core. Only a single large chunk is left to torch's own threads.
    """
    parts = Parts((block for chunk in work for block in chunk), settings.dtype)
    threads = torch.get_num_threads()
    large = sum(block.rows * (len(block.order) + 1) for chunk in work for block in chunk) > _LARGE
    if threads == 1 or settings.device != "cpu" or (len(work) == 1 and large):
        return [solve_chunk(chunk, parts, settings) for chunk in track(work, "probes")]
    try:
        with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            found = pool.map(lambda chunk: solve_chunk(chunk, parts, settings), work)
            return list(track(found, "probes", len(work)))
    finally:
        torch.set_num_threads(threads)


def _score(answer: Answer) -> Score:
    labels = answer.encoded.labels
    return score(labels.test_codes, answer.chosen, labels.train_codes, len(labels.classes))


def _row(answer: Answer, found: Score) -> dict[str, Any]:
    problem, labels, fit = answer.encoded.problem, answer.encoded.labels, answer.fit
    return {
        **problem.name,
        "seed": problem.seed,
        "control": problem.control is not None,
        "dims": fit.coef.shape[1],
        "classes": len(labels.classes),
        "n_train": int((labels.train_codes >= 0).sum()),
        "n_test": len(labels.test),
        "accuracy": found.accuracy,
        "macro_f1": found.macro_f1,
        "majority": found.majority,
        "converged": fit.converged,
        "iterations": fit.iterations,
        "gap": fit.gap,
        "gradient": fit.gradient,
        "loss": fit.loss,
    }
