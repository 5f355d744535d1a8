from dataclasses import replace

import pytest

from isogloss.runs import Inline, Store
from isogloss.studies import glance
from isogloss.studies.glance.cells import Score, Scores, Structure
from isogloss.studies.glance.findings import findings_of
from isogloss.studies.glance.view import GlanceView, chosen_layer, make_view
from isogloss.studies.result import Result

TINY = glance.Config(sentences=400, steps=6, pool=40)


@pytest.fixture
def result(store: Store) -> Result:
    return glance.run(TINY, engine=Inline(), store=store)


def test_the_slice_runs_end_to_end_with_every_baseline(result: Result):
    frame = result.frame()
    assert set(frame["condition"]) == {"pretrained", "untrained", "bag of tags", "chance"}
    assert set(frame["pool"]) == {"hard", "natural"}
    assert set(frame["layer"]) == set(range(5))
    retrieval = frame[frame["measure"] == "retrieval"]
    assert (retrieval["n"] == 80).all()
    assert (retrieval["low"] <= retrieval["value"]).all()
    assert (retrieval["value"] <= retrieval["high"]).all()
    assert set(result.tables) == {"retrieval"}
    assert set(result.figures) == {"retrieval-hard", "retrieval-natural", "cka", "training", "layers"}


def test_another_seed_gives_other_numbers(result: Result, store: Store):
    other = glance.run(replace(TINY, seed=1), engine=Inline(), store=store)
    assert not other.frame()["value"].equals(result.frame()["value"])


def test_the_untrained_twin_shares_architecture_and_tokeniser_but_no_weight(store: Store):
    from isogloss.encoders import Encoder

    glance.run(TINY, engine=Inline(), store=store)
    trained, untrained = (Encoder(str(store.folder(meet.encoder))) for meet in glance.STUDY.plan(TINY).cells[:2])
    assert trained.tokenizer.get_vocab() == untrained.tokenizer.get_vocab()
    assert trained.layers == untrained.layers
    assert trained.width == untrained.width
    matrices = [
        (mine, theirs)
        for (name, mine), theirs in zip(trained.model.named_parameters(), untrained.model.parameters(), strict=True)
        if mine.ndim == 2 and "position" not in name
    ]
    assert not any(mine.equal(theirs) for mine, theirs in matrices)


def scores(trained: float, rival: float) -> tuple[Scores, Scores, Structure]:
    """Layer 1 is best on the validation part, layer 0 on the test part."""

    def row(part: str, layer: int | None, value: float, measure: str = "retrieval", pool: str = "hard") -> Score:
        return Score(pool, part, layer, measure, value, value - 0.02, value + 0.02, 1000)

    def encoder(value: float) -> Scores:
        rows = []
        for pool in ("hard", "natural"):
            for part, extra in (("validation", (0.0, 0.05)), ("test", (0.05, 0.0))):
                rows += [row(part, layer, value + extra[layer], pool=pool) for layer in (0, 1)]
                rows += [row(part, layer, 0.5, "cka", pool) for layer in (0, 1)]
        return Scores(tuple(rows))

    tags = tuple(row("test", None, 0.01, pool=pool) for pool in ("hard", "natural"))
    return encoder(trained), encoder(rival), Structure(tags, ("qaa", "qab"), 200, 0)


def view(trained: Scores, untrained: Scores, structure: Structure) -> GlanceView:
    return make_view(trained, untrained, structure, glance.Config())


def test_the_layer_is_chosen_on_the_validation_part_and_read_off_the_test_part():
    trained, untrained, structure = scores(0.4, 0.01)
    assert chosen_layer(trained) == 1
    found = list(findings_of(view(trained, untrained, structure)))
    assert found[0].effect == pytest.approx(40.0)
    assert found[0].text.startswith("The two languages align")
    assert "share no word" in found[-1].text


def test_the_verdict_is_withheld_when_the_interval_touches_a_baseline():
    trained, untrained, structure = scores(0.05, 0.04)
    found = list(findings_of(view(trained, untrained, structure)))
    assert found[0].text.startswith("Alignment is not shown")


def test_a_lab_may_be_written_in_full():
    assert glance.configure("lab:twins?anchors=0.3") == glance.configure("twins?anchors=0.3")
