"""Clusters against labels, even samples, and maps that can be compared."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, v_measure_score

from isogloss.errors import IsoglossError
from isogloss.probes import cluster_agreement, map2d, maps2d, sample_evenly


def make(gap=10.0, rows=40, groups=3, dim=5, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat([f"g{number}" for number in range(groups)], rows)
    means = np.repeat(gap * rng.normal(size=(groups, dim)), rows, axis=0)
    return means + rng.normal(size=(len(labels), dim)), labels


def test_clear_clusters_agree_with_their_labels():
    X, labels = make(gap=30.0, groups=2)
    found = cluster_agreement(X, labels)
    assert found.v_measure.value == found.ari.value == found.homogeneity.value == pytest.approx(1.0)
    assert (found.clusters, found.rows, found.v_measure.n) == (2, 80, 10)


def test_labels_without_clusters_have_no_agreement_beyond_chance():
    X, labels = make(gap=0.0, rows=200)
    assert cluster_agreement(X, labels).ari.value == pytest.approx(0.0, abs=0.03)


def test_the_mean_is_over_runs_from_scratch():
    X, labels = make(gap=1.0)
    runs = [KMeans(3, n_init=1, random_state=5 + run).fit_predict(X) for run in range(4)]
    found = cluster_agreement(X, labels, runs=4, random_state=5)
    assert found.v_measure.value == pytest.approx(np.mean([v_measure_score(labels, run) for run in runs]))
    assert found.ari.value == pytest.approx(np.mean([adjusted_rand_score(labels, run) for run in runs]))
    assert found.v_measure.low <= found.v_measure.value <= found.v_measure.high


def test_impossible_numbers_of_clusters_are_refused():
    X, labels = make()
    with pytest.raises(IsoglossError, match="121 clusters of 120 rows"):
        cluster_agreement(X, labels, clusters=121)


def test_a_sample_has_at_most_so_many_rows_of_each_cell():
    rng = np.random.default_rng(0)
    label, language = rng.integers(0, 3, 500), rng.choice(["de", "fi"], 500)
    language[label == 2] = "de"
    rows = sample_evenly(label, language, limit=10)
    cells = list(zip(label[rows], language[rows], strict=True))
    assert sorted(cells.count(cell) for cell in set(cells)) == [10] * 5
    assert (np.diff(rows) > 0).all()
    assert (rows == sample_evenly(label, language, limit=10)).all()
    assert len(sample_evenly(label, limit=10_000)) == 500
    with pytest.raises(IsoglossError, match="different lengths"):
        sample_evenly([1, 2], [1], limit=1)


def test_a_map_is_repeatable_and_keeps_groups_apart():
    X, labels = make()
    points = map2d(X)
    np.testing.assert_array_equal(points, map2d(X))
    own = np.array([labels == name for name in np.unique(labels)])
    centres = np.stack([points[rows].mean(axis=0) for rows in own])
    nearest = np.linalg.norm(points[:, None] - centres, axis=2).argmin(axis=1)
    assert own[nearest, np.arange(len(labels))].all()


def test_maps_of_the_same_rows_begin_at_one_place():
    X, _ = make(rows=15)
    both = maps2d({"before": X, "after": X.copy()})
    np.testing.assert_array_equal(both["before"], both["after"])
    mirrored = maps2d({"before": X, "after": -X})["after"]
    np.testing.assert_allclose(mirrored, both["before"], atol=1e-2)  # alone, its own components would mirror it


def test_few_rows_and_one_column_are_mapped_too():
    assert map2d(np.arange(5.0)[:, None]).shape == (5, 2)
    assert np.isfinite(map2d(np.ones((4, 3)))).all()


def test_mistakes_are_named():
    X, _ = make()
    with pytest.raises(IsoglossError, match="n x 2"):
        map2d(X, start=np.zeros((3, 2)))
    X[3, 1] = np.nan
    with pytest.raises(IsoglossError, match="row 3"):
        map2d(X)
