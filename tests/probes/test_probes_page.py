"""Every snippet of docs/probes.md runs, in order."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "probes.md"


def test_the_snippets_of_the_page_run_in_order():
    snippets = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(snippets) >= 8
    names: dict[str, object] = {}
    for number, snippet in enumerate(snippets):
        exec(compile(snippet, f"{PAGE.name}, snippet {number + 1}", "exec"), names)
    frame = names["frame"]
    assert frame.accuracy.is_monotonic_increasing and (frame.selectivity > 0).all()
    assert names["tree"].v_measure_ > names["tree"].chance_
