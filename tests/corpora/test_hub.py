"""The hub through ``datasets``: rows become records; without it, the folder that would serve is named."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from isogloss.corpora import load_corpus, load_pairs, load_tagged, load_trees
from isogloss.corpora.fetch import fetch
from isogloss.corpora.hub import parse_hub
from isogloss.errors import IsoglossError


@dataclass
class Rows:
    """What ``load_dataset(..., streaming=True)`` gives for a split, as far as we use it."""

    rows: list[dict[str, object]]
    features: dict[str, object]

    def __iter__(self) -> Iterator[dict[str, object]]:
        return iter(self.rows)


def classes(*names: str) -> SimpleNamespace:
    return SimpleNamespace(names=list(names))


NER = {"tokens": None, "ner_tags": SimpleNamespace(feature=classes("O", "B-PER", "I-PER"))}
NLI = {"premise": None, "hypothesis": None, "label": classes("entailment", "neutral", "contradiction")}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """A stand-in for the library with two sets; returns what it was asked."""
    asked: list[tuple[object, ...]] = []

    def load_dataset(name: str, config: str | None = None, revision: str | None = None, streaming: bool = False):
        asked.append((name, config, revision, streaming))
        if name == "unimelb-nlp/wikiann":
            row = {"tokens": ["Anna", config], "ner_tags": [1, 0]}
            return {"train": Rows([row], NER), "validation": Rows([row], NER)}
        if name == "facebook/xnli":
            row = {"premise": "p\tq", "hypothesis": "h"}
            return {"test": Rows([row | {"label": label} for label in (0, 2, -1)], NLI)}
        raise ConnectionError(f"Couldn't reach '{name}' on the Hub\nmore")

    def get_dataset_config_names(name: str, revision: str | None = None) -> Sequence[str]:
        return ["als", "de", "fr", "default"]

    module = SimpleNamespace(load_dataset=load_dataset, get_dataset_config_names=get_dataset_config_names)
    monkeypatch.setitem(sys.modules, "datasets", module)
    return asked


def test_names_carry_id_revision_and_configuration() -> None:
    name = parse_hub("hub:facebook/xnli@abc:de")
    assert (name.id, name.revision, name.config) == ("facebook/xnli", "abc", "de")
    assert parse_hub("hub:x/y").config is None
    with pytest.raises(IsoglossError, match="is not the name of a data set"):
        parse_hub("hub:")


def test_a_configuration_is_a_language_and_splits_are_parts(hub: list) -> None:
    corpus = load_tagged("hub:unimelb-nlp/wikiann@v1:de")
    assert (corpus.languages, corpus.parts) == (("de",), ("train", "dev"))
    assert corpus.read("de", "dev")[0].tags == ("B-PER", "O")
    assert hub == [("unimelb-nlp/wikiann", "de", "v1", True)]


def test_languages_choose_among_configurations_by_wikipedias_codes(hub: list) -> None:
    assert load_corpus("hub:unimelb-nlp/wikiann:{code}", languages=["gsw", "fra"]).languages == ("gsw", "fr")
    with pytest.raises(IsoglossError, match="no language 'es'"):
        load_corpus("hub:unimelb-nlp/wikiann:{code}", languages=["es"])


def test_labels_get_their_names_and_pairs_without_one_are_counted(hub: list) -> None:
    corpus = load_pairs("hub:facebook/xnli:de")
    assert [pair.label for pair in corpus] == ["entailment", "contradiction"]
    assert corpus.left_out == {"pairs without a gold label": 1}


def test_another_kind_than_asked_for_is_refused(hub: list) -> None:
    with pytest.raises(IsoglossError, match="holds pairs, not trees"):
        load_trees("hub:facebook/xnli:de")


def test_the_revision_names_what_was_asked_for(hub: list) -> None:
    one, two = (load_pairs(f"hub:facebook/xnli@{revision}:de").revision for revision in ("a", "b"))
    assert one != two


def test_without_a_network_the_folder_that_would_serve_is_named(hub: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_DATA", "/data")
    with pytest.raises(IsoglossError, match=r"Couldn't reach 'nyu-mll/multi_nli' on the Hub\)\n.*/data/mnli"):
        load_pairs("hub:nyu-mll/multi_nli", ["en"])
    with pytest.raises(IsoglossError, match="give the path of a folder instead"):
        load_pairs("hub:no/body", ["en"])


def test_without_the_library_the_line_that_installs_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(IsoglossError, match=r"isogloss\[hub\].*xnli"):
        load_pairs("hub:facebook/xnli:de")


def test_data_get_writes_the_hubs_sets_as_files_that_load_again(
    hub: list, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    fetch("wikiann", languages=["de", "gsw"])
    corpus = load_tagged("wikiann")
    assert set(corpus.languages) == {"de", "gsw"} and corpus.read("de", "train")[0].words == ("Anna", "de")
    fetch("xnli", languages=["de"])
    assert [(pair.first, pair.label) for pair in load_pairs("xnli")] == [
        ("p q", "entailment"),
        ("p q", "contradiction"),
    ]


def test_the_real_library_reads_a_folder_of_parquet(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    rows = [{"premise": "p", "hypothesis": "h", "label": label} for label in (0, 1)]
    datasets.Dataset.from_list(rows).to_parquet(str(tmp_path / "train-0.parquet"))
    assert [pair.label for pair in load_pairs(f"hub:{tmp_path}", ["de"])] == ["entailment", "neutral"]
