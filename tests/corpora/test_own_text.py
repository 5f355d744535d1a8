"""Sentences of one's own: every kind of file gives the same text, and what is wrong is named with its place."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from isogloss import IsoglossError
from isogloss.corpora import keep_frame, load_own, load_pairs, load_parallel, load_tagged, load_text

TEXTS = {
    "de": ("Ein Haus.", "Zwei „Hunde“, drei Katzen.", "Ja;\tnein"),
    "en": ("A house.", 'Two "dogs", three cats.', "Yes; no"),
    "sw": ("Nyumba.", "Mbwa wawili, paka watatu.", "Ndiyo"),
}
CLEAN = {code: tuple(" ".join(text.split()) for text in rows) for code, rows in TEXTS.items()}
FRAME = pd.DataFrame(
    {"id": ["s1", "s2", "s3"], "German": TEXTS["de"], "eng": TEXTS["en"], "sw": TEXTS["sw"], "topic": 1}
)


def write(path: Path) -> Path:
    """The same table in the format that the file's ending asks for."""
    if path.suffix == ".csv":
        FRAME.to_csv(path, index=False)
    elif path.suffix == ".tsv":
        lines = ["\t".join(FRAME.columns)]
        lines += ["\t".join(" ".join(str(cell).split()) for cell in row) for row in FRAME.to_numpy()]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    elif path.suffix == ".jsonl":
        path.write_text(FRAME.to_json(orient="records", lines=True, force_ascii=False), encoding="utf-8")
    elif path.suffix == ".parquet":
        FRAME.to_parquet(path)
    else:
        path.write_text(tmx(zip(*TEXTS.values(), strict=True)), encoding="utf-8")
    return path


def tmx(units: Any) -> str:
    def variant(code: str, text: str) -> str:
        safe = text.replace("&", "&amp;").replace("<", "&lt;")
        return f'<tuv xml:lang="{code}"><seg>{safe}</seg></tuv>'

    bodies = [
        "<tu>"
        + "".join(variant(code, text) for code, text in zip(("de-DE", "en", "sw"), unit, strict=True) if text)
        + "</tu>"
        for unit in units
    ]
    return f'<?xml version="1.0" encoding="UTF-8"?><tmx version="1.4"><header/><body>{"".join(bodies)}</body></tmx>'


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "tmx"])
def test_every_format_gives_the_same_text(ending: str, tmp_path: Path) -> None:
    text = load_parallel(write(tmp_path / f"mine.{ending}"))
    assert {code.partition("-")[0]: rows for code, rows in text.texts.items()} == CLEAN
    assert load_parallel(str(tmp_path / f"mine.{ending}"), ["sw", "en"], limit=2).texts == {
        code: CLEAN[code][:2] for code in ("sw", "en")
    }


def test_a_frame_a_dataset_and_two_text_files(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    assert dict(load_parallel(FRAME).texts) == CLEAN
    assert dict(load_parallel(datasets.Dataset.from_pandas(FRAME)).texts) == CLEAN
    nested = [{"id": "1", "translation": {"de": "Ein Haus.", "en": "A house."}}]
    assert dict(load_parallel(datasets.Dataset.from_list(nested)).texts) == {"de": ("Ein Haus.",), "en": ("A house.",)}
    with pytest.raises(IsoglossError, match="splits train"):
        load_parallel(datasets.DatasetDict({"train": datasets.Dataset.from_pandas(FRAME)}))
    for name, code in (("news.de", "de"), ("en.txt", "en")):
        (tmp_path / name).write_text("\n".join(CLEAN[code]), encoding="utf-8")
    both = load_parallel(f"{tmp_path}/news.de,{tmp_path}/en.txt")
    assert dict(both.texts) == {code: CLEAN[code] for code in ("de", "en")}


def test_a_frame_serves_wherever_a_path_does() -> None:
    path = keep_frame(FRAME)
    assert dict(load_parallel(path).texts) == CLEAN
    assert keep_frame(FRAME.copy()) == path
    assert keep_frame(FRAME.assign(sw="x")) != path
    assert [sentence.text for sentence in load_text(path).stream("sw")] == list(CLEAN["sw"])


def test_a_semicolon_table_and_a_compressed_one(tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "mine.csv", index=False, sep=";")
    assert dict(load_parallel(tmp_path / "mine.csv").texts) == CLEAN
    FRAME.to_csv(tmp_path / "mine.csv.gz", index=False)
    assert dict(load_parallel(tmp_path / "mine.csv.gz").texts) == CLEAN


def test_an_id_column_is_not_indonesian_unless_it_holds_sentences(tmp_path: Path) -> None:
    numbered = load_parallel(FRAME)
    assert "id" not in numbered.languages
    assert "column 'id', which is not a language" in numbered.left_out
    spoken = FRAME.assign(id=["Sebuah rumah.", "Dua anjing di sini.", "Ya"])
    assert load_parallel(spoken).texts["id"][0] == "Sebuah rumah."


@pytest.mark.parametrize(
    ("content", "what", "where"),
    [
        ("de,en\nHaus,house\nHund,\n", "no text in column 'en'", "mine.csv:3"),
        ("de,de\na,b\n", "two columns are called 'de'", "mine.csv:1"),
        ("de,German\na,b\n", "'de' and 'German' are both de", "mine.csv"),
        ("de,en\na,b,c\n", "3 cells, but the header has 2", "mine.csv:2"),
        ('de,en\n"a,b\n', "not a table", "mine.csv:2"),
        ("de,topic\nHaus,1\n", "only one language (de)", "mine.csv"),
        ("a1,b2\nx,y\n", "no column is named by a language", "mine.csv"),
        ("de,en\n", "no rows", "mine.csv"),
        ("language,text\nde,Haus\nen,\n", "no text in column 'text'", "mine.csv:3"),
        ("language,text\nde,Haus\nxxq,house\n", "xxq", "mine.csv:3"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(content: str, what: str, where: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(IsoglossError) as caught:
        load_parallel(path)
    assert what in caught.value.what
    assert str(caught.value.where).endswith(where)


@pytest.mark.parametrize(
    ("name", "content", "what", "where"),
    [
        ("a.jsonl", '{"de": "x", "en": "y"}\n{"de": "x"\n', "not JSON", ":2"),
        ("a.jsonl", '{"de": "x", "de": "y"}\n', "two columns are called 'de'", ":1"),
        ("a.jsonl", '{"de": "x", "en": null}\n', "no text in column 'en'", ":1"),
        ("a.jsonl", '{"de": "x", "en": 3}\n', "has a int", ":1"),
        ("a.tmx", "<tmx><body><tu>", "not XML", "after unit 0"),
        ("a.tmx", "<tmx><body></body></tmx>", "no translation unit", "a.tmx"),
        ("a.parquet", "text", "not a Parquet file", "a.parquet"),
        ("a.tsv", "de\ten\nx\ty\tz\n", "3 cells", ":2"),
    ],
)
def test_files_that_are_damaged(name: str, content: str, what: str, where: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(IsoglossError) as caught:
        load_parallel(tmp_path / name)
    assert what in caught.value.what
    assert str(caught.value.where).endswith(where)


def test_units_that_lack_a_language_are_left_out_and_counted(tmp_path: Path) -> None:
    (tmp_path / "a.tmx").write_text(tmx([("Haus", "house", "nyumba"), ("Hund", "", "mbwa"), ("Ja", "yes", "ndiyo")]))
    text = load_parallel(tmp_path / "a.tmx")
    assert len(text) == 2
    assert text.left_out["rows that are blank in some language"] == 1
    assert len(load_parallel(tmp_path / "a.tmx", ["de", "sw"])) == 3


def test_a_language_on_each_row(tmp_path: Path) -> None:
    rows = [("1", "de", "Haus"), ("1", "en", "house"), ("2", "en", "dog"), ("2", "German", "Hund"), ("3", "en", "cat")]
    frame = pd.DataFrame(rows, columns=["id", "lang", "sentence"])
    own = load_own(frame)
    assert own.parallel
    assert dict(own.texts) == {"de": ("Haus", "Hund"), "en": ("house", "dog")}
    assert own.left_out == {"rows that are blank in some language": 1}
    apart = load_own(frame.drop(columns="id"))
    assert not apart.parallel
    assert dict(apart.texts) == {"de": ("Haus", "Hund"), "en": ("house", "dog", "cat")}
    with pytest.raises(IsoglossError, match="no translations"):
        load_parallel(frame.drop(columns="id"))
    with pytest.raises(IsoglossError, match="a second row in de"):
        load_own(pd.concat([frame, frame[:1]]))


def test_task_data_from_a_frame() -> None:
    pairs = pd.DataFrame(
        {"premise": ["A dog runs.", "Ein\tHund"], "hypothesis": ["An animal moves.", "Ein Tier"],
         "label": ["entailment", "neutral"], "language": ["en", "de"]}
    )  # fmt: skip
    (pair,) = load_pairs(pairs).stream("de")
    assert (pair.first, pair.second, pair.label) == ("Ein Hund", "Ein Tier", "neutral")
    tagged = pd.DataFrame({"words": [["Anna", "sleeps"]], "tags": [["B-PER", "O"]], "language": ["en"]})
    (sentence,) = load_tagged(tagged).stream("en")
    assert sentence.words == ("Anna", "sleeps")
    assert sentence.tags == ("B-PER", "O")
    with pytest.raises(IsoglossError, match="no column 'label'"):
        load_pairs(pairs.drop(columns="label"))
    with pytest.raises(IsoglossError, match="1 words and 2 tags"):
        load_tagged(tagged.assign(words=[["Anna"]]))


def test_json_as_strangers_write_it(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps({"translation": {"de": "x", "en": "y"}}) for _ in range(3)))
    assert len(load_parallel(tmp_path / "a.jsonl")) == 3
