"""Emerge: its plan, its tables and their arithmetic, and outcomes that are known by construction."""

from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoModel

from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe
from isogloss.pretrain.folders import encoder_folder
from isogloss.probes.statistics.verdicts import Word
from isogloss.runs import Inline, Store, key_of
from isogloss.runs.config import dump
from isogloss.studies import emerge, inspect
from isogloss.studies.columns import ABROAD, COLUMNS, HOME
from isogloss.studies.emerge.findings import EMERGES, KEPT, findings_of
from isogloss.studies.emerge.plan import DEFAULT, plan
from isogloss.studies.emerge.plan.treatments import APART, CONTROLS, TRAINED, TREATMENTS, chosen_treatments
from isogloss.studies.emerge.tables import measured
from isogloss.studies.emerge.view import EmergeView, meeting_scores, view_of
from isogloss.studies.expectations import load_expectations
from isogloss.studies.result import Result
from isogloss.studies.shared.meeting import measure
from isogloss.studies.shared.models import name_model
from isogloss.studies.shared.pretraining import Apart, Pretraining
from isogloss.studies.shared.study_presets import load_study_preset, study_presets
from isogloss.studies.study import Results

LAB = "lab:neighbours:{seed}"
SMALL = {
    "model.layers": 3, "model.width": 16, "model.heads": 2, "model.feedforward": 32, "vocabulary.size_a_language": 120,
    "data.validation": 10, "training.steps": 4, "training.warmup": 1, "training.validate_every": 4,
    "training.save_every": 4, "training.batch_tokens": 256, "data.draws": 2,
}  # fmt: skip
FEW = ("no-anchors", "sep-emb-third", "apart", "untrained")


@pytest.fixture(scope="module")
def config() -> emerge.Config:
    pos = emerge.Setup("pos", data=LAB, limit=20, test_limit=10, settings={"epochs": 1, "precision": "float32"})
    return emerge.Config(
        pairs=(emerge.Pair("qaa", "qab", name="near"),), conditions=FEW, tasks=(pos,), text=f"{LAB}/0",
        other_text=f"{LAB}/1", dictionary=LAB, sentences=120, parallel=LAB, parallel_limit=160, pools=("hard", "test"),
        settings=SMALL, seeds=(0, 1),
    )  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def done(config: emerge.Config, store: Store) -> tuple[Result, EmergeView]:
    result = emerge.run(config, engine=Inline(), store=store)
    return result, view_of(plan(config), Results(store, {}))


def test_the_plan_has_every_condition_pair_and_seed_and_shares_what_is_the_same(config: emerge.Config) -> None:
    whole = replace(config, conditions=(), pairs=(*config.pairs, emerge.Pair("qab", "qaa", name="back")))
    planned = plan(whole)
    found, cells = planned.conditions, planned.all_cells
    assert len(found) == 2 * 2 * len(TREATMENTS)
    pretrainings = [cell for cell in cells if isinstance(cell, Pretraining)]
    # ten bilingual ones a pair and seed; two monolingual ones a seed, which both pairs share
    assert len(pretrainings) == 2 * 2 * len(TRAINED) + 2 * 2
    assert sum(cell.name == "fine-tune" for cell in cells) == len(found)
    assert sum(isinstance(cell, Apart) for cell in cells) == 4


def test_conditions_set_the_factors_of_the_papers_table(config: emerge.Config) -> None:
    recipe = Recipe()  # the paper's: 8 layers
    changed = {name: one.change(recipe, 3) for name, one in TREATMENTS.items() if one in TRAINED}
    assert {name: one.vocabulary.scope for name, one in changed.items()} == {
        "default": "joint", "domain": "joint", "default-anchors": "united", "no-anchors": "marked",
        "extra-anchors": "joint", "sep-emb": "own", "sep-emb-third": "own", "sep-emb-most": "own",
        "sep-third": "united", "sep-most": "united",
    }  # fmt: skip
    layers = {name: one.sharing.separate_layers for name, one in changed.items() if one.sharing.separate_layers}
    assert layers == {"sep-emb-third": 3, "sep-emb-most": 6, "sep-third": 3, "sep-most": 6}
    assert TREATMENTS["sep-emb-most"].label(8) == "Sep Emb + L1-6" and TREATMENTS["sep-third"].label(4) == "Sep L1"
    assert all(one.seed == 3 for one in changed.values())
    by_name = {one.treatment.name: one for one in plan(replace(config, conditions=(), seeds=(1,))).conditions}
    other = by_name["domain"].model
    assert [text.name for text in other.texts] == ["lab:neighbours:1/0", "lab:neighbours:1/1"]
    assert [(words.source, words.target) for words in by_name["extra-anchors"].model.dictionaries] == [
        ("qaa", "qab"), ("qab", "qaa"),
    ]  # fmt: skip
    alone = by_name["monolingual"].model
    assert alone.languages == ("qaa",) and alone.recipe.training.steps == 2
    assert by_name["apart"].tasks[0][1].method == "separate+linear"


def test_every_measurement_is_there(done: tuple[Result, EmergeView]) -> None:
    frame = done[0].frame()
    assert list(frame.columns) == [*COLUMNS, "side", "pair", "pool"]
    assert list(dict.fromkeys(frame["condition"])) == [DEFAULT, *FEW]
    scores = frame[frame["task"] == "pos"]
    assert len(scores) == 5 * 2 * 2 and set(scores["side"]) == {HOME, ABROAD}
    layers = frame[frame["layer"].notna() & (frame["pool"] != "")]
    assert frame.loc[(frame["measure"] == "retrieval") & (frame["pool"] == ""), "layer"].notna().all(), (
        "the layer chosen"
    )
    assert len(layers) == 5 * 2 * 2 * 4 * (2 + 2)  # conditions, seeds, pools, layers; two CKAs, retrieval twice
    assert set(layers["measure"]) == {
        "cka_linear", "cka_unbiased", "retrieval", "retrieval, for the choice of a layer",
    }  # fmt: skip


def test_the_page_says_which_models_data_and_presets_the_numbers_rest_on(done: tuple[Result, EmergeView]) -> None:
    origins = done[0].provenance
    assert origins.models == ("qaa and qab, 4 steps", "qaa, 2 steps", "qab, 2 steps")
    assert set(origins.data) == {f"lab:neighbours:{seed}{domain}" for seed in (0, 1) for domain in ("", "/0")}
    assert origins.presets == {"pos": "lab"} and origins.seeds == (0, 1)


def test_tables_and_figures_are_the_papers(done: tuple[Result, EmergeView]) -> None:
    result, _ = done
    assert list(result.tables) == ["emergence", "differences", "pairs", "home", "similarity", "encoders"]
    assert list(result.figures) == ["transfer", "differences", "retrieval", "cka"]
    assert list(result.tables["emergence"].frame["condition"]) == [
        "Default", "No anchors", "Sep Emb + L1", "Nothing shared", "Untrained",
    ]  # fmt: skip
    bars = result.figures["transfer"].frame
    assert set(bars["task"]) == {"pos", "retrieval"} and set(bars["pair"]) == {"near"}


def test_a_difference_equals_its_parts(done: tuple[Result, EmergeView]) -> None:
    result, view = done
    levels = result.tables["emergence"].frame.set_index("condition")
    gaps = result.tables["differences"].frame.set_index("condition")
    for condition in ("No anchors", "Nothing shared"):
        assert gaps.loc[condition, "pos"] == pytest.approx(levels.loc[condition, "pos"] - levels.loc["Default", "pos"])
        assert gaps.loc[condition, "all tasks"] == pytest.approx(gaps.loc[condition, "pos"])  # one task
    by_seed = {
        name: 100 * view.of(name, ("pos",), ("near",)).set_index("seed")["value"] for name in (DEFAULT, "no-anchors")
    }
    each = by_seed["no-anchors"] - by_seed[DEFAULT]
    half = 12.706 * each.std(ddof=1) / np.sqrt(2)  # t of one degree of freedom
    assert gaps.loc["No anchors", "pos_high"] - gaps.loc["No anchors", "pos"] == pytest.approx(half, rel=1e-3, abs=1e-9)


def test_a_vocabulary_without_anchors_has_none_and_the_default_has_some(done: tuple[Result, EmergeView]) -> None:
    anchors = done[0].tables["encoders"].frame.set_index("condition")["anchors, %"]
    assert anchors["No anchors"] == 0 and anchors["Default"] > 5


def test_nothing_shared_finds_no_translation_and_shared_strings_alone_find_some(
    done: tuple[Result, EmergeView],
) -> None:
    """Known by construction: untrained embeddings of a joint vocabulary still see that anchors are the same string."""
    found = done[1].profile("retrieval", "hard").groupby("condition")["value"].mean()
    assert done[1].layers["n"].min() == 40  # so that chance is at most 1/40 where a layer is chosen, 1/120 where not
    assert found["apart"] < 0.04 and found["untrained"] > 2 * found["apart"]


def test_nothing_shared_leaves_both_encoders_as_they_were_pretrained(
    config: emerge.Config, store: Store, done: tuple[Result, EmergeView]
) -> None:
    trial = next(one for one in plan(config).conditions if one.treatment.name == APART)
    assert isinstance(trial.model, Apart)
    ((_, cell),) = trial.tasks
    root = store.folder(trial.model)
    from isogloss.runs.work import StoreBench

    abroad = cell.fit(StoreBench(store, cell)).speaking("qab")
    own = AutoModel.from_pretrained(encoder_folder(root, "qab")).state_dict()
    for name, tensor in abroad.whole.state_dict().items():
        assert "pooler" in name or torch.equal(tensor, own[name]), name
    alone = store.folder(trial.model.parts[1])
    assert torch.equal(
        AutoModel.from_pretrained(alone).get_input_embeddings().weight, abroad.whole.get_input_embeddings().weight
    )


def test_translations_that_are_the_same_vectors_are_found_and_unrelated_ones_are_not() -> None:
    random = np.random.default_rng(0)
    first = random.standard_normal((200, 2, 8)).astype(np.float32)
    second = first.copy()
    second[:, 0] = random.standard_normal((200, 8))
    frame = measure({"a": first, "b": second}, "a", ("unbiased",))
    shown = frame[~frame["choice"]].set_index(["measure", "layer"])["value"]
    assert shown["retrieval", 1] == 1 and shown["retrieval", 0] < 0.05
    assert shown["cka_unbiased", 1] == pytest.approx(1) and abs(shown["cka_unbiased", 0]) < 0.1


def test_the_layer_is_chosen_on_other_sentences_than_those_it_is_measured_on() -> None:
    about = {"pair": "p", "condition": "default", "seed": 0, "pool": "hard", "measure": "retrieval", "n": 30}
    layers = pd.DataFrame(
        [{**about, "layer": layer, "choice": choice, "value": value}
         for layer, choice, value in ((0, True, 0.2), (1, True, 0.5), (0, False, 0.9), (1, False, 0.4))]
    )  # fmt: skip
    (row,) = meeting_scores(layers, ("hard",)).to_dict("records")
    assert row["value"] == 0.4 and row["task"] == "retrieval"


def made_up_view() -> EmergeView:
    """Exact scores: anchors cost 2 points, separate embeddings 10, nothing shared 40."""
    levels = {"default": 0.7, "default-anchors": 0.7, "no-anchors": 0.68, "sep-emb": 0.6, "apart": 0.3}
    rows = [
        {"pair": pair, "condition": name, "seed": seed, "task": task, "side": side, "target": "t",
         "data": f"{pair}/{task}", "measure": "f1", "n": 10,
         "value": value + 0.01 * seed + (0.1 if pair == "near" else 0) + (0.1 if side == HOME else 0)}
        for name, value in levels.items() for seed in (0, 1, 2) for pair in ("near", "far")
        for task in ("nli", "ner") for side in (HOME, ABROAD)
    ]  # fmt: skip
    return EmergeView(
        scores=pd.DataFrame(rows), layers=pd.DataFrame(), encoders=pd.DataFrame(), pairs=("far", "near"),
        treatments=chosen_treatments(tuple(levels)), tasks=("nli", "ner"), depth=8, pools=("",),
    )  # fmt: skip


def test_findings_say_what_the_numbers_are() -> None:
    texts = [finding.text for finding in findings_of(made_up_view())]
    assert texts[0].startswith("Cross-lingual structure emerges: +40.0 points [40.0, 40.0] of zero-shot transfer")
    assert "The default encoder scores 76.0 (" in texts[0] and texts[0].endswith("nothing shared 36.0.")
    assert "What costs most is 'Sep Emb': it costs 10.0 points [10.0, 10.0]" in texts[1]
    assert "'No anchors' costs 2.0 points" in texts[1]
    assert "without shared entries costs 2.0 points [2.0, 2.0] against 'Default anchors'. It is still above" in texts[2]
    assert "Sharing: 'Sep Emb' costs 10.0 points [10.0, 10.0] against the default and is still above" in texts[3]
    assert "'near' is ahead of 'far' by 10.0 points [10.0, 10.0] over 3 seeds. By pair: near 81.0" in texts[4]
    assert any("rank correlation" in text for text in texts)


def test_with_one_seed_pairs_are_compared_without_an_interval() -> None:
    view = made_up_view()
    alone = replace(view, scores=view.scores[view.scores["seed"] == 0])
    text = next(finding.text for finding in findings_of(alone) if finding.text.startswith("Distance"))
    assert "'near' is ahead of 'far' by 10.0 points (one seed: no interval). By pair: near 80.0, far 70.0." in text


def test_published_numbers_are_consistent_and_have_the_keys_of_measured_ones() -> None:
    table = load_expectations("wu20")
    rows = table[table["item"] == "Table 1"]
    assert set(rows["condition"]) == {condition.name for condition in TRAINED}
    for _, part in rows.groupby(["task", "condition"]):
        by_language = part.set_index("language")["value"]
        assert by_language[["fr", "ru", "zh"]].mean() == pytest.approx(by_language["mean"], abs=0.11)
    frame = measured(made_up_view())
    assert list(frame.columns) == ["task", "condition", "language", "measure", "value"]
    assert set(frame["measure"]) == set(rows["measure"])


def test_a_run_of_the_papers_pairs_has_published_scores_beside_its_own() -> None:
    from isogloss.studies.emerge.tables import in_the_paper

    view = made_up_view()
    scores = view.scores.replace({"pair": {"near": "fr", "far": "ru"}})
    tables = {table.name: table for table in in_the_paper(replace(view, scores=scores, pairs=("fr", "ru")))}
    assert list(tables) == ["paper", "published", "not-compared"]
    assert set(tables["published"].frame["language"]) == {"fr", "ru"}  # the paper's means are over Chinese too
    row = tables["published"].frame.query("condition == 'sep-emb' and task == 'nli' and language == 'fr'").iloc[0]
    assert row["published"] == 72.7 and row["measured"] == pytest.approx(71.0)
    assert [table.name for table in in_the_paper(view)] == ["paper"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seeds": ()}, "seeds is empty"),
        ({"pairs": ()}, "pairs is empty"),
        ({"conditions": ("no-anchor",)}, "did you mean 'no-anchors'"),
        ({"pairs": (emerge.Pair("qaa", "qaa"),)}, "paired with itself"),
        ({"pairs": (emerge.Pair(), emerge.Pair())}, "two pairs are called 'qab'"),
        (
            {"conditions": ("sep-third", "sep-most"), "settings": {**SMALL, "model.layers": 2}},
            "the same in a model of 2",
        ),
        ({"pairs": (emerge.Pair("qaa", "qzz"),)}, "qzz"),
        ({"text": "no-such-folder"}, "no-such-folder"),
        ({"recipe": "papper"}, "did you mean 'paper'"),
    ],
)
def test_a_users_mistake_is_named(config: emerge.Config, settings: dict, message: str) -> None:
    with pytest.raises(IsoglossError, match=message):
        emerge.STUDY.prepare(replace(config, **settings))


def test_a_condition_without_its_data_is_left_out(config: emerge.Config) -> None:
    bare = replace(config, conditions=(), other_text="", dictionary="")
    names = {one.treatment.name for one in plan(bare).conditions}
    assert names == set(TREATMENTS) - {"domain", "extra-anchors"}


def test_presets_have_the_papers_values() -> None:
    assert {"lab", "paper"} <= set(study_presets("emerge"))
    paper = load_study_preset("emerge", "paper", emerge.Config)
    recipe = paper.pretraining()
    assert (recipe.model.layers, recipe.model.width, recipe.vocabulary.size) == (8, 768, 80_000)
    assert recipe.training.best_by == "en" and [pair.target for pair in paper.pairs] == ["fr", "ru", "zh"]
    assert [setup.task for setup in paper.tasks] == ["nli", "ner", "parsing"]
    lab = load_study_preset("emerge", "lab", emerge.Config)
    assert len(lab.seeds) == 3 and {setup.task for setup in lab.tasks} == {"nli", "ner", "parsing", "pos"}
    names = {one.treatment.name for one in plan(lab).conditions}
    assert names == {condition.name for condition in (*TRAINED, *CONTROLS)}


def test_an_encoder_of_a_run_is_named_by_condition_pair_and_seed_and_can_be_inspected(
    config: emerge.Config, store: Store, done: tuple[Result, EmergeView], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "study.yaml").write_text(dump("emerge", config), encoding="utf-8")
    models = {(one.treatment.name, one.seed): one.model for one in plan(config).conditions}
    assert key_of(name_model(str(run))) == key_of(models[DEFAULT, 0])
    assert key_of(name_model(f"{run}@no-anchors/near/1")) == key_of(models["no-anchors", 1])
    for name in ("sep-emb-third", "apart", "no-anchors"):  # none of them has one encoder for both languages
        view = inspect.Config(models=(f"{run}@{name}",), data="lab:neighbours:0", limit=40)
        result = inspect.run(view, engine=Inline(), store=store)
        assert set(result.frame()["source"]) >= {"qaa"}
    with pytest.raises(IsoglossError, match="did you mean 'sep-emb'"):
        name_model(f"{run}@sep-embs")
    with pytest.raises(IsoglossError, match="unknown pair 'far'"):
        name_model(f"{run}@default/far")


def test_a_second_run_computes_nothing(config: emerge.Config, store: Store, done: tuple[Result, EmergeView]) -> None:
    planned = plan(config)
    _, outcome = emerge.STUDY.attempt(planned, Inline(), store)
    assert outcome.computed == 0 and outcome.found == len(planned.all_cells)


def test_the_demo_is_one_pair_and_few_conditions() -> None:
    found = plan(emerge.demo(3, "demo")).conditions
    assert [one.treatment.name for one in found] == ["default", "sep-emb-most", "untrained"]
    assert found[0].model.texts[0].name == "lab:neighbours:3" and found[0].seed == 3
    assert emerge.demo(0, "tiny").pretraining().training.steps < 100


def test_every_verdict_has_its_words() -> None:
    """Far below a control is below it, and one seed is too few to tell: never "no longer clearly above"."""
    words = set(get_args(Word)) - {"higher", "lower"}
    assert set(EMERGES) == set(KEPT) == words
    assert KEPT["worse"] == "is below" and "too few observations" in KEPT["too few to tell"]
