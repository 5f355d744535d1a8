"""``isogloss data`` as a user types it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_list_shows_every_set_with_licence_and_place(
    isogloss: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    put(tmp_path / "ntrex" / "de.txt", "a\n")
    ran = isogloss("data", "list")
    assert ran.code == 0 and "CC BY-SA 4.0" in ran.out and "ntrex" in ran.out and "built in" in ran.out
    rows = {row["name"]: row for row in json.loads(isogloss("data", "list", "--json").out)}
    assert rows["ntrex"]["languages"] == ["de"] and rows["flores"]["folder"] is None


def test_check_counts_and_ends_with_one_where_something_is_wrong(isogloss: Callable, tmp_path: Path) -> None:
    put(tmp_path / "good" / "dev-de.tsv", "a\tb\tneutral\na\tb\tentailment\n")
    put(tmp_path / "bad" / "dev-de.tsv", "a\tb\tneutral\na\tb\tx\n")
    good, bad = isogloss("data", "check", tmp_path / "good"), isogloss("data", "check", tmp_path / "bad")
    assert good.code == 0 and "no problems found" in good.out and "entailment 1" in good.out
    assert bad.code == 1 and "dev-de.tsv:2" in bad.out
    report = json.loads(isogloss("data", "check", tmp_path / "bad", "--json").out)
    assert report["kind"] == "pairs" and len(report["problems"]) == 1


def test_check_of_what_is_not_there_is_a_plain_message(isogloss: Callable, tmp_path: Path) -> None:
    ran = isogloss("data", "check", tmp_path / "nothing")
    assert ran.code == 2 and "no such file or folder" in ran.err and "Traceback" not in ran.err


def test_get_of_an_unknown_set_is_a_plain_message(isogloss: Callable) -> None:
    ran = isogloss("data", "get", "xnly")
    assert ran.code == 2 and "did you mean 'xnli'" in ran.err


def test_lid_writes_a_set_that_check_finds_sound(isogloss: Callable, tmp_path: Path) -> None:
    for code in ("de", "fr"):
        put(tmp_path / "text" / f"{code}.txt", "".join(f"{code} Absatz Nummer {n}\n" for n in range(40)))
    ran = isogloss(
        "data", "lid", tmp_path / "text", "--out", tmp_path / "lid", "--paragraphs", 20, "--characters", 10, "--seed", 3
    )
    assert ran.code == 0 and "train 28, valid 4, dev 4, test 4" in ran.out
    assert isogloss("data", "check", tmp_path / "lid", "--kind", "text").code == 0
    assert json.loads((tmp_path / "lid" / "lid.json").read_text())["settings"]["seed"] == 3


def test_the_list_fits_80_columns(isogloss: Callable, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = isogloss("data", "list").out.splitlines()
    assert any(line.startswith("ntrex") for line in shown)
    assert not [line for line in shown if len(line) > 80 and "/" not in line]  # a path stays whole
