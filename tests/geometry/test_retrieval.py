"""Retrieval grids, MEXA, precision with several right answers, MUSE's rules, aligned retrieval."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg
import torch

from isogloss.errors import IsoglossError
from isogloss.geometry import (
    AlignmentTask,
    aligned_retrieval,
    chunks,
    csls,
    dictionary_queries,
    iterative_normalisation,
    mexa,
    nearest,
    precision_at,
    retrieval_grid,
    similarity,
)
from isogloss.geometry.large_retrieval import compare_large
from isogloss.geometry.retrieval import _compare


def layer(n=80, dim=16, seed=0, rogue=0.0):
    rng = np.random.default_rng(seed)
    meaning = rng.normal(size=(n, dim))
    states = {}
    for language in ("de", "en", "sw"):
        noise = 1.2 if language == "sw" else 0.5
        states[language] = meaning + noise * rng.normal(size=(n, dim)) + 3 * rng.normal(size=dim)
        states[language][:, 0] += rogue * rng.normal(size=n)
    return states


def centre(X):
    return X - X.mean(0)


def test_a_grid_holds_what_single_calls_give_for_every_layer_pair_and_variant():
    layers = [layer(seed=0), layer(seed=1)]
    grid = {(r.layer, r.source, r.target, r.variant): r for r in retrieval_grid(layers)}
    assert len(grid) == 2 * 3 * 3
    for number, states in enumerate(layers):
        X, Y = states["de"], states["sw"]
        changed = {
            "raw": (X, Y),
            "centred": (centre(X), centre(Y)),
            "standardised": (centre(X) / X.std(0), centre(Y) / Y.std(0)),
        }
        for variant, (a, b) in changed.items():
            cell = grid[number, "de", "sw", variant]
            assert cell.forward == precision_at(nearest(a, b, top=1)[1], at=[1])[1]
            assert cell.backward == precision_at(nearest(b, a, top=1)[1], at=[1])[1]
            assert cell.csls_forward == precision_at(csls(a, b, top=1)[1], at=[1])[1]
            assert cell.csls_backward == precision_at(csls(b, a, top=1)[1], at=[1])[1]
            assert cell.cosine == pytest.approx(similarity(a, b, "cosine"))
            assert cell.n == 80


def test_a_grid_is_the_same_however_many_pairs_are_compared_at_once(monkeypatch):
    whole = retrieval_grid([layer()])
    monkeypatch.setattr("isogloss.geometry.retrieval.BLOCK", 1)
    single = retrieval_grid([layer()])
    assert [(r.source, r.target, r.variant) for r in single] == [(r.source, r.target, r.variant) for r in whole]
    for one, other in zip(single, whole, strict=True):
        assert (one.forward, one.backward, one.csls_forward, one.csls_backward, one.mexa) == (
            other.forward, other.backward, other.csls_forward, other.csls_backward, other.mexa
        )  # fmt: skip
        assert one.cosine == pytest.approx(other.cosine) and one.cosine_others == pytest.approx(other.cosine_others)


def test_centring_helps_where_languages_differ_by_a_shift_and_standardising_where_a_dimension_is_rogue():
    by_variant = {r.variant: r for r in retrieval_grid([layer()], pairs=[("de", "en")])}
    assert by_variant["centred"].forward > by_variant["raw"].forward + 0.1
    rogue = {r.variant: r for r in retrieval_grid([layer(rogue=60.0)], pairs=[("de", "en")])}
    assert rogue["standardised"].forward > rogue["centred"].forward + 0.3


def test_the_cosine_of_other_pairs_is_the_mean_off_the_diagonal():
    states = layer()
    cell = retrieval_grid([states], pairs=[("en", "sw")], variants=["raw"])[0]
    a, b = (X / np.linalg.norm(X, axis=1, keepdims=True) for X in (states["en"], states["sw"]))
    expected = (a @ b.T)[~np.eye(80, dtype=bool)].mean()
    assert cell.cosine_others == pytest.approx(expected)


def test_mexa_counts_mutual_nearest_neighbours_without_ties():
    S = torch.tensor([[0.9, 0.1, 0.2], [0.3, 0.5, 0.8], [0.1, 0.4, 0.7]])
    assert mexa(S) == pytest.approx(1 / 3)  # row 2: right in its row, but its column prefers row 1
    assert mexa(torch.ones(4, 4)) == 0, "a collapsed encoder aligns nothing"
    assert mexa(torch.eye(5)) == 1
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(30, 30)) + 2 * np.eye(30)
    plain = np.mean([scores[i].argmax() == i and scores[:, i].argmax() == i for i in range(30)])
    assert mexa(torch.from_numpy(scores)) == pytest.approx(plain)


def test_grids_refuse_unknown_names_and_unequal_rows():
    with pytest.raises(IsoglossError, match="layer 0: unknown language 'xx'"):
        retrieval_grid([layer()], pairs=[("de", "xx")])
    with pytest.raises(IsoglossError, match="did you mean 'centred'"):
        retrieval_grid([layer()], variants=["centered"])
    states = layer()
    states["de"] = states["de"][:-1]
    with pytest.raises(IsoglossError, match="different numbers of rows"):
        retrieval_grid([states])


def test_precision_counts_a_query_once_however_many_right_answers_it_has():
    answers = np.array([[3, 1, 0], [2, 0, 1], [0, 1, 2], [1, 2, 3]])
    gold = [{1, 0}, {2}, {5}, {3, 7}]
    assert precision_at(answers, gold, at=[1, 2, 3]) == {1: 0.25, 2: 0.5, 3: 0.75}
    assert precision_at(np.array([[0, 1], [0, 1], [9, 9]]), at=[1, 2]) == {
        1: pytest.approx(1 / 3),
        2: pytest.approx(2 / 3),
    }
    with pytest.raises(IsoglossError, match="precision at 10"):
        precision_at(answers, gold)
    with pytest.raises(IsoglossError, match="right answers for 1"):
        precision_at(answers, [{1}], at=[1])


def test_dictionaries_follow_the_rules_of_muse():
    source = ["cat", "dog", "house", "berlin"]
    target = ["Katze", "Hund", "Haus", "Kater", "hund", "berlin"]
    entries = [
        ("cat", "Katze"),
        ("cat", "Kater"),
        ("dog", "Hund"),
        ("mouse", "Maus"),
        ("house", "Heim"),
        ("Berlin", "Berlin"),
    ]
    queries = dictionary_queries(entries, source, target)
    assert queries.rows.tolist() == [0, 1, 3] and queries.dropped == 2 and len(queries) == 3
    assert queries.gold == (frozenset({0, 3}), frozenset({1}), frozenset({5}))
    with pytest.raises(IsoglossError, match="source and target, in this order"):
        dictionary_queries([(b, a) for a, b in entries[:3]], source, target)


def test_aligned_retrieval_is_scipys_map_and_a_plain_search():
    rng = np.random.default_rng(0)
    tasks, expected = [], []
    for _ in range(5):
        X = rng.normal(size=(150, 12))
        Y = X @ np.linalg.qr(rng.normal(size=(12, 12)))[0] + 0.8 * rng.normal(size=(150, 12))
        tasks.append(AlignmentTask(X[:100], Y[:100], X[100:], Y[100:]))
        R, _ = scipy.linalg.orthogonal_procrustes(X[:100], Y[:100])
        forward, backward = nearest(X[100:] @ R, Y[100:], 1)[1], nearest(Y[100:], X[100:] @ R, 1)[1]
        expected.append((precision_at(forward, at=[1])[1], precision_at(backward, at=[1])[1], 50))
    found = aligned_retrieval(tasks, workers=2)
    assert [(r.forward, r.backward, r.n) for r in found] == expected
    assert all(r.forward > 0.2 for r in found)
    task = tasks[0]
    normalised = AlignmentTask(*(iterative_normalisation(getattr(task, name), 5) for name in vars(task)))
    assert aligned_retrieval([task], rounds=5) == aligned_retrieval([normalised])


@pytest.mark.parametrize(("n", "d", "noise"), [(300, 8, 0.5), (1500, 32, 1.5), (5000, 16, 0.8)])
def test_large_sets_give_what_all_cosines_at_once_would(n: int, d: int, noise: float) -> None:
    rng = np.random.default_rng(n)
    shared = rng.normal(size=(n, d)).astype(np.float32)
    X, Y = (
        torch.nn.functional.normalize(torch.from_numpy(shared + noise * rng.normal(size=(n, d)).astype(np.float32)))
        for _ in range(2)
    )
    dense = _compare((Y @ X.T)[None], 10)[0]
    scores, found = compare_large(X, Y, 10)
    assert found.double().mean().item() == pytest.approx((scores[0] + scores[1]).item())
    assert scores.numpy() == pytest.approx(dense.numpy(), abs=2.5 / n)  # float32 may settle a near tie


def test_of_equal_rows_in_large_sets_the_first_is_found() -> None:
    rows = np.random.default_rng(0).normal(size=(400, 16)).astype(np.float32)
    rows[300] = rows[7]
    X = torch.nn.functional.normalize(torch.from_numpy(rows))
    forward, backward, *_, mexa, _, _ = compare_large(X, X, 10)[0].tolist()
    assert forward == backward == 399 / 400 and mexa == 398 / 400


def test_memory_of_large_sets_stays_far_below_a_matrix_of_all_cosines() -> None:
    """20,000 rows: all cosines would be 1.6 GB, and several matrices of that size were made."""
    script = (
        "import resource, numpy as np, torch\n"
        "from isogloss.geometry import retrieval_grid\n"
        "rows = np.random.default_rng(0).normal(size=(20_000, 4)).astype('f')\n"
        "retrieval_grid([{'a': rows[:64], 'b': rows[:64]}])\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "retrieval_grid([{'a': rows, 'b': rows[::-1].copy()}], variants=('raw',))\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 900


def test_without_csls_everything_else_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    states = {code: rng.standard_normal((300, 12)).astype(np.float32) for code in ("de", "en")}
    for large in (2048, 100):
        monkeypatch.setattr("isogloss.geometry.retrieval.LARGE", large)
        (whole,), (part,) = (retrieval_grid([states], variants=["raw"], csls=csls) for csls in (True, False))
        assert np.isnan([part.csls_forward, part.csls_backward]).all()
        names = ("forward", "backward", "mexa", "cosine", "cosine_others")
        assert [getattr(part, name) for name in names] == [getattr(whole, name) for name in names]
        assert (part.found == whole.found).all()


@pytest.mark.parametrize("top", [1, 7])
def test_crowded_rows_are_ranked_like_all_others(monkeypatch: pytest.MonkeyPatch, top: int) -> None:
    """All cosines near one: bounds of chunks tell nothing, and rows are compared with everything, a block at a time."""
    rng = np.random.default_rng(1)
    crowd = torch.nn.functional.normalize(torch.from_numpy(30 + rng.standard_normal((500, 16))).float(), dim=1)
    asked = torch.nn.functional.normalize(crowd + 0.5 * torch.from_numpy(rng.standard_normal((500, 16))).float(), dim=1)
    used = []
    rank_all = chunks.rank_all
    monkeypatch.setattr(chunks, "rank_all", lambda *given: used.append(1) or rank_all(*given))
    monkeypatch.setattr(chunks, "BLOCK_NUMBERS", 3_000)
    scores, places = chunks.csls_in_chunks(asked, crowd, 10, top)
    cosines = asked.double() @ crowd.double().T
    near = [cosines.topk(10, dim=dim).values.mean(dim=dim) for dim in (1, 0)]
    best = (2 * cosines - near[0][:, None] - near[1]).topk(top, dim=1)
    assert used
    assert torch.allclose(scores.double(), best.values, atol=1e-5)
    assert (places == best.indices).double().mean() > 0.9  # the rest are ties to rounding
