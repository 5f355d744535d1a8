"""Docstrings for the site: an example that stands on lines of its own becomes a code block."""

import ast
import re
from typing import Any

from griffe import Extension, Object


class Examples(Extension):
    """Fence every paragraph of a docstring that is Python."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    parts = re.split(r"\n\s*\n", text)
    return "\n\n".join(f"```python\n{part.strip(chr(10))}\n```" if is_code(part) else part for part in parts)


def is_code(part: str) -> bool:
    """A paragraph is code if Python reads it and it calls or assigns something."""
    if not re.search(r"[(\[]", part) or part.startswith("```"):
        return False
    try:
        body = ast.parse(part.strip()).body
    except SyntaxError:
        return False
    return all(isinstance(one, ast.Expr | ast.Assign | ast.Import | ast.ImportFrom) for one in body) and not all(
        isinstance(one, ast.Expr) and isinstance(one.value, ast.Name | ast.Constant) for one in body
    )
