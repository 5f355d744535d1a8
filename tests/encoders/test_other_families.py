"""Families nobody prepared for: compared with the library when opened, asked for their states, or refused."""

from typing import Any

import numpy as np
import pytest
import torch
import transformers
from small_models import TEXTS, wordpiece

from isogloss import Encoder, IsoglossError
from isogloss.encoders.layers import find_stack

SIZES = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 64}
CONFIGS = {
    "albert": lambda v: transformers.AlbertConfig(vocab_size=v, embedding_size=16, **SIZES),  # one block, used thrice
    "gpt2": lambda v: transformers.GPT2Config(vocab_size=v, n_embd=32, n_layer=3, n_head=4),
    "xlnet": lambda v: transformers.XLNetConfig(vocab_size=v, d_model=32, n_layer=3, n_head=4, d_inner=64),
}


@pytest.mark.parametrize("family", CONFIGS)
def test_states_are_those_of_the_library(family: str, tmp_path: Any) -> None:
    tokenizer = wordpiece(tmp_path)
    torch.manual_seed(0)
    model = transformers.AutoModel.from_config(CONFIGS[family](len(tokenizer))).eval()
    encoder = Encoder.from_model(model, tokenizer)
    assert len(encoder.layers) == 4
    states = encoder.encode(TEXTS[:2], layers=[0, 2, 3])
    for text, state in zip(TEXTS, states, strict=False):
        with torch.no_grad():
            plain = model(torch.tensor([tokenizer.encode(text)]), output_hidden_states=True).hidden_states
        expected = np.stack([plain[layer][0, 1:-1].mean(dim=0).numpy() for layer in (0, 2, 3)])
        np.testing.assert_allclose(state, expected, atol=1e-5)


def test_a_model_whose_layers_differ_in_length_is_refused() -> None:
    model = transformers.CanineModel(transformers.CanineConfig(num_hash_buckets=64, **SIZES))
    with pytest.raises(IsoglossError, match="differ in length or width"):
        find_stack(model)


def test_a_model_without_a_stack_of_layers_is_refused() -> None:
    model = transformers.ResNetModel(
        transformers.ResNetConfig(embedding_size=8, hidden_sizes=[8], depths=[1], layer_type="basic")
    )
    with pytest.raises(IsoglossError):
        find_stack(model)
