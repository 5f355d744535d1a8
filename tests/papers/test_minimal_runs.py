"""Presets of the papers at a minimal size, through to the page: published numbers are compared or say why not.

Cells are real: random models a few numbers wide, a few made-up sentences, one step (``minimal.py`` names each cut).
Each run also has all that the table of tables says of its command.
"""

import fnmatch
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from isogloss.report import write_page
from isogloss.runs import Inline, Store
from isogloss.studies.expectations import load_expectations, reason_for
from isogloss.studies.expectations.items import load_papers
from isogloss.studies.result import Result
from isogloss.studies.study import get_study

from . import minimal

SEARCHES = {("Table 4", "table search"), ("Table 5", "table search")}  # of Tanti21: with --draws only


def run_to_page(study: str, config: Any, folder: Path) -> tuple[Result, str]:
    result = get_study(study).run(config, engine=Inline(), store=Store(folder / "store"))
    page = write_page(result, folder / "run").read_text(encoding="utf-8")
    given = {(item.title, name) for paper in load_papers().values() for item in paper.items if item.study == study
             for name in item.names_given}  # fmt: skip
    made = [*(f"table {name}" for name in result.tables), *(f"figure {name}" for name in result.figures)]
    missing = {(item, name) for item, name in given if not fnmatch.filter(made, name)}
    assert given and missing <= SEARCHES, made
    assert study == "align" or "Published and measured" in page
    return result, page


def listed(result: Result) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compared and not compared; every number that is compared has both sides, every other one a reason."""
    compared = result.tables["published"].frame
    rest = result.tables["not-compared"].frame if "not-compared" in result.tables else compared.iloc[:0]
    assert compared[["published", "measured", "difference"]].notna().all(axis=None)
    assert not len(rest) or rest["reason"].str.len().gt(0).all()
    return compared, rest


@pytest.mark.slow
@pytest.mark.timeout(1200)  # some 200 cells: minutes, and more on a busy machine
def test_ablate_compares_every_number_but_those_of_data_that_is_not_free(desk: Path, tmp_path: Path) -> None:
    result, page = run_to_page("ablate", minimal.smaller_ablate(), tmp_path)
    compared, rest = listed(result)
    expected = load_expectations("muller21")
    assert len(compared) + len(rest) == len(expected)
    permanent = rest["language"].eq("en user-generated") | rest["measure"].isin(["trials", "minutes"])
    assert permanent.all(), rest[~permanent].to_string()
    assert set(rest["reason"]) == {reason_for("muller21", row) for row in rest.to_dict("records")}
    by_item = compared.groupby("item").size()
    assert by_item["Table 5"] == 312 and by_item["Table 2"] == 105 - 2 * 7
    assert set(compared["item"]) == set(expected["item"])
    rows = result.tables["domains"].frame["tested on"].tolist()
    assert {"en web (ud-ewt)", "en literature (ud-lines)", "en news (conll2003)"} <= set(rows)
    assert result.tables["settings"].frame["batch"].tolist()[:1] == [32]
    assert "Published, but not compared" in page and "tweets of LexNorm" in page


@pytest.mark.slow
@pytest.mark.timeout(1200)  # some 200 cells: minutes, and more on a busy machine
def test_fuse_compares_every_number_of_the_paper(desk: Path, tmp_path: Path) -> None:
    result, _ = run_to_page("fuse", minimal.smaller_fuse(), tmp_path)
    compared, rest = listed(result)
    assert len(compared) == len(load_expectations("chen22")) and not len(rest), rest.to_string()


@pytest.mark.slow
def test_preserve_compares_every_number_of_the_papers_six_tables(desk: Path, tmp_path: Path) -> None:
    result, page = run_to_page("preserve", minimal.smaller_preserve(), tmp_path)
    compared, rest = listed(result)
    expected = load_expectations("liang21")
    assert len(compared) == expected["item"].str.startswith("Table").sum() == 360 and not len(rest)
    assert "Published and measured" in page and "subwords that bear a label" in page  # and the deviations


@pytest.mark.slow
def test_forget_compares_every_number_of_the_paper(desk: Path, tmp_path: Path) -> None:
    result, page = run_to_page("forget", minimal.smaller_forget(), tmp_path)
    compared, rest = listed(result)
    assert len(compared) == len(load_expectations("tanti21")) and not len(rest), rest.to_string()
    assert "Published and measured" in page


@pytest.mark.slow
def test_locate_compares_every_number_of_its_figures_and_says_why_a_rank_is_not_measured(
    desk: Path, tmp_path: Path
) -> None:
    result, page = run_to_page("locate", minimal.smaller_locate(), tmp_path)
    compared, rest = listed(result)
    expected = load_expectations("liang21")
    assert len(compared) == expected["item"].str.startswith("Figure").sum() == 4
    assert set(rest["item"]) == {"Appendix A"} and "by its algebra" in rest["reason"].iloc[0]
    assert "Published, but not compared" in page


@pytest.mark.slow
def test_emerge_compares_all_of_table_1_but_chinese_entities(desk: Path, tmp_path: Path) -> None:
    result, page = run_to_page("emerge", minimal.smaller_emerge(), tmp_path)
    compared, rest = listed(result)
    assert len(load_expectations("wu20")) == 120 and len(compared) == 100
    chinese = rest[rest["language"] == "zh"]
    assert len(chinese) == 10 and set(rest["task"]) == {"ner"} and set(rest["language"]) == {"zh", "mean"}
    assert chinese["reason"].str.contains("not free").all() and "Published, but not compared" in page


@pytest.mark.slow
def test_align_makes_every_figure_of_the_paper(desk: Path, tmp_path: Path) -> None:
    lines = [f"{line}\tx {line}\n" for line in Path("wikipedia/en.txt").read_text(encoding="utf-8").splitlines()]
    back_translated = tmp_path / "back-translated.tsv"
    back_translated.write_text("".join(lines), encoding="utf-8")
    config = replace(minimal.smaller_align(), paraphrases=str(back_translated))
    result, page = run_to_page("align", config, tmp_path)
    papers = {figure.paper for figure in result.figures.values()}
    assert papers >= {"Wu20 Fig. 4a", "Wu20 Fig. 4b", "Wu20 Figs. 5 and 8", "Wu20 Fig. 6", "Wu20 Fig. 7"}
    pairs = result.figures["similarity"].frame[["pair", "series"]].drop_duplicates()
    assert len(pairs[pairs["pair"] == "en-en', linear"]) == len(pairs[pairs["pair"] == "en-fr, linear"]) == 4
    assert "Wu20 Fig. 7" in page
