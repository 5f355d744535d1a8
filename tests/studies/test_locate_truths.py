"""locate on states whose truth is known by construction: language lives in exactly k planted dimensions."""

import numpy as np
import pandas as pd
import pytest

from isogloss.geometry import Moments
from isogloss.geometry.language_space import fit_space
from isogloss.probes import ColumnSet
from isogloss.probes.column_choices import compact, curve_sets, draw_sets, window_sets
from isogloss.probes.language_tasks import Probing, Sample
from isogloss.studies.locate.cells import Curve, describe, turn
from isogloss.studies.locate.view import LocateView, leading, upper_level
from isogloss.studies.shared.gather import Gather

WIDTH, N = 24, 400


def planted(k: int, seed: int, shift: float = 2.0, languages: int = 8) -> Sample:
    """Tokens of all languages: the same noise everywhere, and means that differ in ``k`` hidden directions only."""
    rng = np.random.default_rng((99, k))
    directions = np.linalg.qr(rng.normal(size=(WIDTH, WIDTH)))[0][:k]
    means = shift * np.linalg.qr(rng.normal(size=(languages, languages)))[0][:, :k] * np.sqrt(languages) @ directions
    noise = np.random.default_rng((seed, 1)).normal(size=(languages, N, WIDTH))
    X = (noise + means[:, None]).reshape(-1, WIDTH).astype(np.float32)
    names = np.repeat([f"q{letter}" for letter in "abcdefgh"[:languages]], N)
    return Sample(X, names, np.arange(len(X)))


def locate_in(k: int, method: str, seeds: tuple[int, ...] = (0, 1), languages: int = 8) -> LocateView:
    frames = []
    names = tuple(f"q{letter}" for letter in "abcdefgh"[:languages])
    for seed in seeds:
        fit, probe = planted(k, 2 * seed, languages=languages), planted(k, 2 * seed + 1, languages=languages)
        space = fit_space(method, Moments.of(fit.X, fit.languages))
        pairs = tuple((names[i], names[i + 1]) for i in range(languages - 1))
        cell = Curve(
            Gather(languages=names, seed=seed), Probing(600, 200, pairs), method, 0, (1, 2, 3, 4, 6, 8), 1, 9, 4
        )
        frames.append(cell.measure(space, turn(probe, space)).assign(layer=0, seed=seed))
    return LocateView(pd.concat(frames, ignore_index=True), 0, ("embedding",), names, WIDTH)


@pytest.mark.parametrize("method", ["densray", "lda"])
@pytest.mark.parametrize("k", [2, 5])
def test_it_finds_as_many_dimensions_as_were_planted(k: int, method: str):
    view = locate_in(k, method)
    found = view.dimension("LI", method)
    assert found is not None
    assert not found.open
    assert abs(found.estimate.value - k) <= 0.5


def test_dimensions_beyond_the_planted_ones_carry_nothing():
    view = locate_in(3, "densray")
    assert view.table("LI", "first", 3, "densray").mean(axis=None) > 0.9
    for end in range(4, 10):
        assert abs(view.table("LI", "window", end, "densray").mean(axis=None) - 0.5) < 0.05
    assert abs(view.table("LI", "next", 4, "densray").mean(axis=None) - 0.5) < 0.05


def test_where_languages_do_not_differ_nothing_is_found():
    sample = planted(1, 0, shift=0.0)
    probe = planted(1, 1, shift=0.0)
    space = fit_space("densray", Moments.of(sample.X, sample.languages))
    cell = Curve(
        Gather(languages=tuple("abcdefgh")), Probing(600, 200, (("qa", "qb"), ("qc", "qd"))), window=1, windows=5
    )
    view = LocateView(
        cell.measure(space, turn(probe, space)).assign(layer=0, seed=0),
        0,
        ("embedding",),
        ("qa", "qb", "qc", "qd"),
        WIDTH,
    )
    assert view.dimension("LI", "densray").estimate.value <= 1


def test_ldas_rest_is_where_all_means_agree():
    sample = planted(5, 0)
    moments = Moments.of(sample.X, sample.languages)
    space = fit_space("lda", moments)
    assert space.width == WIDTH
    turned = Moments.of(turn(sample, space).X, sample.languages, second="none").means
    assert np.ptp(turned[:, space.rank :], axis=0).max() < 1e-4
    assert np.ptp(turned[:, : space.rank], axis=0).min() > 1e-3
    assert np.linalg.matrix_rank(space.directions) == WIDTH


def test_the_room_of_languages_is_counted():
    sample = planted(3, 0)
    moments = Moments.of(sample.X, sample.languages)
    rows = describe(fit_space("densray", moments), moments).set_index("kind")["value"]
    assert rows["rank"] == 7  # noise fills what the bound n-1 allows
    assert rows["most"] == 3
    assert 2.5 < rows["effective"] < 3.2


def test_the_last_leading_window_ends_the_count():
    assert leading({10: 0.9, 20: 0.8, 30: 0.5, 40: 0.9}, level=0.6, window=10) == 20
    assert leading({10: 0.5}, level=0.6, window=10) == 0
    assert leading({10: 0.9, 20: 0.8}, level=0.6, window=10) == 20


def test_a_level_is_what_one_more_draw_stays_below():
    draws = pd.DataFrame(np.random.default_rng(0).normal(size=(400, 6)))
    level = upper_level(draws.iloc[:, :5])
    assert np.mean(draws[5] > level) == pytest.approx(0.025, abs=0.015)
    assert upper_level(pd.DataFrame({"0": [0.5, 0.6]})).tolist() == [0.5, 0.6]


def test_random_dimensions_lie_beyond_what_they_are_compared_with():
    for one in curve_sets(WIDTH, (2, 6), draws=3, seed=0):
        if one.kind == "random":
            assert min(one.columns) >= one.x
            assert len(set(one.columns)) == one.x
    windows = window_sets(WIDTH, 2, 3, bound=9, draws=2, seed=0)
    assert [one.columns for one in windows if one.kind == "window"] == [slice(0, 2), slice(2, 4), slice(4, 6)]
    assert all(min(one.columns) >= 9 for one in windows if one.kind == "rest")
    assert draw_sets("rest", 3, 5, WIDTH, 2, seed=1) == draw_sets("rest", 3, 5, WIDTH, 2, seed=1)


def test_compacted_sets_see_the_same_columns():
    sets = [ColumnSet("first", 3, slice(0, 3)), ColumnSet("rest", 2, (7, 20))]
    used, renamed = compact(sets, WIDTH)
    assert used == [0, 1, 2, 7, 20]
    assert [tuple(used[column] for column in one.columns) for one in renamed] == [(0, 1, 2), (7, 20)]
