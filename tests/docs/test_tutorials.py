"""The tutorials run from the first cell to the last in a fresh kernel; kept outputs are small and show no machine."""

import json
import re
from pathlib import Path

import nbformat
import notebooks
import pytest
import run_tutorials

ROOT = Path(__file__).parents[2]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.ipynb"))
PLACES = re.compile(r"(?<![\w.])/(?:home|root|work|tmp|usr|Users|var|opt)/|[A-Z]:\\\\")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One store for all, so that an encoder which two tutorials use is pretrained once."""
    return tmp_path_factory.mktemp("home")


def test_there_are_five_and_each_is_on_its_page_and_in_the_navigation():
    assert [path.stem[0] for path in TUTORIALS] == list("12345")
    index = (ROOT / "docs" / "tutorials" / "index.md").read_text(encoding="utf-8")
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for path in TUTORIALS:
        assert f"]({path.stem}.md)" in index and f"tutorials/{path.stem}.md" in site


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_outputs_are_there_small_and_of_no_machine(path: Path):
    text = path.read_text(encoding="utf-8")
    assert len(text) < run_tutorials.LARGEST
    code = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    outputs = [output for cell in code for output in cell["outputs"]]
    assert len(outputs) >= 4 and all(cell["execution_count"] for cell in code)
    assert not [one for one in outputs if one["output_type"] == "error" or one.get("name") == "stderr"]
    assert not PLACES.search(json.dumps(outputs))


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_becomes_a_page_with_its_figures(path: Path):
    page = notebooks.page_of(path)[f"{path.stem}.md"]
    assert isinstance(page, str) and page.startswith("# ")
    figures = sum(notebooks.PLOTLY in output.get("data", {}) for cell in nbformat.read(path, 4).cells
                  for output in cell.get("outputs", []))  # fmt: skip
    assert page.count("Plotly.newPlot(") == figures > 0 and "FIGURE-" not in page


@pytest.mark.slow
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_runs_in_a_fresh_kernel(path: Path, home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ISOGLOSS_HOME", str(home))
    done = run_tutorials.run(nbformat.read(path, as_version=4), tiny=True)
    assert all(cell.execution_count for cell in done.cells if cell.cell_type == "code")
