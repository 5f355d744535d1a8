"""Every example on the page of formats is read by its loader."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import isogloss
from isogloss.corpora import (
    load_alignments,
    load_dictionary,
    load_own,
    load_pairs,
    load_parallel,
    load_tagged,
    load_text,
    load_trees,
    load_vectors,
)
from isogloss.pretrain import Recipe
from isogloss.runs.config import build, read_study_files
from isogloss.studies.study import get_study

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "formats.md"
BLOCK = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', flags=re.MULTILINE | re.DOTALL)
EXAMPLES = dict(BLOCK.findall(PAGE.read_text(encoding="utf-8")))


def study_of(path: Path) -> object:
    [file] = read_study_files(path)
    return build(get_study(file.study).config, file.settings, file.lines, file.path).limit  # type: ignore[attr-defined]


READERS: dict[str, tuple[Callable[[Path], object], object]] = {
    "mine.csv": (lambda path: load_parallel(path).texts["sw"][1], "Ndiyo, tafadhali."),
    "mine.jsonl": (lambda path: load_parallel(path).texts["de"][1], "Ja, gern."),
    "mine.tmx": (lambda path: load_parallel(path).texts["en"][1], "Yes, please."),
    "parallel/de.txt": (lambda path: load_parallel(path.parent).texts["de"], ("Ein Haus.", "Ja, gern.")),
    "parallel/en.txt": (lambda path: load_parallel(path.parent).texts["en"], ("A house.", "Yes, please.")),
    "texts.csv": (lambda path: sorted(load_own(path).texts), ["de", "fi"]),
    "text/fi.txt": (lambda path: len(load_text(path.parent).read("fi")), 2),
    "en_mine-ud-test.conllu": (lambda path: next(iter(load_trees(path).stream("en"))).heads, (2, 0, 2)),
    "panx/test-en.tsv": (lambda path: load_tagged(path.parent).read()[0].tags[:2], ("B-PER", "I-PER")),
    "xnli/test-en.tsv": (lambda path: [pair.label for pair in load_pairs(path.parent).read()][2], "contradiction"),
    "en-de.txt": (lambda path: len(load_dictionary(path, "en", "de").entries), 2),
    "alignments/ende.src-tgt": (lambda path: len(load_alignments(path.parent, "en", "de").rows), 1),
    "alignments/ende.gold": (lambda path: load_alignments(path.parent, "en", "de").rows[0].sure, {(0, 0), (1, 1)}),
    "en.vec": (lambda path: load_vectors(path).vectors.shape, (2, 3)),
    "study.yaml": (study_of, 300),
    "recipe.yaml": (lambda path: Recipe.load(path).training.steps, 1000),
    "plugin.py": (lambda path: list(isogloss.load_plugin(path).MEASURES), ["mean_length"]),
}


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    for name, text in EXAMPLES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_every_example_has_a_reader_here_and_the_other_way_round():
    assert set(EXAMPLES) == set(READERS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_read_as_the_page_says(name: str, examples: Path):
    read, expected = READERS[name]
    assert read(examples / name) == expected
