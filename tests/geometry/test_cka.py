"""CKA against the double-centring definition, its invariances, its bias, its intervals and its streams."""

import sys
import warnings

import numpy as np
import pytest
import torch

from isogloss.errors import IsoglossError
from isogloss.geometry import CrossMoments, MinibatchCKA, SmallSampleWarning, cka, cka_grid, cka_layers
from isogloss.geometry.hsic import Linear, _feature_sums, centre, gram_sums


def rotation(dim, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(dim, dim)))[0]


def related(n=300, dim=10, sets=2, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n, dim)) * np.geomspace(2, 0.2, dim)
    return [shared @ rotation(dim, i) + noise * rng.normal(size=(n, dim)) + i for i in range(sets)]


def double_centred(K):
    H = np.eye(len(K)) - 1 / len(K)
    return H @ K @ H


def by_definition(K, L):
    """The plain form: Gram matrices, centred from both sides."""
    inner = lambda A, B: (double_centred(A) * double_centred(B)).sum()  # noqa: E731
    return inner(K, L) / np.sqrt(inner(K, K) * inner(L, L))


def rbf(X):
    distances = ((X[:, None] - X[None]) ** 2).sum(-1)
    return np.exp(-distances / (2 * np.median(distances[distances > 0])))


def unbiased_by_loops(K, L):
    """Song et al.'s estimator as the average over all quadruples of different rows, which is what makes it unbiased."""
    n = len(K)
    K, L = K - np.diag(np.diag(K)), L - np.diag(np.diag(L))
    total, count = 0.0, 0
    for i in range(n):
        for j in range(n):
            for q in range(n):
                for r in range(n):
                    if len({i, j, q, r}) == 4:
                        total += K[i, j] * (L[i, j] + L[q, r] - 2 * L[i, q])
                        count += 1
    return total / count


def test_linear_cka_is_the_double_centred_form():
    X, Y = related()
    assert cka(X, Y) == pytest.approx(by_definition(X @ X.T, Y @ Y.T), abs=1e-12)
    single = cka(X.astype(np.float32), Y.astype(np.float32))
    assert single == pytest.approx(cka(X, Y), abs=1e-6)


@pytest.mark.filterwarnings("ignore::isogloss.geometry.SmallSampleWarning")
def test_rbf_cka_is_that_of_published_scripts():
    X, Y = related(120)
    assert cka(X, Y, kind="rbf") == pytest.approx(by_definition(rbf(X), rbf(Y)), abs=1e-10)
    assert cka(X, Y, kind="rbf", bandwidth=0.3) != pytest.approx(cka(X, Y, kind="rbf"), abs=1e-3)


@pytest.mark.parametrize("kernel", ["unbiased", "rbf-unbiased"])
def test_unbiased_cka_is_the_average_over_quadruples(kernel):
    X, Y = related(8, dim=3)
    K, L = (rbf(X), rbf(Y)) if kernel.startswith("rbf") else (X @ X.T, Y @ Y.T)
    expected = unbiased_by_loops(K, L) / np.sqrt(unbiased_by_loops(K, K) * unbiased_by_loops(L, L))
    assert cka(X, Y, kind=kernel) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("kind", ["linear", "rbf", "unbiased", "rbf-unbiased"])
def test_rotation_shift_and_scale_change_nothing_and_a_set_equals_itself(kind):
    X, Y = related()
    value = cka(X, Y, kind=kind)
    assert cka(7 * X @ rotation(10, 5) + 3, Y, kind=kind) == pytest.approx(value, abs=1e-9)
    assert cka(Y, X, kind=kind) == pytest.approx(value, abs=1e-12)
    assert cka(X, X, kind=kind) == pytest.approx(1)
    order = np.random.default_rng(0).permutation(len(X))
    assert cka(X[order], Y[order], kind=kind) == pytest.approx(value, abs=1e-9)


def test_unrelated_rows_look_alike_to_the_plain_form_which_says_so_and_not_to_the_unbiased_one():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(250, 768)), rng.normal(size=(250, 768))
    with pytest.warns(SmallSampleWarning, match="about 0.75 for unrelated rows"):
        plain = cka(X, Y)
    assert plain > 0.7
    assert abs(cka(X, Y, kind="unbiased")) < 0.02


def test_the_chance_level_is_the_mean_over_random_pairings():
    X, Y = related(60, dim=30)
    rng = np.random.default_rng(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallSampleWarning)
        chance = cka_grid([X, Y]).chance[0, 1]
        drawn = [cka(X, Y[rng.permutation(60)]) for _ in range(300)]
    assert chance == pytest.approx(np.mean(drawn), abs=3 * np.std(drawn) / np.sqrt(300))


def test_enough_rows_give_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cka(*related(2000))


@pytest.mark.parametrize(("n", "dim"), [(40, 90), (300, 6)], ids=["gram", "features"])
@pytest.mark.parametrize("kind", ["linear", "unbiased"])
@pytest.mark.filterwarnings("ignore::isogloss.geometry.SmallSampleWarning")
def test_a_grid_holds_what_single_calls_give_whichever_way_it_is_computed(n, dim, kind):
    sets = related(n, dim, sets=4)
    grid = cka_grid(sets, kind=kind)
    for i in range(4):
        for j in range(4):
            assert grid.values[i, j] == pytest.approx(cka(sets[i], sets[j], kind=kind), abs=1e-10)
    layers = cka_layers(np.stack([sets, sets[::-1]]), kind=kind)
    assert layers.values.shape == (2, 4, 4) and layers.n == n
    np.testing.assert_allclose(layers.values[1], grid.values[::-1, ::-1], atol=1e-12)


def test_features_and_gram_matrices_lead_to_the_same_sums(monkeypatch):
    sets = [centre(rows) for rows in related(90, 7, sets=3)]
    monkeypatch.setattr("isogloss.geometry.hsic.BLOCK_BYTES", 8 * 3 * 90 * 17)  # bands of 17 rows, the last one shorter
    by_gram, by_feature = gram_sums([Linear(rows) for rows in sets]), _feature_sums(sets)
    np.testing.assert_allclose(by_gram.biased(), by_feature.biased(), rtol=1e-10)
    np.testing.assert_allclose(by_gram.unbiased(), by_feature.unbiased(), rtol=1e-10)
    np.testing.assert_allclose(by_gram.traces(), by_feature.traces(), rtol=1e-10)


def test_sets_of_different_width_and_half_precision_are_compared():
    X, Y = related(500)
    wide = np.hstack([Y, np.zeros((500, 5))])
    assert cka(X, wide) == pytest.approx(cka(X, Y), abs=1e-12)
    half = cka(torch.from_numpy(X).bfloat16(), torch.from_numpy(Y).bfloat16())
    assert half == pytest.approx(cka(X, Y), abs=2e-3)


@pytest.mark.parametrize("kind", ["linear", "unbiased"])
def test_bootstrap_values_are_those_of_resampled_rows(kind):
    X, Y = related(200, dim=4)
    grid = cka_grid([X, Y], kind=kind, resamples=400, random_state=3)
    rng = np.random.default_rng(5)
    draws = [rng.integers(0, 200, 200) for _ in range(400)]
    spread = np.std([cka(X[rows], Y[rows], kind=kind) for rows in draws])
    width = grid.high[0, 1] - grid.low[0, 1]
    assert width == pytest.approx(2 * 1.96 * spread, rel=0.2)
    assert grid.low[0, 1] < grid.values[0, 1] < grid.high[0, 1] <= 1
    again = cka_grid([X, Y], kind=kind, resamples=400, random_state=3)
    np.testing.assert_array_equal(again.low, grid.low)


def test_intervals_cover_the_value_of_the_population():
    truth = cka(*related(40_000, dim=5, seed=99), kind="unbiased")
    hits = 0
    for seed in range(40):
        grid = cka_grid(related(150, dim=5, seed=seed), kind="unbiased", resamples=200)
        hits += grid.low[0, 1] <= truth <= grid.high[0, 1]
    assert hits >= 34


def test_minibatches_add_up_to_the_whole_and_streams_merge():
    X, Y = related(4000, dim=20, noise=1.0)
    batches = np.array_split(np.arange(4000), 100)
    streamed = MinibatchCKA()
    for rows in batches:
        streamed.update(X[rows], Y[rows])
    first, second = MinibatchCKA(), MinibatchCKA()
    for i, rows in enumerate(batches):
        (first if i < 30 else second).update(X[rows], Y[rows])
    assert streamed.values()[0, 1] == pytest.approx(cka(X, Y, kind="unbiased"), abs=0.02)
    np.testing.assert_allclose((first + second).values(), streamed.values(), rtol=1e-12)
    assert MinibatchCKA().update(X, Y).values()[0, 1] == pytest.approx(cka(X, Y, kind="unbiased"), abs=1e-12)


def test_cross_moments_give_linear_cka_and_refuse_the_rest():
    X, Y = related(900)
    streamed = CrossMoments.of(X[:123], Y[:123]) + CrossMoments.of(X[123:], Y[123:])
    assert cka(streamed) == pytest.approx(cka(X, Y), abs=1e-12)
    with pytest.raises(IsoglossError, match="MinibatchCKA"):
        cka(streamed, kind="unbiased")
    narrow = np.random.default_rng(0).normal(size=(20, 2, 40))
    with pytest.warns(SmallSampleWarning):
        cka(CrossMoments.of(narrow[:, 0], narrow[:, 1]))


def test_constant_sets_misaligned_sets_and_unknown_kinds_are_refused():
    X, Y = related()
    with pytest.raises(IsoglossError, match="all rows"):
        cka(X, np.ones_like(Y))
    grid = cka_grid([X, np.ones_like(Y), Y])
    assert np.isnan(grid.values[1]).all() and grid.values[0, 2] == pytest.approx(cka(X, Y))
    with pytest.raises(IsoglossError, match="same sentences"):
        cka(X, Y[:-1])
    with pytest.raises(IsoglossError, match="did you mean 'linear'"):
        cka(X, Y, kind="liner")
    with pytest.raises(IsoglossError, match=r"set 1.*row 5"):
        Y[5, 0] = np.nan
        cka(X, Y)
    with pytest.raises(IsoglossError, match="at least 4"):
        cka(X[:3], Y[:3])


def test_intervals_of_many_rows_rest_on_a_part_and_are_as_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    shared = rng.normal(size=(1200, 6))
    sets = [shared + 0.8 * rng.normal(size=shared.shape) for _ in range(2)]
    whole = cka_grid(sets, kind="unbiased", resamples=300)
    monkeypatch.setattr(
        sys.modules["isogloss.geometry.kernel_alignment"], "RESAMPLED_ROWS", 400
    )  # the name is the function's too
    part = cka_grid(sets, kind="unbiased", resamples=300)
    assert part.values == pytest.approx(whole.values)
    ratio = (part.high - part.low)[0, 1] / (whole.high - whole.low)[0, 1]
    assert 0.7 < ratio < 1.4
