"""Layers that do no work are said above the findings of every study that rests on them."""

import math
from pathlib import Path

import pytest

from isogloss.pretrain import health
from isogloss.pretrain.health import LayerHealth, complaints
from isogloss.pretrain.statistics import VocabularyUse
from isogloss.pretrain.statistics import complaints as vocabulary_complaints
from isogloss.runs import Inline, Store
from isogloss.studies.inspect import STUDY, Config
from isogloss.studies.shared.layer_health import unsound_layers


def idle(number: int, language: str = "qaa") -> list[str]:
    """What the health watch says of a model whose layer ``number`` of four does nothing."""
    rises = [math.nan, *(0.0 if layer == number else 0.5 for layer in range(1, 5))]
    return complaints([LayerHealth(language, layer, 1.0, 1.0, rise) for layer, rise in enumerate(rises)])


def test_an_idle_layer_is_named_with_its_encoder_and_a_remedy() -> None:
    (found,) = unsound_layers([("lab:twins", idle(3))])
    assert found.warning
    assert found.text.startswith("The encoder pretrained here has layers that do not work as they should (lab:twins: ")
    assert "layer 3 is idle for 'qaa' (without it the loss rises by 0.0000))" in found.text
    assert found.text.endswith("To fix it, lower training.learning_rate or lengthen training.warmup, train longer, or "
                               "use fewer model.layers.")  # fmt: skip


def test_a_stream_that_blows_up_counts_too() -> None:
    stream = [LayerHealth("qaa", 0, 1.0, 1.0, math.nan), LayerHealth("qaa", 1, 900.0, 1.0, 0.5)]
    (found,) = unsound_layers([("one", complaints(stream))])
    assert "layer 1 blows up the residual stream of 'qaa'" in found.text and "weight_decay" in found.text


def test_many_encoders_are_one_warning() -> None:
    (found,) = unsound_layers([*((f"seed {seed}", idle(2)) for seed in range(5)), ("sound", [])])
    assert found.text.startswith("5 of 6 encoders have layers") and "seed 2: layer 2" in found.text
    assert "seed 3" not in found.text and "; and 2 more)." in found.text


def test_sound_encoders_and_what_a_vocabulary_misses_are_no_such_warning() -> None:
    use = VocabularyUse(**dict.fromkeys(VocabularyUse.__dataclass_fields__, 0.5) | {"language": "qaa"})  # type: ignore
    said = vocabulary_complaints([use])
    assert len(said) == 2
    assert unsound_layers([("one", said), ("two", idle(9))]) == ()


def test_a_study_says_it_before_its_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = idle(2)
    monkeypatch.setattr(health, "complaints", lambda layers: said)
    config = Config(models=("lab:twins@3", "untrained:lab:twins@3"), data="lab:twins", limit=30, device="cpu")
    result = STUDY.run(config, engine=Inline(), store=Store(tmp_path))
    first, *others = result.findings
    assert first.warning and first.text.startswith("The encoder pretrained here has layers") and "layer 2" in first.text
    assert not any("layers that do not work" in one.text for one in others)
