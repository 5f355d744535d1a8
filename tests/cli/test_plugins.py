"""Plugins: the examples of docs/plugins.md are written to files and run as a reader would run them."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import isogloss as isogloss_package
from isogloss import plugins
from isogloss.errors import IsoglossError
from isogloss.tasks import get_task
from isogloss.transfer import parse_methods

PAGE = Path(__file__).parents[2] / "docs" / "plugins.md"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The page's files, in an empty folder that is also the current one."""
    for block in re.findall(r"```(?:python|yaml)\n# (\S+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S):
        (tmp_path / block[0]).write_text(block[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ISOGLOSS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(plugins.VARIABLE, "")
    monkeypatch.setattr(plugins, "_files", {})
    return tmp_path


def commands() -> dict[str, list[str]]:
    lines = re.findall(r"^    isogloss (.*)$", PAGE.read_text(encoding="utf-8"), re.M)
    return {re.search(r"--plugin (\S+)", line).group(1): shlex.split(line) for line in lines}


def test_a_measure_and_a_study_of_ones_own_run_in_worker_processes(folder: Path, isogloss: Callable):
    measure = [*commands()["my_measure.py"], "--limit", "24", "--out", "measure", "--json"]
    measure[1] = "untrained:lab:twins@2"  # small, and pretrained in a moment
    ran = isogloss(*measure)
    assert ran.code == 0, ran.err
    frame = pd.read_parquet(folder / "measure" / "results.parquet")
    own = frame[frame["measure"] == "distance_of_means"]
    assert len(own) == own["layer"].nunique() * 2 and (own["value"] > 0).all()
    ran = isogloss(*commands()["my_study.py"], "--out", "lengths", "--json")
    assert ran.code == 0, ran.err
    frame = pd.read_parquet(folder / "lengths" / "results.parquet")
    assert set(frame["study"]) == {"lengths"} and len(frame) == 6 and (frame["value"] > 2).all()
    assert (folder / "lengths" / "index.html").stat().st_size > 10_000


def test_a_task_and_a_method_of_ones_own_are_fine_tuned(folder: Path, isogloss: Callable):
    arguments = [*commands()["my_task.py"], "--plugin", "my_method.py", "--method", "plain", "--method", "head-only"]
    arguments += ["--set", "epochs=1", "--test-limit", "20", "--targets", "qab", "--out", "run", "--json"]
    arguments[arguments.index("--model") + 1] = "untrained:lab:twins@2"
    arguments[arguments.index("--limit") + 1] = "40"
    ran = isogloss(*arguments)
    assert ran.code == 0, ran.err
    frame = pd.read_parquet(folder / "run" / "results.parquet")
    assert set(frame["task"]) == {"nouns"} and set(frame["method"]) == {"plain", "head-only"}


def test_parts_are_found_by_name_once_their_file_is_loaded(folder: Path):
    with pytest.raises(IsoglossError, match="unknown task 'nouns'"):
        get_task("nouns")
    plugins.load_plugin("my_task.py")
    plugins.load_plugin(folder / "my_method.py")
    assert get_task("nouns").name == "nouns" and parse_methods("head-only")[0].name == "head-only"
    assert plugins.load_plugin("my_task.py") is plugins.load_plugin(folder / "my_task.py")


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "no such plugin file"), ("import nothing_of_this_name", "cannot be loaded"), ("x = (", "cannot be loaded")],
)
def test_a_plugin_that_cannot_be_loaded_is_a_users_mistake(folder: Path, content: str | None, message: str):
    if content is not None:
        (folder / "broken.py").write_text(content)
    with pytest.raises(IsoglossError, match=message):
        plugins.load_plugin("broken.py")


def test_two_parts_of_one_name_are_refused(folder: Path):
    (folder / "again.py").write_text((folder / "my_task.py").read_text())
    plugins.load_plugin("my_task.py")
    plugins.load_plugin("again.py")
    with pytest.raises(IsoglossError, match="called 'nouns'"):
        get_task("nouns")


def test_installed_packages_bring_their_parts(folder: Path, monkeypatch: pytest.MonkeyPatch):
    module = plugins.load_plugin("my_task.py")
    plugins._files.clear()

    class Point:
        def load(self) -> object:
            return module

    monkeypatch.setattr(plugins, "entry_points", lambda group: [Point()] if group == "isogloss.plugins" else [])
    plugins._installed.cache_clear()
    assert get_task("nouns").name == "nouns"
    plugins._installed.cache_clear()


def test_a_study_without_options_of_its_own_is_run_from_python_by_its_settings(folder: Path):
    plugins.load_plugin("my_study.py")
    result = isogloss_package.run_study("lengths", data="lab:families", limit=5, workers=1)
    assert set(result.frame()["target"]) == {"qaa", "qab", "qac", "qad", "qae", "qaf"}
    assert "lengths" in set(isogloss_package.list_studies()["study"])
