"""Public names that are imported when first used: all of them are there, and nothing slow is opened before."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import isogloss

PACKAGES = [
    "isogloss", "isogloss.encoders", "isogloss.geometry", "isogloss.pretrain", "isogloss.probes",
    "isogloss.probes.logistic", "isogloss.report", "isogloss.tasks", "isogloss.transfer",
]  # fmt: skip


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_found_and_listed(package: str):
    module = import_module(package)
    assert all(getattr(module, name) is not None for name in module.__all__)
    assert set(module.__all__) - {"IsoglossError", "__version__"} <= set(dir(module))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_name_that_is_not_there_is_an_attribute_error(package: str):
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = import_module(package).nothing


@pytest.mark.parametrize("package", PACKAGES)
def test_no_public_name_is_that_of_a_submodule(package: str):
    """Importing the submodule would put it in the name's place."""
    module = import_module(package)
    folder = Path(str(module.__file__)).parent
    submodules = {path.stem for path in folder.iterdir()}
    functions = {name for name in module.__all__ if getattr(module, name).__class__.__name__ != "module"}
    assert not functions - {"IsoglossError", "__version__"} & submodules


def test_the_folders_of_the_package_are_attributes():
    assert isogloss.geometry.cka is import_module("isogloss.geometry").cka


def test_importing_and_planning_studies_opens_no_library_that_only_computing_needs():
    """A run whose cells are all in the store is drawn again without torch; see docs/performance.md."""
    code = """
import sys
from isogloss.studies.names import STUDIES
from isogloss.studies.study import get_study

for name in STUDIES:
    study = get_study(name)
    if study.demo is not None:
        study.prepare(study.demo(0, "tiny"))
print(sorted({"torch", "transformers", "scipy.stats", "sklearn"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
