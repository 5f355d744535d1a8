"""Wu20 Figure 7's first column: the source language beside itself in other words (en'), measured to the page."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.corpora.lab import Lab, preset
from isogloss.encoders import Encoder
from isogloss.errors import IsoglossError
from isogloss.geometry import cka
from isogloss.report import write_page
from isogloss.runs import Inline, Store
from isogloss.studies import align
from isogloss.studies.align.cells.inputs import find_rewordings
from isogloss.studies.align.plan import AlignCondition, plan
from isogloss.studies.align.plan.couples import APART, BILINGUAL, RANDOM
from isogloss.studies.shared.models import Untrained
from isogloss.studies.shared.pretraining import Pretraining

TINY = {
    "vocabulary.size_a_language": 120, "model.layers": 2, "model.heads": 2, "model.width": 16, "model.feedforward": 16,
    "training.steps": 2, "training.warmup": 1, "training.batch_tokens": 256, "data.validation": 20,
}  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sentences of the lab, and each with its words in another order."""
    lines = Lab(preset("families")).text("qaa", 90)
    path = tmp_path_factory.mktemp("paraphrases") / "back-translated.tsv"
    path.write_text("".join(f"{line}\t{' '.join(reversed(line.split()))}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def config(file: Path) -> align.Config:
    return align.Config(
        text="lab:families", sentences=200, pretraining=TINY, dictionary="", alignments="", parallel="",
        sizes=(40,), test_limit=50, similarity=("linear", "unbiased"), paraphrases=str(file),
    )  # fmt: skip


def test_the_pair_has_another_seeds_encoder_a_bilingual_one_with_own_embeddings_and_a_random_one(
    config: align.Config,
) -> None:
    measured = [one for one in plan(config).conditions if isinstance(one, AlignCondition)]
    found = {one.couple.kind: one.couple for one in measured}
    assert {one.couple.target for one in measured} == {"qaa'"} and set(found) == {APART, BILINGUAL, RANDOM}
    first, second = found[APART].source_model, found[APART].target_model
    assert isinstance(first, Pretraining) and isinstance(second, Pretraining)
    assert first.texts == second.texts and first.recipe.seed != second.recipe.seed
    both = found[BILINGUAL].source_model
    assert isinstance(both, Pretraining) and both is found[BILINGUAL].target_model
    assert both.languages == ("qaa", "qaa'") and both.texts == first.texts * 2
    assert (both.recipe.sharing.embeddings, both.recipe.vocabulary.scope) == ("separate", "own")
    assert isinstance(found[RANDOM].target_model, Untrained) and found[RANDOM].target_model.twin == second


@pytest.mark.filterwarnings("ignore::isogloss.geometry.SmallSampleWarning")
def test_back_translations_are_measured_and_shown(config: align.Config, file: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    result = align.run(config, engine=Inline(), store=store)
    table = result.tables["similarity"].frame
    assert set(table["languages"]) == {"qaa-qaa'"}
    assert set(table["encoders"]) == {"trained apart", "one bilingual encoder", "target's encoder random"}
    # By hand: each side of the bilingual encoder through its own embeddings, on the first rows of the file.
    both = next(cell for cell in plan(config).all_cells if isinstance(cell, Pretraining) and cell.called)
    sides = [store.folder(both) / "languages" / code for code in ("qaa", "qaa'")]
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()[:50]]
    states = [Encoder(str(side)).encode([row[n] for row in rows]) for n, side in enumerate(sides)]
    measured = result.frame().query("condition == 'bilingual' and measure == 'cka_linear'").set_index("layer")["value"]
    for layer in range(3):
        by_hand = cka(states[0][:, layer], states[1][:, layer], kind="linear")
        assert measured[layer] == pytest.approx(by_hand, abs=1e-4)
    assert not np.allclose(Encoder(str(sides[0])).encode(["a b"]), Encoder(str(sides[1])).encode(["a b"]))
    page = write_page(result, tmp_path / "run").read_text(encoding="utf-8")
    assert "Wu20 Fig. 7" in page and "qaa-qaa" in page


def test_few_paraphrases_are_halved_and_too_few_are_refused(config: align.Config, file: Path, tmp_path: Path) -> None:
    for size, parts in ((40, (0, 50, 50, 40)), (80, (0, 45, 45, 45))):
        learnt, tested = find_rewordings(replace(config, sizes=(size,)))
        assert (tested.start, tested.limit, learnt.start, learnt.limit) == parts
    short = tmp_path / "short.tsv"
    short.write_text("".join(file.read_text(encoding="utf-8").splitlines(keepends=True)[:30]), encoding="utf-8")
    with pytest.raises(IsoglossError, match="30 paraphrases are too few"):
        plan(replace(config, paraphrases=str(short)))


def test_the_lab_makes_its_own_paraphrases(config: align.Config) -> None:
    _, tested = find_rewordings(replace(config, paraphrases="lab:families"))
    text = tested.read()
    assert text.languages == ("qaa", "qaa'") and len(text) == 50
    assert all(first != second for first, second in zip(text.texts["qaa"], text.texts["qaa'"], strict=True))


def test_encoders_of_ones_own_need_a_second_one_for_paraphrases(config: align.Config, tiny_model: Path) -> None:
    own = replace(config, models={"qaa": str(tiny_model), "qab": str(tiny_model)}, text="")
    with pytest.raises(IsoglossError, match="second encoder of 'qaa'"):
        plan(own)
    planned = plan(replace(own, again=str(tiny_model), bilingual={"qaa'": str(tiny_model)}))
    assert len([one for one in planned.conditions if isinstance(one, AlignCondition)]) == 3
