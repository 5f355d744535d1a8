"""Geometry against its peers: ``python benchmarks/geometry.py [--quick] [--only cka]``. One JSON line a row."""

import argparse
import subprocess
import sys
import warnings

import faiss
import numpy as np
import scipy.linalg
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import NearestNeighbors

from isogloss.geometry import LDA, AlignmentTask, DensRay, Moments, aligned_retrieval, cka_layers, csls
from measure import interleave, peak_megabytes, report_row, seconds

warnings.simplefilter("ignore")


def languages(count: int, rows: int, dim: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of ``count`` languages around centroids, float32."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(count), rows)
    X = rng.standard_normal((len(y), dim), dtype=np.float32)
    X += rng.standard_normal((count, dim), dtype=np.float32)[y]
    return X, y


def subspaces(X: np.ndarray, y: np.ndarray) -> tuple[DensRay, LDA]:
    """Both language subspaces from one pass."""
    moments = Moments.of(X, y)
    return DensRay().fit(moments), LDA().fit(moments)


def bench_subspaces(quick: bool) -> None:
    """DensRay and LDA against scikit-learn's LDA, and against one product of the rows with themselves."""
    rows, repeats = (250, 3) if quick else (2500, 3)
    X, y = languages(104, rows, 768)
    what = f"DensRay + LDA, 104 languages x {rows} x 768"
    ours, product = interleave(lambda: subspaces(X, y), lambda: X.T @ X, repeats)
    report_row(what, "one X^T X product", ours, product, 0.5, repeats)
    once = 1 if not quick else repeats
    ours, theirs = interleave(lambda: subspaces(X, y), lambda: LinearDiscriminantAnalysis().fit(X, y), once)
    report_row(what, "scikit-learn LDA (svd)", ours, theirs, 20, once)


def bench_growth(quick: bool) -> None:
    """Four and sixteen times the rows: the peer is our own time for a quarter of them, times four."""
    base = 50 if quick else 150
    times = {}
    for factor in (1, 4, 16):
        X, y = languages(104, base * factor, 768)
        times[factor] = min(seconds(lambda: Moments.of(X, y)) for _ in range(3))  # noqa: B023
    for factor in (4, 16):
        what = f"moments, {104 * base * factor:,} rows"
        report_row(what, f"{factor} x ours on {104 * base:,} rows", times[factor], factor * times[1], 0.8, 3)


def centred_gram(X: np.ndarray) -> np.ndarray:
    """``H X X^T H``, as published scripts have it."""
    H = np.eye(len(X)) - np.ones((len(X), len(X))) / len(X)
    return H @ (X @ X.T) @ H


def plain_cka(X: np.ndarray, Y: np.ndarray) -> float:
    """CKA by double-centred Gram matrices."""
    hsic = [np.sum(centred_gram(a) * centred_gram(b)) for a, b in ((X, Y), (X, X), (Y, Y))]
    return float(hsic[0] / np.sqrt(hsic[1] * hsic[2]))


def bench_cka(quick: bool) -> None:
    """All pairs of 16 languages in each layer; the peer is timed on a few pairs and scaled to all."""
    layers, repeats = (2, 2) if quick else (13, 2)
    rng = np.random.default_rng(0)
    meaning = rng.standard_normal((1000, 768), dtype=np.float32) * np.geomspace(1, 0.02, 768, dtype=np.float32)
    states = np.stack([[_language(rng, meaning) for _ in range(16)] for _ in range(layers)])
    timed = [(0, 0, 1), (layers - 1, 3, 7), (0, 2, 15)]
    ours, theirs = interleave(
        lambda: cka_layers(states), lambda: [plain_cka(states[k, i], states[k, j]) for k, i, j in timed], repeats
    )
    values = cka_layers(states).values
    worst = max(abs(values[k, i, j] - plain_cka(states[k, i], states[k, j])) for k, i, j in timed)
    if worst > 1e-6:
        raise SystemExit(f"CKA differs from the plain form by {worst}")
    pairs = layers * 16 * 15 // 2
    what = f"CKA, {layers} layers x 16 languages x 1,000 x 768, all pairs"
    report_row(what, "double-centred Gram matrices, pair by pair", ours, theirs / len(timed) * pairs, 30, repeats)


def _language(rng: np.random.Generator, meaning: np.ndarray) -> np.ndarray:
    rotation = rng.standard_normal((768, 768), dtype=np.float32) / np.sqrt(768, dtype=np.float32)
    return meaning @ rotation + 0.1 * rng.standard_normal(meaning.shape, dtype=np.float32)


def word_vectors(n: int, dim: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Two noisy views of the same words, with hubs."""
    rng = np.random.default_rng(0)
    scales = np.geomspace(1, 0.1, dim, dtype=np.float32)
    words = rng.standard_normal((n, dim), dtype=np.float32) * scales
    words += rng.gamma(1, 1, (n, 1)).astype(np.float32) * scales
    return words, words + 0.7 * scales * rng.standard_normal((n, dim), dtype=np.float32)


def faiss_csls(X: np.ndarray, Y: np.ndarray, k: int = 10) -> np.ndarray:
    """Three exact searches: both neighbourhoods, then the ranking as one inner product with the penalty appended."""
    X, Y = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (X, Y))
    near_x = _search(Y, X, k)[0].mean(axis=1)
    near_y = _search(X, Y, k)[0].mean(axis=1)
    scores, indices = _search(np.c_[2 * Y, -near_y].astype(np.float32), np.c_[X, np.ones(len(X), np.float32)], 10)
    scores -= near_x[:, None]
    return indices


def _search(base: np.ndarray, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    index = faiss.IndexFlatIP(base.shape[1])
    index.add(np.ascontiguousarray(base))
    return index.search(np.ascontiguousarray(queries), k)


def bench_csls(quick: bool) -> None:
    """CSLS against three faiss searches, and its memory."""
    n, repeats = (15_000, 1) if quick else (50_000, 3)
    X, Y = word_vectors(n)
    agreement = (csls(X[:3000], Y[:3000])[1] == faiss_csls(X[:3000], Y[:3000])).mean()
    if agreement < 0.999:
        raise SystemExit(f"CSLS agrees with faiss on {agreement:.4f} of the answers only")
    ours, theirs = interleave(lambda: csls(X, Y), lambda: faiss_csls(X, Y), repeats)
    what = f"CSLS, {n:,} x {n:,} x 300, K = 10, top 10"
    report_row(what, "exact faiss-cpu search, three passes", ours, theirs, 1.2, repeats)
    command = [sys.executable, __file__, "--csls-memory", str(n)]
    used = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    report_row(f"{what}: peak memory of the process in MB, not seconds", "2,000 MB", used, 2000, 1, 1)


def bench_alignment(quick: bool) -> None:
    """For each layer and Tatoeba pair (1,000 sentences) a map fitted on one half and tried on the other."""
    layers, pairs, repeats = (3, 4, 1) if quick else (13, 36, 3)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 768), dtype=np.float32) * np.geomspace(1, 0.02, 768, dtype=np.float32)
    pool = [_language(rng, X) for _ in range(4)]
    tasks = [
        AlignmentTask(pool[i % 4][:500], pool[(i + 1) % 4][:500], pool[i % 4][500:], pool[(i + 1) % 4][500:])
        for i in range(layers * pairs)
    ]
    timed = tasks[:12]
    ours, theirs = interleave(
        lambda: aligned_retrieval(tasks), lambda: [loop_retrieval(task) for task in timed], repeats
    )
    ours_p1 = [(result.forward, result.backward) for result in aligned_retrieval(timed)]
    if np.abs(np.array(ours_p1) - [loop_retrieval(task) for task in timed]).max() > 0.01:
        raise SystemExit("aligned retrieval differs from the loop")
    what = f"Procrustes + retrieval both ways, {layers} layers x {pairs} pairs, 500 + 500 rows x 768"
    report_row(what, "loop of scipy and scikit-learn", ours, theirs / len(timed) * len(tasks), 4.5, repeats)


def loop_retrieval(task: AlignmentTask) -> tuple[float, float]:
    """The same with scipy's map and scikit-learn's search."""
    rotation, _ = scipy.linalg.orthogonal_procrustes(task.train_x, task.train_y)
    mapped = task.test_x @ rotation
    right = np.arange(len(mapped))
    hits = []
    for queries, base in ((mapped, task.test_y), (task.test_y, mapped)):
        search = NearestNeighbors(n_neighbors=1, metric="cosine").fit(base)
        hits.append(float((search.kneighbors(queries, return_distance=False)[:, 0] == right).mean()))
    return hits[0], hits[1]


BENCHES = {
    "subspaces": bench_subspaces,
    "growth": bench_growth,
    "cka": bench_cka,
    "csls": bench_csls,
    "alignment": bench_alignment,
}


def main() -> None:
    """Run all rows, or those named with --only."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--only", choices=BENCHES, nargs="+", default=list(BENCHES))
    parser.add_argument("--csls-memory", type=int, metavar="N", help="print the peak memory of CSLS on N x N, and stop")
    chosen = parser.parse_args()
    if chosen.csls_memory:
        csls(*word_vectors(chosen.csls_memory))
        print(peak_megabytes())
        return
    for name in chosen.only:
        BENCHES[name](chosen.quick)


if __name__ == "__main__":
    main()
