import pytest

from isogloss.corpora import load_corpus, load_trees
from isogloss.corpora.labdata import open_lab
from isogloss.errors import IsoglossError


def test_a_name_may_ask_for_one_domain() -> None:
    trees = load_trees("lab:twins/1", ["qaa"], "test", 20).read("qaa")
    assert trees == open_lab("lab:twins").trees("qaa", 20, "test", domain=1)
    assert trees != load_trees("lab:twins", ["qaa"], "test", 20).read("qaa")


def test_domains_have_revisions_of_their_own() -> None:
    names = ("lab:twins", "lab:twins/0", "lab:twins/1")
    assert len({load_trees(name, ["qaa"], "test", 20).revision for name in names}) == 3


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("lab:twins/one", "trees", "not a number"),
        ("lab:twins/9", "trees", "no domain 9"),
        ("lab:twins/1", "nli", "kind"),
    ],
)
def test_an_impossible_domain_is_named(name: str, kind: str, message: str) -> None:
    with pytest.raises(IsoglossError, match=message):
        load_corpus(name, kind, ["qaa"], "test", 5).read("qaa")
