"""think on a decoder whose thoughts are planted: what the study says must be what was put in."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe
from isogloss.pretrain.lab_encoder import LabEncoder
from isogloss.runs import Inline, Store, key_of
from isogloss.studies.result import Result
from isogloss.studies.think import STUDY, Config, configure
from isogloss.studies.think.cells import PlantedDecoder, name_decoder
from isogloss.studies.think.cells.latent import own_name

DETECTORS = 32


def small() -> Config:
    return configure(words=30, limit=60, test_limit=15, draws=1)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return STUDY.run(small(), engine=Inline(), store=Store(tmp_path_factory.mktemp("store")))


def curve(result: Result, language: str) -> list[float]:
    rows = result.frame()
    mine = rows[(rows["measure"] == "probability") & (rows["language"] == language)].sort_values("layer")
    return [float(value) for value in mine["value"]]


def test_the_pivot_is_found_between_source_and_target(result: Result) -> None:
    source, pivot, target = (curve(result, code) for code in ("qab", "qaa", "qac"))
    assert source[0] > 0.9 and pivot[1] > 0.7 and target[2] > 0.7  # block 1 writes the pivot, block 2 the target
    assert max(pivot[0], target[0], target[1]) < 0.05
    assert max(curve(result, "shuffled")) < 0.05
    assert "passes through qaa. At layer 1 of 2" in result.findings[0].text


def test_every_planted_neuron_is_found_in_its_layer(result: Result) -> None:
    table = result.tables["neurons"].frame.set_index("language")
    assert table.loc["qac", "layer 1"] == DETECTORS and table.loc["qac", "layer 2"] == 0
    assert table.loc["qaa", "layer 1"] == DETECTORS
    assert table.loc["qab", "layer 1"] >= DETECTORS  # and some of those that read single words of qab


def test_switching_neurons_off_costs_their_language_and_no_other(result: Result) -> None:
    rows = result.tables["changes"].frame
    own = rows[rows["which"] == "its own"].set_index("neurons of")
    for language in ("qaa", "qab", "qac"):
        assert own.loc[language, f"text in {language}"] > 0.5
        assert own.loc[language, f"text in {language}_low"] > 0
    assert own.loc["qac", "text in qaa"] == 0 and own.loc["qac", "text in qab"] == 0
    random = rows[rows["which"] == "as many random"].set_index("neurons of")
    for language in ("qaa", "qab", "qac"):
        assert random.loc[language, f"text in {language}"] < own.loc[language, f"text in {language}"] / 2


def test_words_left_out_are_counted(result: Result) -> None:
    assert any(finding.text.startswith("Note: qab to qac skips") for finding in result.findings)


def test_a_result_can_be_saved_and_drawn(result: Result, tmp_path: Path) -> None:
    from isogloss.report import write_page

    page = write_page(result, tmp_path / "run")
    assert page.is_file() and "passes through qaa" in page.read_text(encoding="utf-8")
    assert set(result.figures) == {"curves", "changes", "neurons"}
    pd.testing.assert_frame_equal(Result.load(tmp_path / "run").frame(), result.frame())


def test_the_affine_lens_is_another_cell_and_reads_the_last_layer_alike(store: Store) -> None:
    plain = replace(small(), languages=(), words=10)
    learnt = replace(plain, lens="affine", lens_limit=40)
    cells = [STUDY.plan(config).cells[0] for config in (plain, learnt)]
    assert key_of(cells[0]) != key_of(cells[1])
    last = [curve(STUDY.run(config, engine=Inline(), store=store), "qac")[-1] for config in (plain, learnt)]
    assert last[0] == pytest.approx(last[1], rel=1e-5)


def test_the_labs_decoders_have_names() -> None:
    assert isinstance(name_decoder("lab:families+planted"), PlantedDecoder)
    causal = name_decoder("lab:twins+causal@500")
    assert isinstance(causal, LabEncoder) and causal.recipe.objective == "causal"
    assert (causal.recipe.training.steps, causal.world.preset) == (500, "twins")
    whole = name_decoder("lab:twins+causal")
    assert isinstance(whole, LabEncoder) and whole.recipe == Recipe.preset("lab-causal")
    with pytest.raises(IsoglossError, match="not a number of steps"):
        name_decoder("lab:twins+causal@many")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"pairs": (), "languages": ()}, "nothing to measure"),
        ({"languages": ("qaa",)}, "at least two languages"),
        ({"pairs": ("qab",)}, "not a pair"),
    ],
)
def test_mistakes_are_named(changes: dict[str, tuple[str, ...]], words: str) -> None:
    with pytest.raises(IsoglossError, match=words):
        STUDY.plan(replace(small(), **changes))


def test_languages_are_called_by_their_own_names() -> None:
    assert [own_name(code) for code in ("de", "fr", "qaa")] == ["Deutsch", "français", "qaa"]


@pytest.mark.slow
def test_a_decoder_pretrained_on_the_lab_has_neurons_that_matter_to_their_language(store: Store) -> None:
    config = replace(configure(preset="lab-causal"), model="lab:twins+causal@250", limit=100, test_limit=60, draws=3)
    result = STUDY.run(config, engine=Inline(), store=store)
    rows = result.tables["changes"].frame
    own, random = (rows[rows["which"] == which].set_index("neurons of") for which in ("its own", "as many random"))
    gaps = [own.loc[code, f"text in {code}"] - random.loc[code, f"text in {code}"] for code in own.index]
    assert np.mean(gaps) > 0
