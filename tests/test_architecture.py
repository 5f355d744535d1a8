"""The flow of docs/architecture.md, enforced: a folder imports only from folders to its left."""

import ast
from pathlib import Path

import pytest

import isogloss
from isogloss.studies.names import STUDIES
from isogloss.studies.study import get_study

PACKAGE = Path(isogloss.__file__).parent
ORDER = (
    "corpora", "encoders", "geometry", "probes", "pretrain", "tasks", "transfer", "studies", "report", "cli",
)  # fmt: skip
FOR_ALL = {
    "bounds",
    "console",
    "digests",
    "errors",
    "front_door",
    "plugins",
    "files",
    "memory",
    "places",
    "progress",
    "shelf",
    "stopping",
    "languages",
    "lazy",
    "runs",
}
# A study's result draws itself in a notebook: the one step to the right, taken only when it is shown.
EXCEPTIONS = {("studies/result.py", "report")}
ROOMS = {"__init__", "config", "plan", "cells", "view", "findings", "tables", "figures"}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if len(path.relative_to(PACKAGE).parts) > 1)


def imported_modules(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def imported_folders(path: Path) -> set[str]:
    found = {name.split(".")[1] for name in imported_modules(path) if name.startswith("isogloss.")}
    return {name for name in found if (PACKAGE / name).exists() or (PACKAGE / f"{name}.py").exists()}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_folder_imports_only_from_folders_to_its_left(path: Path):
    relative = path.relative_to(PACKAGE)
    folder = relative.parts[0]
    allowed = FOR_ALL | {folder} | (set(ORDER[: ORDER.index(folder)]) if folder in ORDER else set())
    wrong = imported_folders(path) - allowed
    wrong -= {right for file, right in EXCEPTIONS if file == relative.as_posix()}
    assert not wrong


def test_every_folder_has_its_place_in_the_flow():
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders - FOR_ALL == set(ORDER)


def test_no_file_is_too_long_to_fit_in_the_head():
    assert [path for path in PACKAGE.rglob("*.py") if len(path.read_text().splitlines()) > 400] == []


@pytest.mark.parametrize("study", sorted(STUDIES))
def test_a_study_has_the_rooms_of_every_other_and_no_more(study: str):
    found = {path.stem for path in (PACKAGE / "studies" / study).iterdir() if path.name != "__pycache__"}
    assert found <= ROOMS
    assert found >= ROOMS - {"cells"}  # the work may be the library's own


@pytest.mark.parametrize("study", sorted(STUDIES))
def test_a_study_imports_no_other_study(study: str):
    others = set(STUDIES) - {study}
    for path in (PACKAGE / "studies" / study).rglob("*.py"):
        modules = [name.split(".") for name in imported_modules(path) if name.startswith("isogloss.studies.")]
        assert not {parts[2] for parts in modules} & others, path


def test_shared_parts_of_studies_know_no_study():
    for path in (PACKAGE / "studies" / "shared").rglob("*.py"):
        modules = [name.split(".") for name in imported_modules(path) if name.startswith("isogloss.studies.")]
        assert not {parts[2] for parts in modules} & set(STUDIES), path


def test_no_file_of_a_study_is_longer_than_300_lines():
    assert [p for p in (PACKAGE / "studies").rglob("*.py") if len(p.read_text().splitlines()) > 300] == []


def test_nothing_unpickles():
    loaders = ("import pickle", "from pickle", "torch.load(", "np.load(", "joblib")
    found = [(path, word) for path in PACKAGE.rglob("*.py") for word in loaders if word in path.read_text()]
    assert found == []


def test_only_the_console_without_emoji_codes_prints():
    imports = ("from rich.console import Console", "from rich.markup import escape", "rich.print")
    found = [path for path in PACKAGE.rglob("*.py") if any(word in path.read_text() for word in imports)]
    assert found == []


@pytest.mark.parametrize("name", sorted(STUDIES))
def test_every_study_is_put_together_in_the_same_way(name: str):
    study = get_study(name)
    parts = {part: getattr(study, part) for part in ("configure", "plan", "view", "findings", "tables", "figures")}
    names = {part: function.__name__ for part, function in parts.items()}
    assert names == {
        "configure": "configure", "plan": "plan", "view": "view_of", "findings": "findings_of", "tables": "tables_of",
        "figures": "figures_of",
    }  # fmt: skip
    for part, function in parts.items():
        room = {"configure": "config"}.get(part, part)
        assert function.__module__.startswith(f"isogloss.studies.{name}.{room}")
    assert study.demo is None or study.demo.__module__ == f"isogloss.studies.{name}.config"


def test_classes_of_studies_carry_the_name_of_their_study():
    plain = {"View", "Condition", "Plan"}
    found = [
        (path.relative_to(PACKAGE), node.name)
        for study in STUDIES
        for path in (PACKAGE / "studies" / study).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef) and node.name in plain
    ]
    assert found == []
