"""locate on a tiny random encoder: every table, figure and label is there, and the arithmetic holds."""

import json
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isogloss.cli import main
from isogloss.errors import IsoglossError
from isogloss.runs import Inline, Store
from isogloss.studies import locate
from isogloss.studies.columns import COLUMNS
from isogloss.studies.locate.figures import LEVEL
from isogloss.studies.locate.findings import findings_of
from isogloss.studies.locate.plan import LocateCondition, plan
from isogloss.studies.result import Result
from isogloss.studies.shared.setups import Setup
from isogloss.studies.shared.study_presets import load_study_preset
from isogloss.studies.study import Results

EXTRA = ["side", "subset", "kind", "x", "draw", "item", "chance", "revision"]
LANGUAGES = ("qaa", "qab", "qac", "qad")  # two families of two


def settings(model: Path, **changes: object) -> locate.Config:
    config = locate.Config(
        model=str(model), data="lab", languages=LANGUAGES, limit=60, tokens=120, train=80, test=40, pairs=4,
        sizes=(1, 2, 4), window=1, windows=5, draws=2, profile=locate.Profile(1, 3, 3), subset_window=1,
        subset_windows=3, seeds=(0, 1),
    )  # fmt: skip
    return replace(config, **changes)


@pytest.fixture(scope="module")
def run(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[locate.Config, Result]:
    tagging = (Setup("pos", data="lab:families", preset="lab", limit=20, test_limit=10, settings={"epochs": 1}),)
    config = settings(tiny_model, tagging=tagging, tagging_sizes=(4, 40), source="qaa", published="liang21")
    store = Store(tmp_path_factory.mktemp("locate-store"))
    return config, locate.run(config, engine=Inline(), store=store)


@pytest.fixture
def result(run: tuple[locate.Config, Result]) -> Result:
    return run[1]


def test_the_frame_has_a_row_a_probe(result: Result):
    frame = result.frame()
    assert list(frame.columns) == [*COLUMNS, *EXTRA]
    assert set(frame["task"]) == {"LI", "LT", "LS", "POS", "room"}
    assert set(frame["condition"]) == {"densray", "lda"}
    assert set(frame["seed"]) == {0, 1}
    tagged = frame["task"] == "POS"
    assert (set(frame.loc[tagged, "data"]), set(frame.loc[~tagged, "data"])) == ({"lab:families"}, {"lab"})
    curves = frame[(frame["layer"] == 2) & (frame["subset"] == "all") & (frame["task"] == "LI")]
    assert set(curves["kind"]) == {"first", "next", "random", "window", "rest"}
    assert curves["item"].nunique() == 4
    points = ["layer", "condition", "subset", "task", "kind", "x", "draw", "item", "target", "seed"]
    assert not frame.duplicated(points).any()


def test_figures_have_every_point_they_promise(result: Result):
    assert set(result.figures) == {"dimensions", "subspaces", "layers", "families", "tagging"}
    windows = result.figures["dimensions"].frame
    assert set(windows["series"]) == {"single dimensions", LEVEL}
    assert set(windows["task"]) == {f"{task}, {method}" for task in ("LI", "LT", "LS") for method in ("DensRay", "LDA")}
    assert set(windows["dimensions"]) == {1, 2, 3, 4, 5}
    curves = result.figures["subspaces"].frame
    assert set(curves["series"]) == {"[0:x]", "[x:2x]", "x random", "guessing"}
    assert set(curves["task"]) == {f"{task}, {method}" for task in ("LI", "LT", "LS") for method in ("DensRay", "LDA")}
    assert set(result.figures["layers"].frame["layer"]) == {0, 1, 2}
    assert len(set(result.figures["families"].frame["series"])) == 3  # two families and random languages
    assert set(result.figures["tagging"].frame["dimensions"]) == {0, 4}  # there are no 40 to leave out


def test_tables_have_every_row(result: Result):
    assert set(result.tables) == {"dimensions", "layers", "families", "tagging", "published", "not-compared"}
    assert len(result.tables["dimensions"].frame) == 3 * 2
    assert list(result.tables["layers"].frame["layer"]) == ["embedding", "layer 1", "layer 2"]
    families = result.tables["families"].frame
    assert (families["number"] == 2).all()
    assert (families["rank"] == 1).all()  # two means differ in one direction
    tagging = result.tables["tagging"].frame
    assert list(tagging["language"]) == ["qaa", "qab", "qac", "qad", "qae", "qaf", "mean of others"]
    published = result.tables["published"].frame
    assert (published["difference"] == published["measured"] - published["published"]).all()
    assert set(published["task"]) == {"LI", "LT", "LS"}


def test_a_windows_difference_equals_its_parts(result: Result):
    frame = result.frame()
    here = frame[(frame["layer"] == 2) & (frame["subset"] == "all") & (frame["task"] == "LI")]
    here = here[here["condition"] == "densray"]
    window = here[(here["kind"] == "window") & (here["x"] == 2)]["value"].mean()
    random = here[(here["kind"] == "rest") & (here["x"] == 1)]["value"].mean()
    shown = result.figures["dimensions"].frame
    shown = shown[(shown["series"] != LEVEL) & (shown["task"] == "LI, DensRay") & (shown["dimensions"] == 2)]
    assert shown["value"].item() == pytest.approx(100 * (window - random))
    assert shown["n"].item() == 2  # seeds


def test_a_figure_says_how_wide_its_windows_are(tiny_model: Path, tmp_path: Path):
    config = settings(tiny_model, window=2, subset_window=2, windows=3, seeds=(0,), methods=("lda",))
    figures = locate.run(config, engine=Inline(), store=Store(tmp_path / "store")).figures
    reading = figures["dimensions"].reading
    assert "the score of dimensions 9 to 10 " in reading and "2 random dimensions" in reading
    assert "windows of 2" in figures["families"].reading


def test_a_tagging_mean_is_over_the_named_languages(result: Result):
    table = result.tables["tagging"].frame.set_index("language")
    others = ["qab", "qac", "qad", "qae", "qaf"]
    for column in ("[0:]", "[4:]"):
        assert table.loc["mean of others", column] == pytest.approx(table.loc[others, column].mean())
    lost = result.figures["tagging"].frame.query("series == 'POS, other languages' and dimensions == 4")["value"].item()
    assert lost == pytest.approx(table.loc["mean of others", "[0:]"] - table.loc["mean of others", "[4:]"])


def test_findings_say_their_interval_and_when_it_includes_zero(result: Result):
    texts = [finding.text for finding in result.findings]
    assert sum("(LI)" in text or "(LT)" in text or "(LS)" in text for text in texts) == 6  # dimensions, layers
    gain = next(finding for finding in result.findings if "tell two languages apart" in finding.text)
    assert gain.low <= gain.effect <= gain.high
    assert ("includes zero" in gain.text) == (gain.low <= 0 <= gain.high)
    assert gain.n == 2
    assert any("Without the first 4 dimensions POS (accuracy)" in text for text in texts)


def test_a_saved_run_loads_and_says_the_same(result: Result, tmp_path: Path):
    result.save(tmp_path / "run")
    loaded = Result.load(tmp_path / "run")
    assert loaded.findings == result.findings
    pd.testing.assert_frame_equal(loaded.frame(), result.frame(), check_dtype=False)
    assert json.loads((tmp_path / "run" / "findings.json").read_text())["study"] == "locate"


def test_a_probe_never_sees_a_sentence_that_the_fit_saw():
    from isogloss.corpora.text_by_language import halve

    lines = [f"sentence {number}" for number in range(11)]
    first, second = halve(lines, "qaa", seed=3)
    assert sorted([*first, *second]) == sorted(lines)
    assert not set(first) & set(second)
    assert halve(lines, "qaa", seed=3) == (first, second) != halve(lines, "qaa", seed=4)


def repetitions(config: locate.Config) -> list[LocateCondition]:
    return [one for one in plan(config).conditions if isinstance(one, LocateCondition)]


def test_plan_asks_only_what_the_languages_allow(tiny_model: Path, store: Store):
    config = settings(tiny_model, languages=("qaa", "qac"))
    first, *_ = repetitions(config)
    assert first.curves[0].probing.tasks == ("LI", "LT")
    assert first.subsets is None
    assert first.curves[0].probing.pairs == (("qaa", "qac"),)
    result = locate.run(replace(config, seeds=(0,)), engine=Inline(), store=store)
    assert any("LS is left out" in finding.text for finding in result.findings)


def test_pairs_are_the_same_for_every_repetition_and_families_of_one_size(tiny_model: Path):
    config = settings(tiny_model, languages=())
    found = repetitions(config)
    assert len({curve.probing.pairs for one in found for curve in one.curves}) == 1
    assert set(found[0].curves[0].probing.pairs) < set(combinations(found[0].gather.languages, 2))
    assert {len(subset.languages) for one in found for subset in one.subsets.subsets} == {2}
    assert len(plan(config).cells) == 2 * (1 + 2 + 1 + 1)


def test_the_lab_speaks_the_languages_that_its_encoder_was_pretrained_on():
    config = locate.demo(seed=7)
    assert config.name_data() == "lab:families:7"
    assert config.build_model().world.seed == 7
    assert config.name_data("lab:families/1") == "lab:families:7/1"
    assert replace(config, data="lab:twins:3").name_data() == "lab:twins:3"
    assert replace(config, model="some/model").name_data() == "lab:families"


def test_presets_are_whole_and_the_paper_has_the_papers_sizes():
    paper = load_study_preset("locate", "paper", locate.Config)
    assert (paper.tokens, paper.train, paper.test, len(paper.seeds)) == (10_000, 8_000, 2_000, 5)
    assert (paper.window, paper.profile, paper.subset_window) == (10, locate.Profile(1, 20, 20), 2)
    lab = load_study_preset("locate", "lab", locate.Config)
    assert lab.model == "lab:families"
    assert {setup.task for setup in lab.tagging} == {"pos", "ner"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"languages": ("qaa",)}, "one language only"),
        ({"limit": 5}, "too few"),
        ({"layer": 3}, "there is no layer 3"),
        ({"subsets": ("Nowhere",)}, "Nowhere"),
        ({"window": 12}, "random dimensions"),
        ({"data": "lab:familie"}, "did you mean 'families'"),
    ],
)
def test_a_users_mistake_is_named(tiny_model: Path, store: Store, changes: dict, message: str):
    with pytest.raises(IsoglossError, match=message):
        locate.run(settings(tiny_model, **{"seeds": (0,), **changes}), engine=Inline(), store=store)


@pytest.mark.parametrize("changes", [{"methods": ("pca",)}, {"sizes": ()}, {"sizes": (0,)}, {"tokens": 0}])
def test_impossible_settings_are_refused_before_anything_is_planned(changes: dict, tmp_path: Path):
    with pytest.raises(IsoglossError, match=next(iter(changes))):
        locate.run(locate.Config("m", **changes), engine=Inline(), store=Store(tmp_path))


def test_probes_that_did_not_converge_are_a_warning_above_the_findings(tiny_model: Path, store: Store):
    config = settings(tiny_model, seeds=(0,), methods=("densray",), languages=("qaa", "qac"), pairs=1)
    planned = plan(config)
    locate.STUDY.attempt(planned, Inline(), store)
    view = locate.STUDY.view(planned, Results(store))
    assert view.unconverged[0] == 0 < view.unconverged[1]
    assert not any(one.warning for one in findings_of(view))
    first, second, *_ = findings_of(replace(view, unconverged=(2, view.unconverged[1])))
    assert first.warning and first.text.startswith("2 of ") and "did not converge" in first.text
    assert not second.warning


def test_one_repetition_has_no_interval_and_says_so(tiny_model: Path, store: Store):
    config = settings(tiny_model, seeds=(0,), methods=("densray",), languages=("qaa", "qac"), pairs=1)
    result = locate.run(config, engine=Inline(), store=store)
    dimension = result.findings[0]
    assert dimension.low is None
    assert not np.isnan(dimension.effect)


def test_the_command_writes_its_page_and_prints_json_alone(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    options = {"--preset": "lab", "--data": "lab:twins", "--limit": "40", "--tokens": "60", "--seeds": "0"}
    options |= {"--methods": "densray", "--out": str(tmp_path / "run"), "--engine": "inline"}
    arguments = ["--no-tagging", "--json", *(word for option in options.items() for word in option)]
    monkeypatch.setattr(sys, "argv", ["isogloss", "locate", str(tiny_model), *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["study"] == "locate"
    assert Path(answer["page"]).stat().st_size > 10_000
    assert (tmp_path / "run" / "results.parquet").is_file()


@pytest.mark.real
def test_real_text_has_families_and_typology_to_ask_about(real_data: Path, tiny_model: Path):
    languages = ("en", "de", "nl", "ru", "uk", "sw")
    first, *_ = repetitions(settings(tiny_model, data="ntrex", languages=languages))
    assert first.curves[0].probing.tasks == ("LI", "LT", "LS")
    assert dict(first.curves[0].probing.groups)["de"] == "Germanic"
    assert {subset.name for subset in first.subsets.subsets} == {"Germanic", "Slavic", "random languages"}


@pytest.mark.parametrize("layer", [3, 99, -4])
def test_a_layer_that_is_not_there_is_refused_when_planning(tiny_model: Path, layer: int):
    with pytest.raises(IsoglossError, match=f"there is no layer {layer}"):
        plan(settings(tiny_model, layer=layer))
    with pytest.raises(IsoglossError, match="there is no layer 99"):
        plan(settings(Path("lab:twins@5"), layer=99))
