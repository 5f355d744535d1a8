"""Every table and figure of the papers: the command that makes it, what it gives, and whether that is all of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

import msgspec
import yaml

from isogloss.errors import unknown_name
from isogloss.studies.expectations import load_expectations

State = Literal["complete", "partly", "drawing"]


@dataclass(frozen=True)
class Item:
    """A table or figure. ``given`` are settings that it needs beside the preset's, ``gives`` the tables and figures of
    a run that make it; ``why`` says what is missing where it is ``partly``.
    """

    id: str
    about: str
    study: str = ""
    given: dict[str, Any] = field(default_factory=dict)
    gives: str = ""
    state: State = "complete"
    why: str = ""

    @property
    def title(self) -> str:
        """As the paper counts it: ``Table 1``, ``Table II``."""
        kind, _, number = self.id.partition("-")
        return f"{kind.title()} {number.upper()}"

    @property
    def names_given(self) -> tuple[str, ...]:
        """The tables and figures of a run that make it, as in ``table pairs`` or, of a kind, ``figure map-*``."""
        return tuple(self.gives.split(", ")) if self.gives else ()

    @property
    def options(self) -> str:
        """``given`` as the command has it: ``--search``, ``--draws 20``, ``--vectors en=wiki.en.vec``."""
        return " ".join(part for name, value in self.given.items() for part in _as_options(name, value))

    @property
    def command(self) -> str:
        """The command of the paper's size; nothing for a drawing."""
        return f"isogloss {self.study} --preset paper {self.options}".strip() if self.study else ""


@dataclass(frozen=True)
class Deviation:
    """Where the paper, its authors' code and Isogloss differ, in which studies, and the option for the authors' way.

    ``method`` is the method or task of fine-tuning that it is about, where it is about one.
    """

    what: str
    paper: str
    code: str
    here: str
    studies: tuple[str, ...]
    way: str = ""
    method: str = ""


@dataclass(frozen=True)
class Paper:
    """A paper with its items. ``minutes`` are those of one fine-tuning, where the paper states them."""

    paper: str
    name: str
    title: str
    items: tuple[Item, ...]
    deviations: tuple[Deviation, ...] = ()
    minutes: dict[str, float] = field(default_factory=dict)
    machine: str = ""

    def find(self, name: str) -> Item:
        """The item that a user names: ``table-1``, ``Table 1``, ``figure 7``."""
        wanted = name.strip().lower().replace(" ", "-").replace("fig.", "figure")
        for item in self.items:
            if item.id == wanted:
                return item
        raise unknown_name("table or figure", name, [item.id for item in self.items], where=self.name)

    def published(self, item: Item) -> int:
        """How many printed numbers of an item are kept beside the project."""
        return int((load_expectations(self.paper)["item"] == item.title).sum())


def _as_options(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (f"--{name} {key}={one}" for key, one in value.items())
    else:
        yield f"--{name}" if value is True else f"--{name} {value}"


@lru_cache(maxsize=1)
def load_papers() -> dict[str, Paper]:
    """The five papers, by their short names."""
    text = files(__package__).joinpath("items.yaml").read_text(encoding="utf-8")
    papers = msgspec.convert(yaml.safe_load(text), tuple[Paper, ...], strict=True)
    return {paper.paper: paper for paper in papers}


def deviations_of(study: str) -> tuple[Deviation, ...]:
    """Where a study differs from its paper or the authors' code; nothing for a study without a paper."""
    return tuple(one for paper in load_papers().values() for one in paper.deviations if study in one.studies)


def deviations_of_methods() -> tuple[Deviation, ...]:
    """Where methods and tasks of fine-tuning differ from their papers."""
    return tuple(one for paper in load_papers().values() for one in paper.deviations if one.method)


def find_paper(name: str) -> Paper:
    """The paper that a user names."""
    papers = load_papers()
    if name.lower() not in papers:
        raise unknown_name("paper", name, papers)
    return papers[name.lower()]
