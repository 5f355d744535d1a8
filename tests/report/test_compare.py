"""Comparing runs: pairs where records allow them, stars where a difference is significant, plain words otherwise."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sample_results import make_small
from scipy import stats

from isogloss.errors import IsoglossError
from isogloss.probes.statistics import p_of_intervals, wilson
from isogloss.report import compare_runs, write_page
from isogloss.report.collect import find_runs, name_runs, report_runs
from isogloss.report.paired import paired_differences
from isogloss.report.table_layout import lay_out
from isogloss.studies.result import Provenance, Result


def records(shift: float, seeds: tuple[int, ...] = (0, 1), model: str = "a") -> pd.DataFrame:
    rng = np.random.default_rng(3)
    rows = [(model, language, seed, rng.normal(70, 5)) for language in "defgh" for seed in seeds]
    frame = pd.DataFrame(rows, columns=["model", "language", "seed", "f1"])
    return frame.assign(f1=frame["f1"] + shift, n=100)


def test_the_difference_is_the_mean_over_languages_and_seeds() -> None:
    gap, these = paired_differences({"a": records(0.0), "b": records(2.0, model="b")})
    assert (these.estimate.n, these.estimate.over) == (2, "seeds")
    assert gap.estimate.value == pytest.approx(2.0)
    assert (gap.run, gap.measure, gap.estimate.n, gap.estimate.over) == ("b", "f1", 2, "seeds and languages")
    assert gap.primary and gap.word == "better"


def test_runs_with_other_seeds_are_paired_by_language() -> None:
    (gap,) = paired_differences({"a": records(0.0), "b": records(1.0, seeds=(7, 8))})
    assert (gap.estimate.n, gap.estimate.over) == (5, "languages")


def test_a_column_of_measures_is_compared_measure_by_measure() -> None:
    tidy = pd.DataFrame({"measure": ["f1"] * 4 + ["loss"] * 4, "language": list("abcd") * 2, "value": np.arange(8.0)})
    gaps = paired_differences({"a": tidy, "b": tidy.assign(value=tidy["value"] + 1)})
    assert [(gap.measure, gap.estimate.value) for gap in gaps] == [("f1", 1.0), ("loss", 1.0)]


def shares(value: float, languages: str, layers: int, n: int, rng: np.random.Generator | None = None) -> pd.DataFrame:
    """Retrieval of every direction and layer, as an inspection records it."""
    rows = []
    for source in languages:
        for target in languages:
            for layer in range(layers if source != target else 0):
                found = wilson(round((value + (rng.normal(0, 0.02) if rng else 0)) * n), n)
                rows.append((source, target, layer, "retrieval_standardised", *found.columns(), "share"))
    columns = ["source", "target", "layer", "measure", "value", "low", "high", "n", "unit"]
    return pd.DataFrame(rows, columns=columns)


def test_two_languages_are_compared_over_their_sentences() -> None:
    """Two directions of five layers are no ten observations; but 300 sentences are."""
    runs = {"a": shares(0.267, "xy", 5, 300), "b": shares(0.457, "xy", 5, 300)}
    (gap,) = paired_differences(runs, "inspect")
    assert (gap.estimate.over, gap.estimate.n, gap.word) == ("sentences", 300, "better")
    assert gap.estimate.value == pytest.approx(19.0, abs=0.5)


def test_rows_of_layers_and_directions_do_not_make_a_difference_sure() -> None:
    """Languages differ in whom the other run helps: 4 of them, 60 rows. As if independent, the rows would be sure."""
    rng = np.random.default_rng(3)
    a = shares(0.4, "wxyz", 5, 1000)
    effect = dict(zip("wxyz", (0.12, 0.09, -0.06, -0.02), strict=True))
    shift = a["source"].map(effect) + a["target"].map(effect) + rng.normal(0, 0.005, len(a))
    b = a.assign(value=a["value"] + shift, low=np.nan)
    (gap,) = paired_differences({"a": a, "b": b}, "inspect")
    assert (gap.estimate.over, gap.estimate.n, gap.word) == ("languages", 4, "tied")
    assert stats.ttest_1samp(shift, 0).pvalue < 0.001


def test_too_few_observations_are_called_so() -> None:
    one = shares(0.267, "xy", 5, 300).drop(columns=["low", "high"])
    result = compare_runs(
        {"a": replace(make_small(), records=one), "b": replace(make_small(), records=one.assign(value=0.457))}, ""
    )
    assert "too few observations to tell" in result.findings[0].text
    assert "cannot be told apart" not in " ".join(finding.text for finding in result.findings)


def test_a_primary_measure_is_not_corrected_for_the_others() -> None:
    noise = (1.2, -1.1, 0.4, -0.6, 0.9, -1.3, 0.2, 0.3)

    def run(shift: float) -> pd.DataFrame:
        measures = ["retrieval_standardised", *(f"other {k}" for k in range(26))]
        rows = [(m, k, 0.4 + shift * (1 + noise[k])) for m in measures for k in range(8)]
        return pd.DataFrame(rows, columns=["measure", "language", "value"])

    gaps = paired_differences({"a": run(0.0), "b": run(0.02)}, "inspect")
    primary, *others = gaps
    assert primary.primary and primary.word == "better" and not any(gap.primary for gap in others)
    assert all(gap.word == "tied" and gap.p > 0.05 for gap in others), "the same numbers, corrected for 26 tests"


def test_the_same_data_under_two_names_is_paired_and_the_rest_is_listed() -> None:
    def run(name: str, languages: str, shift: float) -> Result:
        frame = pd.DataFrame({"target": list(languages), "data": name, "measure": "accuracy", "unit": "share"})
        extra = frame.assign(data="other")
        frame = pd.concat([frame, extra]).assign(value=0.5 + shift, layer=1)
        known = {f"{code} of {name} (test)": f"digest-{code}" for code in languages}
        return replace(make_small("transfer"), records=frame, provenance=Provenance(revisions=known))

    runs = {"a": run("lab:families/0", "wxyz", 0.0), "b": run("lab:families:0/0", "wxyv", 0.1)}
    result = compare_runs(runs, "", {"a": {"limit": 300, "seed": 0}, "b": {"limit": 1000, "seed": 0}})
    texts = [finding.text for finding in result.findings]
    assert texts[0].startswith("accuracy: b is better than a by 10.0 points") and "n = 3 languages" in texts[0]
    assert "Settings that differ: limit 300 / 1000." in texts
    assert "Not paired: target z (only in a); target v (only in b)." in texts


def test_settings_are_read_from_the_study_files_of_the_runs(tmp_path: Path) -> None:
    for name, limit in (("one", 100), ("two", 200)):
        make_small().save(tmp_path / name)
        (tmp_path / name / "study.yaml").write_text(f"study: inspect\nlimit: {limit}\ntasks:\n  pos: {limit}\n")
    drawn, _ = report_runs([tmp_path / "one", tmp_path / "two"], tmp_path / "out")
    (_, result) = drawn[0]
    assert any(f.text == "Settings that differ: limit 100 / 200; tasks.pos 100 / 200." for f in result.findings)


def test_records_that_share_nothing_give_no_difference() -> None:
    other = records(0.0).assign(language=["x", "y", "z", "u", "v"] * 2)
    assert paired_differences({"a": records(0.0), "b": other}) == []


def test_p_from_intervals_agrees_with_a_z_test() -> None:
    # Standard errors of 1 each: the difference of 2.772 is 1.96 standard errors of sqrt(2).
    wide = 1.959964
    assert p_of_intervals((2.7718, 2.7718 - wide, 2.7718 + wide), (0.0, -wide, wide)) == pytest.approx(0.05, abs=1e-4)
    assert math.isnan(p_of_intervals((1.0, math.nan, math.nan), (0.0, -1.0, 1.0)))
    assert p_of_intervals((1.0, 1.0, 1.0), (0.0, 0.0, 0.0)) == 0.0


def test_a_comparison_tells_a_real_difference_from_noise() -> None:
    runs = {"one": make_small(), "two": make_small(shift=2.0, seed=1), "three": make_small(seed=2)}
    result = compare_runs(runs, "isogloss report one two three")
    texts = [finding.text for finding in result.findings]
    assert any("two is higher than one by 2.0" in text for text in texts)
    assert any("three and one are tied" in text for text in texts)
    assert result.main_figure == "layers"
    assert set(result.figures["layers"].frame["run"]) == set(runs)
    assert result.figures["similarity"].diverging
    rows = lay_out(result.tables["scores"]).rows
    assert rows[0].cells[0].difference == ""
    assert rows[0].cells[1].difference == "0.0"


def test_a_comparison_is_a_result_like_any_other(tmp_path: Path) -> None:
    result = compare_runs({"one": make_small(), "two": make_small(seed=1)}, "again")
    assert "again" in write_page(result, tmp_path).read_text()
    assert Result.load(tmp_path).study == "compare"


def test_many_measures_become_a_sentence_a_run() -> None:
    rng = np.random.default_rng(0)

    def run(shift: float) -> Result:
        names = [(m, language) for m in range(10) for language in range(20)]
        rows = [(f"m{m}", language, 0.5 + shift * (m < 6) + 0.01 * rng.random()) for m, language in names]
        records = pd.DataFrame(rows, columns=["measure", "language", "value"])
        return replace(make_small(), records=records)

    found = compare_runs({"a": run(0.0), "b": run(0.3)}, "").findings
    assert len(found) == 1
    assert "b differs from a in 6 of 10 measures" in found[0].text
    assert len(re.findall(r"m[0-5] \+0\.", found[0].text)) == 4


def test_runs_of_different_studies_cannot_be_compared() -> None:
    with pytest.raises(IsoglossError, match="cannot be compared"):
        compare_runs({"a": make_small("inspect"), "b": make_small("locate")}, "")


def test_folders_of_runs_are_searched_and_comparisons_left_out(tmp_path: Path) -> None:
    make_small().save(tmp_path / "runs/a")
    make_small(seed=1).save(tmp_path / "runs/b")
    drawn, where = report_runs(find_runs([tmp_path / "runs"]), tmp_path / "runs/comparison")
    assert [name for name, _ in drawn] == ["compare"]
    assert (where / "index.html").exists()
    assert [folder.name for folder in find_runs([tmp_path / "runs"])] == ["a", "b"]


def test_several_studies_make_a_site(tmp_path: Path) -> None:
    for name, study in [("a", "inspect"), ("b", "inspect"), ("c", "locate")]:
        make_small(study).save(tmp_path / name)
    drawn, where = report_runs([tmp_path / name for name in "abc"], tmp_path / "out")
    assert [name for name, _ in drawn] == ["inspect", "locate"]
    assert (where / "inspect/index.html").exists()
    assert (where / "index.html").exists()


def test_one_run_is_drawn_in_its_own_folder(tmp_path: Path) -> None:
    make_small().save(tmp_path / "run")
    _, where = report_runs([tmp_path / "run"], tmp_path / "elsewhere")
    assert where == tmp_path / "run"
    assert (where / "index.html").exists()
    assert not (tmp_path / "elsewhere").exists()


def test_runs_are_named_by_what_tells_them_apart(tmp_path: Path) -> None:
    sample = make_small()
    names = name_runs({tmp_path / "x/run": sample, tmp_path / "y/run": sample})
    assert list(names) == ["x/run", "y/run"]


def test_a_folder_without_runs_is_named(tmp_path: Path) -> None:
    with pytest.raises(IsoglossError, match="there is no finished run here"):
        find_runs([tmp_path])
    with pytest.raises(IsoglossError, match="no such folder"):
        find_runs([tmp_path / "absent"])
