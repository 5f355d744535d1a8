"""Feed-forward neurons: counts against stored activations, and silence against a model without the weights."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from small_models import DEPTH, TEXTS, WIDTH
from transformers.activations import ACT2FN

from isogloss.encoders.feedforward import find_feed_forwards
from isogloss.encoders.neurons import ActivationCounts, count_activations, switched_off
from isogloss.encoders.subwords import Tokeniser
from isogloss.encoders.text_batches import TextReader
from isogloss.errors import IsoglossError

# family: the product that the activation reads, the part of its output, the activation, the last product, gated
BLOCKS = {
    "bert": ("encoder.layer.{}.intermediate.dense", slice(0, 64), "gelu", "encoder.layer.{}.output.dense", False),
    "distilbert": ("transformer.layer.{}.ffn.lin1", slice(0, 64), "gelu", "transformer.layer.{}.ffn.lin2", False),
    "modernbert": ("layers.{}.mlp.Wi", slice(0, 64), "gelu", "layers.{}.mlp.Wo", True),
    "gemma": ("layers.{}.mlp.gate_proj", slice(0, 64), "gelu_pytorch_tanh", "layers.{}.mlp.down_proj", True),
    "llama": ("layers.{}.mlp.gate_proj", slice(0, 64), "silu", "layers.{}.mlp.down_proj", True),
    "t5": (
        "encoder.block.{}.layer.1.DenseReluDense.wi", slice(0, 64), "relu",
        "encoder.block.{}.layer.1.DenseReluDense.wo", False,
    ),
    "mt5": (
        "encoder.block.{}.layer.1.DenseReluDense.wi_0", slice(0, 64), "gelu_new",
        "encoder.block.{}.layer.1.DenseReluDense.wo", True,
    ),
}  # fmt: skip


def reader_of(saved: Any, budget: int = 40) -> TextReader:
    return TextReader(Tokeniser(saved.tokenizer), 64, budget, torch.device("cpu"))


def stored(model: Any, tokenizer: Any, family: str) -> ActivationCounts:
    """The slow way: keep the activations of every token, one text at a time, and count afterwards."""
    name, part, activation, _, _ = BLOCKS[family]
    frame = Tokeniser(tokenizer)
    active, tokens = np.zeros((DEPTH, 64), dtype=np.int64), 0
    body = model.get_encoder() if model.config.is_encoder_decoder else model
    for text in TEXTS:
        ids = tokenizer(text)["input_ids"]
        kept: list[torch.Tensor] = []
        handles = [
            model.get_submodule(name.format(layer)).register_forward_hook(lambda m, a, out, kept=kept: kept.append(out))
            for layer in range(DEPTH)
        ]
        with torch.no_grad():
            body(input_ids=torch.tensor([ids]))
        for handle in handles:
            handle.remove()
        text_only = slice(len(frame.prefix), len(ids) - len(frame.suffix))
        values = torch.stack([ACT2FN[activation](out[0, text_only, part]) for out in kept])
        active += (values > 0).sum(1).numpy()
        tokens += values.shape[1]
    return ActivationCounts(active, tokens)


@pytest.mark.parametrize("family", BLOCKS)
def test_counts_equal_those_of_stored_activations(family: str, saved: Callable[[str], Any]) -> None:
    model, tokenizer = saved(family).model, saved(family).tokenizer
    ours = count_activations(model, reader_of(saved(family)).read(TEXTS))
    slow = stored(model, tokenizer, family)
    assert ours.tokens == slow.tokens
    np.testing.assert_array_equal(ours.active, slow.active)


@pytest.mark.parametrize("family", BLOCKS)
def test_blocks_are_found_by_their_numbers(family: str, saved: Callable[[str], Any]) -> None:
    inner, part, _, outer, gated = BLOCKS[family]
    model = saved(family).model
    found = find_feed_forwards(model)
    assert [block.layer for block in found] == [1, 2, 3]
    for block in found:
        assert block.inner is model.get_submodule(inner.format(block.layer - 1))
        assert block.outer is model.get_submodule(outer.format(block.layer - 1))
        assert (block.part, block.width, block.gated) == (part, 64, gated)


def small(config: type, **more: Any) -> Any:
    model = transformers.AutoModel.from_config(config(vocab_size=50, bos_token_id=1, eos_token_id=2, **more)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
    return model


OTHERS = {
    "gpt2": lambda: small(transformers.GPT2Config, n_embd=WIDTH, n_layer=2, n_head=4),
    "bloom": lambda: small(transformers.BloomConfig, hidden_size=WIDTH, n_layer=2, n_head=4),
    "opt": lambda: small(
        transformers.OPTConfig, hidden_size=WIDTH, ffn_dim=128, num_hidden_layers=2, num_attention_heads=4,
        word_embed_proj_dim=WIDTH,
    ),
    "phi3": lambda: small(
        transformers.Phi3Config, hidden_size=WIDTH, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=4, pad_token_id=0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("family", OTHERS)
def test_other_decoders_are_read_too(family: str) -> None:
    found = find_feed_forwards(OTHERS[family]())
    assert [(block.layer, block.width, block.gated) for block in found] == [
        (1, 128, family == "phi3"),
        (2, 128, family == "phi3"),
    ]


def test_layers_that_share_a_block_are_refused() -> None:
    model = small(
        transformers.AlbertConfig, hidden_size=WIDTH, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, embedding_size=16,
    )  # fmt: skip
    with pytest.raises(IsoglossError, match="were not found"):
        find_feed_forwards(model)


@pytest.mark.parametrize("family", ["bert", "modernbert", "gemma"])
def test_a_silent_neuron_is_one_whose_weights_are_gone(family: str, saved: Callable[[str], Any]) -> None:
    model, ids = saved(family).model, torch.arange(1, 9)[None]
    blocks, neurons = find_feed_forwards(model), {1: [0, 5], 3: list(range(30, 64))}
    twin = deepcopy(model)
    with torch.no_grad():
        before = model(input_ids=ids).last_hidden_state
        for block in find_feed_forwards(twin):
            block.outer.weight[:, neurons.get(block.layer, [])] = 0
        expected = twin(input_ids=ids).last_hidden_state
        with switched_off(blocks, neurons):
            silent = model(input_ids=ids).last_hidden_state
        after = model(input_ids=ids).last_hidden_state
    torch.testing.assert_close(silent, expected)
    assert not torch.allclose(silent, before)
    assert torch.equal(after, before)


def test_neurons_that_are_not_there_are_refused(saved: Callable[[str], Any]) -> None:
    blocks = find_feed_forwards(saved("bert").model)
    with pytest.raises(IsoglossError, match="no neuron 64"), switched_off(blocks, {1: [64]}):
        pass
    with pytest.raises(IsoglossError, match="no feed-forward block 4"), switched_off(blocks, {4: [0]}):
        pass


def test_counts_of_two_halves_add_up(saved: Callable[[str], Any]) -> None:
    model, reader = saved("llama").model, reader_of(saved("llama"))
    whole = count_activations(model, reader.read(TEXTS))
    halves = count_activations(model, reader.read(TEXTS[:4])) + count_activations(model, reader.read(TEXTS[4:]))
    assert halves.tokens == whole.tokens
    np.testing.assert_array_equal(halves.active, whole.active)
