"""Vary: its plan, its arithmetic, and a run from pretraining to the page at tiny size."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isogloss.errors import IsoglossError
from isogloss.report import write_page
from isogloss.runs import Inline, Store, key_of
from isogloss.studies import vary
from isogloss.studies.shared.models import name_model
from isogloss.studies.vary.findings import findings_of
from isogloss.studies.vary.plan import named_encoder, plan
from isogloss.studies.vary.view import TRAINED, UNTRAINED, VaryView

SMALL = {
    "model.layers": 2, "model.width": 16, "model.heads": 2, "model.feedforward": 32, "vocabulary.size_a_language": 120,
    "data.validation": 10, "training.batch_tokens": 256,
}  # fmt: skip


@pytest.fixture(scope="module")
def config() -> vary.Config:
    return vary.configure(
        "lab:twins", ["anchors=0,1", "word_order=same,mixed"], steps=3, sentences=120, parallel_limit=60,
        settings=SMALL, seeds=(0, 1),
    )  # fmt: skip


@pytest.fixture(scope="module")
def result(config: vary.Config, tmp_path_factory: pytest.TempPathFactory):
    return vary.run(config, engine=Inline(), store=Store(tmp_path_factory.mktemp("store")))


def test_every_combination_and_seed_is_an_encoder_of_its_own(config: vary.Config) -> None:
    made = plan(config)
    assert len(made.conditions) == 8 == len({key_of(one.model) for one in made.conditions})
    assert [one.lab for one in made.conditions[:4]] == [
        "lab:twins:0",
        "lab:twins:0?word_order=mixed",
        "lab:twins:0?anchors=1.0",
        "lab:twins:0?anchors=1.0&word_order=mixed",
    ]
    more = plan(replace(config, knobs=("anchors=0,0.5,1", "word_order=same,mixed")))
    assert {key_of(cell) for cell in made.cells} < {key_of(cell) for cell in more.cells}


def test_a_run_answers_with_a_figure_per_knob_and_intervals(result, tmp_path: Path) -> None:
    assert list(result.figures) == ["knob-anchors", "knob-word-order"]
    assert [figure.kind for figure in result.figures.values()] == ["curve", "bars"]
    for figure in result.figures.values():
        assert figure.frame[["low", "high"]].notna().all().all()
        assert (figure.frame["low"] >= 0).all() and (figure.frame["high"] <= 100).all()
        assert set(figure.frame["n"]) == {2}
    assert sorted(result.frame()["anchors"].unique()) == ["0", "1"]
    texts = [finding.text for finding in result.findings if not finding.warning]
    assert any(text.startswith("anchors: 1 instead of 0") for text in texts)
    page = write_page(result, tmp_path).read_text()
    assert "Translations found as &#39;anchors&#39; changes" in page


def test_the_settings_table_tells_what_anchors_are(result) -> None:
    """With every word in common the languages share more of their text; the numbers are of the cells themselves."""
    rows = result.tables["settings"].frame.set_index(["anchors", "word_order"])["shared text"]
    assert rows["1", "same"] > rows["0", "same"]


def made_up(effect: float, seeds: int = 4) -> VaryView:
    """``b=1`` finds ``effect`` more than ``b=0``, whatever ``a`` is; untrained encoders find 0.1."""
    noise = np.random.default_rng(0).normal(0, 0.01, (seeds, 2))
    rows = [
        {"a": a, "b": b, "seed": seed, "encoder": encoder, "measure": measure, "target": "qab", "n": 50,
         "value": 0.1 if encoder == UNTRAINED else 0.3 + 0.2 * int(a) + effect * int(b) + noise[seed, int(b)]}
        for a in "01" for b in "01" for seed in range(seeds) for encoder in (TRAINED, UNTRAINED)
        for measure in ("retrieval", "cka_unbiased")
    ]  # fmt: skip
    return VaryView(pd.DataFrame(rows), pd.DataFrame(), {"a": ("0", "1"), "b": ("0", "1")}, "lab:twins", seeds, 50)


def test_an_effect_is_the_paired_difference_over_seeds_and_the_other_knobs() -> None:
    view = made_up(0.2)
    by_hand = view.scores[(view.scores["encoder"] == TRAINED) & (view.scores["measure"] == "retrieval")]
    table = by_hand.pivot_table(index="seed", columns=["b", "a"], values="value")
    gaps = 100 * (table["1"] - table["0"]).mean(axis=1)
    found = view.effect("b", "1")
    assert found.value == pytest.approx(gaps.mean()) and found.n == 4
    half = 3.182446 * gaps.std(ddof=1) / 2  # Student's t, three degrees of freedom
    assert (found.low, found.high) == (pytest.approx(gaps.mean() - half), pytest.approx(gaps.mean() + half))


def test_knobs_that_do_something_come_first() -> None:
    texts = [finding.text for finding in findings_of(made_up(0.0))]
    assert texts[0].startswith("a: 1 instead of 0 gains 20.0 points") and texts[1].startswith("b: 1 instead of 0")
    assert "makes no measurable difference" in texts[1] and "gains" in texts[2]


def test_encoders_of_a_run_can_be_named(config: vary.Config, result, tmp_path: Path) -> None:
    assert named_encoder(config, "1,mixed/1", "run") == plan(config).conditions[-1].model
    assert named_encoder(config, "", "run") == plan(config).conditions[0].model
    with pytest.raises(IsoglossError, match="did you mean"):
        named_encoder(config, "1,mixd", "run")


@pytest.mark.parametrize(
    ("lab", "knobs", "message"),
    [
        ("lab:twins", ["anchors"], "names no values"),
        ("lab:twins", ["anchors=0,0"], "names a value twice"),
        ("lab:twins", ["anchors=0"], "nothing varies"),
        ("lab:twins", ["anchors=0,1", "anchors=0,2"], "named twice"),
        ("lab:twins", ["anchor=0,1"], "did you mean 'anchors'"),
        ("lab:twins", ["anchors=0,7"], "impossible value"),
        ("lab:twins:3", ["anchors=0,1"], "--seeds"),
        ("ntrex", ["anchors=0,1"], "only the lab has knobs"),
    ],
)
def test_a_mistake_is_named(lab: str, knobs: list[str], message: str) -> None:
    with pytest.raises(IsoglossError, match=message):
        vary.configure(lab, knobs)  # so that --print-config refuses it too


def test_a_setting_that_recipes_do_not_have_is_refused_when_it_is_given() -> None:
    with pytest.raises(IsoglossError, match="unknown setting 'nonsense'"):
        vary.configure("lab:twins", ["anchors=0,1"], settings={"training.nonsense": 1})


def test_the_lab_as_a_model_takes_the_same_knobs() -> None:
    assert name_model("lab:twins?anchors=0.3@10").world.preset == "twins?anchors=0.3"
