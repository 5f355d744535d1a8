"""A whole lab on disk, in the layout and the formats of the usual data sets, so that any tool can use it.

The folder can stand in for a folder of real data: every loader finds in it what it would look for there.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from isogloss.corpora import write
from isogloss.corpora.lab.baseline import bag_of_tags_retrieval
from isogloss.corpora.lab.laboratory import Lab
from isogloss.corpora.lab.language import Language
from isogloss.corpora.lab.source import POOLS
from isogloss.corpora.lab.typology import FEATURES
from isogloss.errors import IsoglossError
from isogloss.files import make_folder, write_whole

FILE_PARTS = {"train": "train", "validation": "dev", "test": "test"}  # the lab's name: the name in files


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much to write: sentences (or pairs) a language; held-out sizes serve validation and test alike."""

    text: int = 20_000
    trees: int = 2_000
    entities: int = 2_000
    nli: int = 10_000
    paraphrases: int = 10_000
    held_out: int = 500
    parallel: int = 1_000
    alignments: int = 500

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value < 1:
                raise IsoglossError(f"impossible size {value}", where=f"size '{name}'", remedy="at least 1")

    @classmethod
    def of_text(cls, sentences: int) -> "Sizes":
        """The usual sizes with this many sentences of text per language, and no part larger than that."""
        usual = asdict(cls())
        return cls(**{name: min(size, sentences) for name, size in usual.items()} | {"text": sentences})

    def of(self, kind: str, part: str) -> int:
        """How many of a kind a part gets."""
        full: int = getattr(self, kind)
        return full if part == "train" else min(full, self.held_out)


Step = tuple[str, Callable[[], object]]


def write_lab(lab: Lab, folder: Path, sizes: Sizes | None = None) -> list[str]:
    """Write everything; returns what was written, folder by folder. ``steps`` does the same one by one."""
    labels = []
    for label, write_step in steps(lab, folder, sizes or Sizes()):
        write_step()
        labels.append(label)
    return labels


def steps(lab: Lab, folder: Path, sizes: Sizes) -> Iterator[Step]:
    """The work in pieces, each with a label, for whoever wants to show progress."""
    make_folder(folder)
    for language in lab.languages:
        yield f"text/{language.code}", partial(_write_text, lab, folder, sizes, language)
        for part in FILE_PARTS:
            yield f"tasks/{language.code}/{part}", partial(_write_tasks, lab, folder, sizes, language, part)
    yield "parallel", partial(_write_parallel, lab, folder, sizes)
    yield "words", partial(_write_words, lab, folder, sizes)
    yield "wals", partial(_write_cldf, lab, folder)
    yield "lab.json", partial(_write_card, lab, folder, sizes)


def _write_text(lab: Lab, folder: Path, sizes: Sizes, language: Language) -> None:
    code = language.code
    write.write_text(folder / "text" / "lab" / f"{code}.txt", lab.text(code, sizes.text))
    held_out = lab.text(code, sizes.held_out, "validation")
    write.write_text(folder / "text" / "lab-validation" / f"{code}.txt", held_out)
    for domain in range(lab.config.domains if lab.config.domains > 1 else 0):
        lines = lab.text(code, sizes.held_out, "test", domain)
        write.write_text(folder / "text" / f"lab-domain-{domain}" / f"{code}.txt", lines)


def _write_tasks(lab: Lab, folder: Path, sizes: Sizes, language: Language, part: str) -> None:
    code, name = language.code, FILE_PARTS[part]
    treebank = folder / "ud" / f"UD_{language.name}-Lab"
    trees = lab.trees(code, sizes.of("trees", part), part)
    write.write_conllu(treebank / f"{code}_lab-ud-{name}.conllu", trees)
    write.write_bio(folder / "panx" / f"{name}-{code}.tsv", lab.entities(code, sizes.of("entities", part), part))
    write.write_pairs(folder / "xnli" / f"{name}-{code}.tsv", lab.nli(code, sizes.of("nli", part), part))
    pairs = lab.paraphrases(code, sizes.of("paraphrases", part), part)
    write.write_pairs(folder / "pawsx" / f"{name}-{code}.tsv", pairs)


def _write_parallel(lab: Lab, folder: Path, sizes: Sizes) -> None:
    for pool in POOLS:
        write.write_parallel(folder / "parallel" / pool, lab.parallel(sizes.parallel, pool=pool))
    for language, trees in lab.parallel_trees(sizes.parallel).items():
        treebank = folder / "ud" / f"UD_{lab.language(language).name}-Parallel"
        write.write_conllu(treebank / f"{language}_parallel-ud-test.conllu", trees)
    write.write_tatoeba(folder / "tatoeba", lab.parallel(sizes.parallel), lab.codes[0])


def _write_words(lab: Lab, folder: Path, sizes: Sizes) -> None:
    for a in lab.codes:
        for b in lab.codes:
            if a != b:
                write.write_dictionary(folder / "muse" / f"{a}-{b}.txt", lab.dictionary(a, b))
            if a < b:
                rows = lab.alignments(a, b, sizes.alignments)
                write.write_alignments(folder / "alignments", a, b, rows)


def _write_cldf(lab: Lab, folder: Path) -> None:
    """Languages, features, their values' codes and the values, as WALS publishes them."""
    tables = folder / "wals" / "cldf"
    header = ("ID", "Name", "Macroarea", "Latitude", "Longitude", "Glottocode", "ISO639P3code", "Family", "Genus")
    rows = [(x.code, x.name, "Lab", "", "", "", x.code, x.family, x.family) for x in lab.languages]
    write.write_table(tables / "languages.csv", header, rows)
    features = [(feature, name, "") for feature, (name, _) in FEATURES.items()]
    write.write_table(tables / "parameters.csv", ("ID", "Name", "Description"), features)
    codes = [
        (f"{feature}-{number}", feature, label, label, number)
        for feature, (_, labels) in FEATURES.items()
        for number, label in labels.items()
    ]
    write.write_table(tables / "codes.csv", ("ID", "Parameter_ID", "Name", "Description", "Number"), codes)
    values = [(f"{v.feature}-{v.language}", v.language, v.feature, v.value, v.code) for v in lab.features()]
    write.write_table(tables / "values.csv", ("ID", "Language_ID", "Parameter_ID", "Value", "Code_ID"), values)


def _write_card(lab: Lab, folder: Path, sizes: Sizes) -> None:
    """What this folder is: every knob, the languages, the family tree, and how far tags alone retrieve."""
    card = {
        "config": asdict(lab.config),
        "sizes": asdict(sizes),
        "languages": [
            {"code": x.code, "name": x.name, "family": x.family, "grammar": asdict(x.grammar)} for x in lab.languages
        ],
        "family_tree": lab.family_tree(),
        "bag_of_tags_retrieval": {pool: _tag_retrieval(lab, pool) for pool in POOLS},
    }
    write_whole(folder / "lab.json", json.dumps(card, indent=2, ensure_ascii=False) + "\n")
    write_whole(folder / "families.nwk", lab.family_tree() + "\n")


def _tag_retrieval(lab: Lab, pool: str) -> dict[str, float]:
    trees = lab.parallel_trees(500, pool=pool)
    first = lab.codes[0]
    return {code: round(bag_of_tags_retrieval(trees[first], trees[code]), 4) for code in lab.codes[1:]}
