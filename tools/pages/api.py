"""Reference of the Python interface: one page per folder of the package, a section per public name."""

from importlib import import_module
from pathlib import Path

EXAMPLES = Path(__file__).parent / "examples"

FOLDERS = {
    "encoders": "Hidden states of any model, and surgery on models ([guide](../../encoders.md)).",
    "corpora": "Text, treebanks, pairs, dictionaries ([guide](../../data.md)).",
    "corpora.lab": "Constructed languages ([guide](../../lab.md)).",
    "geometry": "Numerics on arrays: subspaces, similarity, retrieval ([guide](../../geometry.md)).",
    "probes": "What can be read off vectors ([guide](../../probes.md)).",
    "probes.statistics": "Intervals, tests and verdicts ([guide](../../probes.md#statistics)).",
    "pretrain": "Masked language models ([guide](../../pretrain.md)).",
    "tasks": "Tagging, entities, parsing, inference, paraphrases ([guide](../../transfer.md#tasks)).",
    "transfer": "One trainer and its methods ([guide](../../transfer.md)).",
    "runs": "Cells, the store, engines ([guide](../../architecture.md)).",
    "report": "Pages, comparisons, exports ([guide](../../report.md)).",
    "languages": "Codes, names, families, typology ([guide](../../data.md#languages)).",
}
FRONT = """# isogloss

What `import isogloss` offers. A study function takes the options of its command under the same names and returns a
[`Result`](#isogloss.studies.result.Result).
"""
RESULT = ("Result", "Finding", "Provenance")


def public_names(folder: str) -> list[str]:
    """The names that a folder of the package exports."""
    return list(import_module(f"isogloss.{folder}").__all__)


def directive(path: str) -> str:
    return f"::: {path}\n    options:\n      heading_level: 2\n"


def front_page() -> str:
    """``reference/api/isogloss.md``."""
    import isogloss

    names = [name for name in isogloss.__all__ if name not in ("IsoglossError", "__version__")]
    own = [directive(f"{getattr(isogloss, name).__module__}.{name}") for name in names]
    results = [directive(f"isogloss.studies.result.{name}") for name in RESULT]
    others = [directive("isogloss.studies.figure.Figure"), directive("isogloss.studies.table.Table")]
    return "\n".join([FRONT, *own, directive("isogloss.errors.IsoglossError"), *results, *others])


def folder_page(folder: str) -> str:
    """``reference/api/FOLDER.md``."""
    about = FOLDERS[folder]
    module = import_module(f"isogloss.{folder}")
    documented = [name for name in public_names(folder) if getattr(getattr(module, name), "__doc__", None)]
    parts = [f"# isogloss.{folder}\n\n{about}\n", example_of(folder)]
    return "\n".join([*parts, *(directive(f"isogloss.{folder}.{name}") for name in documented)])


def example_of(folder: str) -> str:
    """The example of a folder, which a test runs."""
    code = (EXAMPLES / f"{folder}.py").read_text(encoding="utf-8")
    return f"## Example\n\n```python\n{code}```\n"


def api_pages() -> dict[str, str]:
    """Every page of the Python reference by its place in the documentation."""
    pages = {"reference/api/isogloss.md": front_page()}
    return pages | {f"reference/api/{folder}.md": folder_page(folder) for folder in FOLDERS}
