"""Reading CoNLL-U, beside the ``conllu`` package: ``python benchmarks/loaders.py [--quick]``.

The text is a real treebank where ISOGLOSS_DATA has one (``ud-ewt``), else the lab's, repeated to the size wanted.
Both readers give words, tags, heads and relations of every sentence; ours also refuses what is no tree.
"""

import argparse
import itertools
import tempfile
from collections import Counter
from pathlib import Path

import conllu

from isogloss.corpora import load_trees
from isogloss.corpora.catalog import entry_of, find
from isogloss.corpora.conllu import read_trees
from isogloss.corpora.write import conllu_block
from measure import interleave, report_row


def treebank(wanted: int) -> tuple[str, str]:
    """A treebank's name, and about ``wanted`` words of it, from its beginning and if need be over and over."""
    if folder := find(*entry_of("ud-ewt")):
        name, text = "ud-ewt", (folder / "UD_English-EWT" / "en_ewt-ud-train.conllu").read_text(encoding="utf-8")
    else:
        name, text = "lab", "".join(conllu_block(tree) for tree in load_trees("lab", part="train"))
    blocks = text.strip().split("\n\n")
    chosen, words = [], 0
    for block in itertools.cycle(blocks):
        if words >= wanted:
            return name, "\n\n".join(chosen) + "\n\n"
        chosen.append(block)
        words += sum(line.split("\t", 1)[0].isdigit() for line in block.split("\n"))
    raise AssertionError("a cycle has no end")


def ours(path: Path) -> int:
    return sum(len(tree.words) for tree in read_trees(path, "en", Counter()))


def peer(path: Path) -> int:
    with path.open(encoding="utf-8") as handle:
        return sum(1 for sentence in conllu.parse_incr(handle) for token in sentence if isinstance(token["id"], int))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a twentieth of the text")
    quick = parser.parse_args().quick
    wanted, repeats = (50_000, 3) if quick else (1_000_000, 3)
    name, text = treebank(wanted)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.conllu"
        path.write_text(text, encoding="utf-8")
        total = ours(path)
        assert total == peer(path), "both read the same words"
        mine, theirs = interleave(lambda: ours(path), lambda: peer(path), repeats)
    report_row(f"CoNLL-U, {total:,} words of {name}", "conllu", mine, theirs, 3.0, repeats)


if __name__ == "__main__":
    main()
