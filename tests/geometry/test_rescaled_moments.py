import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.geometry import LDA, Moments


def test_classes_that_are_rescaled_before_they_are_added_count_alike():
    """A class with half of the rows, each twice, is the same as with all of them once."""
    rng = np.random.default_rng(0)
    many, few = rng.normal(size=(40, 5)), rng.normal(size=(20, 5)) + 2
    found = Moments.of(many, "a").rescaled(40) + Moments.of(few, "b").rescaled(40)
    rows = np.concatenate([many, few, few])
    expected = Moments.of(rows, np.repeat(["a", "b"], 40))
    np.testing.assert_allclose(found.means, expected.means)
    np.testing.assert_allclose(found.within(), expected.within())
    np.testing.assert_allclose(found.covariance(), expected.covariance())
    np.testing.assert_allclose(LDA().fit(found).components_, LDA().fit(expected).components_)


def test_pooled_moments_of_several_classes_cannot_be_rescaled():
    rows = np.arange(12.0).reshape(6, 2)
    with pytest.raises(IsoglossError, match="before adding"):
        Moments.of(rows, np.repeat(["a", "b"], 3)).rescaled(10)
    by_class = Moments.of(rows, np.repeat(["a", "b"], [2, 4]), second="class").rescaled(8)
    assert by_class.counts.tolist() == [8, 8]
    np.testing.assert_allclose(by_class.scatter[0] / 8, np.cov(rows[:2].T, bias=True))
