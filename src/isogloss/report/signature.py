"""The signature under a table: what must be the same for another run to give the same numbers, in one line.

As sacreBLEU's: names and values in a fixed order, to be printed beside a number in a paper.
"""

import hashlib
import re
from pathlib import PurePath

import pandas as pd

from isogloss.report.pairing import DESCRIBED
from isogloss.studies.result import Provenance, Result, Table

SHORT = 12  # characters of a revision


def signature_of(result: Result, table: Table | None = None) -> str:
    """``study:inspect|table:layers|model:mini@3f076fdb1ab6|data:ntrex@8c1d...|pooling:mean|n:225|seed:0|isogloss:0.1.0``"""
    origin = result.provenance
    facts = dict(origin.facts)
    cells = facts.pop("cells", "")
    parts = [
        ("study", result.study),
        ("table", table.name if table else ""),
        ("model", "+".join(_with_revision(name, origin) for name in origin.models)),
        ("data", "+".join(_with_revision(name, origin) for name in origin.data)),
        *facts.items(),
        ("preset", "+".join(dict.fromkeys(origin.presets.values()))),
        ("measure", cells),
        ("n", _counts(result, table)),
        ("seed", "+".join(map(str, origin.seeds))),
        ("isogloss", origin.versions.get("isogloss", "")),
    ]
    return "|".join(f"{name}:{_plain(value)}" for name, value in parts if value)


def _with_revision(name: str, origin: Provenance) -> str:
    """``ud-pud@1a2b3c``: the revision, or a digest of the revisions of all languages and splits of it."""
    short = (
        PurePath(name).name if name.startswith((".", "/", "~")) else name
    )  # where a folder lies is nobody's business
    if name in origin.revisions:
        return f"{short}@{origin.revisions[name][:SHORT]}"
    mine = []
    for described, revision in origin.revisions.items():
        match = DESCRIBED.fullmatch(described)
        if (match and match["name"] == name) or described.startswith(f"{name} "):
            mine.append(f"{described} {revision}")
    digest = hashlib.sha256("\n".join(sorted(mine)).encode()).hexdigest()
    return f"{short}@{digest[:SHORT]}" if mine else short


def _counts(result: Result, table: Table | None) -> str:
    """The n of the table's own numbers, or of the records: one number, or the smallest and the largest."""
    columns = [table.frame[name] for name in table.frame.columns if name == "n" or name.endswith("_n")] if table else []
    counts = pd.concat(columns) if columns else result.records.get("n", pd.Series(dtype=float))
    numbers = pd.to_numeric(counts, errors="coerce").dropna().astype(int)
    if numbers.empty:
        return ""
    low, high = int(numbers.min()), int(numbers.max())
    return str(low) if low == high else f"{low}-{high}"


def _plain(value: str) -> str:
    """Without what separates the parts, and without spaces."""
    return re.sub(r"\s+", "_", value.replace("|", "/"))
