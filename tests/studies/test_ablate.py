"""Ablate: its tables and figures, their arithmetic, and a direction that is known by construction."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isogloss.errors import IsoglossError
from isogloss.runs import Inline, Store, key_of
from isogloss.runs.config import dump, read_study_files
from isogloss.studies import ablate
from isogloss.studies.ablate.findings import contrast
from isogloss.studies.ablate.plan import REFERENCE, plan
from isogloss.studies.ablate.tables import measured
from isogloss.studies.ablate.view import AblateView, view_of
from isogloss.studies.columns import ABROAD, COLUMNS, HOME
from isogloss.studies.expectations import load_expectations
from isogloss.studies.result import Result
from isogloss.studies.shared.study_presets import load_study_preset, study_presets
from isogloss.studies.study import Results
from isogloss.transfer.methods.layer_sets import layer_sets

TARGETS = ("qaa", "qab", "qac", "qad")


@pytest.fixture(scope="module")
def config(tiny_model: Path) -> ablate.Config:
    pos = ablate.Setup(
        "pos", data="lab:families/0", elsewhere={"lab:families/1": ()}, limit=60, test_limit=20,
        preset="lab",
        settings={"epochs": 1, "precision": "float32"},
    )  # fmt: skip
    return ablate.Config(
        model=str(tiny_model), tasks=(pos,), targets=TARGETS, sets=("singles",), parallel_limit=30, seeds=(0, 1)
    )


@pytest.fixture(scope="module")
def done(config: ablate.Config, tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, AblateView]:
    store = Store(tmp_path_factory.mktemp("store"))
    result = ablate.run(config, engine=Inline(), store=store)
    return result, view_of(plan(config), Results(store))


def test_every_set_language_and_seed_is_there(done: tuple[Result, AblateView]) -> None:
    frame = done[0].frame()
    scores = frame[frame["measure"] == "accuracy"]
    assert len(scores) == 3 * 2 * (4 + 1)  # layer sets x seeds x (targets, and the source's other domain)
    assert scores.groupby("side")["target"].unique().map(set).to_dict() == {
        "home": {"qaa"}, "abroad": {"qab", "qac", "qad"}, "home, other data": {"qaa"},
    }  # fmt: skip
    alike = frame[frame["measure"] == "cka_linear"]
    assert len(alike) == (3 * 2 + 1) * 3 * 3  # fine-tunings and the pretrained model x layers x targets
    assert set(alike["condition"]) == {"pretrained", "fine-tuned", "1", "2"}
    assert (alike["n"] == 30).all()
    assert len(frame[frame["measure"] == "cka_unbiased"]) == len(alike)


def test_every_table_and_figure_of_the_paper_is_there(done: tuple[Result, AblateView]) -> None:
    result, _ = done
    assert list(result.tables) == ["losses", "languages", "sets", "domains", "settings", "correlations"]
    assert set(result.figures) == {"losses", "languages", "similarity", "tasks", "correlation", "gap"}
    assert list(result.tables["losses"].frame["from - to"]) == ["qaa - qaa", "qaa - X"]
    assert list(result.tables["domains"].frame["tested on"]) == ["home", "lab:families/1, qaa", "abroad"]
    facets = result.figures["similarity"].frame
    assert facets["pair"].iloc[0] == "pos, qaa: mean over targets" and facets["pair"].nunique() == 4
    assert set(facets["series"]) == {"pretrained", "fine-tuned", "layers 1 re-initialised", "layers 2 re-initialised"}


def test_a_difference_equals_its_parts(done: tuple[Result, AblateView]) -> None:
    result, _ = done
    sets = result.tables["sets"].frame.set_index("target")
    by_language = result.tables["languages"].frame.set_index("target")
    for target in TARGETS:
        assert by_language.loc[target, "Δ 1"] == pytest.approx(sets.loc[target, "1"] - sets.loc[target, "none"])
    losses = result.tables["losses"].frame.set_index("from - to")
    abroad = by_language.drop("qaa")
    assert losses.loc["qaa - X", "Δ 2"] == pytest.approx(abroad["Δ 2"].mean())
    assert losses.loc["qaa - X", "reference"] == pytest.approx(abroad["reference"].mean())
    assert losses.loc["qaa - X", "Δ 2_n"] == 2 and losses.loc["qaa - qaa", "Δ 2_n"] == 2


def test_similarities_of_a_mean_are_over_the_named_targets(done: tuple[Result, AblateView]) -> None:
    result, _ = done
    shown = result.figures["similarity"].frame
    mean = shown[(shown["pair"] == "pos, qaa: mean over targets") & (shown["series"] == "layers 1 re-initialised")]
    frame = result.frame()
    rows = frame[(frame["measure"] == "cka_linear") & (frame["condition"] == "1")]
    for layer, value, n in zip(mean["layer"], mean["value"], mean["n"], strict=True):
        assert value == pytest.approx(rows.loc[rows["layer"] == layer, "value"].mean())
        assert n == 3


def test_the_correlation_is_spearmans_over_targets(done: tuple[Result, AblateView]) -> None:
    result, view = done
    frame = result.frame()
    alike = frame[(frame["measure"] == "cka_linear") & (frame["condition"] == "fine-tuned")]
    alike = alike.groupby("target")["value"].mean()
    scores = frame[
        (frame["measure"] == "accuracy") & (frame["condition"] == "none") & (frame["data"] == "lab:families/0")
    ]
    scores = scores.groupby("target")["value"].mean()
    gap = scores["qaa"] - scores.drop("qaa")
    expected = np.corrcoef(alike.rank(), (-gap).rank()[alike.index])[0, 1]
    shown = result.tables["correlations"].frame.iloc[0]
    assert shown["fine-tuned"] == pytest.approx(expected) and shown["fine-tuned_n"] == 3
    assert view.transfer("pos", "qaa")["qab"] == pytest.approx(-100 * gap["qab"])


def test_findings_say_effect_interval_and_doubt(done: tuple[Result, AblateView]) -> None:
    result, view = done
    more, first = result.findings[:2]
    layers = first.text.split("layers ")[1].split()[0]
    assert first.effect == pytest.approx(view.loss("pos", "qaa", ABROAD, layers).value)
    assert first.effect == min(view.loss("pos", "qaa", ABROAD, one).value for one in ("1", "2"))
    assert ("costs" in first.text.split(" in other")[0]) == (first.high < 0)
    assert "more than any other" not in first.text, "two seeds of an encoder that knows nothing"
    parts = [view.loss("pos", "qaa", where, layers).value for where in (HOME, ABROAD)]
    assert more.effect == pytest.approx(parts[0] - parts[1]), "the headline is the contrast"
    share = -parts[1] / view.reference("pos", "qaa", ABROAD).value
    assert f"other languages lose {share:.0%} and home" in more.text
    assert ("about the same" in more.text) == (more.low <= 0 <= more.high)
    assert "n = 2 seeds; 3 languages; one pretrained encoder" in more.text and (more.n, more.over) == (2, "seeds")


def test_a_loss_that_is_larger_at_home_is_said_the_right_way_round(done: tuple[Result, AblateView]) -> None:
    _, view = done
    scores = view.scores.copy()
    home, anew = scores["side"] == HOME, scores["condition"] == "1"
    scores.loc[home & anew, "value"] = 0.01
    scores.loc[home & (scores["condition"] == REFERENCE), "value"] = 0.9
    (found,) = contrast(replace(view, scores=scores), "pos", "qaa", "1")
    text = found.text
    assert "less than home does" in text and "lose -" not in text and "home 99%" in text


def test_a_second_run_computes_nothing_and_a_new_seed_only_itself(config: ablate.Config) -> None:
    once = {key_of(cell) for cell in plan(config).cells}
    again = {key_of(cell) for cell in plan(replace(config, seeds=(0, 1, 2))).cells}
    assert once < again and len(again - once) == 3


def test_upper_layers_that_were_never_trained_are_not_missed(telling_model: Path, tmp_path: Path) -> None:
    """All that this encoder knows stands in its embeddings: drawing its fresh upper layer again costs only chance."""
    fast = {"epochs": 2, "precision": "float32", "encoder_rate": 1e-4, "head_rate": 3e-2}
    config = ablate.Config(
        model=str(telling_model),
        tasks=(ablate.Setup("pos", limit=200, test_limit=60, preset="lab", settings=fast),),
        targets=("qab", "qac"), sets=("2",), parallel="", seeds=(0, 1, 2),
    )  # fmt: skip
    store = Store(tmp_path / "store")
    result = ablate.run(config, engine=Inline(), store=store)
    view = view_of(plan(config), Results(store))
    assert view.reference("pos", "qaa", ABROAD).value > 60  # so there is something to lose
    for where in (HOME, ABROAD):
        found = view.loss("pos", "qaa", where, "2")
        assert abs(found.value) < 3 and found.low <= 0 <= found.high
    assert "about the same" in result.findings[0].text and "makes no measurable difference" in result.findings[1].text
    assert "correlations" not in result.tables  # no parallel text, no similarities


@pytest.mark.parametrize(
    ("wanted", "depth", "sets"),
    [
        (["pairs"], 12, "1-2 3-4 5-6 7-8 9-10 11-12"),
        (["thirds", "quarters"], 12, "1-4 5-8 9-12 1-3 4-6 7-9 10-12"),
        (["pairs", "all"], 5, "1-2 3-4 5 all"),
        (["singles", "pairs"], 2, "1 2 all"),
        (["thirds"], 4, "1-2 3 4"),
        (["1", "1-2", "2"], 4, "1 1-2 2"),
        (["all", "fours"], 12, "all 1-4 5-8 9-12"),
        (["fours"], 6, "1-4 5-6"),
        (["fours"], 4, "all"),
    ],
)
def test_layer_sets_cover_the_layers_in_runs(wanted: list[str], depth: int, sets: str) -> None:
    assert layer_sets(wanted, depth) == tuple(sets.split())


@pytest.mark.parametrize(("wanted", "message"), [("halfs", "unknown set"), ("3-9", "no layers"), ("0-1", "embedding")])
def test_an_impossible_set_of_layers_is_named(wanted: str, message: str) -> None:
    with pytest.raises(IsoglossError, match=message):
        layer_sets([wanted], 4)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seeds": ()}, "seeds is empty"),
        ({"tasks": ()}, "no task"),
        ({"similarity": ("linaer",)}, "did you mean 'linear'"),
        ({"similarity": ()}, "no kind of CKA"),
        ({"tasks": (ablate.Setup("pos"), ablate.Setup("pos"))}, "two tasks are called 'pos'"),
        ({"tasks": (ablate.Setup("pos", preset="muller21-ner"),)}, "is for task 'ner'"),
        ({"sources": ("qzz",)}, "qzz"),
        ({"parallel": "lab:twin"}, "did you mean 'twins'"),
    ],
)
def test_a_users_mistake_is_named(config: ablate.Config, settings: dict, message: str) -> None:
    with pytest.raises(IsoglossError, match=message):
        ablate.STUDY.prepare(replace(config, **settings))


def test_presets_are_study_files_that_come_back_whole(tmp_path: Path) -> None:
    assert {"lab", "paper"} <= set(study_presets("ablate"))
    paper = load_study_preset("ablate", "paper", ablate.Config)
    assert len(paper.targets) == 17 and paper.sources == ("en", "ru", "ar") and len(paper.seeds) == 5
    path = tmp_path / "study.yaml"
    path.write_text(dump("ablate", paper))
    (file,) = read_study_files(path)
    assert file.study == "ablate" and file.settings["similarity"][0] == "linear"
    with pytest.raises(IsoglossError, match="did you mean 'paper'"):
        load_study_preset("ablate", "papr", ablate.Config)


def test_published_means_are_those_of_published_languages() -> None:
    table = load_expectations("muller21")
    rows = table[table["item"].isin(["Table 6", "Table 7", "Table 8"])]
    means = load_expectations("muller21").query("item == 'Table 1' and language == 'X'")
    assert len(means) == 3 * 3 * 7
    gaps = []
    for mean in means.to_dict("records"):
        source = mean["condition"].split(",")[0]
        mine = rows[(rows["task"] == mean["task"]) & (rows["condition"] == mean["condition"])]
        others = mine.loc[mine["language"] != source, "value"]
        if len(others) == 16:
            gaps.append(abs(others.mean() - mean["value"]))
    assert len(gaps) >= 40
    assert np.median(gaps) < 0.3  # the paper's own means are not all those of its rows


def test_measured_numbers_have_the_keys_of_published_ones(done: tuple[Result, AblateView]) -> None:
    frame = measured(done[1])
    published = load_expectations("muller21")
    assert list(frame.columns) == ["task", "condition", "language", "measure", "value"]
    assert {"qaa, reference", "qaa, 1"} <= set(frame["condition"]) and "en, 1-2" in set(published["condition"])
    assert set(frame["measure"]) <= set(published["measure"])
    assert isinstance(frame, pd.DataFrame) and {"X", "qab"} <= set(frame["language"])


def test_the_demo_plans_on_the_labs_own_encoder_and_domains() -> None:
    cells = plan(ablate.demo(3)).cells
    assert len({key_of(cell) for cell in cells}) == len(cells) == 1 + 3 * 3  # pretrained; seeds x (reference and pairs)
    first, *_, last = [data.name for data in cells[0].tests]
    assert (first, last) == ("lab:families:3/0", "lab:families:3/1")
    assert cells[0].model.world.seed == 3


def test_records_speak_the_common_vocabulary(done: tuple[Result, AblateView]) -> None:
    frame = done[0].frame()
    assert list(frame.columns) == [*COLUMNS, "side"]
    assert set(frame["study"]) == {"ablate"} and set(frame["unit"]) == {"share", "CKA"}
    assert frame.loc[frame["condition"] == "pretrained", "seed"].isna().all()
    assert frame.loc[frame["unit"] == "share", "layer"].isna().all()


def test_provenance_is_read_off_the_plan(done: tuple[Result, AblateView], config: ablate.Config) -> None:
    origins = done[0].provenance
    assert origins.models == (config.model,) and origins.seeds == (0, 1)
    assert set(origins.data) == {"lab:families", "lab:families/0", "lab:families/1"}
    assert "qab of lab:families/0 (test)" in origins.revisions
    assert origins.presets == {"pos": "lab"} and origins.seconds > 0
    assert len(origins.revisions[config.model]) == 16


def test_seeds_can_be_pretraining_seeds_too() -> None:
    planned = plan(ablate.Config(sets=("1-2",), seeds=(0, 1, 2), vary_pretraining=True))
    encoders = {one.seed: one.cell.model for one in planned.conditions}
    assert len({key_of(model) for model in encoders.values()}) == 3
    assert [model.recipe.seed for model in encoders.values()] == [0, 1, 2]
    assert len({model.world for model in encoders.values()}) == 1  # the same languages and text
    for one in planned.conditions:
        assert one.cell.model == encoders[one.seed] and one.pretrained is not None
        assert one.pretrained.model == encoders[one.seed]
    as_before = plan(ablate.Config(sets=("1-2",), seeds=(0, 1, 2)))
    assert {key_of(one.cell.model) for one in as_before.conditions} == {key_of(encoders[0])}


def test_a_model_that_exists_has_one_pretraining_seed(config: ablate.Config) -> None:
    with pytest.raises(IsoglossError, match="one pretraining seed"):
        plan(replace(config, vary_pretraining=True))
