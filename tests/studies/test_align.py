"""Align: a rotated encoder maps back perfectly; structure and arithmetic where encoders differ in width and depth."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoTokenizer, BertConfig, BertModel

from isogloss.corpora import WordVectors, write
from isogloss.corpora.lab import Lab, preset
from isogloss.corpora.records import Dictionary, ParallelText
from isogloss.encoders import Encoder
from isogloss.errors import IsoglossError
from isogloss.runs import Inline, Store
from isogloss.studies import align
from isogloss.studies.align.cells.inputs import Lexicon, find_bitexts
from isogloss.studies.align.cells.sentences import pair_layers
from isogloss.studies.align.cells.words import read_side
from isogloss.studies.align.findings import findings_of
from isogloss.studies.align.plan import AlignCondition, plan
from isogloss.studies.align.plan.couples import AGAIN, APART, BILINGUAL, RANDOM, couples
from isogloss.studies.align.view import AlignView, gap, mean_of
from isogloss.studies.columns import COLUMNS
from isogloss.studies.result import Result
from isogloss.studies.shared.models import Untrained
from isogloss.studies.shared.pretraining import Pretraining
from isogloss.studies.shared.study_presets import load_study_preset, study_presets

FAST = {"epochs": 1, "precision": "float32"}


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files in which language qab says what qaa says, word by word."""
    folder = tmp_path_factory.mktemp("mirror")
    lab = Lab(preset("families"))
    lines = lab.text("qaa", 400)
    parallel = lab.parallel(120, ["qaa"]).texts["qaa"]
    words = sorted({word for line in lines for word in line.split()})
    for code in ("qaa", "qab"):
        write.write_text(folder / "text" / f"{code}.txt", lines)
        for part, name in (("train", "train"), ("validation", "dev"), ("test", "test")):
            write.write_conllu(folder / "ud" / f"{code}_x-ud-{name}.conllu", lab.trees("qaa", 60, part))
    write.write_parallel(folder / "parallel", ParallelText({"qaa": parallel, "qab": parallel}))
    write.write_dictionary(folder / "qaa-qab.txt", Dictionary("qaa", "qab", tuple((word, word) for word in words)))
    write.write_alignments(folder / "gold", "qaa", "qab", lab.alignments("qaa", "qaa", 80))
    return folder


@pytest.fixture(scope="module")
def mirrored(
    mirror: Path, tiny_model: Path, tmp_path_factory: pytest.TempPathFactory, rotate_model: Callable[[Path, Path], Path]
) -> Result:
    """An encoder and its rotation, one a language."""
    rotated = rotate_model(tiny_model, tmp_path_factory.mktemp("rotated"))
    config = align.Config(
        models={"qaa": str(tiny_model), "qab": str(rotated)}, bilingual={"qab": str(tiny_model)},
        text=str(mirror / "text"), text_part="",
        dictionary=str(mirror / "qaa-qab.txt"), alignments=str(mirror / "gold"), parallel=str(mirror / "parallel"),
        parallel_part="", test_parallel=str(mirror / "parallel"), test_part="", test_limit=40, sizes=(80,),
        tasks=(align.Setup("pos", data=str(mirror / "ud"), preset="lab", settings=FAST | {"epochs": 3, "batch": 8}),),
        layers="0,2", task_layers=1,
    )  # fmt: skip
    return align.run(config, engine=Inline(), store=_store(tmp_path_factory))


def _store(factory: pytest.TempPathFactory) -> Store:
    return Store(factory.mktemp("store"))


def test_a_rotated_encoder_is_aligned_perfectly_at_every_mean_of(mirrored: Result) -> None:
    frame = mirrored.frame()
    apart = frame[frame["condition"] == APART]
    words = apart[(apart["level"] == "words") & apart["what"].isin(["entries", "context"])]
    csls = words[words["measure"] == "csls"].groupby("layer")["value"].min()
    assert set(words["layer"]) == {-1, 0, 1, 2} and (csls[[0, 1, 2]] == 1.0).all()
    assert csls[-1] > 0.9  # the mean of a word's entries is shared by words of the same pieces in another order
    found = apart[apart["measure"] == "retrieval"]
    assert set(found["layer"]) == {0, 1, 2} and (found["value"] == 1.0).all()
    assert np.allclose(apart.loc[apart["measure"].str.startswith("cka"), "value"], 1.0, atol=1e-4)
    scores = apart[apart["level"] == "tasks"].set_index(["layer", "what"])["value"]
    for layer in (0, 2):
        assert scores[layer, "mapped"] == pytest.approx(scores[layer, "home"])
        assert scores[layer, "no map"] < scores[layer, "home"] - 0.05


def test_an_encoder_beside_itself_needs_no_map(mirrored: Result) -> None:
    frame = mirrored.frame()
    both = frame[frame["condition"] == BILINGUAL]
    assert (both.loc[both["measure"] == "retrieval, no map", "value"] == 1.0).all()
    scores = both[both["level"] == "tasks"].set_index(["layer", "what"])["value"]
    assert scores[2, "no map"] == pytest.approx(scores[2, "home"])


@pytest.fixture(scope="module")
def wider(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder of three layers of width 24, with the tokeniser of the tiny one."""
    folder = tmp_path_factory.mktemp("wider")
    tokenizer = AutoTokenizer.from_pretrained(tiny_model)
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=24, num_hidden_layers=3, num_attention_heads=2, intermediate_size=48,
        max_position_embeddings=64,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def config(tiny_model: Path, wider: Path) -> align.Config:
    pos = align.Setup("pos", preset="lab", limit=30, test_limit=15, settings=FAST)
    return align.Config(
        models={"qaa": str(tiny_model), "qab": str(wider)}, bilingual={"qab": str(tiny_model)}, again=str(wider),
        sentences=300, occurrences=200, aligned=40, tasks=(pos,), layers="0,2", task_layers=1, sizes=(30, 60),
        test_limit=40, seeds=(0, 1),
    )  # fmt: skip


@pytest.fixture(scope="module")
def done(config: align.Config, tmp_path_factory: pytest.TempPathFactory) -> Result:
    return align.run(config, engine=Inline(), store=_store(tmp_path_factory))


def test_encoders_of_other_width_and_depth_are_measured_at_every_mean_of(done: Result) -> None:
    frame = done.frame()
    assert list(frame.columns) == [*COLUMNS, "side", "level", "what", "size"]
    assert set(frame["level"]) == {"words", "sentences", "tasks"}
    found = frame[frame["measure"] == "retrieval"]
    assert set(found["condition"]) == {APART, BILINGUAL, AGAIN, RANDOM}
    assert found.groupby("condition")["layer"].nunique().eq(3).all()  # the source's layers 0 to 2
    assert set(found["size"]) == {30, 60} and (found["n"] == 40).all()
    raw = frame[frame["measure"] == "retrieval, no map"]
    assert set(raw["condition"]) == {BILINGUAL}  # the others differ in width
    tasks = frame[(frame["level"] == "tasks") & (frame["condition"] == APART)]
    assert set(tasks["what"]) == {"home", "mapped", "validation"}
    assert len(tasks[tasks["what"] == "mapped"]) == 2 * 2  # layers x seeds
    assert pair_layers(2, 3) == [(0, 0), (1, 2), (2, 3)] and pair_layers(4, 4)[3] == (3, 3)


def test_encoders_that_are_there_already_have_one_seed_and_tasks_have_all(done: Result) -> None:
    seeds = done.frame().groupby("level")["seed"].unique()
    assert list(seeds["words"]) == [0] and list(seeds["sentences"]) == [0] and set(seeds["tasks"]) == {0, 1}


def test_every_figure_of_the_paper_is_there(done: Result) -> None:
    assert list(done.figures) == ["retrieval", "transfer", "sizes", "similarity", "correlation", "entries", "context"]
    assert list(done.tables) == ["transfer", "retrieval", "similarity", "correlations", "words"]
    table = done.tables["transfer"].frame
    assert list(table["encoders"][:4]) == [
        "trained apart, mapped", "bilingual", "bilingual, mapped", "source language",
    ]  # fmt: skip
    alike = done.tables["similarity"].frame
    layers = [f"layer {n}" for n in range(3)]
    assert np.allclose(alike["mean"], alike[layers].mean(axis=1))
    words = done.tables["words"].frame
    assert (words["test words"] > 2).all() and words["CSLS"].between(0, 100).all()


def test_findings_rest_on_the_numbers_of_the_tables(done: Result) -> None:
    texts = [finding.text for finding in done.findings]
    assert texts[0].startswith("qaa-qab, encoders trained apart: after a map from ")
    table = done.tables["retrieval"].frame.set_index("encoders")
    layer = texts[0].split("(layer ")[1][0]
    assert done.findings[0].effect == pytest.approx(table.loc["trained apart", f"layer {layer}"])
    assert any("pos, qaa-qab: through a map, task layers of qaa score" in text for text in texts)
    assert any("PPMI-SVD vectors" in text for text in texts)
    assert any("Against that: one bilingual encoder" in text for text in texts)
    assert "In hindsight the best layers" in texts[-2] and "encoders of one seed" in texts[-1]


def test_what_is_not_encoded_is_pretrained_once_a_seed() -> None:
    config = align.Config(targets=("qab", "qac"), seeds=(0, 1), sentences=200, pretraining={"training.steps": 10})
    found = couples(config)
    assert [couple.kind for couple in found[:7]] == [APART, BILINGUAL, RANDOM] * 2 + [AGAIN]
    apart, together, random, again = found[0], found[1], found[2], found[6]
    assert isinstance(apart.source_model, Pretraining) and apart.source_model.languages == ("qaa",)
    assert apart.target_model.languages == ("qab",) and together.source_model.languages == ("qaa", "qab")
    assert together.source_model.recipe.training.steps == 20  # as much text of each language
    assert random.source_model == apart.source_model and random.target_model == Untrained(apart.target_model, 0)
    assert (again.source_model.recipe.seed, again.target_model.recipe.seed) == (0, 1)
    assert found[-1].target_model == found[0].source_model  # the second seed's twin is the first seed's encoder
    alone = couples(replace(config, seeds=(3,)))
    assert alone[-1].target_model.recipe.seed == 4


def test_nothing_is_pretrained_beside_encoders_that_are_there(tiny_model: Path) -> None:
    config = align.Config(models={"qaa": str(tiny_model), "qab": str(tiny_model)}, sentences=200, seeds=(0, 1))
    found = couples(config)
    assert [couple.kind for couple in found] == [APART, RANDOM]
    assert not any(isinstance(couple.target_model, Pretraining) for couple in found)


def test_no_word_is_both_learnt_and_tried_and_no_sentence_either(config: align.Config) -> None:
    train, test = Lexicon("lab:families", "qaa", "qab", False, 0.5).split()
    assert len(train) > 80 and len(test) > 80
    assert not {word for word, _ in train} & {word for word, _ in test}
    same = replace(config, parallel="lab:families", parallel_part="test", test_part="test")
    learnt, tested = (set(text.read().texts["qaa"]) for text in find_bitexts(same, "qab"))
    assert len(learnt) == 60 and len(tested) == 40 and not learnt & tested


def test_words_are_told_apart_in_lower_case_and_read_as_written(tiny_model: Path, tmp_path: Path) -> None:
    encoder = Encoder(str(tiny_model), dtype="float32", device="cpu")
    word, other = (tokens[0] for tokens in (line.split() for line in Lab(preset("families")).text("qaa", 2)))
    sentences = [[word.title(), other], [other, word.title()], [word, other]]
    side = read_side(encoder, sentences, WordVectors((word, other), np.eye(2, dtype=np.float32), {}), 3, 10)
    assert set(side.words) == {word, other}
    read = encoder.encode(sentences, level="word").values  # two words a sentence
    np.testing.assert_allclose(side.states[side.words.index(word)], read[[0, 3, 4]].mean(axis=0), atol=1e-5)
    assert np.abs(read[0] - read[4]).max() > 1e-3  # a capital makes a difference to this encoder

    entries = "".join(f"Wort{n} Word{n}\nwort{n} word{n}\n" for n in range(30))
    path = tmp_path / "de-en.txt"
    path.write_text(entries, encoding="utf-8")
    learnt, tried = Lexicon(str(path), "de", "en", False, 0.5).split()
    assert sorted(learnt + tried) == sorted((f"wort{n}", f"word{n}") for n in range(30))


def made_up_view() -> AlignView:
    """Layer 1 is best on held-out sentences, layer 2 on the test's; apart is 10 points below bilingual in each seed."""
    rows = []
    for seed in (0, 1, 2):
        for kind, more in ((APART, 0.0), (BILINGUAL, 0.1)):
            for layer, (held_out, test, alike) in enumerate(((0.3, 0.4, 0.5), (0.6, 0.5, 0.6), (0.5, 0.7, 0.8))):
                about = {
                    "condition": kind,
                    "target": "fr",
                    "seed": seed,
                    "layer": layer,
                    "low": 0.0,
                    "high": 1.0,
                    "n": 50,
                }
                noise = 0.01 * seed
                rows += [
                    {**about, "measure": "retrieval", "size": 80, "value": test + more + noise},
                    {**about, "measure": "retrieval", "size": 20, "value": test - 0.2},
                    {**about, "measure": "retrieval, held out", "size": 64, "value": held_out},
                    {**about, "measure": "retrieval, no map", "size": 0, "value": 0.02},
                    {**about, "measure": "cka_linear", "size": 0, "value": alike + more},
                ]
    return AlignView(
        words=pd.DataFrame(), sentences=pd.DataFrame(rows), scores=pd.DataFrame(), validation=pd.DataFrame(),
        encoders=pd.DataFrame(), word_records={}, source="en", similarity=("linear",),
    )  # fmt: skip


def test_the_layer_is_chosen_on_held_out_sentences_and_differences_are_paired_by_seed() -> None:
    view = made_up_view()
    assert view.sentence_layer(APART, "fr") == 1
    assert mean_of(view.found(APART, "fr", 1)).value == pytest.approx(51.0)
    found = gap(view.found(BILINGUAL, "fr", 1), view.found(APART, "fr", 1))
    assert (found.value, found.low, found.high, found.n) == pytest.approx((10, 10, 10, 3))
    texts = [finding.text for finding in findings_of(view)]
    assert "80 sentences, 51.0 [48.5, 53.5]% of 50 translations are found (layer 1, chosen on" in texts[0]
    assert "+10.0 [10.0, 10.0] points against encoders trained apart. Without any map it finds 2.0 [2.0" in texts[1]
    assert "trained apart have a CKA of 0.63 [0.63, 0.63] (linear, mean over layers; 3 seeds)" in texts[2]
    assert "highest at layer 2 of 2. Layers 0 to 1 against those above: -0.25 [-0.25, -0.25]" in texts[3]
    r = np.corrcoef([0.5, 0.6, 0.8] * 3, [x + s for s in (0, 0.01, 0.02) for x in (0.4, 0.5, 0.7)])[0, 1]
    assert view.correlation("fr", [APART]).value == pytest.approx(r) and f"with r = {r:.2f}" in texts[4]


def test_one_seed_has_its_interval_over_words_or_sentences() -> None:
    rows = pd.DataFrame({"seed": [0], "value": [0.5], "low": [0.4], "high": [0.6], "n": [100]})
    found = mean_of(rows)
    assert (found.value, found.low, found.high, found.n) == pytest.approx((50, 40, 60, 100))
    assert np.isnan(gap(rows, rows).low) and np.isnan(mean_of(rows[:0]).value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"targets": ()}, "targets is empty"),
        ({"targets": ("qaa",)}, "both source and target"),
        ({"seeds": ()}, "seeds is empty"),
        ({"share": 1.0}, "share is 1.0"),
        ({"sizes": (1,)}, "two sentences or more"),
        ({"dictionary": "", "parallel": "", "tasks": ()}, "nothing to measure"),
        ({"parallel": "", "alignments": ""}, "tasks need aligned words"),
        ({"targets": ("qac",), "text": ""}, "no encoder of 'qac'"),
        ({"text": ""}, "words need text"),
        ({"vectors": {"qaa": "nowhere.vec"}}, "no such file of word vectors"),
        ({"test_limit": 500, "parallel_part": "hard", "sizes": (5,)}, "too few"),
        ({"alignments": "", "aligner": "fastalign"}, "did you mean 'fast_align'"),
        ({"layers": "7"}, "'7' names no layers"),
        ({"models": dict.fromkeys(("qaa", "qab"), str(Path(__file__).parent))}, "no model is found"),
    ],
)
def test_a_users_mistake_is_named(config: align.Config, settings: dict, message: str) -> None:
    with pytest.raises(IsoglossError, match=message):
        align.STUDY.prepare(replace(config, **settings))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("".join(f"a{n}, b{n}\n" for n in range(80)), "end in ','"),
        ("".join(f"a{n};b{n}\n" for n in range(80)), "qaa-qab.txt:1: 'a0;b0' is not an entry"),
        ("a b\nc d\n", "too few"),
    ],
)
def test_a_dictionary_that_was_not_read_as_meant_is_refused(
    config: align.Config, tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "qaa-qab.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(IsoglossError, match=message):
        plan(replace(config, dictionary=str(path)))


def test_a_dictionary_of_words_that_no_text_has_ends_with_a_remedy(config: align.Config, tmp_path: Path) -> None:
    path = tmp_path / "qaa-qab.txt"
    path.write_text("".join(f"alpha{n}\tbeta{n}\n" for n in range(80)), encoding="utf-8")
    with pytest.raises(IsoglossError, match="has vectors on both sides") as caught:
        align.run(replace(config, dictionary=str(path), parallel="", tasks=()), engine=Inline(), store=Store(tmp_path))
    assert "the text must have the dictionary's words" in str(caught.value)


def test_vectors_of_a_file_are_the_baseline_where_they_are_named(config: align.Config, tmp_path: Path) -> None:
    lab = Lab(preset("families"))
    paths = {}
    for code in ("qaa", "qab"):
        words = sorted({word for line in lab.text(code, 300) for word in line.split()})
        vectors = np.random.default_rng(0).normal(size=(len(words), 5)).round(4)
        lines = [f"{word} {' '.join(map(str, row))}" for word, row in zip(words, vectors, strict=True)]
        paths[code] = str(write.write_text(tmp_path / f"{code}.vec", [f"{len(words)} 5", *lines]))
    only = replace(config, vectors=paths, parallel="", tasks=())
    result = align.run(only, engine=Inline(), store=Store(tmp_path / "store"))
    assert list(result.figures) == ["entries", "context"] and set(result.frame()["level"]) == {"words"}
    assert any(".vec file vectors" in finding.text for finding in result.findings)


def test_vocabularies_of_pieces_are_aligned_in_context_only(
    config: align.Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.studies.align.cells.words.FEWEST", 10_000)
    result = align.run(replace(config, parallel="", tasks=()), engine=Inline(), store=Store(tmp_path))
    assert list(result.figures) == ["context"] and "too few whole words" in result.findings[0].text
    assert set(result.frame()["what"]) == {"context", "baseline, context"}


def test_presets_have_the_papers_values() -> None:
    assert {"lab", "paper"} <= set(study_presets("align"))
    paper = load_study_preset("align", "paper", align.Config)
    assert (paper.occurrences, paper.aligned, paper.sizes, paper.task_layers) == (500_000, 10_000, (10_000,), 4)
    assert (paper.source, paper.targets, paper.aligner) == ("en", ("fr", "de", "ru", "zh"), "fast_align")
    assert paper.recipe_of(2, 0).model.layers == 8
    lab = load_study_preset("align", "lab", align.Config)
    assert [setup.task for setup in lab.tasks] == ["pos", "ner", "parsing"]


def test_the_demo_plans_two_languages_of_the_lab() -> None:
    demo = plan(align.demo(3))
    measured = [one for one in demo.conditions if isinstance(one, AlignCondition)]
    assert {one.couple.kind for one in measured} == {APART, BILINGUAL, AGAIN, RANDOM}
    assert measured[0].couple.source_model.texts[0].name == "lab:neighbours:3"
    assert len(demo.conditions) - len(measured) == 2 * 3
    assert len(plan(align.demo(0, "tiny")).cells) == len(demo.cells)


def test_only_encoders_that_something_is_measured_on_are_pretrained() -> None:
    words = replace(align.demo(0, "tiny"), parallel="", tasks=())
    pretrained = [cell for cell in plan(words).all_cells if isinstance(cell, Pretraining)]
    assert sorted(cell.languages for cell in pretrained) == [("qaa",), ("qab",)]  # no twin, no bilingual one


def test_the_page_says_which_models_data_and_presets_the_numbers_rest_on(done: Result, wider: Path) -> None:
    origins = done.provenance
    assert str(wider) in origins.models and len(origins.models) == 2
    assert origins.data == ("lab:families",) and origins.presets == {"pos": "lab"}
    assert "lab:families qaa-qab" in origins.revisions and origins.revisions[str(wider)]
