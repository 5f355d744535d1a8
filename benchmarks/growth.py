"""How the time of each subject grows: 1x, 4x and 16x of its input, in processor time of one thread.

python benchmarks/growth.py                     every subject
python benchmarks/growth.py --only encode csls  some of them
python benchmarks/growth.py --quick             1x and 4x, one repeat

A row compares 4 (or 16) times what 1x took with what 4x (or 16x) took: 1 is linear growth, more is slower than linear
growth. Searching n rows among n others takes n x n cosines: `retrieval` and `csls` are held against the square.
"""

import argparse
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
import transformers

import isogloss
import think
from inspection import save_model
from isogloss.corpora import load_parallel
from isogloss.corpora.conllu import read_trees
from isogloss.corpora.lab import Lab, preset
from isogloss.corpora.write import conllu_block
from isogloss.encoders import count_activations, find_feed_forwards
from isogloss.geometry import Moments, Procrustes, cka, csls
from isogloss.geometry.retrieval import retrieval_grid
from isogloss.pretrain import Recipe, pretrain
from isogloss.probes import LogisticProbes, Problem
from isogloss.runs import Bench, Cell, Inline, Store
from isogloss.transfer import Settings, Trainer
from measure import report_row

LEAST = 0.8  # of linear growth, or of the square where that is said
Work = Callable[[], object]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", choices=SUBJECTS, default=list(SUBJECTS))
    arguments = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    for name in arguments.only:
        with tempfile.TemporaryDirectory() as folder:
            grow(SUBJECTS[name], name, Path(folder), *(((4,), 1) if arguments.quick else ((4, 16), 3)))


@dataclass(frozen=True)
class Subject:
    """``make(size, folder)`` prepares the work of a size, which is not timed; it costs size ** ``power``."""

    make: Callable[[int, Path], Work]
    base: int
    unit: str
    power: int = 1


def grow(subject: Subject, name: str, folder: Path, factors: tuple[int, ...], repeats: int) -> None:
    works = {factor: subject.make(subject.base * factor, folder) for factor in (1, *factors)}
    works[1]()  # what a first call loads is no growth
    spent: dict[int, list[float]] = {factor: [] for factor in works}
    for _ in range(repeats):
        for factor, work in works.items():
            start = time.process_time()
            work()
            spent[factor].append(time.process_time() - start)
    middle = {factor: statistics.median(times) for factor, times in spent.items()}
    for factor in factors:
        times = factor**subject.power
        what = f"{name}, {subject.base * factor:,} {subject.unit}; s of one thread"
        squared = f" ({factor} squared)" if subject.power == 2 else ""
        peer = f"{times} x ours on {subject.base:,}{squared}"
        report_row(what, peer, middle[factor], times * middle[1], LEAST, repeats)


def lab_text(size: int) -> list[str]:
    return list(Lab(preset("twins")).text("qaa", size))


def make_encode(size: int, folder: Path) -> Work:
    model = folder / "encoder"
    if not model.exists():
        save_model(model, load_parallel("lab", ("qaa", "qab"), 300), 4, 128)
    encoder, texts = isogloss.Encoder(str(model), device="cpu"), lab_text(size)
    return lambda: encoder.encode(texts)


def make_lab(size: int, _folder: Path) -> Work:
    lab = Lab(preset("families"))
    return lambda: lab.text("qaa", size)


def make_loaders(size: int, folder: Path) -> Work:
    file = folder / f"{size}.conllu"
    file.write_text("".join(map(conllu_block, Lab(preset("twins")).trees("qaa", size))), encoding="utf-8")
    return lambda: sum(1 for _ in read_trees(file, "qaa", Counter()))


def rows_of(size: int, width: int = 64, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((size, width), dtype=np.float32)


def make_moments(size: int, _folder: Path) -> Work:
    X, y = rows_of(size), np.arange(size) % 8
    return lambda: Moments.of(X, y)


def make_cka(size: int, _folder: Path) -> Work:
    X, Y = rows_of(size), rows_of(size, seed=1)
    return lambda: cka(X, Y)


def make_procrustes(size: int, _folder: Path) -> Work:
    X, Y = rows_of(size), rows_of(size, seed=1)
    return lambda: Procrustes().fit(X, Y).transform(X)


def make_retrieval(size: int, _folder: Path) -> Work:
    X = rows_of(size)
    states = [{"a": X, "b": X + rows_of(size, seed=1)}]
    return lambda: retrieval_grid(states)


def make_csls(size: int, _folder: Path) -> Work:
    X, Y = rows_of(size), rows_of(size, seed=1)
    return lambda: csls(X, Y)


def make_probes(size: int, _folder: Path) -> Work:
    X, y = rows_of(size), np.arange(size) % 2
    X[:, 0] += y
    rows = np.arange(size)
    return lambda: LogisticProbes().fit_score([Problem(X, y, rows, rows[:100])])


def make_pretrain(size: int, folder: Path) -> Work:
    texts = {"qaa": lab_text(2_000)}
    runs: Iterator[int] = iter(range(100))
    recipe = Recipe.preset("lab").changed(training={"steps": size, "warmup": 1})
    return lambda: pretrain(recipe, texts, folder / f"pretrained-{size}-{next(runs)}")


def make_transfer(size: int, folder: Path) -> Work:
    lab = Lab(preset("twins"))
    make_encode(1, folder)
    train, held_out = list(lab.trees("qaa", size)), list(lab.trees("qab", 60))
    trainer = Trainer(str(folder / "encoder"), "pos", settings=Settings(epochs=1, threads=1, encoder_rate=1e-3))
    return lambda: trainer.fit(train, held_out)


def make_think(size: int, _folder: Path) -> Work:
    model = think.build(3, 128, 500)
    texts = [think.words(random.Random(number), 500, 30) for number in range(size)]
    blocks = find_feed_forwards(model.model)
    return lambda: count_activations(model.model, model.batches(texts), blocks)


@dataclass(frozen=True)
class Number:
    value: int


@dataclass(frozen=True)
class Counted(Cell[Number]):
    """A cell that costs nothing."""

    name: ClassVar[str] = "counted"
    record: ClassVar[type] = Number
    number: int = 0

    def run(self, bench: Bench) -> Number:
        return Number(self.number)


def make_store(size: int, folder: Path) -> Work:
    store = Store(folder / f"store-{size}")
    Inline().run("growth", [Counted(number) for number in range(size)], store)
    return lambda: Inline().run("growth", [Counted(number) for number in range(size)], store)


SUBJECTS: dict[str, Subject] = {
    "encode": Subject(make_encode, 150, "sentences"),
    "lab": Subject(make_lab, 2_000, "sentences"),
    "loaders": Subject(make_loaders, 500, "trees"),
    "moments": Subject(make_moments, 10_000, "rows"),
    "cka": Subject(make_cka, 2_000, "rows"),
    "procrustes": Subject(make_procrustes, 2_000, "rows"),
    "retrieval": Subject(make_retrieval, 250, "rows", power=2),
    "csls": Subject(make_csls, 1_000, "rows", power=2),
    "probes": Subject(make_probes, 2_500, "rows"),
    "pretrain": Subject(make_pretrain, 10, "steps"),
    "transfer": Subject(make_transfer, 100, "sentences"),
    "think": Subject(make_think, 20, "texts"),
    "store": Subject(make_store, 100, "finished cells, checked"),
}


if __name__ == "__main__":
    main()
