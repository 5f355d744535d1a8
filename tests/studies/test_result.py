"""A result is pure data: it survives a round trip through its folder, and says plainly when the folder is no good."""

import json
import math
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isogloss.errors import IsoglossError
from isogloss.report.latex import escape_latex, table_to_latex
from isogloss.report.table_layout import format_number, lay_out
from isogloss.studies.result import Figure, Finding, Provenance, Result, Table, by_name
from isogloss.studies.saved import load_head


def make_result() -> Result:
    frame = pd.DataFrame(
        {
            "layer": [0, 1, 2],
            "value": [0.25, math.nan, math.inf],
            "series": ["nan", "<script>alert(1)</script>", None],
            "language": ["no", "NA", "null"],
            "converged": [True, False, True],
            "n": [10, 20, 30],
        }
    )
    return Result(
        study="inspect",
        question="Which layer?",
        findings=(Finding("Layer 1 is best.", effect=0.25, low=0.2, high=0.3, n=10, unit="points"), Finding("So.")),
        tables=by_name(Table("by_layer", "By layer", "Higher is better.", frame, index=("layer",), best="max")),
        figures=by_name(Figure("layers", "Layers", "profile", frame, reading="Up is good.", alt="A line.")),
        main_figure="layers",
        provenance=Provenance.gather(
            models=("m",), data=("lab",), revisions={"m": "abc"}, seeds=(0, 1), seconds=2.5, command="isogloss demo"
        ),
        records=frame,
    )


def test_a_saved_result_loads_as_it_was(tmp_path: Path) -> None:
    result = make_result()
    result.save(tmp_path / "run")
    loaded = Result.load(tmp_path / "run")
    assert (loaded.study, loaded.question, loaded.main_figure) == ("inspect", "Which layer?", "layers")
    assert loaded.findings == result.findings
    assert loaded.provenance == result.provenance
    pd.testing.assert_frame_equal(loaded.tables["by_layer"].frame, result.tables["by_layer"].frame)
    pd.testing.assert_frame_equal(loaded.figures["layers"].frame, result.figures["layers"].frame)
    pd.testing.assert_frame_equal(loaded.frame(), result.frame())
    assert loaded.tables["by_layer"].best == "max"
    assert loaded.tables["by_layer"].index == ("layer",)


def test_the_folder_holds_files_that_other_tools_read(tmp_path: Path) -> None:
    make_result().save(tmp_path)
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert names == {
        "result.json", "results.parquet", "findings.json", "figures/layers.json",
        "tables/by_layer.json", "tables/by_layer.csv",
    }  # fmt: skip
    found = json.loads((tmp_path / "findings.json").read_text())
    assert found["findings"][0]["low"] == 0.2
    assert list(pd.read_csv(tmp_path / "tables/by_layer.csv", keep_default_na=False)["language"]) == [
        "no",
        "NA",
        "null",
    ]


def test_an_empty_frame_survives(tmp_path: Path) -> None:
    table = Table(
        "none", "None", "Nothing.", pd.DataFrame({"a": pd.Series([], dtype="float64"), "b": pd.Series([], dtype="str")})
    )
    Result("s", "q", (), by_name(table), {}, "", Provenance(), table.frame).save(tmp_path)
    assert list(Result.load(tmp_path).tables["none"].frame.columns) == ["a", "b"]


def test_a_missing_run_says_where_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(IsoglossError, match="there is no finished run here") as error:
        Result.load(tmp_path / "nowhere")
    assert error.value.remedy and error.value.where == str(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["results.parquet", "figures/layers.json", "tables/by_layer.json", "result.json"])
def test_a_truncated_file_is_never_read_as_a_result(tmp_path: Path, name: str) -> None:
    make_result().save(tmp_path)
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(IsoglossError, match="truncated") as error:
        Result.load(tmp_path)
    assert error.value.where == str(tmp_path / name)


def test_a_lost_file_is_named(tmp_path: Path) -> None:
    make_result().save(tmp_path)
    (tmp_path / "figures/layers.json").unlink()
    with pytest.raises(IsoglossError, match="missing") as error:
        Result.load(tmp_path)
    assert str(error.value.where).endswith("layers.json")


def test_a_run_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    make_result().save(tmp_path)
    head = json.loads((tmp_path / "result.json").read_text())
    (tmp_path / "result.json").write_text(json.dumps({**head, "format": 99}))
    with pytest.raises(IsoglossError, match="newer Isogloss"):
        Result.load(tmp_path)


def test_a_head_of_the_wrong_shape_is_named(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text('{"format": 1, "study": 7}')
    with pytest.raises(IsoglossError, match="does not hold"):
        Result.load(tmp_path)


def test_saving_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    result = make_result()
    result.save(tmp_path / "a")
    result.save(tmp_path / "b")
    for path in (tmp_path / "a").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()


def test_a_figure_without_its_column_is_refused() -> None:
    with pytest.raises(ValueError, match="no column 'value'"):
        Figure("f", "F", "profile", pd.DataFrame({"layer": [1]}), reading="r", alt="a")


def test_an_unknown_kind_and_a_bad_name_are_refused() -> None:
    frame = pd.DataFrame({"layer": [1], "value": [1.0]})
    with pytest.raises(ValueError, match="unknown kind"):
        Figure("f", "F", "pie", frame, reading="r", alt="a")
    with pytest.raises(ValueError, match="cannot name"):
        Figure("../f", "F", "profile", frame, reading="r", alt="a")


def test_a_main_figure_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="main figure"):
        Result("s", "q", (), {}, {}, "absent", Provenance(), pd.DataFrame())


def test_the_best_of_each_column_is_marked_and_ties_at_the_shown_precision_share_it() -> None:
    frame = pd.DataFrame({"method": ["a", "b", "c"], "f1": [71.04, 71.01, 60.0], "loss": [3.0, 1.0, 2.0]})
    rows = lay_out(Table("t", "T", "r", frame, index=("method",), best="max")).rows
    assert [[cell.best for cell in row.cells] for row in rows] == [[True, True], [True, False], [False, False]]
    rows = lay_out(Table("t", "T", "r", frame, index=("method",), values=("loss",), best="min")).rows
    assert [row.cells[0].best for row in rows] == [False, True, False]


def test_differences_to_the_baseline_row_are_signed_and_judged() -> None:
    frame = pd.DataFrame({"method": ["plain", "up", "down", "same"], "f1": [50.0, 52.25, 49.0, 50.01]})
    rows = lay_out(Table("t", "T", "r", frame, index=("method",), best="max", baseline_row="plain")).rows
    assert [row.cells[0].difference for row in rows] == ["", "+2.2", "−1.0", "0.0"]
    assert [row.cells[0].good for row in rows] == [None, True, False, None]
    assert rows[0].baseline and not rows[1].baseline


def test_when_small_is_good_a_fall_is_an_improvement() -> None:
    frame = pd.DataFrame({"method": ["plain", "new"], "perplexity": [10.0, 9.0]})
    rows = lay_out(Table("t", "T", "r", frame, index=("method",), best="min", baseline_row="plain", shade=True)).rows
    assert rows[1].cells[0].good is True
    assert rows[1].cells[0].shade == 0.5  # a small difference is pale: the scale has a floor


def test_differences_to_a_baseline_column_are_row_wise() -> None:
    frame = pd.DataFrame({"language": ["de", "fr"], "ref": [10.0, 20.0], "init": [8.0, 21.0]})
    rows = lay_out(Table("t", "T", "r", frame, index=("language",), best="max", baseline_column="ref")).rows
    assert [row.cells[1].difference for row in rows] == ["−2.0", "+1.0"]
    assert [row.cells[0].difference for row in rows] == ["", ""]


def test_spread_columns_belong_to_their_value() -> None:
    frame = pd.DataFrame({"m": ["a"], "f1": [5.0], "f1_low": [4.0], "f1_high": [6.0], "f1_n": [100], "f1_p": [0.01]})
    layout = lay_out(Table("t", "T", "r", frame, index=("m",)))
    assert layout.columns == ("f1",)
    cell = layout.rows[0].cells[0]
    assert (cell.low, cell.high, cell.n, cell.significant) == (4.0, 6.0, 100, True)


def test_tidy_records_spread_out_with_intervals_and_a_mean() -> None:
    tidy = pd.DataFrame(
        {
            "method": ["plain", "plain", "new", "new"],
            "language": ["de", "fr", "de", "fr"],
            "value": [1.0, 3.0, 2.0, 6.0],
            "low": [0.0, 2.0, 1.0, 5.0],
            "n": [7, 8, 7, 8],
        }
    )
    table = Table.from_tidy(
        "t", "T", "r", tidy, rows=("method",), columns="language", average=True, best="max", baseline_row="plain"
    )
    assert table.columns == ("de", "fr", "mean")
    assert list(table.frame["mean"]) == [2.0, 4.0]
    assert lay_out(table).rows[1].cells[1].n == 8
    assert lay_out(table).rows[1].cells[2].difference == "+2.0"


def test_two_records_for_one_cell_are_refused() -> None:
    tidy = pd.DataFrame({"m": ["a", "a"], "language": ["de", "de"], "value": [1.0, 2.0]})
    with pytest.raises(ValueError, match="two records"):
        Table.from_tidy("t", "T", "r", tidy, rows=("m",), columns="language")


@pytest.mark.parametrize(
    ("value", "sign", "text"),
    [
        (-0.04, True, "0.0"),
        (-1.26, False, "−1.3"),
        (1.26, True, "+1.3"),
        (math.nan, True, "–"),
        (12345.6, False, "12,345.6"),
    ],
)
def test_numbers_round_without_a_stray_minus_zero(value: float, sign: bool, text: str) -> None:
    assert format_number(value, 1, sign=sign) == text


def test_no_text_becomes_a_latex_command() -> None:
    assert escape_latex(r"\input{x} 50% _a_ $&#~^") == (
        r"\textbackslash{}input\{x\} 50\% \_a\_ \$\&\#\textasciitilde{}\textasciicircum{}"
    )


def test_greek_letters_and_the_hyphens_of_options_survive_in_latex() -> None:
    assert escape_latex("Δ 1-2") == r"$\Delta$ 1-2"  # which pdflatex knows no letter for
    assert escape_latex("isogloss demo --seed 0") == "isogloss demo -{}-seed 0"


def test_a_wide_table_spans_both_columns_and_shrinks_to_the_text() -> None:
    frame = pd.DataFrame({"m": ["a"], **{f"language {place}": [1.0] for place in range(9)}})
    latex = table_to_latex(Table("t", "T", "r", frame, index=("m",)))
    assert latex.count("{table*}") == 2
    assert r"\resizebox" in latex


def test_latex_has_bold_differences_and_escaped_names() -> None:
    frame = pd.DataFrame({"method": ["plain", "a_b"], "50%": [1.0, 2.0]})
    latex = table_to_latex(Table("t", "T & U", "r", frame, index=("method",), best="max", baseline_row="plain"))
    assert r"a\_b & \textbf{2.0}\textsubscript{+1.0} \\" in latex
    assert r"method & 50\% \\" in latex
    assert r"\caption{T \& U.}" in latex


def test_whole_numbers_stay_whole() -> None:
    frame = pd.DataFrame({"m": ["a", "b"], "tokens": np.array([1200, 7])})
    assert [row.cells[0].text for row in lay_out(Table("t", "T", "r", frame, index=("m",))).rows] == ["1,200", "7"]


def test_a_flipped_bit_in_a_saved_result_is_noticed(tmp_path: Path) -> None:
    """Whatever still loads is what was saved: a flip of white space changes nothing."""
    result = make_result()
    result.save(tmp_path)
    path, chance = tmp_path / "result.json", random.Random(0)
    whole, refused = path.read_bytes(), 0
    for place in chance.sample(range(8 * len(whole)), k=300):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        try:
            loaded = load_head(path)
        except IsoglossError:
            refused += 1
        else:
            assert (loaded.findings, loaded.provenance) == (result.findings, result.provenance)
    assert refused > 250
