"""The transfer study: its tables and figures, their arithmetic, and what its findings say."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isogloss.corpora.lab import Lab, preset
from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe, pretrain
from isogloss.runs import Inline, Store
from isogloss.studies.result import Result
from isogloss.studies.transfer import STUDY, Condition, Config, conditions
from isogloss.studies.transfer.answer import average, difference
from isogloss.studies.transfer.naming import condition_names
from isogloss.transfer import FineTune, Tuned


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("model")
    lab = Lab(preset("twins"))
    recipe = Recipe.preset("lab").changed(
        model={"layers": 2, "width": 32, "heads": 4, "feedforward": 64},
        data={"validation": 10},
        training={"steps": 2, "validate_every": 2, "save_every": 2, "warmup": 1},
    )
    pretrain(recipe, {code: lab.text(code, 200) for code in lab.codes}, folder)
    return str(folder)


@pytest.fixture(scope="module")
def config(model: str) -> Config:
    return Config(
        models=(model,),
        methods=("plain", "layer:1"),
        data="lab:twins",
        limit=80,
        test_limit=30,
        settings={"epochs": 1, "precision": "float32"},
        seeds=(0, 1, 2),
    )


@pytest.fixture(scope="module")
def result(config: Config, tmp_path_factory: pytest.TempPathFactory) -> Result:
    return STUDY.run(config, engine=Inline(), store=Store(tmp_path_factory.mktemp("store")))


def test_every_condition_language_and_seed_is_there(result: Result) -> None:
    frame = result.frame()
    main = frame[frame["measure"] == "accuracy"]
    assert len(main) == 2 * 3 * 2
    assert set(main["method"]) == {"plain", "layer:1"} and set(main["language"]) == {"qaa", "qab"}
    assert main.groupby("language")["home"].first().to_dict() == {"qaa": True, "qab": False}


def test_tables_are_means_of_the_records(result: Result) -> None:
    frame = result.frame()
    plain = frame[(frame["method"] == "plain") & (frame["measure"] == "accuracy")]
    languages = result.tables["languages"].frame.set_index("language")
    assert languages.loc["qab", "plain"] == pytest.approx(100 * plain[plain["language"] == "qab"]["value"].mean())
    summary = result.tables["summary"].frame.set_index("condition").loc["plain"]
    assert summary["gap"] == pytest.approx(summary["source"] - summary["all others"])
    assert result.figures["languages"].frame["value"].between(0, 100).all()


def test_findings_give_levels_and_differences_with_intervals(result: Result) -> None:
    texts = [finding.text for finding in result.findings]
    assert texts[0].startswith("plain: from qaa, ") and "in 1 other language " in texts[0]
    gap = next(finding for finding in result.findings if finding.text.startswith("Against plain, layer:1"))
    frame = result.frame()
    main = frame[(frame["measure"] == "accuracy") & ~frame["home"]]
    means = main.groupby("method")["value"].mean()
    assert gap.effect == pytest.approx(100 * (means["layer:1"] - means["plain"]))
    assert gap.low is not None and gap.high is not None and gap.low <= gap.effect <= gap.high
    assert ("includes zero" in gap.text) == (gap.low <= 0 <= gap.high)


def test_differences_are_paired_by_seed_and_language() -> None:
    rows = [
        (name, seed, "ud", language, False, base + gain * (name == "b") + seed / 10)
        for name in "ab"
        for seed in range(3)
        for language, base, gain in (("de", 0.1, 0.02), ("fi", 0.4, 0.04))
    ]
    frame = pd.DataFrame(rows, columns=["condition", "seed", "data", "language", "home", "value"])
    gap = difference(frame, "b", "a", home=False)
    assert gap is not None and (gap.value, gap.low, gap.high) == pytest.approx((3.0, 3.0, 3.0))
    level = average(frame, "a", home=False)
    assert level is not None and level.value == pytest.approx(35.0) and level.high - level.low > 10
    assert average(frame, "a", home=True) is None


def test_a_search_becomes_candidates_that_see_no_target(config: Config) -> None:
    searched = replace(config, search={"encoder_rate": [1e-4, 1e-3]}, methods=("plain",), seeds=(0, 1))
    cells = [condition.cell for condition in conditions(searched)]
    assert all(isinstance(cell, Tuned) and len(cell.candidates) == 2 for cell in cells)
    assert all(not candidate.tests for cell in cells for candidate in cell.candidates)
    assert cells[0].candidates == cells[1].candidates  # searched once, used for every seed


def test_a_search_says_what_it_tried_and_took(config: Config, tmp_path: Path) -> None:
    searched = replace(config, search={"head_rate": [1e-7, 1e-2]}, methods=("plain",), seeds=(0,))
    result = STUDY.run(searched, engine=Inline(), store=Store(tmp_path))
    table = result.tables["search"].frame
    assert table["head_rate"].tolist() == ["1e-07", "0.01"] and table["taken"].tolist() == ["", "yes"]
    assert table["validation"].iloc[1] > table["validation"].iloc[0]
    (said,) = [finding for finding in result.findings if "tried" in finding.text]
    assert said.effect == table["validation"].iloc[1] and "head_rate 0.01 is best" in said.text
    assert "search" not in STUDY.run(replace(searched, search={}), engine=Inline(), store=Store(tmp_path)).tables


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"preset": "muller21-ner"}, "is for task 'ner'"),
        ({"preset": "muler21-pos"}, "did you mean 'muller21-pos'"),
        ({"targets": ("xx",)}, "xx"),
        ({"settings": {"epoch": 3}}, "did you mean 'epochs'"),
        ({"methods": ("plan",)}, "did you mean 'plain'"),
        ({"task": "tagging"}, "unknown task"),
        ({"sources": ()}, "no source"),
    ],
)
def test_mistakes_are_said_before_anything_runs(config: Config, change: dict[str, object], message: str) -> None:
    with pytest.raises(IsoglossError, match=message):
        conditions(replace(config, **change))


def test_presets_carry_the_papers_values() -> None:
    from isogloss.transfer.presets_by_name import load_preset, preset_names

    presets = {name: load_preset(name) for name in preset_names()}
    assert presets["muller21-parsing"].settings.epochs == 15
    assert presets["xtreme"].settings.encoder_rate == 2e-5
    assert presets["liang21"].settings.accumulate == 8
    assert presets["tanti21-pos-entropy"].method == "entropy:weight=0.7"
    assert all(preset.about for preset in presets.values())
    assert np.isclose(presets["wu20-nli"].search["encoder_rate"][0], 1.25e-6)


def test_several_sources_or_all_are_trained_together(config: Config) -> None:
    (condition,) = conditions(replace(config, sources=("all",), methods=("plain",), seeds=(0,)))
    assert [data.language for data in condition.cell.train] == ["qaa", "qab"]
    assert [data.language for data in condition.cell.validation] == ["qaa", "qab"]
    assert condition.cell.sources == ("qaa", "qab")


@pytest.mark.parametrize(
    ("models", "methods", "names"),
    [
        (("/a/b/one",), ("plain", "layer:1"), ["plain", "layer:1"]),
        (("/a/b/one", "hub/two"), ("plain",), ["one", "two"]),
        (("/a/x/best", "/a/y/best"), ("plain",), ["x/best", "y/best"]),
        (("lab:twins", "untrained:lab:twins"), ("plain",), ["lab:twins", "untrained:lab:twins"]),
        (("/a/b/one", "untrained:/a/b/one"), ("plain",), ["one", "untrained:one"]),
        (("/a/one", "/a/two"), ("plain", "linear"), ["one, plain", "one, linear", "two, plain", "two, linear"]),
    ],
)
def test_conditions_are_called_by_what_tells_them_apart(
    models: tuple[str, ...], methods: tuple[str, ...], names: list[str]
) -> None:
    made = [Condition(model, method, 0, FineTune()) for model in models for method in methods]
    assert condition_names(made) == names
