"""YAML as a stranger may have written it: plain data only, bounded in size, depth and what aliases stand for."""

from pathlib import Path
from typing import Any

import yaml

from isogloss.errors import IsoglossError

LARGEST_FILE = 2**20  # bytes of settings: any study file is far smaller
MOST_VALUES = 20_000  # once every alias is written out
DEEPEST = 40  # lists and mappings within each other


def read_settings_text(path: Path) -> str:
    """The text of a file of settings; one that is too large or not UTF-8 is an error."""
    if path.stat().st_size > LARGEST_FILE:
        raise IsoglossError(
            f"{path.stat().st_size:,} bytes are too large for a file of settings",
            where=path,
            remedy="keep data out of it: name files instead",
        )
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise IsoglossError("this file is not UTF-8 text", where=path, remedy="save it as UTF-8") from error


def read_documents(text: str, path: str) -> list[tuple[Any, int, dict[str, int]]]:
    """The YAML documents of a text: content, first line, and on which line each of its keys stands."""
    documents: list[tuple[Any, int, dict[str, int]]] = []
    loader = None
    try:
        loader = _Loader(text)
        while loader.check_node():
            node = loader.get_node()
            assert node is not None  # as check_node said
            content = loader.construct_document(node)
            documents.append((content, node.start_mark.line + 1, dict(_lines(node))))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else path
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or error
        raise IsoglossError(
            f"this is not valid YAML ({problem})",
            where=where,
            remedy="fix this line; --print-config of any study command prints a valid file",
        ) from error
    finally:
        if loader is not None:
            loader.dispose()
    return documents


def read_value(text: str, where: str) -> Any:
    """One value as an option gives it: ``16``, ``true``, ``cut``; None where the text is empty."""
    documents = read_documents(text, where)
    if len(documents) > 1:
        raise IsoglossError(
            f"'{text}' is more than one value",
            where=where,
            remedy="give one value; put a list into brackets, as in [1, 2]",
        )
    return documents[0][0] if documents else None


class _Loader(yaml.SafeLoader):
    """The safe loader with bounds; what a tag cannot read (``!!int abc``, 31 February) is an error with its line."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.values, self.depth = 0, 0
        self.sizes: dict[int, int] = {}  # values below each finished node

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        before, alias = self.values, isinstance(event, yaml.AliasEvent)
        if not self.depth:
            self.sizes.clear()  # of the document before
        if self.depth >= DEEPEST:
            raise _problem("nested too deeply", event)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        if alias and id(node) not in self.sizes:
            raise _problem("an alias within what it stands for", event)
        self.values += self.sizes[id(node)] if alias else 1
        if self.values > MOST_VALUES:
            raise _problem(f"more than {MOST_VALUES:,} values", event)
        if not alias:
            self.sizes[id(node)] = self.values - before
            _refuse_twins(node)
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, OverflowError, IndexError, KeyError, AttributeError, TypeError) as error:
            kind = node.tag.rpartition(":")[2]
            raise yaml.constructor.ConstructorError(None, None, f"not a valid {kind}", node.start_mark) from error


def _refuse_twins(node: yaml.Node | None) -> None:
    """A key that stands twice in one mapping: YAML would quietly keep the last."""
    seen: set[str] = set()
    for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
        if isinstance(key, yaml.ScalarNode):
            if key.value in seen and key.value != "<<":
                raise yaml.composer.ComposerError(None, None, f"'{key.value}' stands here twice", key.start_mark)
            seen.add(key.value)


def _problem(what: str, event: Any) -> yaml.YAMLError:
    return yaml.composer.ComposerError(None, None, what, event.start_mark)


def _lines(node: yaml.Node | None, prefix: str = "") -> list[tuple[str, int]]:
    if isinstance(node, yaml.SequenceNode):
        return [pair for item in node.value for pair in _lines(item, prefix)]
    if not isinstance(node, yaml.MappingNode):
        return []
    found: list[tuple[str, int]] = []
    for key, value in node.value:
        name = f"{prefix}{key.value}"
        found.append((name, key.start_mark.line + 1))
        found += _lines(value, f"{name}.")
    return found
