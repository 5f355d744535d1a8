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
from isogloss.studies.columns import ABROAD, COLUMNS, HOME
from isogloss.studies.result import Result
from isogloss.studies.shared.comparison import compare, level
from isogloss.studies.transfer import STUDY, Config, configure
from isogloss.studies.transfer.plan import condition_names, plan
from isogloss.studies.transfer.view import TransferView
from isogloss.transfer import Tuned


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
        preset="lab",
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
    assert set(main["method"]) == {"plain", "layer:1"} and set(main["target"]) == {"qaa", "qab"}
    assert main.groupby("target")["side"].first().to_dict() == {"qaa": HOME, "qab": ABROAD}
    assert list(frame.columns) == [*COLUMNS, "side", "method", "main"]
    assert set(frame.loc[frame["main"], "measure"]) == {"accuracy"}
    assert result.provenance.presets == {"pos": "lab"}
    assert result.provenance.facts["dtype"] in {"float32", "bfloat16"}


def test_tables_are_means_of_the_records(result: Result) -> None:
    frame = result.frame()
    plain = frame[(frame["method"] == "plain") & (frame["measure"] == "accuracy")]
    languages = result.tables["languages"].frame.set_index("language")
    assert languages.loc["qab", "plain"] == pytest.approx(100 * plain[plain["target"] == "qab"]["value"].mean())
    summary = result.tables["summary"].frame.set_index("condition").loc["plain"]
    assert summary["gap"] == pytest.approx(summary["source"] - summary["all others"])
    assert result.figures["languages"].frame["value"].between(0, 100).all()


def test_findings_give_levels_and_differences_with_intervals(result: Result) -> None:
    texts = [finding.text for finding in result.findings]
    assert texts[0].startswith("plain: from qaa, ") and "in 1 other language " in texts[0]
    gap = next(finding for finding in result.findings if finding.text.startswith("Against plain, layer:1"))
    frame = result.frame()
    main = frame[(frame["measure"] == "accuracy") & (frame["side"] == ABROAD)]
    means = main.groupby("method")["value"].mean()
    assert gap.effect == pytest.approx(100 * (means["layer:1"] - means["plain"]))
    assert gap.low is not None and gap.high is not None and gap.low <= gap.effect <= gap.high
    assert ("no measurable difference" in gap.text) == (gap.low <= 0 <= gap.high)


def made_up_view() -> TransferView:
    """Condition b is 2 points above a in German and 4 in Finnish, in every seed."""
    rows = [
        (name, seed, "ud", target, ABROAD, base + gain * (name == "b") + seed / 10, 0.0, 1.0, 50, "f1")
        for name in "ab"
        for seed in range(3)
        for target, base, gain in (("de", 0.1, 0.02), ("fi", 0.4, 0.04))
    ]
    columns = ["condition", "seed", "data", "target", "side", "value", "low", "high", "n", "measure"]
    return TransferView("pos", "en", "f1", pd.DataFrame(rows, columns=columns), {}, {}, set())


def test_differences_are_paired_by_seed_and_language() -> None:
    view = made_up_view()
    gap = compare(view.of("b", ABROAD), view.of("a", ABROAD)).estimate
    assert (gap.value, gap.low, gap.high) == pytest.approx((3.0, 3.0, 3.0))
    found = level(view.of("a", ABROAD))
    assert found.value == pytest.approx(35.0) and found.high - found.low > 10
    texts = [one.text for one in STUDY.findings(view)]
    assert texts[0].startswith("a: from en, not tested at home and 35.0 [")
    assert texts[-1] == "Against a, b gains 3.0 points [3.0, 3.0] in other languages."


def test_intervals_of_one_seed_are_over_sentences() -> None:
    view = made_up_view()
    assert view.by_target["n"].tolist() == [3] * 4
    one = replace(view, scores=view.scores[view.scores["seed"] == 0])
    assert one.by_target[["low", "high", "n"]].drop_duplicates().values.tolist() == [[0.0, 100.0, 50]]


def test_a_search_becomes_candidates_that_see_no_target(config: Config) -> None:
    searched = replace(config, search={"encoder_rate": [1e-4, 1e-3]}, methods=("plain",), seeds=(0, 1))
    cells = [condition.cell for condition in plan(searched).conditions]
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
        ({"sources": ()}, "sources is empty"),
        ({"models": ()}, "models is empty"),
        ({"methods": ("reversal",)}, "method 'reversal' needs texts of at least two languages, not 0"),
        ({"methods": ("plain", "ldar"), "texts": "lab:twins", "text_languages": ("qaa",)}, "two languages, not 1"),
    ],
)
def test_mistakes_are_said_before_anything_runs(config: Config, change: dict[str, object], message: str) -> None:
    with pytest.raises(IsoglossError, match=message):
        STUDY.prepare(replace(config, **change))


def test_a_setting_that_fine_tunings_do_not_have_is_refused_when_it_is_given() -> None:
    with pytest.raises(IsoglossError, match="did you mean 'epochs'"):
        configure(settings={"epoch": 3})


def test_presets_carry_the_papers_values() -> None:
    from isogloss.transfer.presets_by_name import load_preset, preset_names

    presets = {name: load_preset(name) for name in preset_names()}
    assert presets["muller21-parsing"].settings.epochs == 15
    assert presets["xtreme"].settings.encoder_rate == 2e-5
    assert presets["liang21"].settings.accumulate == 8
    assert presets["tanti21-pos-entropy"].method.startswith("entropy:weight=0.7,adam=kept,")
    assert all(preset.about for preset in presets.values())
    assert np.isclose(presets["wu20-nli"].search["encoder_rate"][0], 1.25e-6)


def test_several_sources_or_all_are_trained_together(config: Config) -> None:
    (condition,) = plan(replace(config, sources=("all",), methods=("plain",), seeds=(0,))).conditions
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
    assert condition_names([(model, method) for model in models for method in methods]) == names


def test_options_change_the_usual_settings() -> None:
    config = configure("one", "xtreme", compare=("two",), settings={"epochs": 2}, device="cpu", targets=(), limit=None)
    assert (config.models, config.preset) == (("one", "two"), "xtreme")
    assert config.settings == {"epochs": 2, "device": "cpu"}
    assert replace(config, models=("lab:families",), preset="", settings={}) == Config()
    with pytest.raises(IsoglossError, match="did you mean 'skip'"):
        configure(on_error="skp")
