"""Preserve: its tables and figures, their arithmetic, and directions that are known by construction."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isogloss.errors import IsoglossError
from isogloss.runs import Inline, Store, key_of
from isogloss.studies import preserve
from isogloss.studies.columns import ABROAD, COLUMNS, HOME
from isogloss.studies.expectations import load_expectations
from isogloss.studies.preserve.findings import findings_of
from isogloss.studies.preserve.plan import plan, variants
from isogloss.studies.preserve.tables import measured
from isogloss.studies.preserve.view import PreserveView, view_of
from isogloss.studies.result import Result
from isogloss.studies.shared.published import KEYS
from isogloss.studies.shared.study_presets import load_study_preset
from isogloss.studies.study import Results, get_study
from isogloss.transfer.presets_by_name import load_preset

TARGETS = ("qab", "qac")
SOURCES = ("qaa", "qaa+qab")
CONDITIONS = ["baseline", "no dropout", "L-DAR", "L-DAR LDA"]
FIRM = 100.0


@pytest.fixture(scope="module")
def config(tiny_model: Path) -> preserve.Config:
    pos = preserve.Setup("pos", preset="lab", limit=40, test_limit=15, settings={"epochs": 3, "precision": "float32"})
    return preserve.Config(
        model=str(tiny_model), tasks=(pos,), sources=SOURCES, targets=TARGETS, layers=("all",),
        alphas=(0.0, FIRM), weights=False, text_limit=40, tokens=200, drift_tokens=50, seeds=(0, 1),
    )  # fmt: skip


@pytest.fixture(scope="module")
def done(config: preserve.Config, tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, PreserveView]:
    store = Store(tmp_path_factory.mktemp("store"))
    result = preserve.run(config, engine=Inline(), store=store)
    return result, view_of(plan(config), Results(store))


def test_every_condition_alpha_language_and_seed_is_there(done: tuple[Result, PreserveView]) -> None:
    frame = done[0].frame()
    scores = frame[frame["measure"] == "accuracy"]
    assert list(dict.fromkeys(scores["condition"])) == CONDITIONS
    fine_tunings = 2 * (2 + 2 * 2) * 2  # sources x (baseline, control, two subspaces x alphas) x seeds
    assert len(scores) == fine_tunings * 3
    of_one = scores[scores["source"] == "qaa"].groupby("target")["side"].first().to_dict()
    assert of_one == {"qaa": HOME, "qab": ABROAD, "qac": ABROAD}
    of_two = scores[scores["source"] == "qaa+qab"].groupby("target")["side"].first().to_dict()
    assert of_two == {"qaa": HOME, "qab": HOME, "qac": ABROAD}
    assert len(frame[frame["measure"] == "validation"]) == fine_tunings
    moved = frame[frame["measure"] == "drift_inside"]
    assert len(moved) == fine_tunings * 3 * 3  # layers x languages
    assert list(frame.columns) == [*COLUMNS, "side", "layers", "subspace", "alpha"]
    assert set(moved["layer"]) == {0, 1, 2} and scores["layer"].isna().all()
    assert done[0].provenance.presets == {"pos": "lab"}
    assert (moved["n"] == 50).all()


def test_every_table_and_figure_is_there(done: tuple[Result, PreserveView]) -> None:
    result, _ = done
    assert list(result.tables) == ["transfer", "layers", "languages", "alphas", "drift"]
    assert list(result.figures) == ["alphas", "languages", "drift", "keeping"]
    assert list(result.tables["transfer"].frame["condition"]) == 2 * CONDITIONS[:3]
    assert list(result.tables["layers"].frame["condition"]) == 2 * CONDITIONS
    assert len(result.tables["languages"].frame) == 2 * 3
    assert list(result.tables["alphas"].frame["alpha"]) == 2 * 2 * ["0", "100"]
    assert get_study("preserve").question == result.question


def test_means_are_over_the_named_languages_and_differences_equal_their_parts(
    done: tuple[Result, PreserveView],
) -> None:
    result, _ = done
    table = result.tables["layers"].frame.set_index(["from", "condition"])
    languages = result.tables["languages"].frame.set_index(["from", "language"])
    for condition in CONDITIONS:
        one = languages.loc["qaa", condition]
        assert table.loc[("qaa", condition), "zero-shot"] == pytest.approx(one[["qab", "qac"]].mean())
        assert table.loc[("qaa", condition), "all"] == pytest.approx(one.mean())
        two = languages.loc["qaa+qab", condition]
        assert table.loc[("qaa+qab", condition), "source"] == pytest.approx(two[["qaa", "qab"]].mean())
    for where in ("source", "zero-shot", "all"):
        gap = table.loc[("qaa", "L-DAR"), where] - table.loc[("qaa", "baseline"), where]
        assert table.loc[("qaa", "L-DAR"), f"Δ {where}"] == pytest.approx(gap)
    assert table.loc[("qaa", "L-DAR"), "Δ zero-shot_n"] == 2  # seeds


def test_without_a_weight_the_penalty_changes_nothing(done: tuple[Result, PreserveView]) -> None:
    """Alpha 0 is the baseline without dropout, number by number: scores and states."""
    _, view = done
    for source in SOURCES:
        for condition in CONDITIONS[2:]:
            plain, held = view.of("pos", source, "no dropout"), view.of("pos", source, condition, alpha=0.0)
            assert held["value"].tolist() == plain["value"].tolist()
            for part in ("inside", "outside"):
                moved = [view.drift_table("pos", source, name, part, 0.0) for name in ("no dropout", condition)]
                np.testing.assert_array_equal(moved[0], moved[1])


def test_a_firm_hold_keeps_states_where_pretraining_left_them_in_the_language_subspace(
    done: tuple[Result, PreserveView],
) -> None:
    _, view = done
    for source in SOURCES:
        free = view.drift("pos", source, "no dropout", "inside").value
        for condition in ("L-DAR", "L-DAR LDA"):
            assert view.drift("pos", source, condition, "inside", FIRM).value < 0.4 * free
            for layer in sorted(view.drifts["layer"].unique().tolist()):
                assert view.drift("pos", source, condition, "inside", FIRM, layer=layer).low >= 0
        assert free > 0.05  # there was something to hold


def test_findings_rest_on_the_numbers_of_the_frame(done: tuple[Result, PreserveView]) -> None:
    result, view = done
    texts = [finding.text for finding in result.findings]
    chosen = view.chosen("pos", "qaa", "L-DAR")
    assert texts[0].startswith(f"pos from qaa: L-DAR (alpha {chosen:g}, chosen on validation data) ")
    assert result.findings[0].effect == pytest.approx(view.gain("pos", "qaa", "L-DAR", ABROAD).value)
    assert any("switching dropout off" in text for text in texts)
    assert any("L-DAR LDA instead of L-DAR" in text for text in texts)
    assert any("inside the language subspace" in text for text in texts)
    for finding in result.findings[:2]:
        assert ("no measurable difference" in finding.text.partition(" and ")[0]) == (finding.low <= 0 <= finding.high)


def made_up_view() -> PreserveView:
    """Alpha 0.1 is best on the validation part, 1 on the test data, by exact amounts in every seed."""
    levels = {("baseline", 0.0): 0.60, ("L-DAR", 0.1): 0.62, ("L-DAR", 1.0): 0.65}
    layered = {("L-DAR layers 1-2", 0.1): 0.58, ("L-DAR layers 3-4", 0.1): 0.61}
    rows, validation = [], []
    for seed in (0, 1, 2):
        for (condition, alpha), value in {**levels, **layered}.items():
            about = {"task": "pos", "source": "en", "condition": condition, "alpha": alpha, "seed": seed}
            about["subspace"] = "" if condition == "baseline" else "densray"
            about["layers"] = condition.partition("layers ")[2] or ("" if condition == "baseline" else "all")
            validation.append({**about, "value": 0.9 if alpha == 0.1 else 0.8})
            for target, side, more in (("en", HOME, 0.3), ("de", ABROAD, 0.1), ("zh", ABROAD, 0.0)):
                rows.append({**about, "target": target, "side": side, "data": "d", "value": value + more + seed / 100})
    tests = pd.DataFrame({"target": ["en", "de", "zh"], "p": [1.0, 0.01, 0.2]})
    tests = tests.assign(task="pos", source="en", condition="L-DAR")
    return PreserveView("m", pd.DataFrame(rows), pd.DataFrame(validation), pd.DataFrame(), tests)


def test_alpha_is_chosen_on_validation_and_told_apart_from_the_best_in_hindsight() -> None:
    view = made_up_view()
    assert view.chosen("pos", "en", "L-DAR") == 0.1 and view.hindsight("pos", "en", "L-DAR") == 1.0
    effect, languages, layers, hindsight = findings_of(view)
    assert "gains 2.0 points [2.0, 2.0] in 2 languages not trained on" in effect.text and effect.n == 3
    assert "better in 2 of 2 languages" in languages.text and "1 of these differences is significant" in languages.text
    assert "holding the uppermost layers only is +3.0 points [3.0, 3.0] from holding the lowest" in layers.text
    assert layers.text.endswith("Against the baseline: 1-2 -2.0, 3-4 +1.0.")
    assert "alpha 1 would have been 3.0 points [3.0, 3.0] above the chosen 0.1" in hindsight.text


def test_the_other_subspaces_hold_the_first_set_of_layers_only() -> None:
    config = preserve.Config(layers=("all", "fours"), alphas=(0.005, 0.02), dims=105, control=False)
    found = [(one.condition, one.method) for one in variants(config, 12)]
    assert found[0] == ("baseline", "plain") and len(found) == 1 + (4 + 1) * 2
    assert found[1] == ("L-DAR", "ldar:dims=105") and found[2] == ("L-DAR", "ldar:0.02,dims=105")
    assert found[3] == ("L-DAR layers 1-4", "ldar:layers=1-4,dims=105")
    assert found[-1] == ("L-DAR LDA", "ldar:0.02,dims=105,by=lda")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seeds": ()}, "seeds"),
        ({"alphas": (-0.1,)}, "alphas.*is -0.1"),
        ({"subspaces": ("densrey",)}, "did you mean 'densray'"),
        ({"layers": ("3",)}, "no layers"),
        ({"sources": ("+",)}, "names no language"),
        ({"sources": ("qzz",)}, "qzz"),
        ({"tasks": ()}, "no task"),
        ({"text_languages": ("qaa",)}, "one language only"),
    ],
)
def test_a_users_mistake_is_named(config: preserve.Config, settings: dict, message: str) -> None:
    with pytest.raises(IsoglossError, match=message):
        preserve.STUDY.prepare(replace(config, **settings))


def test_presets_have_the_papers_values() -> None:
    paper = load_study_preset("preserve", "paper", preserve.Config)
    assert (paper.model, paper.dims, paper.tokens) == ("bert-base-multilingual-cased", 105, 10_000)
    assert paper.sources == ("en", "en+de+zh") and paper.layers == ("all", "fours") and paper.control
    settings = load_preset(paper.tasks[0].preset).settings
    assert (settings.epochs, settings.batch, settings.accumulate, settings.encoder_rate) == (2, 4, 8, 2e-5)
    lab = load_study_preset("preserve", "lab", preserve.Config)
    assert len(plan(lab).conditions) == 3 * (1 + 4 * 2) * 3  # fine-tunings x (baseline, kinds x alphas) x seeds


def test_measured_numbers_have_the_keys_of_published_ones(done: tuple[Result, PreserveView]) -> None:
    view = done[1]
    frame = measured(view)
    assert list(frame.columns) == [*KEYS, "value"] and not frame.duplicated(list(KEYS)).any()
    assert {"single source qaa, mBERT", "multi-source qaa+qab, L-DAR LDA"} <= set(frame["condition"])
    published = load_expectations("liang21")
    tables = published[published["item"].str.startswith("Table")]
    assert {"source", "zero-shot", "all", "mean"} <= set(tables["language"])
    assert set(tables["measure"]) == set(frame["measure"]) == {"F1"}
    assert set(tables["item"]) == {f"Table {number}" for number in range(1, 7)}


def test_the_demo_plans_on_the_demos_own_encoder() -> None:
    cells = plan(preserve.demo(3)).cells
    assert len(cells) == 3 * (1 + 2)  # seeds x (baseline, two alphas)
    assert cells[0].model.world.seed == 3 and cells[0].train[0].name == "lab:families:3"
    assert len(plan(preserve.demo(3, "tiny")).cells) == 2 * (1 + 2)


def test_seeds_can_be_pretraining_seeds_too() -> None:
    config = preserve.Config(layers=("all",), subspaces=("densray",), alphas=(0.5,), seeds=(0, 1, 2))
    planned = plan(replace(config, vary_pretraining=True)).conditions
    assert {one.seed: one.cell.model.recipe.seed for one in planned} == {0: 0, 1: 1, 2: 2}
    assert all(one.cell.space is not None and one.cell.space.model == one.cell.model for one in planned)
    assert len({key_of(one.cell.model) for one in planned}) == 3
    assert {key_of(one.cell.model) for one in plan(config).conditions} == {key_of(planned[0].cell.model)}


def test_a_model_that_exists_has_one_pretraining_seed(config: preserve.Config) -> None:
    with pytest.raises(IsoglossError, match="one pretraining seed"):
        plan(replace(config, vary_pretraining=True))
