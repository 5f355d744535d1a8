"""A folder in which a paper's preset finds what it only names: text, dictionaries, models, a word aligner."""

import csv
from collections.abc import Sequence
from pathlib import Path

from isogloss.languages import try_language

from .standins import XTREME_POS, word, write_lines, write_model, write_xlmr

# Languages of multilingual BERT, two or three letters each.
MBERT = (
    "af", "sq", "ar", "an", "hy", "ast", "az", "ba", "eu", "bar", "be", "bn", "bpy", "bs", "br", "bg", "my", "ca",
    "ceb", "ce", "zh", "cv", "hr", "cs", "da", "nl", "en", "et", "fi", "fr", "gl", "ka", "de", "el", "gu", "ht",
    "he", "hi", "hu", "is", "io", "id", "ga", "it", "ja", "jv", "kn", "kk", "ky", "ko", "la", "lv", "lt", "lmo",
    "nds", "mk", "mg", "ms", "ml", "mr", "min", "mn", "ne", "new", "nb", "nn", "oc", "fa", "pms", "pl", "pt", "pa",
    "ro", "ru", "sco", "sr", "sh", "scn", "sk", "sl", "azb", "es", "su", "sw", "sv", "tl", "tg", "ta", "tt", "te",
    "th", "tr", "uk", "ur", "uz", "vi", "vo", "war", "cy", "fy", "lah", "yo", "lb",
)  # fmt: skip
WU20 = ("en", "fr", "de", "ru", "zh")
SENTENCES = 24

# What fast_align does, for sentences of as many words: word n stands for word n.
ALIGNER = """#!/usr/bin/env python3
import sys
for line in open(sys.argv[sys.argv.index("-i") + 1], encoding="utf-8"):
    first, second = (side.split() for side in line.split(" ||| "))
    print(" ".join(f"{n}-{n}" for n in range(min(len(first), len(second)))))
"""


def write_desk(root: Path) -> Path:
    """Everything under the names that presets have."""
    for code in MBERT:
        write_lines(
            root / "wikipedia" / f"{code}.txt", code, 80 if code in WU20 else SENTENCES
        )  # words of dictionaries
    for code in WU20:
        write_lines(root / "commoncrawl" / f"{code}.txt", code, SENTENCES)
    for part in ("train", "test"):
        for code in XTREME_POS:
            write_lines(root / "lid-wikipedia" / part / f"{code}.txt", code, 6)
    write_dictionaries(root / "panlex", ("",))
    lines = (root / "wikipedia" / "en.txt").read_text(encoding="utf-8").splitlines()
    (root / "back-translated.tsv").write_text("".join(f"{line}\tx {line}\n" for line in lines), encoding="utf-8")
    for code in WU20:
        (root / f"wiki.{code}.vec").write_text(f"1 2\n{word(code, 0)} 0.1 0.2\n", encoding="utf-8")
    write_model(root / "bert-base-multilingual-cased")
    write_xlmr(root / "xlm-roberta-base")
    (root / "bin").mkdir()
    (root / "bin" / "fast_align").write_text(ALIGNER, encoding="utf-8")
    (root / "bin" / "fast_align").chmod(0o755)
    return root


def write_more_data(root: Path) -> None:
    """Sets of the catalog that ``standins`` has not."""
    write_dictionaries(root / "muse", (".0-5000", ".5000-6500"))
    (root / "tatoeba").mkdir()
    for code, iso3 in (("fr", "fra"), ("de", "deu"), ("ru", "rus"), ("zh", "cmn")):
        for side, name in ((code, iso3), ("en", "eng")):
            write_lines(root / "tatoeba" / f"tatoeba.{iso3}-eng.{name}", side, SENTENCES)
    write_wals(root / "wals", MBERT)


def write_dictionaries(folder: Path, parts: Sequence[str]) -> None:
    folder.mkdir(parents=True)
    for code in WU20[1:]:
        for number, part in enumerate(parts):
            rows = (f"{word('en', n)}\t{word(code, n)}\n" for n in range(40 * number, 40 * number + 30))
            (folder / f"en-{code}{part}.txt").write_text("".join(rows), encoding="utf-8")


def write_wals(folder: Path, codes: Sequence[str]) -> None:
    """Three features with two values each."""
    folder.mkdir()
    known = {code: found for code in codes if (found := try_language(code)) and found.iso3}
    header = ["ID", "Name", "ISO639P3code", "Family", "Genus", "Latitude", "Longitude"]
    languages = [[code, one.name, one.iso3, one.family, one.genus, "", ""] for code, one in known.items()]
    features = [f"F{n}" for n in range(3)]
    values = [
        [f"{feature}-{code}", code, feature, f"{feature}-{(place >> n) % 2}"]
        for n, feature in enumerate(features)
        for place, code in enumerate(known)
    ]
    _write(folder / "languages.csv", header, languages)
    _write(folder / "parameters.csv", ["ID", "Name"], [[feature, feature] for feature in features])
    codes_of = [[f"{feature}-{n}", feature, str(n)] for feature in features for n in (0, 1)]
    _write(folder / "codes.csv", ["ID", "Parameter_ID", "Name"], codes_of)
    _write(folder / "values.csv", ["ID", "Language_ID", "Parameter_ID", "Code_ID"], values)


def _write(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows([header, *rows])
