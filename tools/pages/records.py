"""Reference of result frames: the columns that every study shares, and those that single studies add."""

import ast
import inspect
from pathlib import Path

MEANINGS = {
    "study": "the study that measured it",
    "model": "the model, as it was named",
    "task": "`pos`, `ner`, `parsing`, `nli`, `paraphrase`; empty where there is none",
    "data": "the data that was measured on",
    "source": "the source language, or the language of the query",
    "target": "the language that was tested, or the language of the answer",
    "layer": "layer number; 0 is the embeddings; missing where it does not apply",
    "condition": "which of the compared variants",
    "seed": "the seed of the repetition; missing where there is none",
    "measure": "what `value` is: `retrieval_standardised`, `accuracy`, ...",
    "value": "the number",
    "low": "lower end of its 95% interval; missing where there is none",
    "high": "upper end of its 95% interval",
    "n": "how many observations it rests on",
    "unit": "of `value`: `points`, `share`, ...",
    "side": "`home` (tested in the source language) or `abroad`",
    "pool": "which candidates were searched: `hard` or `natural`",
    "pair": "the pair of languages that an encoder was pretrained on",
    "level": "`word`, `context` or `sentence`",
    "what": "what was mapped or compared at that level",
    "size": "how many examples the map was learnt from",
    "method": "the fine-tuning method, or the way a subspace was found",
    "main": "whether this is the measure that selects epochs",
    "language": "the language that the row is about",
    "revision": "hash or commit of the model",
    "group": "family of the tested language: the source's own, or another",
    "gate": "which reading of the fusion's equations",
    "branches": "which branches of the fusion: both kinds, global or local",
    "layers": "the layers that a condition acts on",
    "subspace": "how the held subspace was found",
    "alpha": "weight of the penalty",
    "subset": "which dimensions: the first, the next, random ones",
    "kind": "which part of the study: windows, layers, families, ...",
    "x": "number or start of the dimensions",
    "draw": "which random draw",
    "item": "which pair, feature or family",
    "chance": "what guessing would score",
}
HEADER = """# Result frames

`Result.frame()`, `results.parquet` and `isogloss.load_results("runs/*")` hold tidy records: one row per measurement,
the same columns for every study, so that runs of different studies fit into one frame.

| column | type | meaning |
|---|---|---|
"""
OWN = """
## Columns of single studies

They follow the common ones. `vary` has a column for each knob that it varies.

| study | columns |
|---|---|
"""


def extra_columns(study: str) -> list[str]:
    """The columns that a study adds: what its view hands to ``tidy`` beside the parts."""
    from isogloss.studies.study import get_study

    module = inspect.getmodule(get_study(study).view)
    assert module is not None and module.__file__
    names: dict[str, object] = vars(module)
    found: list[str] = []
    for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "tidy":
            given = [word.value for word in node.keywords if word.arg == "extra"] or node.args[1:2]
            for one in given:
                value = (
                    ast.literal_eval(one) if isinstance(one, ast.Tuple) else local_value(one, names, module.__file__)
                )
                found += [name for name in value if name not in found]
    return found


def local_value(node: ast.expr, names: dict[str, object], file: str) -> tuple[str, ...]:
    """A tuple that a view names, as a constant of the module or as a variable of the function."""
    if not isinstance(node, ast.Name):  # columns that a run's settings name, such as the knobs of vary
        return ()
    if node.id in names:
        value = names[node.id]
        assert isinstance(value, tuple)
        return value
    for one in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
        if isinstance(one, ast.Assign) and getattr(one.targets[0], "id", "") == node.id:
            return tuple(ast.literal_eval(one.value))
    raise ValueError(f"{file}: where does {node.id} come from?")


def columns_page() -> str:
    """``reference/result-frames.md``."""
    from isogloss.studies.columns import COLUMNS, NUMBERS, WHOLE
    from isogloss.studies.names import STUDIES

    kinds = {**dict.fromkeys(NUMBERS, "number"), **dict.fromkeys(WHOLE, "whole number")}
    rows = [f"| `{name}` | {kinds.get(name, 'text')} | {MEANINGS[name]} |" for name in COLUMNS]
    own = {study: extra_columns(study) for study in sorted(STUDIES)}
    single = [f"| `{study}` | {', '.join(f'`{name}`' for name in names)} |" for study, names in own.items() if names]
    used = sorted({name for names in own.values() for name in names})
    words = [f"| `{name}` | {MEANINGS[name]} |" for name in used]
    table = "\n| column | meaning |\n|---|---|\n" + "\n".join(words)
    return HEADER + "\n".join(rows) + "\n" + OWN + "\n".join(single) + "\n" + table + "\n"
