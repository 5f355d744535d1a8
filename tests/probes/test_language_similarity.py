"""Language similarity: trees of centroids against families."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet, fcluster, linkage
from scipy.spatial.distance import pdist
from sklearn.metrics import v_measure_score

from isogloss.errors import IsoglossError
from isogloss.probes import LanguageSimilarity

FAMILIES = {f"l{number}": f"f{number // 3}" for number in range(9)} | {"alone": "f9"}


def make(rows=50, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    stocks = {name: rng.normal(size=8) for name in sorted(set(FAMILIES.values()))}
    means = {language: stocks[family] + noise * rng.normal(size=8) for language, family in FAMILIES.items()}
    y = np.repeat(list(FAMILIES), rows)
    return np.stack([means[name] for name in y]) + 0.01 * rng.normal(size=(len(y), 8)), y


def test_planted_families_are_found():
    fitted = LanguageSimilarity(FAMILIES).fit(*make())
    assert fitted.v_measure_ == fitted.homogeneity_ == fitted.completeness_ == pytest.approx(1.0)
    assert len(set(fitted.clusters_)) == 3
    assert 0.1 < fitted.chance_ < 0.9, "shuffled families of few languages agree a good deal by chance"
    assert fitted.p_ < 0.05


def test_chance_is_the_mean_v_measure_of_shuffled_families():
    X, y = make(noise=1.5)
    fitted = LanguageSimilarity(FAMILIES, shuffles=50, random_state=3).fit(X, y)
    rng = np.random.default_rng(3)
    families = np.array([number // 3 for number in range(9)])
    values = [v_measure_score(rng.permutation(families), fitted.clusters_) for _ in range(50)]
    assert fitted.chance_ == pytest.approx(np.mean(values))
    assert fitted.p_ == pytest.approx((1 + np.sum(np.array(values) >= fitted.v_measure_ - 1e-9)) / 51)


def test_the_released_code_setting_by_hand():
    X, y = make(noise=1.5)
    fitted = LanguageSimilarity(FAMILIES).fit(X, y)
    kept = [name for name in sorted(set(y)) if name != "alone"]
    centroids = np.stack([X[y == name].mean(axis=0) for name in kept])
    tree = linkage(centroids, method="single", metric="cosine")
    found = fcluster(tree, 3, criterion="maxclust")
    assert fitted.languages_ == kept
    np.testing.assert_allclose(fitted.tree_, tree, atol=1e-12)
    assert fitted.v_measure_ == pytest.approx(v_measure_score([FAMILIES[name] for name in kept], found))
    assert fitted.cophenetic_ == pytest.approx(cophenet(tree, pdist(centroids, "cosine"))[0])


def test_singletons_may_be_kept():
    fitted = LanguageSimilarity(FAMILIES, singletons="keep").fit(*make())
    assert "alone" in fitted.languages_ and len(set(fitted.clusters_)) == 4


@pytest.mark.parametrize("method", ["average", "ward", "complete"])
def test_other_linkages_and_metrics(method):
    fitted = LanguageSimilarity(FAMILIES, linkage=method, metric="euclidean", centre=True).fit(*make())
    assert fitted.v_measure_ == pytest.approx(1.0)
    np.testing.assert_allclose(fitted.centroids_.mean(axis=0), 0, atol=1e-12)


def test_without_families_there_is_a_tree_and_no_score():
    fitted = LanguageSimilarity().fit(*make())
    assert len(fitted.tree_) == 9 and not hasattr(fitted, "v_measure_")


def test_the_dendrogram_names_every_leaf_and_keeps_families_together():
    drawn = LanguageSimilarity(FAMILIES, linkage="average").fit(*make()).dendrogram()
    assert sorted(drawn.leaves) == [f"l{number}" for number in range(9)]
    assert drawn.x.shape == drawn.y.shape == (8, 4)
    families = [FAMILIES[leaf] for leaf in drawn.leaves]
    assert [families[start : start + 3] for start in (0, 3, 6)] == [[family] * 3 for family in families[::3]]


def test_centroids_may_be_given_instead_of_rows():
    X, y = make()
    names = sorted(set(y))
    centroids = np.stack([X[y == name].mean(axis=0) for name in names])
    np.testing.assert_allclose(
        LanguageSimilarity(FAMILIES).fit(centroids, names).tree_, LanguageSimilarity(FAMILIES).fit(X, y).tree_
    )


def test_two_languages_make_a_tree_with_one_joint():
    fitted = LanguageSimilarity().fit(np.eye(2), ["a", "b"])
    assert fitted.tree_.shape == (1, 4) and fitted.cophenetic_ == 1.0


def test_mistakes_are_named():
    X, y = make()
    with pytest.raises(IsoglossError, match="did you mean 'single'"):
        LanguageSimilarity(linkage="singel").fit(X, y)
    with pytest.raises(IsoglossError, match="metric"):
        LanguageSimilarity(metric="cosin").fit(X, y)
    with pytest.raises(IsoglossError, match="two are needed"):
        LanguageSimilarity({"l0": "f"}).fit(X, y)
    with pytest.raises(IsoglossError, match="language b"):
        LanguageSimilarity().fit(np.array([[1.0, 0], [0, 0]]), ["a", "b"])
