"""Layers in fewer operations: the library's layers to rounding, in states and in gradients, or not used at all."""

from copy import deepcopy
from typing import Any

import pytest
import torch
from torch import nn
from transformers import AutoConfig, AutoModel

from isogloss.encoders.anatomy import LIKE_BERT, block_lists
from isogloss.encoders.fast_layers import (
    _Layer,
    _Shape,
    reads_directly,
    softmax_of,
    use_fast_layers,
)
from isogloss.encoders.layers import find_stack

PADDING = 1


def make(family: str, **more: Any) -> Any:
    torch.manual_seed(0)
    config = AutoConfig.for_model(
        family, vocab_size=50, hidden_size=16, embedding_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=40, pad_token_id=PADDING, initializer_range=0.5, **more,
    )  # fmt: skip
    return AutoModel.from_config(config)


@pytest.mark.parametrize("length", [2, 15, 16, 20])
def test_softmax_is_the_librarys(length: int) -> None:
    torch.manual_seed(0)
    scores = 30 * torch.randn(3, 4, length, dtype=torch.float64)
    torch.testing.assert_close(softmax_of(scores), scores.softmax(dim=-1))
    assert softmax_of(scores.float(), torch.float64).dtype == torch.float64


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("dropping", [False, True])
@pytest.mark.parametrize("masked", ["", "added", "real"])
@pytest.mark.parametrize("time", [3, 17])
def test_gradients_of_a_layer_are_those_of_small_steps(time: int, masked: str, dropping: bool) -> None:
    torch.manual_seed(0)
    batch, heads, width, inner = 2, 2, 4, 6
    rows = batch * time
    real = torch.ones(batch, 1, 1, time, dtype=torch.bool)
    real[0, ..., -1] = False
    mask = {"": None, "real": real, "added": torch.where(real, 0.0, -1e30).double()}[masked]
    sizes = ((batch * heads, time, time), (rows, width), (rows, width))
    kept = [2.0 * (torch.rand(size) > 0.5).double() if dropping else None for size in sizes]
    shape = _Shape(batch, time, heads, 0.7, (1e-5, 1e-3), rows)
    weights = (*[drawn(width, width) for _ in range(4)], drawn(inner, width), drawn(width, inner))
    biases = (*[drawn(width) for _ in range(4)], drawn(inner), drawn(width))
    norms = [drawn(width) for _ in range(4)]
    given = (drawn(rows, width), *weights, *biases, *norms)
    assert torch.autograd.gradcheck(lambda first, *others: _Layer.apply(shape, first, mask, *kept, *others), given)


@pytest.mark.parametrize("family", sorted(LIKE_BERT))
@pytest.mark.parametrize("masked", [False, True])
def test_a_stack_reads_past_the_library_and_gives_its_states(family: str, masked: bool) -> None:
    plain = make(family, type_vocab_size=2).eval()
    fast = deepcopy(plain)
    use_fast_layers(fast)
    ids = torch.randint(5, 50, (3, 9))
    if masked:
        ids[1, 4:] = PADDING
    inputs = {"input_ids": ids, "token_type_ids": (torch.arange(9) > 5).long().expand(3, 9).contiguous()}
    inputs |= {"attention_mask": (ids != PADDING).long()} if masked else {}
    theirs = plain(**inputs, output_hidden_states=True).hidden_states
    stack, ours = find_stack(fast), {}
    passed = []
    handle = fast.register_forward_hook(lambda *_: passed.append(1))
    stack.forward(inputs, (0, 1, 2), ours.__setitem__)
    handle.remove()
    assert not passed, "the library's own pass was used"
    for layer, states in ours.items():
        torch.testing.assert_close(states[ids != PADDING], theirs[layer][ids != PADDING], rtol=1e-4, atol=1e-4)
    calls = []
    for block in stack.entrances:
        block.register_forward_hook(lambda *_: calls.append(1))
    stack.forward(inputs, (1,), lambda layer, states: None)
    assert len(calls) == 1, "layers above the highest one wanted are not computed"


def test_what_more_a_model_has_or_is_given_is_left_to_the_library() -> None:
    narrow = make("electra")
    use_fast_layers(narrow)
    blocks, ids = block_lists(narrow)[0], torch.randint(5, 50, (1, 4))
    assert reads_directly(narrow, blocks, {"input_ids": ids})
    assert not reads_directly(narrow, blocks, {"input_ids": ids, "position_ids": torch.arange(4)[None]})
    narrow.embeddings_project = nn.Linear(16, 16)
    assert not reads_directly(narrow, blocks, {"input_ids": ids})
    assert not reads_directly(make("bert"), block_lists(make("bert"))[0], {"input_ids": ids})


@pytest.mark.parametrize("family", sorted(LIKE_BERT))
@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize("length", [6, 18])
def test_states_and_gradients_are_the_librarys(family: str, attention: str, length: int) -> None:
    plain = make(family).eval()
    plain.set_attn_implementation(attention)
    fast = deepcopy(plain)
    assert use_fast_layers(fast) == 2
    ids = torch.randint(5, 50, (3, length))
    ids[1, 4:] = PADDING
    real = ids != PADDING
    for mask in (real.long(), None):
        states = [model(ids, attention_mask=mask).last_hidden_state for model in (plain, fast)]
        seen = real if mask is not None else torch.ones_like(real)
        torch.testing.assert_close(states[1][seen], states[0][seen], rtol=1e-4, atol=1e-4)
        for model, one in zip((plain, fast), states, strict=True):
            model.zero_grad()
            (one[seen] ** 3).sum().backward()
        largest = max(float(one.grad.abs().max()) for one in plain.parameters() if one.grad is not None)
        for (name, ours), theirs in zip(fast.named_parameters(), plain.parameters(), strict=True):
            if theirs.grad is not None:
                assert float((ours.grad - theirs.grad).abs().max()) < 1e-5 * largest, name


def test_a_copy_of_a_model_computes_with_weights_of_its_own() -> None:
    model = make("bert").eval()
    use_fast_layers(model)
    copy = deepcopy(model)
    ids = torch.randint(5, 50, (2, 7))
    before = model(ids).last_hidden_state
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    torch.testing.assert_close(copy(ids).last_hidden_state, before)
    assert model(ids).last_hidden_state.abs().max() == 0


def test_dropout_is_used_in_training_only() -> None:
    model = make("bert", hidden_dropout_prob=0.4, attention_probs_dropout_prob=0.4)
    use_fast_layers(model)
    ids = torch.randint(5, 50, (2, 7))
    first, second = (model.train()(ids).last_hidden_state for _ in range(2))
    assert not torch.equal(first, second)
    first, second = (model.eval()(ids).last_hidden_state for _ in range(2))
    assert torch.equal(first, second)


def test_layers_with_something_put_into_them_are_left_alone() -> None:
    watched = make("bert")
    block_lists(watched)[0][0].output.dense.register_forward_hook(lambda *_: None)
    assert use_fast_layers(watched) == 1

    class Adapted(nn.Linear):
        pass

    adapted = make("bert")
    block_lists(adapted)[0][1].attention.self.query = Adapted(16, 16)
    assert use_fast_layers(adapted) == 1
    assert use_fast_layers(make("distilbert", dim=16, n_heads=2, n_layers=2, hidden_dim=32)) == 0
    assert use_fast_layers(make("bert", is_decoder=True)) == 0
