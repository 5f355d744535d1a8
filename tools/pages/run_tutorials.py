"""Run the tutorials in fresh kernels: as they are, or at tiny sizes; keep outputs that are small and show no machine.

python tools/pages/run_tutorials.py            # run all and write their outputs back
"""

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

TUTORIALS = Path(__file__).parents[2] / "docs" / "tutorials"
PLOTLY = "application/vnd.plotly.v1+json"
LARGEST = 200_000  # bytes of a notebook with its outputs


def run(notebook: nbformat.NotebookNode, tiny: bool = False) -> nbformat.NotebookNode:
    """Run every cell in a fresh kernel and an empty folder; a cell that fails raises.

    With ``tiny`` the cell tagged ``parameters`` gets the values in the notebook's metadata.
    """
    if tiny:
        [cell] = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
        values: dict[str, Any] = notebook.metadata["isogloss"]["tiny"]
        cell.source += "\n" + "\n".join(f"{name} = {value!r}" for name, value in values.items())
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    return notebook


def clean(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Without progress, times and versions; of a figure only its data, which the site draws."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [shortened(one) for one in cell.outputs if one.get("name") != "stderr"]
    return notebook


def shortened(output: nbformat.NotebookNode) -> nbformat.NotebookNode:
    data = output.get("data", {})
    if PLOTLY in data:
        output.data = nbformat.NotebookNode({PLOTLY: rounded(data[PLOTLY]), "text/plain": "a Plotly figure"})
        output.data[PLOTLY]["layout"].pop("template", None)
        output.data[PLOTLY].pop("config", None)
    elif "text/html" in data:
        output.data["text/html"] = re.sub(r"<style scoped>.*?</style>\s*", "", data["text/html"], flags=re.DOTALL)
    return output


def rounded(value: Any) -> Any:
    """Numbers with five digits."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return nbformat.NotebookNode({key: rounded(inner) for key, inner in value.items()})
    return [rounded(inner) for inner in value] if isinstance(value, list) else value


def main(names: list[str]) -> None:
    for path in sorted(TUTORIALS.glob("*.ipynb")):
        if not names or path.stem in names:
            notebook = clean(run(nbformat.read(path, as_version=4)))
            nbformat.write(notebook, path)
            size = path.stat().st_size
            print(f"{path.name}: {size:,} bytes" + (" (too large)" if size > LARGEST else ""))


if __name__ == "__main__":
    main(sys.argv[1:])
