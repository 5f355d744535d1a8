"""Presets of the papers at a minimal size, through to the page: published numbers are compared or say why not.

Cells are real: random models a few numbers wide, a few made-up sentences, one step (``minimal.py`` names each cut).
Only the last test makes scores up, for the 120 rows of Wu20 Table 1.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from isogloss.report import write_page
from isogloss.runs import Inline, Store
from isogloss.studies.emerge.plan.treatments import TRAINED
from isogloss.studies.expectations import load_expectations
from isogloss.studies.result import Result
from isogloss.studies.study import get_study

from . import minimal
from .fakes import patch_emerge


def run_to_page(study: str, config: Any, folder: Path) -> tuple[Result, str]:
    result = get_study(study).run(config, engine=Inline(), store=Store(folder / "store"))
    return result, write_page(result, folder / "run").read_text(encoding="utf-8")


def listed(result: Result) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compared and not compared; every number that is compared has both sides, every other one a reason."""
    compared = result.tables["published"].frame
    rest = result.tables["not-compared"].frame if "not-compared" in result.tables else compared.iloc[:0]
    assert compared[["published", "measured", "difference"]].notna().all(axis=None)
    assert not len(rest) or rest["reason"].str.len().gt(0).all()
    return compared, rest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("study", "paper", "met"),
    [("ablate", "muller21", {"Table 1", "Table 4", "Table 5", "Table 7"}), ("fuse", "chen22", {"Table I", "Table II"})],
)
def test_a_cut_run_compares_what_it_has_and_names_what_it_lacks(
    desk: Path, tmp_path: Path, study: str, paper: str, met: set[str]
) -> None:
    result, page = run_to_page(study, getattr(minimal, f"smaller_{study}")(), tmp_path)
    compared, rest = listed(result)
    assert set(compared["item"]) >= met
    assert len(compared) + len(rest) == len(load_expectations(paper))
    assert "Published and measured" in page and "Published, but not compared" in page


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
def test_emerge_compares_what_a_cut_table_has_and_names_what_it_lacks(desk: Path, tmp_path: Path) -> None:
    result, page = run_to_page("emerge", minimal.smaller_emerge(), tmp_path)
    compared, rest = listed(result)
    assert set(zip(compared["condition"], compared["task"], compared["language"], strict=True)) == {
        (condition, task, "fr") for condition in ("default", "sep-emb-third") for task in ("nli", "ner", "parsing")
    }
    assert len(compared) + len(rest) == len(load_expectations("wu20"))
    assert "this run has no language 'mean' there" in set(rest["reason"])  # the paper's is over three pairs
    assert "Published and measured" in page


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


@pytest.mark.slow
def test_emerge_compares_all_of_table_1(desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    conditions = tuple(treatment.name for treatment in TRAINED)  # without the controls, which need trained encoders
    config = replace(minimal.preset_of("emerge"), conditions=conditions, parallel="", cka_parallel="")
    result = get_study("emerge").run(config, engine=patch_emerge(monkeypatch), store=Store(tmp_path / "store"))
    compared, rest = listed(result)
    assert len(compared) == len(load_expectations("wu20")) == 120 and not len(rest)
