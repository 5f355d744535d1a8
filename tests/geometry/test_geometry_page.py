"""Every snippet of docs/geometry.md runs, in order."""

import re
import warnings
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "geometry.md"


def test_the_snippets_of_the_page_run_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    snippets = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(snippets) >= 8
    names: dict[str, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, snippet in enumerate(snippets):
            exec(compile(snippet, f"{PAGE.name}, snippet {number + 1}", "exec"), names)
    assert (tmp_path / "moments.safetensors").exists()
