"""What is printed is what was meant: line numbers stay numbers, and text from outside does nothing."""

import io

import pytest

from isogloss.cli import main
from isogloss.console import Console, escape


def printed(text: str) -> str:
    out = io.StringIO()
    Console(file=out, width=200).print(escape(text))
    return out.getvalue().rstrip("\n")


@pytest.mark.parametrize("text", ["file.conllu:100: two roots", "a:8ball: b", "[bold]x[/]", "[link=http://x]y[/link]"])
def test_text_is_printed_as_it_is(text: str):
    assert printed(text) == text


def test_escape_sequences_reach_no_terminal():
    assert "\x1b" not in printed("name\x1b[2J\x1b]0;title\x07")


def test_a_line_number_in_an_error_is_not_turned_into_a_pictograph(tmp_path, capsys, monkeypatch):
    file = tmp_path / "study.yaml"
    file.write_text("study: inspect\n" + "#\n" * 98 + "limit: -1\n", encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["isogloss", "run", str(file)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert f"{file}:100: limit is -1" in capsys.readouterr().err.replace("\n", "")
