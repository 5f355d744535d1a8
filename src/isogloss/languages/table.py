"""The languages that Isogloss knows without any other file: ``table.tsv``, read when first asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Language:
    """A language, in one script and place. ``code`` is unique: ``de``, ``zh``, ``zh-Hant``, ``pt-BR``.

    Family and genus are WALS's (empty when unknown), coordinates are degrees (None when unknown). ``wals`` is
    the language's id there.
    """

    code: str
    name: str
    iso3: str = ""
    script: str = ""
    region: str = ""
    family: str = ""
    genus: str = ""
    latitude: float | None = None
    longitude: float | None = None
    wals: str = ""

    @property
    def base(self) -> str:
        """The code without script and region: ``zh-Hant`` -> ``zh``."""
        return self.code.partition("-")[0]

    def __str__(self) -> str:
        return self.code


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """The shipped rows by their code, and every other code for the same language."""

    rows: Mapping[str, Language]
    aliases: Mapping[str, str]


@lru_cache(maxsize=1)
def shipped() -> LanguageTable:
    """Read the shipped table once."""
    text = files(__package__).joinpath("table.tsv").read_text(encoding="utf-8")
    lines = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    rows, aliases = {}, {}
    for fields in lines[1:]:
        row, others = _row(fields)
        rows[row.code] = row
        aliases.update(dict.fromkeys((row.code, row.iso3, *others), row.code))
    return LanguageTable(MappingProxyType(rows), MappingProxyType(aliases))


def known_languages() -> tuple[Language, ...]:
    """The languages of the shipped table, by code."""
    return tuple(shipped().rows.values())


def _row(fields: list[str]) -> tuple[Language, list[str]]:
    code, iso3, aliases, name, script, family, genus, latitude, longitude, wals = fields
    row = Language(
        code=code,
        name=name,
        iso3=iso3,
        script=script,
        family=family,
        genus=genus,
        latitude=float(latitude) if latitude else None,
        longitude=float(longitude) if longitude else None,
        wals=wals,
    )
    return row, aliases.split()
