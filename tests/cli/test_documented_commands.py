"""Every command in README and docs is one that exists: its options parse, and a study's command prints its file."""

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import typer
import yaml

from isogloss.studies.names import STUDIES

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
INCOMPLETE = re.compile(r"\.\.\.|\[PATH\]|…|<Tab>")
OWN_MODELS = {"./my-model", "./mini", "xlm-roberta-base", "./gemma3-270m", "./bert-en"}


def documented() -> Iterator[tuple[str, list[str]]]:
    """Where a command stands, and its words: indented or fenced lines, and whole commands between backticks."""
    for page in PAGES:
        text = re.sub(r"\\\n\s*", " ", page.read_text(encoding="utf-8"))
        for number, line in enumerate(text.splitlines(), start=1):
            found = re.match(r"^\s*(?:\$ )?isogloss (.+)$", line)
            pieces = [found.group(1)] if found else re.findall(r"`isogloss ([^`\s]+ [^`]+)`", line)
            for piece in pieces:
                command = re.split(r"\s+#|\s+[>|&;]|\s{2,}(?=\w)", piece)[0].strip()
                if not INCOMPLETE.search(command):
                    yield f"{page.relative_to(ROOT)}:{number}", shlex.split(command)


COMMANDS = list(documented())


def parse(words: list[str]) -> None:
    """Read the words as the command line would, without running anything."""
    from isogloss.cli import app, register

    register()
    command = typer.main.get_command(app)
    context = command.make_context("isogloss", list(words), resilient_parsing=True)
    rest = list(words)
    while hasattr(command, "commands") and rest and not rest[0].startswith("--"):
        name, *rest = rest
        assert name in command.commands, f"there is no command '{name}'"
        command = command.commands[name]
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    given = {word.partition("=")[0] for word in rest if re.match(r"--[a-z]", word)}
    assert given <= {*known, "--help"}, f"no such option: {given - known}"
    context.close()


def make_folders(words: list[str]) -> None:
    """The folders of models that a command names, each with a config and no weights."""
    for word in words:
        name = word.rpartition("=")[2]
        if re.fullmatch(r"\./[\w-]+", name) and not Path(name).exists():
            Path(name).mkdir()
            (Path(name) / "config.json").write_text('{"model_type": "bert"}')


def test_there_are_commands_to_check():
    assert len(COMMANDS) > 100
    assert {words[0] for _, words in COMMANDS} >= {"demo", "inspect", "ablate", "data", "report", "pretrain"}


def test_every_documented_command_and_option_exists():
    wrong = []
    for where, words in COMMANDS:
        try:
            parse(words)
        except AssertionError as error:
            wrong.append(f"{where}: isogloss {' '.join(words)}: {error}")
    assert "\n".join(wrong) == ""


def test_every_documented_study_prints_the_file_it_stands_for(
    isogloss: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    wrong, seen = [], set()
    for where, words in COMMANDS:
        if words[0] not in STUDIES or "--plugin" in words or tuple(words) in seen or "runs/" in " ".join(words):
            continue
        if words[0] == "think" or "--recipe" in words:  # their files are the reader's own
            continue
        seen.add(tuple(words))
        make_folders(words)
        ran = isogloss(*words, *(["--print-config"] if "--print-config" not in words else []))
        if ran.code:
            wrong.append(f"{where}: isogloss {' '.join(words)}: {ran.err}")
            continue
        settings = yaml.safe_load(ran.out)
        if OWN_MODELS & set(words) and "tasks" in settings:
            presets = {task["preset"] for task in settings["tasks"]}
            assert "lab" not in presets, where
    assert "\n".join(wrong) == "" and len(seen) > 40
