"""The signature under a table: all that a number rests on, in one line that two equal runs share."""

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pandas as pd
from rich.console import Console
from sample_results import make_evil, make_small

from isogloss.report import show_in_terminal, show_site_in_terminal, write_page
from isogloss.report.signature import signature_of
from isogloss.studies.result import Finding, Provenance

FACTS = {"pooling": "mean", "limit": "300", "dtype": "float32", "cells": "inspection.3"}


def test_it_names_model_data_reading_measure_n_seed_and_version() -> None:
    small = make_small()
    result = replace(small, provenance=replace(small.provenance, facts=FACTS))
    table = result.tables["scores"]
    assert signature_of(result, table) == (
        "study:inspect|table:scores|model:bert-base-multilingual-cased@3f076fdb1ab6|data:ud-pud@r2.14-8c1d+tatoeba|"
        "pooling:mean|limit:300|dtype:float32|measure:inspection.3|n:5|seed:0+1+2+3+4|isogloss:0.1.0"
    )


def test_data_in_parts_is_named_by_a_digest_of_all_parts() -> None:
    def signed(revision: str) -> str:
        known = {"qaa of lab:twins:0 (test)": "aaa", "qab of lab:twins:0 (test)": revision, "other": "x"}
        return signature_of(replace(make_small(), provenance=Provenance(data=("lab:twins:0",), revisions=known)))

    assert signed("bbb") == signed("bbb") != signed("ccc")
    assert "data:lab:twins:0@" in signed("bbb")


def test_n_is_a_range_where_numbers_rest_on_different_counts() -> None:
    result = replace(make_small(), records=pd.DataFrame({"value": [1.0, 2.0], "n": [45, 270]}))
    assert "|n:45-270|" in signature_of(result)


def test_it_stands_under_the_table_on_the_page_in_latex_and_in_the_terminal(tmp_path: Path) -> None:
    result = make_small()
    signature = signature_of(result, result.tables["scores"])
    assert signature in write_page(result, tmp_path).read_text()
    assert f"% signature: {signature}" in (tmp_path / "tables" / "scores.tex").read_text()
    screen = Console(file=StringIO(), width=4000)
    show_in_terminal(result, tmp_path, screen)
    assert signature in screen.file.getvalue()


def test_no_name_breaks_out_of_it(tmp_path: Path) -> None:
    evil = replace(make_evil(), provenance=Provenance(models=("a|b\n\\input{x}", "<script>"), data=("d\re",)))
    signature = signature_of(evil, evil.tables["t"])
    assert "\n" not in signature and "\r" not in signature and "model:a/b_" in signature
    page = write_page(evil, tmp_path).read_text()
    assert "&lt;script&gt;|data:d_e" in page
    (line,) = [line for line in (tmp_path / "tables" / "t.tex").read_text().splitlines() if "input{x}" in line]
    assert line.startswith("% signature:")


def test_a_warning_stands_first_on_the_page_and_in_the_terminal(tmp_path: Path) -> None:
    warned = Finding("most words are unknown.", warning=True)
    result = replace(make_small(), findings=(warned, *make_small().findings))
    page = write_page(result, tmp_path).read_text()
    assert page.index("<strong>Warning:</strong> most words") < page.index("Layer 7 ")
    screen = Console(file=StringIO(), width=200)
    show_in_terminal(result, tmp_path, screen)
    said = screen.file.getvalue()
    assert said.index("Warning: most words") < said.index("Layer 7 retrieves")
    screen = Console(file=StringIO(), width=200)
    show_site_in_terminal([("a", make_small()), ("b", result)], tmp_path, console=screen)
    said = screen.file.getvalue()
    assert said.index("Warning: b: most words") < said.index("a: Layer 7") < said.index("b: Layer 7")
