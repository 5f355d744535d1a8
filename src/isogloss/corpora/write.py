"""Records to files, in the formats the field uses. Every file is written whole or not at all."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from isogloss.corpora.records import Dictionary, Pair, ParallelText, TaggedSentence, Tree, WordAlignment
from isogloss.errors import IsoglossError
from isogloss.files import write_whole

_EMPTY = "_"


def write_text(path: Path, lines: Iterable[str]) -> Path:
    """Plain text, a line per sentence."""
    return _write(path, "".join(f"{line}\n" for line in lines))


def write_conllu(path: Path, trees: Iterable[Tree]) -> Path:
    """Trees as CoNLL-U, with multiword tokens; the text is the words and spaces where a tree has none of its own."""
    return _write(path, "".join(map(conllu_block, trees)))


def conllu_block(tree: Tree) -> str:
    """One sentence of CoNLL-U, with the blank line that ends it."""
    size = len(tree.words)
    head = f"# sent_id = {tree.id}\n" if tree.id else ""
    head += f"# text = {tree.text or ' '.join(tree.words)}\n"
    rows = zip(
        range(1, size + 1), tree.words, tree.lemmas or (_EMPTY,) * size, tree.upos, tree.feats or (_EMPTY,) * size,
        tree.heads, tree.relations, strict=True,
    )  # fmt: skip
    lines = [
        f"{number}\t{word}\t{lemma}\t{upos}\t_\t{feats or _EMPTY}\t{parent}\t{relation}\t_\t_\n"
        for number, word, lemma, upos, feats, parent, relation in rows
    ]
    for first, last, form in sorted(tree.spans, reverse=True):
        lines.insert(first - 1, f"{first}-{last}\t{form}\t_\t_\t_\t_\t_\t_\t_\t_\n")
    return head + "".join(lines) + "\n"


def write_bio(path: Path, sentences: Iterable[TaggedSentence]) -> Path:
    """A word and its tag a line, a blank line after each sentence (PAN-X's layout)."""
    return _write(path, "".join(map(_bio_block, sentences)))


def _bio_block(sentence: TaggedSentence) -> str:
    rows = zip(sentence.words, sentence.tags, strict=True)
    return "\n".join([f"{word}\t{tag}" for word, tag in rows]) + "\n\n"


def write_pairs(path: Path, pairs: Iterable[Pair]) -> Path:
    """First text, second text and label, tab-separated (XNLI's and PAWS-X's layout in XTREME)."""
    return _write(path, "".join([f"{pair.first}\t{pair.second}\t{pair.label}\n" for pair in pairs]))


def write_parallel(folder: Path, parallel: ParallelText) -> list[Path]:
    """A file per language, ``code.txt``; line n says the same in every one (NTREX's layout)."""
    return [write_text(folder / f"{code}.txt", parallel.texts[code]) for code in parallel.languages]


def write_tatoeba(folder: Path, parallel: ParallelText, pivot: str) -> list[Path]:
    """Every language against ``pivot``: ``tatoeba.xxx-pivot.xxx`` and ``tatoeba.xxx-pivot.pivot`` (LASER's layout)."""
    written = []
    for code in parallel.languages:
        if code != pivot:
            for side in (code, pivot):
                written.append(write_text(folder / f"tatoeba.{code}-{pivot}.{side}", parallel.texts[side]))
    return written


def write_dictionary(path: Path, dictionary: Dictionary) -> Path:
    """Source and target word a line, a space between (MUSE's layout)."""
    for source, target in dictionary.entries:
        if len(f"{source} {target}".split()) != 2:
            raise IsoglossError(
                f"'{source}' and '{target}' are not two words", where=path,
                remedy="MUSE's format cannot hold phrases; leave them out",
            )  # fmt: skip
    return _write(path, "".join([f"{source} {target}\n" for source, target in dictionary.entries]))


def write_alignments(folder: Path, source: str, target: str, alignments: Sequence[WordAlignment]) -> list[Path]:
    """Sentences as ``a ||| b`` in ``.src-tgt``; links in ``.gold``: ``i-j`` sure, ``ipj`` possible, counted from 1."""
    texts = [f"{' '.join(row.first)} ||| {' '.join(row.second)}" for row in alignments]
    stem = f"{source}-{target}"
    links = map(_links, alignments)
    return [write_text(folder / f"{stem}.src-tgt", texts), write_text(folder / f"{stem}.gold", links)]


def _links(row: WordAlignment) -> str:
    sure = sorted(row.sure)
    only_possible = sorted(row.possible - row.sure)
    return " ".join([f"{i + 1}-{j + 1}" for i, j in sure] + [f"{i + 1}p{j + 1}" for i, j in only_possible])


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    """A comma-separated table with a header, as CLDF has them."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return _write(path, buffer.getvalue())


def _write(path: Path, content: str) -> Path:
    write_whole(path, content)
    return path
