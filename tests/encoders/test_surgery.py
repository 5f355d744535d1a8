"""Surgery: exactly the named parameters change, in every family, and the given model stays as it was."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from small_models import DEPTH, FAMILIES, TEXTS

from isogloss import Encoder, IsoglossError
from isogloss.encoders import Freeze, Reinitialise, Separate, Truncate, speaking, spoken_only
from isogloss.encoders.anatomy import layer_parameters

ONE_BLOCK = {  # the family's own name for what computes layer 2
    "bert": "encoder.layer.1.", "distilbert": "transformer.layer.1.", "roberta": "encoder.layer.1.",
    "xlm-roberta": "encoder.layer.1.", "electra": "encoder.layer.1.", "deberta-v2": "encoder.layer.1.",
    "modernbert": "layers.1.", "gemma": "layers.1.", "qwen": "layers.1.", "llama": "layers.1.",
    "t5": "encoder.block.1.", "mt5": "encoder.block.1.", "bart": "encoder.layers.1.", "mbart": "encoder.layers.1.",
    "marian": "encoder.layers.1.", "xlm": ("attentions.1.", "layer_norm1.1.", "ffns.1.", "layer_norm2.1."),
}  # fmt: skip


def weights(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in model.state_dict().items()}


def changed(before: dict[str, torch.Tensor], after: dict[str, torch.Tensor]) -> set[str]:
    return {name for name in before if not torch.equal(before[name], after[name])}


@pytest.mark.parametrize("family", FAMILIES)
def test_reinitialising_a_layer_changes_exactly_its_parameters(family: str, saved: Any) -> None:
    model = saved(family).model
    before = weights(model)
    drawn = Reinitialise((2,), seed=3).apply(model)
    expected = {name for name in before if name.startswith(ONE_BLOCK[family])}
    assert expected
    assert changed(before, weights(drawn)) == expected
    assert not changed(before, weights(model))
    assert expected == set(layer_parameters(model, (2,)))


@pytest.mark.parametrize("family", FAMILIES)
def test_reinitialising_the_embedding_leaves_every_block_alone(family: str, saved: Any) -> None:
    model = saved(family).model
    before = weights(model)
    touched = changed(before, weights(Reinitialise((0,)).apply(model)))
    assert any("emb" in name for name in touched)
    assert all("emb" in name or name == "shared.weight" for name in touched)
    assert not touched & set(layer_parameters(model, (1, 2, 3)))


def test_a_draw_follows_its_seed_and_not_the_global_one(saved: Any) -> None:
    model = saved("bert").model
    torch.manual_seed(11)
    state = torch.get_rng_state()
    first = weights(Reinitialise((1, 3), seed=5).apply(model))
    assert torch.equal(state, torch.get_rng_state())
    torch.manual_seed(12)
    assert not changed(first, weights(Reinitialise((3, 1), seed=5).apply(model)))
    assert changed(first, weights(Reinitialise((1, 3), seed=6).apply(model)))


def test_a_loaded_model_is_drawn_anew_as_its_class_draws(saved: Any) -> None:
    loaded = transformers.AutoModel.from_pretrained(saved("bert").folder)
    drawn = Reinitialise((1,)).apply(loaded).encoder.layer[0]
    weight = drawn.intermediate.dense.weight
    assert float(weight.detach().std()) == pytest.approx(loaded.config.initializer_range, rel=0.1)
    assert torch.equal(drawn.intermediate.dense.bias, torch.zeros_like(drawn.intermediate.dense.bias))
    assert torch.equal(drawn.output.LayerNorm.weight, torch.ones_like(drawn.output.LayerNorm.weight))


@pytest.mark.parametrize("family", FAMILIES)
def test_freezing_stops_the_gradients_of_exactly_the_named_layers(family: str, saved: Any) -> None:
    model = saved(family).model
    learning = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    frozen = Freeze((0, 2)).apply(model)
    still = {name for name, parameter in frozen.named_parameters() if parameter.requires_grad}
    assert learning - still == set(layer_parameters(model, (0, 2))) & learning
    assert learning == {name for name, parameter in model.named_parameters() if parameter.requires_grad}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_truncated_model_is_saved_and_opens_as_any_other(family: str, saved: Any, tmp_path: Path) -> None:
    given = saved(family)
    short = Truncate(2).apply(given.model)
    short.save_pretrained(tmp_path)
    given.tokenizer.save_pretrained(tmp_path)
    states = Encoder(str(tmp_path), dtype="float32", device="cpu").encode(TEXTS)
    whole = Encoder(str(given.folder), dtype="float32", device="cpu").encode(TEXTS)
    assert states.shape[1] == 3
    np.testing.assert_allclose(states[:, :2], whole[:, :2], atol=1e-5)
    in_memory = Encoder.from_model(short, given.tokenizer).encode(TEXTS)
    np.testing.assert_allclose(states, in_memory, atol=1e-5)
    assert len(Encoder.from_model(given.model, given.tokenizer).layers) == DEPTH + 1


@pytest.mark.parametrize("family", FAMILIES)
def test_separate_layers_are_routed_by_language(family: str, saved: Any) -> None:
    given = saved(family)
    ids = {"input_ids": torch.tensor([given.tokenizer.encode(TEXTS[1])])}
    reader = given.model.get_encoder() if given.model.config.is_encoder_decoder else given.model
    with torch.no_grad():
        plain = reader(**ids).last_hidden_state
        apart = Separate((0, 1, 2), ("en", "zh-Hant")).apply(given.model)
        reads = apart.get_encoder() if apart.config.is_encoder_decoder else apart
        with pytest.raises(IsoglossError, match="no language was given"):
            reads(**ids)
        for language in ("en", "zh-Hant"):
            with speaking(apart, language):
                torch.testing.assert_close(reads(**ids).last_hidden_state, plain)
        with speaking(apart, "zh-Hant"):
            _nudge(apart, "zh-Hant")
            moved = reads(**ids).last_hidden_state
        with speaking(apart, "en"):
            torch.testing.assert_close(reads(**ids).last_hidden_state, plain)
    assert not torch.allclose(moved, plain)
    alone = spoken_only(apart, "zh-Hant")
    assert set(weights(alone)) == set(weights(given.model))
    assert not changed(weights(given.model), weights(spoken_only(apart, "en")))
    reads_alone = alone.get_encoder() if alone.config.is_encoder_decoder else alone
    with torch.no_grad():
        torch.testing.assert_close(reads_alone(**ids).last_hidden_state, moved)


def _nudge(model: torch.nn.Module, language: str) -> None:
    for module in model.modules():
        if type(module).__name__ == "Separated":
            for parameter in module.of(language).parameters():
                parameter.add_(0.1 * torch.randn_like(parameter))


def test_surgery_refuses_layers_that_are_not_there(saved: Any) -> None:
    model = saved("bert").model
    for operation in (Reinitialise((9,)), Freeze((-1,)), Truncate(0), Truncate(9), Separate((1,), ("en", "en"))):
        with pytest.raises(IsoglossError):
            operation.apply(model)
    with (
        pytest.raises(IsoglossError, match="did you mean 'en'"),
        speaking(Separate((1,), ("en", "de")).apply(model), "em"),
    ):
        raise AssertionError("not reached")


def test_a_model_with_a_head_is_operated_on_below_its_head() -> None:
    config = transformers.BertConfig(
        vocab_size=60, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32
    )
    model = transformers.BertForMaskedLM(config)
    before = weights(model)
    assert {name.split(".")[3] for name in changed(before, weights(Reinitialise((2,)).apply(model)))} == {"1"}
    with torch.no_grad():
        model(torch.arange(5)[None], output_hidden_states=True)  # leaves the library's own hooks behind
    assert Truncate(1).apply(model)(torch.arange(5)[None]).logits.shape == (1, 5, 60)
