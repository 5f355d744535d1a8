"""Every family: a saved model, opened from disk, gives what a plain transformers forward pass gives."""

from typing import Any

import numpy as np
import pytest
import torch
from small_models import DECODERS, DEPTH, FAMILIES, TEXTS, WIDTH, WITHOUT_CLS

from isogloss import Encoder, IsoglossError

TOLERANCE = 1e-5


def plain_states(model: Any, ids: list[int]) -> np.ndarray:
    """Token states of one sentence by the library's own way: layers x time x d."""
    reader = model.get_encoder() if model.config.is_encoder_decoder else model
    with torch.no_grad():
        output = reader(input_ids=torch.tensor([ids]), output_hidden_states=True)
    return np.stack([state[0].numpy() for state in output.hidden_states])


def subwords_by_word(tokenizer: Any, text: str) -> np.ndarray:
    """How many subwords each word of running text has, by character offsets where the tokeniser knows them."""
    if not tokenizer.is_fast:
        return np.array([len(tokenizer.tokenize(word)) for word in text.split()])
    offsets = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
    return np.bincount([text[:end].count(" ") for _, end in offsets])


@pytest.mark.parametrize("family", FAMILIES)
def test_sentences_are_the_mean_of_the_plain_forward_pass(family: str, saved: Any) -> None:
    given = saved(family)
    encoder = Encoder(str(given.folder), dtype="float32", device="cpu")
    assert encoder.layers == ["embedding", "layer 1", "layer 2", "layer 3"]
    assert encoder.width == WIDTH
    states = encoder.encode(TEXTS)
    assert states.shape == (len(TEXTS), DEPTH + 1, WIDTH)
    for text, state in zip(TEXTS, states, strict=True):
        bare = given.tokenizer.encode(text, add_special_tokens=False)
        framed = given.tokenizer.encode(text)
        start = next(i for i in range(len(framed)) if framed[i : i + len(bare)] == bare)
        expected = plain_states(given.model, framed)[:, start : start + len(bare)].mean(axis=1)
        np.testing.assert_allclose(state, expected, atol=TOLERANCE, rtol=TOLERANCE)


@pytest.mark.parametrize("family", FAMILIES)
def test_words_are_pooled_over_their_own_subwords(family: str, saved: Any) -> None:
    given = saved(family)
    encoder = Encoder(str(given.folder), dtype="float32", device="cpu")
    words = TEXTS[1].split()
    block = encoder.encode([words, ["yes"]], level="word")
    assert block.counts.words == len(words) + 1
    assert block.sentence.tolist() == [0] * len(words) + [1]
    assert block.position.tolist() == [*range(len(words)), 0]
    assert not block.missing.any()
    text = " ".join(words)
    bare = given.tokenizer.encode(text, add_special_tokens=False)
    framed = given.tokenizer.encode(text)
    start = next(i for i in range(len(framed)) if framed[i : i + len(bare)] == bare)
    token_states = plain_states(given.model, framed)[:, start : start + len(bare)]
    total = token_states.sum(axis=1)
    sizes = subwords_by_word(given.tokenizer, text)
    np.testing.assert_allclose(
        (block.values[: len(words)] * sizes[:, None, None]).sum(axis=0), total, atol=1e-4, rtol=1e-4
    )
    first = encoder.encode([words], level="word", pooling="first")
    begins = np.cumsum(sizes) - sizes
    np.testing.assert_allclose(first.values, token_states[:, begins].transpose(1, 0, 2), atol=TOLERANCE, rtol=TOLERANCE)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_layer_by_itself_is_the_same_and_nothing_above_it_runs(family: str, saved: Any) -> None:
    encoder = Encoder(str(saved(family).folder), dtype="float32", device="cpu")
    everything = encoder.encode(TEXTS)
    ran: list[int] = []
    entrances = encoder._reader.stack.entrances
    handles = [
        module.register_forward_hook(lambda *_, number=number: ran.append(number))
        for number, module in enumerate(entrances)
    ]
    for layer in range(DEPTH + 1):
        ran.clear()
        alone = encoder.encode(TEXTS, layers=[layer])
        np.testing.assert_allclose(alone[:, 0], everything[:, layer], atol=TOLERANCE, rtol=TOLERANCE)
        assert set(ran) == set(range(layer))
    for handle in handles:
        handle.remove()
    assert not any(module._forward_pre_hooks for module in entrances)


@pytest.mark.parametrize("family", DECODERS)
def test_decoders_pool_by_last_token_and_by_position(family: str, saved: Any) -> None:
    given = saved(family)
    encoder = Encoder(str(given.folder), dtype="float32", device="cpu")
    assert encoder.causal
    last, weighted = (encoder.encode(TEXTS, pooling=pooling) for pooling in ("last", "weighted"))
    for number, text in enumerate(TEXTS):
        states = plain_states(given.model, given.tokenizer.encode(text))
        size = len(given.tokenizer.encode(text, add_special_tokens=False))
        weights = np.arange(1, size + 1) / np.arange(1, size + 1).sum()
        np.testing.assert_allclose(last[number], states[:, -1], atol=TOLERANCE, rtol=TOLERANCE)
        np.testing.assert_allclose(
            weighted[number], np.einsum("ltd,t->ld", states[:, -size:], weights), atol=TOLERANCE, rtol=TOLERANCE
        )


@pytest.mark.parametrize("family", FAMILIES)
def test_cls_is_the_first_token_where_it_sees_the_sentence(family: str, saved: Any) -> None:
    given = saved(family)
    encoder = Encoder(str(given.folder), dtype="float32", device="cpu")
    if family in WITHOUT_CLS:
        with pytest.raises(IsoglossError, match="no first token"):
            encoder.encode(TEXTS, pooling="cls")
        return
    states = encoder.encode(TEXTS[:2], pooling="cls")
    expected = plain_states(given.model, given.tokenizer.encode(TEXTS[1]))[:, 0]
    np.testing.assert_allclose(states[1], expected, atol=TOLERANCE, rtol=TOLERANCE)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_batch_a_sentence_is_in_does_not_change_its_vector(family: str, saved: Any) -> None:
    encoder = Encoder(str(saved(family).folder), dtype="float32", device="cpu")
    together = encoder.encode(TEXTS)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=TOLERANCE, rtol=TOLERANCE)
