"""The World Atlas of Language Structures, or any other typology in CLDF's tables, read from a folder."""

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.bounds import real_number
from isogloss.errors import IsoglossError
from isogloss.languages.codes import language, try_language
from isogloss.languages.table import Language

if TYPE_CHECKING:
    import pandas as pd

TABLES = {
    "languages": ("ID", "Name", "Latitude", "Longitude", "ISO639P3code", "Family", "Genus"),
    "parameters": ("ID", "Name"),
    "codes": ("ID", "Parameter_ID", "Name"),
    "values": ("Language_ID", "Parameter_ID", "Code_ID"),
}
AS_PUBLISHED = "take the tables as they are published (isogloss data get wals), or fix this one"
# In WALS's own table of languages, genera and families are rows too.
GROUPS = ("genus-", "family-", "subfamily-")


@dataclass(frozen=True)
class Wals:
    """Typological features of languages; ``features`` and ``value_names`` say what each id stands for."""

    languages: Mapping[str, Language]
    features: Mapping[str, str]
    value_names: Mapping[str, str]
    _values: Mapping[str, Mapping[str, str]]
    _by_iso: Mapping[str, str]

    @classmethod
    def load(cls, folder: Path) -> "Wals":
        """Read the four CLDF tables in ``folder`` or its subfolder ``cldf``."""
        folder = folder / "cldf" if (folder / "cldf" / "values.csv").is_file() else folder
        languages = {row.wals: row for row in map(_language, _rows(folder, "languages")) if row}
        features = {row["ID"]: row["Name"] for _, row in _rows(folder, "parameters")}
        names = {row["ID"]: row["Name"] for _, row in _rows(folder, "codes")}
        values = _read_values(folder, languages, features, names)
        # Several rows share a code (dialects): the one that most is known of speaks for the language.
        by_iso: dict[str, str] = {}
        for wals in sorted(languages, key=lambda name: (len(values.get(name, {})), name)):
            by_iso[languages[wals].iso3] = wals
        by_iso.pop("", None)
        return cls(languages, features, names, values, by_iso)

    def __len__(self) -> int:
        """How many values are known, over all languages and features."""
        return sum(map(len, self._values.values()))

    def row_of(self, code: str) -> str | None:
        """The id here of the language ``code``; None where it has no row."""
        row = self.languages.get(code)
        if row and row.iso3 == code:
            return code
        asked = try_language(code)
        if asked is None and not row:
            language(code)  # says what may have been meant
        if asked is None or (row and not row.iso3 and asked.wals not in self.languages):
            return code
        return asked.wals if asked.wals in self.languages else self._by_iso.get(asked.iso3)

    def describe(self, code: str) -> Language:
        """The language ``code`` with family, genus and coordinates as these tables have them."""
        row = self.row_of(code)
        if row is None:
            return language(code)
        facts = self.languages[row]
        known = facts if code == row and not facts.iso3 else language(code)
        return replace(
            known,
            family=facts.family,
            genus=facts.genus,
            latitude=facts.latitude,
            longitude=facts.longitude,
            wals=row,
        )

    def values(self, code: str) -> Mapping[str, str]:
        """Feature id -> value id of the language ``code``; empty where nothing is known."""
        row = self.row_of(code)
        return self._values.get(row, {}) if row else {}

    def table(self, codes: list[str]) -> "pd.DataFrame":
        """Languages x features, value ids in the cells, None where unknown."""
        import pandas as pd

        rows = {code: dict(self.values(code)) for code in codes}
        return pd.DataFrame.from_dict(rows, orient="index", columns=list(self.features), dtype=object)


def _rows(folder: Path, table: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Rows of a CLDF table, each with its ``file:line``."""
    path = folder / f"{table}.csv"
    if not path.is_file():
        raise IsoglossError(
            f"no CLDF table '{table}.csv' here", where=folder, remedy="name the folder that holds languages.csv"
        )
    with path.open(encoding="utf-8-sig", newline="") as handle:
        reader = csv.DictReader(handle, strict=True)
        try:
            missing = [name for name in TABLES[table] if name not in (reader.fieldnames or [])]
            if missing:
                raise IsoglossError(f"column {missing[0]} is missing", where=f"{path}:1", remedy=AS_PUBLISHED)
            for row in reader:
                where = f"{path}:{reader.line_num}"
                if None in row or None in row.values():
                    raise IsoglossError(
                        "this row has more or fewer columns than the first one", where=where, remedy=AS_PUBLISHED
                    )
                yield where, row
        except UnicodeDecodeError as error:
            raise IsoglossError(f"not valid UTF-8 ({error.reason})", where=path, remedy=AS_PUBLISHED) from error
        except csv.Error as error:
            raise IsoglossError(
                f"not valid CSV ({error})", where=f"{path}:{reader.line_num}", remedy=AS_PUBLISHED
            ) from error


def _language(placed: tuple[str, dict[str, str]]) -> Language | None:
    where, row = placed
    if not row["ID"]:
        raise IsoglossError("a language without an ID", where=where, remedy=AS_PUBLISHED)
    if row["ID"].startswith(GROUPS):
        return None
    return Language(
        code=row["ID"],
        name=row["Name"],
        iso3=row["ISO639P3code"] or "",
        family=row["Family"] or "",
        genus=row["Genus"] or "",
        latitude=_degrees(row["Latitude"], 90, where),
        longitude=_degrees(row["Longitude"], 180, where),
        wals=row["ID"],
    )


def _degrees(text: str, most: int, where: str) -> float | None:
    value = real_number(text)
    if text and (value is None or abs(value) > most):
        raise IsoglossError(
            f"'{text[:20]}' is not a coordinate between -{most} and {most}", where=where, remedy=AS_PUBLISHED
        )
    return value


def _read_values(
    folder: Path, languages: Mapping[str, Language], features: Mapping[str, str], names: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    values: dict[str, dict[str, str]] = defaultdict(dict)
    known = (("Language_ID", languages), ("Parameter_ID", features), ("Code_ID", names))
    for where, row in _rows(folder, "values"):
        for column, table in known:
            if row[column] not in table:
                raise IsoglossError(
                    f"{column} '{row[column]}' is missing in the other tables", where=where, remedy=AS_PUBLISHED
                )
        values[row["Language_ID"]][row["Parameter_ID"]] = row["Code_ID"]
    return dict(values)
