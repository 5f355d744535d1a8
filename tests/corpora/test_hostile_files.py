"""Files made to do harm: entity bombs, foreign entities, numbers without end."""

import time
from pathlib import Path

import pytest

from isogloss.bounds import real_number, whole_number
from isogloss.corpora.own_text import read_own
from isogloss.errors import IsoglossError
from isogloss.runs.yaml_text import read_documents

UNIT = '<tu><tuv xml:lang="de"><seg>{}</seg></tuv><tuv xml:lang="en"><seg>x</seg></tuv></tu>'


def tmx(entities: str, text: str) -> str:
    return f'<?xml version="1.0"?><!DOCTYPE tmx [{entities}]><tmx><body>{UNIT.format(text)}</body></tmx>'


def test_an_entity_bomb_in_a_tmx_file_is_refused_at_once(tmp_path: Path) -> None:
    levels = [f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10)]
    (tmp_path / "bomb.tmx").write_text(tmx('<!ENTITY e0 "lol">' + "".join(levels), "&e9;"))
    start = time.monotonic()
    with pytest.raises(IsoglossError, match="not XML"):
        read_own(tmp_path / "bomb.tmx")
    assert time.monotonic() - start < 20


def test_a_tmx_file_cannot_read_other_files(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    entity = f'<!ENTITY e SYSTEM "file://{tmp_path}/secret.txt">'
    (tmp_path / "a.tmx").write_text(tmx(entity, "&e;"))
    try:
        texts = read_own(tmp_path / "a.tmx").texts
    except IsoglossError:
        return
    assert "secret" not in str(texts)


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "\n".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]" for before, name in zip("abcdefg", "bcdefgh", strict=True)
)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (BOMB, "more than 20,000 values"),
        ("a: &a [*a]", "an alias within what it stands for"),
        ("a: !!int abc", "not a valid int"),
        ("a: 2001-99-99", "not a valid timestamp"),
        ("a: " + "9" * 5000, "not a valid int"),
        ("a: " + "[" * 100 + "]" * 100, "nested too deeply"),
        ("a: 1\na: 2", "'a' stands here twice"),
        ("a: !!python/object/apply:os.system [true]", "could not determine a constructor"),
    ],
)
def test_yaml_that_means_harm_is_refused_with_its_line(text: str, what: str) -> None:
    start = time.monotonic()
    with pytest.raises(IsoglossError, match=what) as caught:
        read_documents(text, "study.yaml")
    assert str(caught.value.where).startswith("study.yaml:") and time.monotonic() - start < 5


def test_aliases_that_stand_for_little_are_read() -> None:
    [(content, _, lines)] = read_documents("a: &a {x: 1}\nb: *a\nc: {<<: *a, y: 2}", "study.yaml")
    assert content == {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 1, "y": 2}}
    assert lines["b"] == 2


@pytest.mark.parametrize("text", ["²", "+2", "1_0", "", " 1", "٣", "9" * 5000, "-1", "1.0"])
def test_only_plain_digits_are_a_whole_number(text: str) -> None:
    assert whole_number(text) is None


@pytest.mark.parametrize("text", ["nan", "inf", "1_0", "1e999", "", "0x1", "1e", "²"])
def test_only_finite_decimals_are_a_number(text: str) -> None:
    assert real_number(text) is None


def test_numbers_are_read_as_written() -> None:
    assert (whole_number("007"), real_number("-1.5e-3"), real_number("2."), real_number(".5")) == (7, -0.0015, 2.0, 0.5)
