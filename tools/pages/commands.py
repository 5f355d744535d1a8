"""Reference of the command line: every command and option, read off the app itself."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

import typer
from rich.text import Text

HEADER = """# Commands

Every command and option, as `isogloss COMMAND --help` prints them. Options that many commands share
are explained [once, at the end](#options-that-many-commands-share).
"""
SHARED_TITLE = "Options that many commands share"
Identity = tuple[str, str, str]


def the_command() -> Any:
    """The whole command line as typer built it."""
    from isogloss.cli import app, register

    register()
    return typer.main.get_command(app)


def leaves(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that does something, with the words that name it: ``("data", "list")``."""
    if hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from leaves(inner, (*words, name))
    else:
        yield words, command


def options(command: Any) -> Iterator[Any]:
    """The arguments and options of a command, without ``--help``."""
    yield from (one for one in command.params if one.name != "help" and not getattr(one, "hidden", False))


def plain(markup: str) -> str:
    """Help text without terminal markup, in one line."""
    return " ".join(Text.from_markup(inspect.cleandoc(markup)).plain.split())


def cell(text: str) -> str:
    """Text for a cell of a Markdown table."""
    return escape(text).replace("|", "\\|")


def escape(text: str) -> str:
    return re.sub(r"([*_<>\[\]])", r"\\\1", text)


def option_name(option: Any) -> str:
    if not option.opts[0].startswith("-"):
        return f"`{option.name.upper()}`"
    return ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))


def default_of(option: Any) -> str:
    value = option.default() if callable(option.default) else option.default
    if option.required:
        return "required"
    if value is None or value is ... or "Sentinel" in type(value).__name__ or value in ("", (), []):
        return ""
    if isinstance(value, bool):
        return ("on" if value else "off") if option.secondary_opts or value else ""
    return f"`{', '.join(map(str, value)) if isinstance(value, list | tuple) else value}`"


TYPES = {"int": "whole number", "float": "number", "str": "text", "Path": "path", "bool": "switch"}


def type_of(option: Any) -> str:
    """What an option takes, in words; typer keeps its annotation (click kept a type with a name)."""
    if getattr(option, "is_flag", False):
        return "switch"
    descriptor = getattr(option, "type_descriptor", None)
    named = str(descriptor.annotation) if descriptor else {"integer": "int"}.get(option.type.name, option.type.name)
    kind = next((words for name, words in TYPES.items() if re.search(rf"\b{name}\b", named)), "text")
    return f"{kind}, repeatable" if getattr(option, "multiple", False) or option.nargs == -1 else kind


def option_table(rows: list[Any]) -> str:
    lines = ["| option | type | default | meaning |", "|---|---|---|---|"]
    lines += [
        f"| {option_name(one)} | {type_of(one)} | {default_of(one)} | {cell(plain(getattr(one, 'help', '') or ''))} |"
        for one in rows
    ]
    return "\n".join(lines)


def shared_options(commands: list[Any]) -> dict[Identity, Any]:
    """Options that at least ten commands have with the same words: shown once."""
    seen: dict[Identity, list[Any]] = {}
    for command in commands:
        for option in options(command):
            seen.setdefault(identity(option), []).append(option)
    return {one: found[0] for one, found in seen.items() if len(found) >= 10 and one[0].startswith("`--")}


def identity(option: Any) -> Identity:
    """Two options with the same name, default and words are the same option."""
    return option_name(option), default_of(option), plain(getattr(option, "help", "") or "")


def help_parts(command: Any) -> tuple[str, list[str]]:
    """What the help says, and its examples (commands without the words around them)."""
    text = inspect.cleandoc(command.help or "")
    examples = re.findall(r"\[bold\](isogloss [^\[]*)", text)
    prose = " ".join(part for part in re.split(r"\n\s*\n", text) if not part.startswith("Example"))
    return plain(prose), [" ".join(one.split()) for one in examples]


def section(words: tuple[str, ...], command: Any, shared: dict[Identity, Any]) -> str:
    prose, examples = help_parts(command)
    own = [one for one in options(command) if identity(one) not in shared]
    parts = [f"## {' '.join(words)}", escape(prose)]
    if examples:
        parts.append("```\n" + "\n".join(examples) + "\n```")
    if own:
        parts.append(option_table(own))
    if others := [option_name(one) for one in options(command) if identity(one) in shared]:
        anchor = SHARED_TITLE.lower().replace(" ", "-")
        parts.append(f"[Shared options](#{anchor}): {', '.join(others)}")
    return "\n\n".join(parts)


def commands_page() -> str:
    """``reference/commands.md``."""
    found = list(leaves(the_command()))
    shared = shared_options([command for _, command in found])
    parts = [HEADER, *(section(words, command, shared) + "\n" for words, command in found)]
    parts.append(f"## {SHARED_TITLE}\n\n{option_table(list(shared.values()))}\n")
    return "\n".join(parts)
