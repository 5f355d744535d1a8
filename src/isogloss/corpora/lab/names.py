"""The name of a lab, read in one place: ``lab:twins``, ``lab:twins:7`` (a seed), ``lab:twins/1`` (one domain),
``lab:twins?anchors=0.3&order=SVO-SOV`` (knobs; a dash stands between the values of two languages)."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Self

from isogloss.bounds import whole_number
from isogloss.corpora.lab.knobs import TOGETHER, LabConfig, read_knob
from isogloss.corpora.lab.presets import PRESETS, preset
from isogloss.errors import IsoglossError, unknown_name

LAB = "lab"
DEFAULT = "families"
KNOBS = (*sorted(TOGETHER), *(field.name for field in fields(LabConfig) if field.name != "seed"))


@dataclass(frozen=True)
class LabName:
    """A preset of the lab, and what is changed about it. ``knobs`` are checked, and in a fixed order and spelling;
    those at the preset's own value are left out, so that one world has one name."""

    preset: str = DEFAULT
    seed: int | None = None
    knobs: tuple[tuple[str, str], ...] = ()
    domain: int | None = None

    @classmethod
    def parse(cls, name: str) -> Self:
        """Read ``lab[:PRESET[:SEED]][?KNOB=VALUE[&KNOB=VALUE]][/DOMAIN]``."""
        world, slash, domain = name.partition("/")
        head, mark, query = world.partition("?")
        _, _, rest = head.partition(":")
        chosen, _, seed = rest.partition(":")
        if seed and whole_number(seed) is None:
            raise IsoglossError(f"seed '{seed}' is not a number", where=name, remedy="as in lab:twins:7")
        if slash and whole_number(domain) is None:
            raise IsoglossError(f"domain '{domain}' is not a number", where=name, remedy="as in lab:families/1")
        found = cls(chosen or DEFAULT, int(seed) if seed else None, domain=int(domain) if slash else None)
        if found.preset not in PRESETS:
            raise unknown_name("preset", found.preset, PRESETS, where=name)
        return found.changed(_pairs(query, name)) if mark else found

    def changed(self, knobs: Mapping[str, str]) -> Self:
        """The same lab with other values of some knobs, given as text."""
        for knob in knobs:
            if knob not in KNOBS:
                raise unknown_name("knob", knob, KNOBS, where=str(self))
        base = preset(self.preset)
        wanted = {knob: _canonical(base, knob, text) for knob, text in {**dict(self.knobs), **knobs}.items()}
        apart = {knob: text for knob, text in wanted.items() if text}
        found = replace(self, knobs=tuple(sorted(apart.items())))
        found.config()  # knobs that do not go together are refused here
        return found

    def config(self) -> LabConfig:
        """Every knob of this lab."""
        base = preset(self.preset, seed=self.seed or 0)
        return base.with_settings({knob: text.replace("-", ",") for knob, text in self.knobs})

    @property
    def world(self) -> str:
        """The preset with its knobs: ``twins?anchors=0.3``."""
        query = "&".join(f"{knob}={text}" for knob, text in self.knobs)
        return f"{self.preset}?{query}" if query else self.preset

    def __str__(self) -> str:
        seed = "" if self.seed is None else f":{self.seed}"
        domain = "" if self.domain is None else f"/{self.domain}"
        return f"{LAB}:{self.preset}{seed}{self.world.removeprefix(self.preset)}{domain}"


def parse_world(world: str, seed: int | None = None) -> LabName:
    """The lab of ``twins?anchors=0.3``, where the seed stands beside it and the domain elsewhere."""
    found = LabName.parse(f"{LAB}:{world}")
    if found.seed is not None or found.domain is not None:
        raise IsoglossError(
            "a seed or a domain is not allowed here", where=f"{LAB}:{world}", remedy=f"write {LAB}:{found.world}"
        )
    return replace(found, seed=seed)


def _pairs(query: str, name: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for part in query.split("&"):
        knob, equals, value = part.partition("=")
        if not equals or not value:
            raise IsoglossError(f"'{part}' is not KNOB=VALUE", where=name, remedy="as in lab:twins?anchors=0.3")
        if knob in pairs:
            raise IsoglossError(f"knob '{knob}' is set twice", where=name, remedy="set it once")
        pairs[knob] = value
    return pairs


def _canonical(base: LabConfig, knob: str, text: str) -> str:
    """The one spelling of a knob's value; empty where it is the preset's own."""
    values = read_knob(knob, text.replace("-", ","))
    if all(getattr(base, name) == value for name, value in values.items()):
        return ""
    if knob in TOGETHER:
        return text
    return "-".join(map(str, values[knob])) if isinstance(values[knob], tuple) else str(values[knob])
