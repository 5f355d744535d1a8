"""Forget: its tables and figures, their arithmetic, and directions that are known by construction."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from transformers import AutoModel, AutoTokenizer

from isogloss.corpora import load_corpus, load_text
from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe, pretrain
from isogloss.probes.maps import language_moves
from isogloss.runs import Inline, Store, key_of
from isogloss.studies import forget
from isogloss.studies.columns import ABROAD, COLUMNS, HOME
from isogloss.studies.demo import demo_parts
from isogloss.studies.expectations import load_expectations
from isogloss.studies.forget.cells import TASK, TEXT
from isogloss.studies.forget.findings import findings_of
from isogloss.studies.forget.plan import find_texts, plan, searchable
from isogloss.studies.forget.tables import measured, search, tables_of
from isogloss.studies.forget.view import (
    ACCURACY,
    ARI_LABELS,
    CONTROL,
    CONVERGED,
    LABELS,
    LANGUAGES,
    PAPER,
    POOLED,
    SCORE,
    ForgetView,
    view_of,
)  # fmt: skip
from isogloss.studies.result import Result
from isogloss.studies.shared.study_presets import load_study_preset, study_presets
from isogloss.studies.study import Results
from isogloss.transfer import Trainer, Tuned, find_data
from isogloss.transfer.unit_samples import sample_records, sample_texts

TARGETS = ("qab", "qac")
CONDITIONS = ["initial", "fine-tuned", "reversal", "entropy"]
MACRO = {"select_by": "macro_f1"}


@pytest.fixture(scope="module")
def config(tiny_model: Path) -> forget.Config:
    pos = forget.Setup(
        "pos", limit=30, test_limit=12, preset="lab", options=MACRO, settings={"epochs": 1, "precision": "float32"}
    )  # fmt: skip
    return forget.Config(
        model=str(tiny_model), tasks=(pos,), targets=TARGETS, text_limit=20, text_test_limit=12, most=100,
        points={"words": 3}, text_points=12, clusterings=3, seeds=(0, 1),
    )  # fmt: skip


@pytest.fixture(scope="module")
def done(config: forget.Config, tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, ForgetView]:
    store = Store(tmp_path_factory.mktemp("store"))
    result = forget.run(config, engine=Inline(), store=store)
    return result, view_of(plan(config), Results(store))


def test_every_condition_measure_and_seed_is_there(done: tuple[Result, ForgetView]) -> None:
    frame = done[0].frame()
    assert list(frame.columns) == [*COLUMNS, "side", "method"]
    assert list(dict.fromkeys(frame["condition"])) == CONDITIONS
    scores = frame[frame["measure"] == SCORE]
    assert len(scores) == 4 * 2 * 3 and scores["value"].between(0, 1).all()
    assert scores.groupby("target")["side"].first().to_dict() == {"qaa": HOME, "qab": ABROAD, "qac": ABROAD}
    for measure in (PAPER, CONVERGED, ACCURACY, CONTROL):
        rows = frame[frame["measure"] == measure]
        assert rows.groupby("data").size().to_dict() == {TASK: 4 * 2, TEXT: 4 * 2}
        assert rows["value"].between(0, 1).all()
    assert set(frame.loc[frame["measure"] == LABELS, "data"]) == {TASK}
    assert (frame.loc[(frame["measure"] == LANGUAGES) & (frame["data"] == TEXT), "n"] == 3 * 12).all()
    assert frame.set_index("condition").loc["reversal", "method"].iloc[0] == "reversal"


def test_every_table_and_figure_of_the_paper_is_there(done: tuple[Result, ForgetView]) -> None:
    result, _ = done
    assert list(result.tables) == ["scores", "differences", "probes", "clusters", "languages"]
    assert list(result.figures) == ["scores", "trade", "map-pos", "text-map-pos", "moves", "clusters", "languages"]
    assert list(result.tables["scores"].columns) == CONDITIONS
    assert list(result.tables["differences"].columns) == [
        "fine-tuned − initial", "reversal − fine-tuned", "entropy − fine-tuned",
    ]  # fmt: skip
    assert list(result.tables["probes"].frame["condition"]) == CONDITIONS * 2
    assert set(result.figures["trade"].frame["condition"]) == set(CONDITIONS)
    assert len(result.figures["trade"].frame) == 4 * 2


def test_maps_show_the_same_points_in_every_condition(done: tuple[Result, ForgetView]) -> None:
    result, _ = done
    points = result.figures["map-pos"]
    assert points.colours == ("label", "language") and points.hover == ("token", "sentence")
    parts = [part.reset_index(drop=True) for _, part in points.frame.groupby("condition", sort=False)]
    assert [part["condition"][0] for part in parts] == CONDITIONS
    shown = ["label", "language", "token", "sentence"]
    assert all(part[shown].equals(parts[0][shown]) for part in parts)
    assert parts[0].groupby(["label", "language"]).size().max() == 3
    assert all(token in sentence for token, sentence in parts[0][["token", "sentence"]].to_numpy())
    assert np.isfinite(points.frame[["x", "y"]].to_numpy()).all()
    texts = result.figures["text-map-pos"].frame
    assert texts.groupby(["condition", "language"]).size().unique().tolist() == [12]


def test_arrows_start_at_the_initial_model_and_end_at_each_other_condition(done: tuple[Result, ForgetView]) -> None:
    moves = done[0].figures["moves"].frame
    assert list(dict.fromkeys(moves["shown"])) == ["pos: fine-tuned", "pos: reversal", "pos: entropy"]
    starts = moves.groupby("language")[["x", "y"]].nunique()
    assert (starts == 1).all().all() and list(starts.index) == ["qaa", "qab", "qac"]


def test_differences_equal_their_parts_and_means_are_over_the_named_languages(done: tuple[Result, ForgetView]) -> None:
    result, view = done
    scores = result.tables["scores"].frame.set_index("measured")
    gaps = result.tables["differences"].frame.set_index("measured")
    for row in gaps.index.intersection(scores.index):
        assert gaps.loc[row, "fine-tuned − initial"] == pytest.approx(
            scores.loc[row, "fine-tuned"] - scores.loc[row, "initial"]
        )
        assert gaps.loc[row, "reversal − fine-tuned"] == pytest.approx(
            scores.loc[row, "reversal"] - scores.loc[row, "fine-tuned"]
        )
    languages = result.tables["languages"].frame
    task = scores.loc["task, mean over languages"]
    assert task["entropy"] == pytest.approx(languages["entropy"].mean()) and task["entropy_n"] == 2
    assert gaps.loc["languages, text", "fine-tuned − initial_n"] == 2
    assert np.isnan(gaps.loc["languages, text", "fine-tuned − initial_p"])
    pooled = view.of("pos", "initial", POOLED)
    assert len(pooled) == 2 and pooled["low"].le(pooled["value"]).all()


def test_findings_rest_on_the_numbers_of_the_frame(done: tuple[Result, ForgetView]) -> None:
    result, view = done
    first = result.findings[0]
    assert first.text.startswith("pos: with fine-tuning, language identification on the task's data ")
    assert first.effect == pytest.approx(view.change("pos", ("fine-tuned", "initial"), CONVERGED, TASK).value)
    gain, second, _, third = result.findings[1:5]
    assert gain.text.startswith("pos: fine-tuning ") and "against a frozen encoder" in gain.text
    assert second.text.startswith("pos: reversal ") and third.text.startswith("pos: entropy ")
    assert second.effect == pytest.approx(view.change("pos", ("reversal", "fine-tuned"), SCORE, side=ABROAD).value)
    for one in (second, third):
        assert ("makes no measurable difference" in one.text.split(" in other languages")[0]) == (
            one.low <= 0 <= one.high
        )
    assert any("random labels" in one.text for one in result.findings)
    assert any("agreement of clusters with languages" in one.text for one in result.findings)


def made_up_view(model: str = "lab:families") -> ForgetView:
    """Fine-tuning gains 10 points; a solved probe still finds 90 where the paper's finds 5; reversal costs 4."""
    rows = []

    def add(
        condition: str, seed: int, measure: str, value: float, data: str, target: str = "", where: str = ""
    ) -> None:
        about = {"task": "pos", "condition": condition, "method": "m", "seed": seed, "target": target, "side": where}
        rows.append({**about, "data": data, "measure": measure, "value": value, "low": 0.0, "high": 1.0, "n": 10})

    levels = {"initial": (0.5, 0.95, 0.9), "fine-tuned": (0.6, 0.9, 0.05), "reversal": (0.56, 0.4, 0.05)}
    for name, (score, solved, paper) in levels.items():
        for seed in (0, 1, 2):
            for target, where in (("en", HOME), ("de", ABROAD), ("fi", ABROAD)):
                add(name, seed, SCORE, score + 0.01 * seed, "d", target, where)
            for data in (TASK, TEXT):
                for measure, value in ((CONVERGED, solved), (PAPER, paper), (ACCURACY, solved), (CONTROL, 0.2)):
                    add(name, seed, measure, value + 0.001 * seed, data)
                add(name, seed, LANGUAGES, solved / 2, data)
            add(name, seed, LABELS, score / 2, TASK)
            add(name, seed, POOLED, score, "d")
    empty = pd.DataFrame(columns=["task", "data", "condition"])
    return ForgetView(model, "en", pd.DataFrame(rows), empty, empty, pd.DataFrame(), {"pos": "macro_f1"}, (0, 40))


def test_a_probe_that_never_learnt_is_told_apart_from_a_language_forgotten() -> None:
    texts = [one.text for one in findings_of(made_up_view())]
    assert "falls by 5.0 points [5.0, 5.0]: 95.1 before, 90.1 after" in texts[0]
    assert "pos: fine-tuning gains 10.0 points [10.0, 10.0] in other languages" in texts[1]
    assert "reversal costs 4.0 points [4.0, 4.0] in other languages" in texts[2]
    assert "language identification on the task's data falls by 50.0 points [50.0, 50.0]" in texts[3]
    assert "after 'fine-tuned' a solved probe finds 90.1 macro F1 on task data, the paper's protocol 5.1." in texts[4]
    assert "85.0 points [85.0, 85.0] are still in the states" in texts[4]
    assert "control (random labels) is 20.0 points" in texts[-1] and "after 'reversal' on" in texts[-1]


def test_probes_that_did_not_converge_are_a_warning_above_the_findings() -> None:
    view = made_up_view()
    assert not any(one.warning for one in findings_of(view))
    first, second, *_ = findings_of(replace(view, unconverged=(3, 40)))
    assert first.warning and first.text.startswith("3 of 40 probes did not converge")
    assert not second.warning
    (table,) = (one for one in tables_of(replace(view, unconverged=(3, 40))) if one.name == "probes")
    assert "37 of 40 solved probes reached their optimum" in table.reading


def test_protocols_that_agree_are_said_to_agree() -> None:
    view = made_up_view()
    frame = view.frame[view.frame["measure"] != PAPER]
    same = frame[frame["measure"] == CONVERGED].assign(measure=PAPER)
    texts = [one.text for one in findings_of(replace(view, frame=pd.concat([frame, same], ignore_index=True)))]
    assert any("both protocols of identification agree: they differ by at most 0.0 points" in text for text in texts)


def test_an_index_below_chance_lies_within_its_interval() -> None:
    view = made_up_view()
    rows = view.frame[view.frame["measure"] == CONVERGED].assign(measure=ARI_LABELS)
    below = rows.assign(value=-0.02 + 0.001 * rows["seed"])
    found = replace(view, frame=below).level("pos", view.conditions()[0], ARI_LABELS, TASK)
    assert found.low <= found.value <= found.high < 0


def test_published_numbers_stand_beside_a_run_of_the_papers_model() -> None:
    table = load_expectations("tanti21")
    assert len(table) == 50 and table["value"].between(0, 100).all()
    frame = measured(made_up_view())
    assert set(frame["measure"]) == set(table["measure"]) and set(frame["language"]) == set(table["language"])
    shown = {one.name: one for one in tables_of(made_up_view("google/bert-base-multilingual-cased"))}["published"].frame
    row = shown[(shown["condition"] == "fine-tuned") & (shown["measure"] == "macro F1")].iloc[0]
    assert (row["item"], row["published"]) == ("Table 1", 59.6)
    assert row["difference"] == pytest.approx(60.0 - 59.6)
    assert "published" not in {one.name for one in tables_of(made_up_view())}


def test_an_encoder_that_sees_no_words_tells_no_languages_until_it_is_trained(
    config: forget.Config, tiny_model: Path, tmp_path: Path
) -> None:
    """All word embeddings are equal: frozen, its states are the same in every language, whatever the probe."""
    blind = tmp_path / "blind"
    model = AutoModel.from_pretrained(tiny_model)
    model.embeddings.word_embeddings.weight.data[:] = 1.0
    model.save_pretrained(blind)
    AutoTokenizer.from_pretrained(tiny_model).save_pretrained(blind)
    pos = replace(config.tasks[0], limit=80, settings={"epochs": 4, "precision": "float32", "encoder_rate": 3e-3})
    chosen = replace(
        config, model=str(blind), tasks=(pos,), conditions={"initial": "linear", "fine-tuned": "plain"}, text_limit=60,
        most=400, text_test_limit=30,
    )  # fmt: skip
    store = Store(tmp_path / "store")
    result = forget.run(chosen, engine=Inline(), store=store)
    view = view_of(plan(chosen), Results(store))
    before, after = (view.level("pos", name, ACCURACY, TEXT) for name in ("initial", "fine-tuned"))
    assert before.value < 50  # three languages; only lengths of texts can tell
    assert after.value > before.value + 5
    assert "On independent text it rises by" in result.findings[0].text


def test_the_same_method_twice_differs_by_nothing(config: forget.Config, tmp_path: Path) -> None:
    chosen = replace(config, conditions={"fine-tuned": "plain", "again": "plain"}, seeds=(0,))
    store = Store(tmp_path)
    forget.run(chosen, engine=Inline(), store=store)
    view = view_of(plan(chosen), Results(store))
    for measure, data in ((SCORE, ""), (PAPER, TEXT), (CONVERGED, TASK), (LANGUAGES, TEXT)):
        assert view.change("pos", ("again", "fine-tuned"), measure, data).value == 0
    again = view.maps[view.maps["condition"] == "again"][["x", "y"]].to_numpy()
    assert np.array_equal(again, view.maps[view.maps["condition"] == "fine-tuned"][["x", "y"]].to_numpy())


def test_a_search_draws_what_means_something_to_each_condition(config: forget.Config, tmp_path: Path) -> None:
    space = {"encoder_rate": [1e-3, 1e-4], "head_rate": [1e-2, 1e-3], "strength": [0.1, 0.7], "weight": [0.3, 0.5]}
    wide = replace(config, search=space, draws=3)
    cells = {one.name: one.cell for one in plan(wide).conditions if one.seed == 0}
    assert all(isinstance(cell, Tuned) and cell.keep_model for cell in cells.values())
    assert {name: len(cell.candidates) for name, cell in cells.items()} == {
        "initial": 2, "fine-tuned": 3, "reversal": 3, "entropy": 3,
    }  # fmt: skip
    assert {one.settings.encoder_rate for one in cells["initial"].candidates} == {1e-3}  # a frozen encoder has no rate
    assert all("reversal" in one.method and not one.tests for one in cells["reversal"].candidates)
    assert {"strength", "encoder_rate"} <= searchable(config.tasks[0], "reversal", config)
    small = replace(
        wide, conditions={"fine-tuned": "plain"}, draws=2, seeds=(0,), search={"encoder_rate": [1e-3, 1e-4]}
    )  # fmt: skip
    store = Store(tmp_path)
    result = forget.run(small, engine=Inline(), store=store)
    view = view_of(plan(small), Results(store))
    assert list(view.draws["draw"]) == [1, 2] and view.draws["chosen"].sum() == 1
    best = view.draws.loc[view.draws["validation"].idxmax()]
    row = search(view).frame.iloc[0]
    assert best["chosen"] and row["validation"] == best["validation"] and row["draws"] == 2
    assert row["rate of the encoder"] == f"{best['rate of the encoder']:g}" and "search" in result.tables


def test_points_are_words_with_the_states_that_the_head_sees(tiny_model: Path) -> None:
    data = find_data("lab:families", "pos", "qab", "test", 8)
    records = [find.read() for find in (find_data("lab:families", "pos", "qaa", part, 8) for part in ("train", "dev"))]
    fitted, _, _ = Trainer(str(tiny_model), "pos", "plain").prepare(*records)
    points = sample_records(fitted, (data,), 2)
    assert points.table.groupby("label").size().max() == 2 and set(points.table["language"]) == {"qab"}
    trees = data.read()
    lines = [" ".join(tree.words) for tree in trees]
    row = points.table.iloc[5]
    alone = trees[lines.index(row["sentence"])]
    only = sample_records(fitted, (replace(data, limit=lines.index(row["sentence"]) + 1),), 1000)
    same = only.table[(only.table["sentence"] == row["sentence"]) & (only.table["token"] == row["token"])]
    near = np.abs(only.states[same.index] - points.states[5]).max(axis=1)
    assert near.min() < 1e-4 and row["label"] in set(same["label"]) and row["token"] in alone.words
    texts = sample_texts(fitted, {"qaa": lines[:3], "qab": lines[3:6]}, 7)
    assert texts.table.groupby("language").size().tolist() == [7, 7] and len(texts.states) == 14
    assert (texts.table["token"] != "").all()


def test_languages_that_come_to_look_alike_move_to_the_middle() -> None:
    rng = np.random.default_rng(0)
    languages = np.repeat(["a", "b", "c"], 40)
    before = rng.normal(size=(120, 6)) + np.repeat(np.eye(3, 6) * 9, 40, axis=0)
    moves = language_moves({"initial": before, "after": rng.normal(size=(120, 6))}, languages)
    assert list(moves["language"]) == ["a", "b", "c"] and set(moves["condition"]) == {"after"}
    start, end = np.hypot(moves["x"], moves["y"]), np.hypot(moves["x_to"], moves["y_to"])
    assert (end < 0.5 * start).all()


def test_text_without_parts_is_cut_into_rows_to_learn_from_and_to_test_on(
    config: forget.Config, tmp_path: Path
) -> None:
    for code in ("qaa", "qab"):
        lines = [
            sentence.text for sentence in load_corpus("lab:families", "text", [code], limit=30).read(code, "train")
        ]
        (tmp_path / f"{code}.txt").write_text("\n".join(lines), encoding="utf-8")
    named = replace(config, texts=str(tmp_path), text_limit=20, text_test_limit=8)
    texts = find_texts(named, ["qaa", "qab", "qac"])
    assert [data.language for data in texts.train] == ["qaa", "qab"]
    learnt, tested = ([one.text for one in data.read()] for data in (texts.train[0], texts.tests[0]))
    whole = (tmp_path / "qaa.txt").read_text(encoding="utf-8").splitlines()
    assert (len(learnt), len(tested)) == (20, 8) and learnt + tested == whole[:28]
    with pytest.raises(IsoglossError, match="none is left to test on"):
        find_texts(replace(named, text_limit=40), ["qaa", "qab"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seeds": ()}, "seeds is empty"),
        ({"conditions": {}}, "no condition"),
        ({"conditions": {"reversal": "reversl"}}, "did you mean 'reversal'"),
        ({"points": {"word": 3}}, "did you mean 'words'"),
        ({"search": {"strenght": [1]}}, "did you mean 'strength'"),
        ({"source": "qzz"}, "qzz"),
        ({"tasks": ()}, "no task"),
        ({"targets": ("qaa",)}, "1 of the tested languages"),
    ],
)
def test_a_users_mistake_is_named(config: forget.Config, settings: dict, message: str) -> None:
    with pytest.raises(IsoglossError, match=message):
        forget.STUDY.prepare(replace(config, **settings))


def test_presets_have_the_papers_values() -> None:
    assert {"lab", "paper"} <= set(study_presets("forget"))
    paper = load_study_preset("forget", "paper", forget.Config)
    assert [setup.task for setup in paper.tasks] == ["pos", "nli"] and paper.source == "en"
    assert len(paper.tasks[0].targets) == len(paper.text_languages) == 33
    assert 50 * 3 * len(paper.tasks[1].targets) == 2_100  # Tanti21 App. B
    assert len(paper.text_languages) * paper.text_limit == 115_500  # App. A
    assert len(paper.text_languages) * paper.text_test_limit == 16_500
    assert paper.points == {"words": 10, "texts": 50} and paper.text_points == 100 and paper.clusterings == 10
    assert set(paper.tasks[0].presets) == set(paper.conditions)
    lab = load_study_preset("forget", "lab", forget.Config)
    assert lab.draws == 20 and list(lab.conditions) == CONDITIONS


def test_the_demo_plans_on_the_encoder_that_it_shares() -> None:
    parts = {part.study.name: part for part in demo_parts("demo", 3)}
    cells, others = (parts[name].study.plan(parts[name].config).cells for name in ("forget", "preserve"))
    assert len(cells) == 3 * 4 * 3 + 1  # fine-tuning, identification and clusters of conditions and seeds; the maps
    base = cells[0]
    assert base.model.world.seed == 3 and base.model.recipe.training.steps == 2_200 and base.model == others[0].model
    assert base.train[0].name == "lab:families:3" and base.keep_model


@pytest.mark.real
@pytest.mark.parametrize("task", ["pos", "nli"])
def test_real_data_and_a_folder_of_text_run_end_to_end(task: str, real_data: Path, tmp_path: Path) -> None:
    """EWT to PUD, or XNLI, with text of the same languages that has no parts; a small encoder made on the spot."""
    codes = ("en", "de", "ru")
    lines = {code: [line.text for line in load_text("tatoeba-text", [code], limit=2500)] for code in codes}
    recipe = Recipe.preset("lab").changed(
        vocabulary={"size": 3000, "accept_fewer": True},
        training={"steps": 20, "validate_every": 20, "save_every": 20, "warmup": 1},
    )
    pretrain(recipe, lines, tmp_path / "model")
    data = {
        "pos": {"data": "ud-ewt", "test_data": "ud-pud"},
        "nli": {"data": "xnli", "validation_part": "valid", "test_part": "dev"},
    }[task]
    setup = forget.Setup(
        task, **data, limit=60, test_limit=20, options=MACRO, settings={"epochs": 1}, on_error="skip"
    )  # fmt: skip
    config = forget.Config(
        model=str(tmp_path / "model"), tasks=(setup,), source="en", targets=codes, texts="tatoeba-text", text_limit=40,
        text_test_limit=20, most=200, points={"words": 3, "texts": 5}, text_points=15,
    )  # fmt: skip
    result = forget.run(config, engine=Inline(), store=Store(tmp_path / "store"))
    frame = result.frame()
    assert set(frame.loc[frame["measure"] == SCORE, "target"]) == set(codes)
    assert frame["value"].between(-1, 1).all() and frame.loc[frame["measure"] == CONVERGED, "value"].max() > 0.4
    assert set(result.figures[f"text-map-{task}"].frame["language"]) == set(codes)


@pytest.mark.parametrize("search", [{}, {"encoder_rate": [1e-3, 2e-3]}], ids=["no search", "a search"])
def test_seeds_can_be_pretraining_seeds_too(search: dict[str, list[float]]) -> None:
    config = forget.Config(seeds=(0, 1), search=search, draws=2 if search else 0)
    planned = plan(replace(config, vary_pretraining=True)).conditions
    for one in planned:
        fine_tunings = one.cell.candidates if isinstance(one.cell, Tuned) else (one.cell,)
        assert {cell.model.recipe.seed for cell in fine_tunings} == {one.seed}
        assert one.identify.fitted == one.cell and one.clusters.fitted == one.cell
    assert any(isinstance(one.cell, Tuned) for one in planned) == bool(search)
    first = plan(config).conditions[0]
    assert key_of(first.cell) == key_of(planned[0].cell)  # of the first seed: the lab's own encoder
