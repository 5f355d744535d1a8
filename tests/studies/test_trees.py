"""Trees of languages: from similarities, and from families with scores."""

import pandas as pd
import pytest

from isogloss.languages import Language, language
from isogloss.report.figures import draw
from isogloss.studies.columns import ABROAD
from isogloss.studies.shared.trees import order_of_similarities, tree_of_families, tree_of_similarities
from isogloss.studies.transfer.figures import along_families
from isogloss.studies.transfer.view import TransferView

CODES = ("de", "fi", "et", "fr", "en")


def test_the_most_alike_join_first() -> None:
    alike = {"a": {"b": 0.9, "c": 0.2}, "b": {"a": 0.9, "c": 0.4}, "c": {"a": 0.2, "b": 0.4}}
    tree = tree_of_similarities(alike, {"a": "one", "b": "one"})
    assert tree["label"].tolist() == ["a", "b", "c", "", ""]
    assert tree["parent"].tolist() == ["3", "3", "4", "4", ""]
    assert tree["height"].tolist() == pytest.approx([0, 0, 0, 0.1, 0.7])
    assert tree["family"].tolist() == ["one", "one", "", "", ""]


def test_names_that_are_alike_stand_together() -> None:
    near = {frozenset("ac"): 0.9, frozenset("bd"): 0.8, frozenset("cb"): 0.3}
    alike = {one: {other: near.get(frozenset(one + other), 0.1) for other in "abcd" if other != one} for one in "abcd"}
    order = "".join(order_of_similarities(alike))
    assert order in {"acbd", "dbca"}  # pairs together, and of the two pairs the ends that are nearer
    assert order_of_similarities({"a": {"b": 0.5}, "b": {"a": 0.5}}) == ["a", "b"]


def test_languages_stand_under_their_families() -> None:
    leaves = pd.DataFrame({"language": ["x", "y", "z"], "family": ["A", "", "A"], "value": [1.0, 2.0, 3.0]})
    tree = tree_of_families(leaves, ["value"])
    assert dict(zip(tree["node"], tree["parent"], strict=True)) == {
        "root": "", "family A": "root", "family family unknown": "root",
        "x": "family A", "z": "family A", "y": "family family unknown",
    }  # fmt: skip
    assert tree["value"].tolist()[3:] == [1.0, 3.0, 2.0]


def view_of(codes: tuple[str, ...], known: dict[str, Language], families: dict[str, str]) -> TransferView:
    rows = [(c, 0, "d", code, 0.5 + i / 100, 0.49, 0.6, 3) for c in ("plain", "new") for i, code in enumerate(codes)]
    scores = pd.DataFrame(rows, columns=["condition", "seed", "data", "target", "value", "low", "high", "n"])
    return TransferView("pos", "en", "f1", scores.assign(measure="f1", side=ABROAD), known, families, set())


def test_transfer_is_shown_on_the_tree_and_on_the_map() -> None:
    known = {code: language(code) for code in CODES}
    tree, world = along_families(view_of(CODES, known, {code: one.family for code, one in known.items()}))
    assert (tree.kind, world.kind) == ("tree", "world")
    assert world.frame["value"].tolist() == pytest.approx([50.0, 51.0, 52.0, 53.0, 54.0])
    assert world.frame["language"].tolist()[:2] == ["German", "Finnish"]
    for figure in (tree, world):
        assert "(plain)" in figure.title
        assert draw(figure).data


def test_one_family_makes_no_tree_and_unplaced_languages_no_map() -> None:
    codes = ("qaa", "qab", "qac", "qad", "qae")
    assert list(along_families(view_of(codes, {}, {"qaa": "A", "qab": "A"}))) == []
