"""What ``import isogloss`` offers: studies as functions, runs as frames, and names that load when first used."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import isogloss
from isogloss.corpora import load_parallel
from isogloss.corpora.frames import kind_of
from isogloss.errors import IsoglossError
from isogloss.studies.columns import COLUMNS


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ISOGLOSS_HOME", str(tmp_path / "home"))
    return tmp_path


def test_every_public_name_is_there_with_an_example_in_its_words():
    for name in isogloss.__all__:
        assert getattr(isogloss, name) is not None
    for name in (
        "ablate",
        "audit",
        "choose",
        "inspect",
        "locate",
        "predict",
        "think",
        "load_results",
        "list_studies",
        "load_plugin",
    ):
        assert f"isogloss.{name}(" in getattr(isogloss, name).__doc__


def test_studies_can_be_reached_as_folders_and_as_functions():
    assert isogloss.studies.inspect.STUDY.name == "inspect"
    assert callable(isogloss.inspect) and callable(isogloss.transfer)
    assert isogloss.transfer.Trainer.__name__ == "Trainer"  # the folder keeps its own names
    with pytest.raises(AttributeError, match="inspekt"):
        _ = isogloss.studies.inspekt


def test_importing_loads_nothing_heavy():
    code = "import sys, isogloss; print(sorted({'torch', 'pandas', 'numpy', 'transformers'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_planning_every_study_opens_no_model_code():
    """A run whose cells are all there is planned and drawn again: what only computing needs would cost it seconds."""
    code = (
        "import sys\n"
        "from isogloss.studies.demo import demo_parts\n"
        "for part in demo_parts('tiny', 0): part.study.plan(part.config)\n"
        "heavy = {'transformers.modeling_utils', 'transformers.activations', 'sklearn.cluster', 'sklearn.manifold'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_study_runs_as_a_function_and_its_runs_load_as_one_frame(home: Path):
    options = {"data": "lab:twins", "limit": 24, "engine": "inline"}
    result = isogloss.inspect("untrained:lab:twins@2", languages=["qaa", "qab"], **options)
    result.save(home / "runs" / "one")
    isogloss.inspect("untrained:lab:twins@2", pooling="last", **options).save(home / "runs" / "two")
    assert isogloss.load_result(home / "runs" / "one").findings == result.findings
    frame = isogloss.load_results(str(home / "runs" / "*"))
    assert list(frame.columns)[: len(COLUMNS) + 1] == ["run", *COLUMNS]
    assert frame.groupby("run").size().nunique() == 1 and frame["run"].nunique() == 2
    with pytest.raises(IsoglossError, match="no finished run"):
        isogloss.load_results(home / "nothing" / "*")


def test_data_of_a_study_may_be_a_table_in_memory(home: Path):
    text = load_parallel("lab:twins", ["qaa", "qab"], limit=24)
    options = {"limit": 24, "engine": "inline"}
    named = isogloss.inspect("untrained:lab:twins@2", data="lab:twins", languages=["qaa", "qab"], **options)
    given = isogloss.inspect("untrained:lab:twins@2", data=pd.DataFrame(text.texts), **options)
    assert given.frame()["value"].equals(named.frame()["value"])
    tagged = pd.DataFrame({"words": [["a", "b"]], "tags": [["O", "B-PER"]], "language": ["en"]})
    pairs = pd.DataFrame({"premise": ["a"], "hypothesis": ["b"], "label": ["entailment"], "language": ["en"]})
    assert [kind_of(table) for table in (tagged, pairs, pd.DataFrame(text.texts))] == ["tagged", "pairs", "parallel"]


def test_lists_of_studies_and_data_are_frames():
    studies = isogloss.list_studies().set_index("study")
    assert studies.loc["inspect", "question"].startswith("Which layer")
    data = isogloss.list_data().set_index("data")
    assert data.loc["lab", "place"] == "built in" and "ntrex" in data.index


def test_an_option_that_a_study_does_not_have_is_named():
    with pytest.raises((IsoglossError, TypeError), match="limmit"):
        isogloss.inspect("untrained:lab:twins@2", limmit=3)
