"""No traceback, no hang and nothing senseless accepted, whatever a file, a study file or an option holds.

The plain part tries a seeded sample; ``pytest -m slow -s tests/test_bad_input.py`` tries more than 100,000 and prints
the counts.
"""

import bz2
import gzip
import io
import lzma
import math
import random
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import MISSING, fields
from pathlib import Path

import pytest
import typer

from isogloss.cli import UsageError, app, register
from isogloss.corpora.alignments import read_alignments
from isogloss.corpora.archives import extract
from isogloss.corpora.conllu import read_trees
from isogloss.corpora.convert import write_sentences, write_verses
from isogloss.corpora.detect import detect
from isogloss.corpora.dictionaries import read_dictionary
from isogloss.corpora.fetch import broken_files
from isogloss.corpora.lines import count_lines, read_lines
from isogloss.corpora.own_text import read_own
from isogloss.corpora.pairs import languages_within, read_pairs
from isogloss.corpora.parallel import read_parallel
from isogloss.corpora.tagged import read_tagged
from isogloss.corpora.text import TextFiles, read_text
from isogloss.corpora.vectors import read_vectors
from isogloss.errors import IsoglossError, explain_os_error
from isogloss.languages import Wals, language
from isogloss.pretrain import Recipe
from isogloss.runs.config import build, dump, read_study_files
from isogloss.studies.names import STUDIES
from isogloss.studies.study import get_study
from isogloss.transfer.methods import parse_methods
from isogloss.transfer.methods.layers import read_layers
from mutations import Tally, mutate, try_inputs

Reader = Callable[[Path, bytes], object]

CONLLU = """# sent_id = a1
# text = Der Hund bellt im Haus
1\tDer\tder\tDET\t_\t_\t2\tdet\t_\t_
2\tHund\tHund\tNOUN\t_\tCase=Nom\t3\tnsubj\t_\t_
3\tbellt\tbellen\tVERB\t_\t_\t0\troot\t_\t_
4-5\tim\t_\t_\t_\t_\t_\t_\t_\t_
4\tin\tin\tADP\t_\t_\t6\tcase\t_\t_
5\tdem\tder\tDET\t_\t_\t6\tdet\t_\t_
6\tHaus\tHaus\tNOUN\t_\t_\t3\tobl\t_\tSpaceAfter=No

# sent_id = a2
1\tJa\tja\tINTJ\t_\t_\t0\troot\t_\t_
1.1\tx\tx\tX\t_\t_\t_\t_\t_\t_

"""
TAGGED = "0\tLondon\tB-LOC\n1\tcalling\tO\n\n0\tde\tB-PER\n1\tla\tI-PER\n2\tis\tO\n"
PAIRS = "premise\thypothesis\tlabel\nA man.\tA person.\tentailment\nA dog.\tNo dog.\tcontradiction\nX.\tY.\tneutral\n"
JSONL = (
    '{"sentence1": "A man.", "sentence2": "A person.", "gold_label": "entailment", "pairID": "1", "language": "de"}\n'
    '{"sentence1": "A.", "sentence2": "B.", "gold_label": "neutral", "annotator_labels": ["x"], "language": "de"}\n'
)
WIKI = '<doc id="1" url="u" title="Hund">\nHund\nEin Tier.\n</doc>\n{"id": 2, "text": "Noch eins.\\nZwei."}\n'
TMX = (
    '<?xml version="1.0"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4"><body>'
    '<tu><tuv xml:lang="de"><seg>Ja</seg></tuv><tuv xml:lang="en"><seg>Yes</seg></tuv></tu></body></tmx>'
)
WALS = {
    "languages": "ID,Name,Latitude,Longitude,ISO639P3code,Family,Genus\ndeu,German,52,10,deu,Indo-European,Germanic\n"
    'fin,"Fin, nish",62.5,25,fin,Uralic,Finnic\n',
    "parameters": "ID,Name\n1A,Consonants\n",
    "codes": "ID,Parameter_ID,Name\n1A-1,1A,Small\n1A-2,1A,Large\n",
    "values": "ID,Language_ID,Parameter_ID,Value,Code_ID\nv1,deu,1A,1,1A-1\nv2,fin,1A,2,1A-2\n",
}


def clean(text: str) -> bool:
    """Whether a text that was accepted can be printed, stored and encoded."""
    return bool(text.strip()) and "\0" not in text and bool(text.encode())


def trees(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for on_error in ("raise", "skip"):
        for tree in read_trees(path, "de", Counter(), on_error):  # type: ignore[arg-type]
            size = len(tree.words)
            assert size == len(tree.heads) == len(tree.upos) and all(map(clean, tree.words))
            assert all(0 <= head <= size for head in tree.heads) and tree.heads.count(0) == 1


def tagged(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for on_error in ("raise", "skip"):
        for sentence in read_tagged(path, "de", Counter(), on_error):  # type: ignore[arg-type]
            assert len(sentence.words) == len(sentence.tags) and all(map(clean, sentence.words))
            assert all(tag in "O_-?" or tag == "-1" or tag[:2] in ("B-", "I-") for tag in sentence.tags)


def pairs(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    languages_within(path)
    for on_error in ("raise", "skip"):
        for pair in read_pairs(path, "de", Counter(), on_error):  # type: ignore[arg-type]
            assert clean(pair.first) and clean(pair.second)
            assert pair.label in ("entailment", "neutral", "contradiction", "0", "1")


def text(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert all(clean(sentence.text) for sentence in read_text(TextFiles("de", (path,)), Counter()))


def lines(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert sum(1 for _ in read_lines(path)) <= count_lines(path) + 1


def vectors(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    found = read_vectors(path)
    assert len(found.words) == len(found.vectors) > 0 and math.isfinite(float(found.vectors.sum()))


def dictionary(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    found = read_dictionary(path, "en", "de")
    assert all(clean(first) and clean(second) for first, second in found.entries)
    assert all(weight >= 0 for weight in found.weights)


def alignments(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    path.with_suffix(".src-tgt").write_text("the house ||| das Haus\nyes ||| ja doch\n")
    for row in read_alignments(path).rows:
        assert all(one < len(row.first) and other < len(row.second) for one, other in row.possible)


def aligned_text(path: Path, content: bytes) -> None:
    path.with_suffix(".src-tgt").write_bytes(content)
    path.write_text("1-1 2-2\n1-1 1p2\n")
    read_alignments(path)


def parallel(path: Path, content: bytes) -> None:
    folder = path.parent / "parallel"
    folder.mkdir(exist_ok=True)
    (folder / "en.txt").write_text("one\ntwo\nthree\n")
    (folder / "de.txt").write_bytes(content)
    found = read_parallel(folder, "x")
    assert len({len(rows) for rows in found.texts.values()}) == 1
    assert all(clean(row) for rows in found.texts.values() for row in rows)


def wals(table: str) -> Reader:
    def read(path: Path, content: bytes) -> None:
        folder = path.parent / "cldf"
        folder.mkdir(exist_ok=True)
        for name, good in WALS.items():
            (folder / f"{name}.csv").write_bytes(content if name == table else good.encode())
        found = Wals.load(folder)
        for one in found.languages.values():
            assert one.latitude is None or abs(one.latitude) <= 90
            assert one.longitude is None or abs(one.longitude) <= 180

    return read


def own(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    found = read_own(path)
    assert all(clean(row) for rows in found.texts.values() for row in rows)


def archive(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    out = path.parent / "unpacked"
    assert all(found.resolve().is_relative_to(out.resolve()) for found in extract(path, out))


def kind(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    detect(path)


def manifest(path: Path, content: bytes) -> None:
    folder = path.parent / "set"
    folder.mkdir(exist_ok=True)
    (folder / "isogloss.json").write_bytes(content)
    broken_files(folder)


def verses(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    write_verses({"de": path}, path.parent)


def sentences(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    write_sentences(path, path.parent / "sentences.txt")


def study_file(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for file in read_study_files(path):
        study = get_study(file.study)
        config = build(study.config, file.settings, file.lines, file.path)
        path.write_text(dump(file.study, config), encoding="utf-8")
        [again] = read_study_files(path)
        assert build(study.config, again.settings) == config


def recipe(_: Path, content: bytes) -> None:
    found = Recipe.from_yaml(content.decode("utf-8", "replace"))
    assert Recipe.from_yaml(found.to_yaml()) == found


def words(_: Path, content: bytes) -> None:
    """Codes, layers, methods: what people type in one word."""
    typed = content.decode("utf-8", "surrogateescape")
    for read in (language, lambda asked: read_layers(asked, 12), parse_methods):
        try:
            read(typed)
        except IsoglossError:
            continue


def packed(kind: str) -> bytes:
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as opened:
            opened.writestr("a.txt", "hello " * 20)
            opened.writestr("b/c.txt", "there")
    else:
        with tarfile.open(fileobj=out, mode=kind) as tar:
            for name in ("a.txt", "b/c.txt"):
                member = tarfile.TarInfo(name)
                member.size = 5
                tar.addfile(member, io.BytesIO(b"hello"))
    return out.getvalue()


def settings(study: str) -> bytes:
    """A short study file with a setting of each type."""
    config = get_study(study).config
    examples = {"models": ["lab:families"], "model": "lab:families", "data": "lab:families"}
    missing = [one.name for one in fields(config) if one.default is MISSING and one.default_factory is MISSING]
    text = dump(study, build(config, {name: examples[name] for name in missing}))
    lines = text.splitlines()
    end = next((place for place, line in enumerate(lines) if place >= 20 and line[0].isalpha()), len(lines))
    return "\n".join(lines[:end]).encode()  # whole settings only


LOADERS: dict[str, tuple[Reader, bytes, str, int]] = {  # reader, good content, file name, share of all inputs
    "conllu": (trees, CONLLU.encode(), "de_x-ud-test.conllu", 16),
    "tagged": (tagged, TAGGED.encode(), "de.tsv", 8),
    "pairs": (pairs, PAIRS.encode(), "dev-de.tsv", 8),
    "jsonl": (pairs, JSONL.encode(), "dev-de.jsonl", 8),
    "text": (text, b"Ein Satz.\n\nNoch einer.\n", "de.txt", 4),
    "wiki": (text, WIKI.encode(), "wiki_00", 6),
    "gz": (lines, gzip.compress(CONLLU.encode()), "de.txt.gz", 4),
    "bz2": (lines, bz2.compress(CONLLU.encode()), "de.txt.bz2", 2),
    "xz": (lines, lzma.compress(CONLLU.encode()), "de.txt.xz", 2),
    "vec": (vectors, b"3 2\nthe 0.1 0.2\nof 1e-3 -4\nNew York 1 2\n", "cc.de.2.vec", 6),
    "dictionary": (dictionary, b"house\tHaus\t0.5\ndog\tHund\t1\n", "en-de.tsv", 5),
    "muse": (dictionary, b"house Haus\ndog Hund\n", "en-de.txt", 3),
    "gold": (alignments, b"1-1 2-2\n1-1 1p2\n", "en-de.gold", 4),
    "aligned": (aligned_text, b"the house ||| das Haus\nyes ||| ja doch\n", "en-de.gold", 3),
    "csv": (own, b'de,en\n"Ein Haus, rot",A house\nJa,Yes\n', "own.csv", 4),
    "jsonl table": (own, b'{"de": "Ein Haus.", "en": "A house."}\n{"de": "Ja", "en": "Yes", "n": 3}\n', "own.jsonl", 4),
    "tmx": (own, TMX.encode(), "own.tmx", 4),
    "parallel": (parallel, b"eins\nzwei\ndrei\n", "x", 4),
    **{f"wals {name}": (wals(name), good.encode(), "x", 2) for name, good in WALS.items()},
    **{f"archive {name}": (archive, packed(name), "a.packed", 2) for name in ("zip", "w:", "w:gz", "w:bz2", "w:xz")},
    "detect": (kind, PAIRS.encode(), "any.tsv", 4),
    "manifest": (manifest, b'{"origin": "x", "version": "y", "sha256": {"a.txt": "00"}}', "x", 2),
    "verses": (verses, b"<seg id='b.GEN.1.1'>Am Anfang</seg>\n<seg id='b.GEN.1.2'>Und</seg>", "bible.xml", 2),
    "sentences": (sentences, b"1\tdeu\tHallo.\n2\tdeu\tJa.\n", "deu.tsv", 2),
    "words": (words, b"frozen:0-6+fusion:1,upper=last+ldar:layers=1-4,alpha=0.01", "x", 6),
    "codes": (words, b"zh-Hant-TW", "x", 3),
    "recipe": (recipe, b"seed: 1\nmasking: {share: 0.2}\ntraining:\n  steps: 10\n  betas: [0.9, 0.99]\n", "x", 2),
}


def tried(name: str, count: int, folder: Path, seed: int = 0) -> Tally:
    reader, good, file, _ = LOADERS[name]
    rng, tally = random.Random(f"{name}/{seed}"), Tally()
    path = folder / file
    reader(path, good)  # the good one is read
    try_inputs((mutate(good, rng) for _ in range(count)), lambda content: reader(path, content), tally)
    return tally


@pytest.mark.parametrize("name", LOADERS)
def test_a_damaged_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    tally = tried(name, 60, tmp_path)
    assert tally.faults == [] and sum(tally.outcomes.values()) == 60


def try_study_files(study: str, count: int, folder: Path) -> Tally:
    rng, tally, path = random.Random(study), Tally(), folder / "study.yaml"
    good = settings(study)
    study_file(path, good)
    try_inputs((mutate(good, rng) for _ in range(count)), lambda content: study_file(path, content), tally)
    return tally


@pytest.mark.parametrize("study", STUDIES)
def test_a_damaged_study_file_is_read_or_refused(study: str, tmp_path: Path) -> None:
    assert try_study_files(study, 15, tmp_path).faults == []


COMMANDS = (
    "inspect", "locate", "preserve", "forget", "emerge", "align", "ablate", "fuse", "transfer", "demo", "pretrain",
)  # fmt: skip
TYPED = [
    "", "0", "1", "-1", "2,3", "0,0", "1,1", "nan", "inf", "-inf", "1e30", "9" * 30, "9" * 5000, "²", "+2", "1_0", "x",
    "all", "en,de", "qaa,qab", "pos", "lab", "lab:families", "lab:families:9", "untrained:", "untrained:lab:twins",
    "a=b", "=", "a=", "training.steps=5", "seed=-1", "epochs=0", "[", "{", "a=[[[[", "a=&a [*a]", "a=!!int x", "/nope",
    "\ud800", "dev[:5]", "1-2", "frozen:1", "plain", "a" * 300, "=1+1", "--", "*", "true", "2.5", "cpu", "cuda:99",
    "float32", "raise", "skip",
]  # fmt: skip


def command_lines(rng: random.Random) -> Iterator[list[str]]:
    """Options of every study with every kind of value, none of which starts any work."""
    register()
    group = typer.main.get_command(app)
    flags = {
        name: [(one.opts[0], one.is_flag) for one in command.params if one.opts[0].startswith("--")]
        for name, command in group.commands.items()  # type: ignore[attr-defined]
        if name in COMMANDS
    }
    while True:
        name = rng.choice(COMMANDS)
        given = [name, "lab:families"] if name in ("inspect", "locate") else [name]
        for option, is_flag in rng.sample(flags[name], rng.choice((1, 1, 2, 3))):
            if option != "--help":
                given += [option] if is_flag else [option, rng.choice(TYPED)]
        yield [*given, "--print-config"]


def try_command_lines(count: int, seed: int = 0) -> Tally:
    rng, tally = random.Random(seed), Tally()
    register()
    group = typer.main.get_command(app)
    made = command_lines(rng)

    def run(content: bytes) -> None:
        arguments = content.decode("utf-8", "surrogatepass").split("\x1f")
        out = io.StringIO()
        try:
            with redirect_stdout(out), redirect_stderr(io.StringIO()):
                group.main(arguments, prog_name="isogloss", standalone_mode=False)
        except UsageError as error:
            raise IsoglossError(str(error)) from error
        except OSError as error:  # a name that cannot be is a message of the command line too
            raise explain_os_error(error) or error from error

    inputs = ("\x1f".join(next(made)).encode("utf-8", "surrogatepass") for _ in range(count))
    try_inputs(inputs, run, tally)
    return tally


def test_options_with_senseless_values_are_refused_before_any_work() -> None:
    tally = try_command_lines(60)
    assert tally.faults == [] and tally.outcomes["refused"] > 10


ALL = 100_000  # mutated files, in proportion to the shares above
EACH_STUDY, OPTIONS = 250, 2_500


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_hundred_thousand_bad_inputs_give_no_traceback(tmp_path: Path) -> None:
    unit = ALL / sum(share for _, _, _, share in LOADERS.values())
    found = {name: tried(name, math.ceil(share * unit), tmp_path, 1) for name, (_, _, _, share) in LOADERS.items()}
    found |= {f"study file {study}": try_study_files(study, EACH_STUDY, tmp_path) for study in STUDIES}
    found["options"] = try_command_lines(OPTIONS, 1)
    total = Tally(sum((tally.outcomes for tally in found.values()), Counter()))
    for name, tally in found.items():
        print(f"{name}: {tally.line()}")
    print(f"in all: {total.line()}")
    assert sum(total.outcomes.values()) >= ALL
    assert [fault for tally in found.values() for fault in tally.faults] == []
