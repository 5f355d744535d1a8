"""A lab's name carries its knobs wherever a lab is named: as data, as a model, in keys."""

import pytest

from isogloss.corpora import load_parallel, load_text
from isogloss.corpora.lab import preset
from isogloss.corpora.lab.names import KNOBS, LabName, parse_world
from isogloss.corpora.labdata import is_lab, lab_domain, lab_revision, open_lab
from isogloss.errors import IsoglossError
from isogloss.pretrain.lab_encoder import LabWorld
from isogloss.runs import key_of
from isogloss.studies import locate
from isogloss.studies.shared.models import name_model
from isogloss.transfer import find_data


def test_a_knob_in_the_name_is_the_knob_of_the_lab() -> None:
    lab = open_lab("lab:twins:7?anchors=0.3&order=SVO-SOV/1")
    assert (lab.config.anchors, lab.config.order, lab.config.seed) == (0.3, ("SVO", "SOV"), 7)
    assert lab_domain("lab:twins:7?anchors=0.3/1") == 1 and lab_domain("lab:twins?anchors=0.3") is None
    assert open_lab("lab?anchors=0.5").config.languages == 6 and is_lab("lab?anchors=0.5")


def test_anchors_are_shared_words() -> None:
    def shared(name: str) -> float:
        words = [{word for line in load_text(name, [code], "train", 300).read(code) for word in line.text.split()}
                 for code in ("qaa", "qab")]  # fmt: skip
        return len(words[0] & words[1]) / len(words[0] | words[1])

    assert shared("lab:twins") < 0.02 < 0.1 < shared("lab:twins?anchors=0.5")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("lab:twins?anchors=0.30", "lab:twins?anchors=0.3"),
        ("lab:twins?anchors=0", "lab:twins"),
        ("lab:twins?word_order=same", "lab:twins"),
        ("lab:twins?order=SVO,SOV&anchors=0.1", "lab:twins?anchors=0.1&order=SVO-SOV"),
        ("lab:twins:3?noise=0.1/1", "lab:twins:3?noise=0.1/1"),
    ],
)
def test_one_world_has_one_name(one: str, other: str) -> None:
    assert str(LabName.parse(one)) == other
    assert str(LabName.parse(other)) == other


def test_word_order_turns_several_knobs_at_once() -> None:
    mixed, strangers = LabName.parse("lab:twins?word_order=mixed").config(), preset("strangers")
    assert {mixed.order, mixed.oblique, mixed.adposition, mixed.genitive} == {
        strangers.order, strangers.oblique, strangers.adposition, strangers.genitive,
    }  # fmt: skip
    assert LabName.parse("lab:twins?order=VSO&word_order=mixed").config().order == ("VSO",)


def test_plain_names_keep_their_keys_and_knobs_move_them() -> None:
    assert name_model("lab:twins").world == LabWorld("twins", 0)
    assert name_model("lab:twins?anchors=0.0").world == LabWorld("twins", 0)
    keys = [key_of(name_model(name)) for name in ("lab:twins", "lab:twins?anchors=0.1", "lab:twins?anchors=0.3@40")]
    assert len(set(keys)) == 3
    revisions = [
        find_data(name, "text", "qaa", "train", 20).revision for name in ("lab:twins", "lab:twins?anchors=0.1")
    ]
    assert revisions[0] != revisions[1]


def test_knobs_stand_beside_what_else_a_models_name_says() -> None:
    model = name_model("lab:twins?anchors=0.3+pairs@500", seed=2)
    assert model.world == LabWorld("twins?anchors=0.3", 2) and model.recipe.training.steps == 500
    assert model.world.build().config == open_lab("lab:twins:2?anchors=0.3").config
    assert model.label().startswith("lab:twins?anchors=0.3+pairs")


def test_a_study_that_adds_its_seed_keeps_the_knobs() -> None:
    config = locate.configure("lab:twins?anchors=0.3", seed=4)
    assert config.name_data() == "lab:twins:4?anchors=0.3"
    assert lab_revision(open_lab(config.name_data())) == lab_revision(config.build_model().world.build())


def test_parallel_text_of_two_worlds_differs() -> None:
    plain, anchored = (load_parallel(name, None, 5, "hard") for name in ("lab:twins", "lab:twins?anchors=1"))
    assert plain.texts["qaa"] != plain.texts["qab"] and plain.revision != anchored.revision


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("lab:twins?anchor=0.3", "did you mean 'anchors'"),
        ("lab:twins?seed=3", "unknown knob 'seed'"),
        ("lab:twins?anchors", "is not KNOB=VALUE"),
        ("lab:twins?anchors=0.1&anchors=0.2", "set twice"),
        ("lab:twins?anchors=2", "impossible value"),
        ("lab:twins?word_order=both", "unknown value of 'word_order'"),
        ("lab:twin?anchors=0.1", "unknown preset 'twin'"),
        ("lab:twins:x", "is not a number"),
        ("lab:twins/x", "is not a number"),
    ],
)
def test_a_mistake_in_a_name_is_named(name: str, message: str) -> None:
    with pytest.raises(IsoglossError, match=message):
        LabName.parse(name)


def test_unknown_knobs_are_refused_with_the_list_of_knobs() -> None:
    with pytest.raises(IsoglossError) as refused:
        open_lab("lab:twins?colour=red")
    assert all(knob in str(refused.value) for knob in KNOBS)


def test_a_model_of_the_lab_has_no_seed_in_its_name() -> None:
    with pytest.raises(IsoglossError, match="write lab:twins"):
        parse_world("twins:3")
