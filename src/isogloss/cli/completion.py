"""What the Tab key offers: presets, languages and data sets. Imported only when it is pressed."""

from collections.abc import Iterable
from pathlib import Path

import typer

PACKAGE = Path(__file__).parents[1]
LABS = ("twins", "neighbours", "strangers", "families")
PRESET_FOLDERS = {"pretrain": PACKAGE / "pretrain" / "presets", "transfer": PACKAGE / "transfer" / "presets"}


def presets(ctx: typer.Context, incomplete: str) -> list[str]:
    """Presets of the command that is being typed."""
    command = ctx.info_name or ""
    if command in ("lab", "glance"):
        return _starting(LABS, incomplete)
    if command in PRESET_FOLDERS:
        return _starting((path.stem for path in PRESET_FOLDERS[command].glob("*.yaml")), incomplete)
    found = (PACKAGE / "studies" / "presets").glob(f"{command}-*.yaml")
    return _starting((path.stem.removeprefix(f"{command}-") for path in found), incomplete)


def languages(incomplete: str) -> list[str]:
    """Codes of the language table; of ``en,de,f`` the last piece is completed."""
    from isogloss.languages import known_languages

    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{code}" for code in _starting((one.code for one in known_languages()), last)]


def data_sets(incomplete: str) -> list[str]:
    """Names of the catalog and of labs. Where none fits, the shell offers files."""
    from isogloss.corpora.catalog import CATALOG, LAB

    return _starting([*CATALOG, "ud-pud", "ud-ewt", LAB, *(f"{LAB}:{name}" for name in LABS)], incomplete)


def _starting(names: Iterable[str], start: str) -> list[str]:
    return sorted(name for name in names if name.startswith(start))
