"""8-bit products: near float32 in every language and layer, reported, and refused where they are not."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from transformers import AutoConfig, AutoModel, BertConfig, BertModel

from isogloss import Encoder
from isogloss.encoders import LanguageModel
from isogloss.encoders.anatomy import LIKE_BERT, WITHIN
from isogloss.encoders.devices import cpu_has_vnni
from isogloss.encoders.int8 import LEAST_FIDELITY, Fidelity, Int8Linear, measure_fidelity
from isogloss.encoders.int8_blocks import (
    WIDE,
    FixedProduct,
    Int8Block,
    Seen,
    groups_of_neurons,
    make_blocks,
    real_tokens,
)
from isogloss.encoders.precision import RANDOM
from isogloss.errors import IsoglossError

TEXTS = ["a small house", "the dog sees a cat", "one more line of text", "and the last one of them"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, word_pieces: Any) -> str:
    """A BERT of three layers, 128 wide, never trained."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    backend = Tokenizer(models.WordPiece(word_pieces(TEXTS, 120, special), unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, pad_token="[PAD]", unk_token="[UNK]")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=128, num_hidden_layers=3, num_attention_heads=4, intermediate_size=256
    )  # fmt: skip
    path = tmp_path_factory.mktemp("wide")
    BertModel(config).save_pretrained(path)
    tokenizer.save_pretrained(path)
    return str(path)


def test_a_rounded_product_is_the_product_of_rounded_numbers() -> None:
    torch.manual_seed(0)
    exact = nn.Linear(160, 130)
    states = torch.randn(3, 7, 160)
    rounded = Int8Linear(exact)
    with torch.no_grad():
        found = rounded(states)
        step = float((states.max().clamp(min=0) - states.min().clamp(max=0)) / 255)
        zero = round(float(-states.min().clamp(max=0) / step))
        whole = (states / step).round().clamp(-zero, 255 - zero)
        by_hand = (whole @ rounded.weight.float().T) * rounded.scales * step + exact.bias
        np.testing.assert_allclose(found, by_hand, atol=1e-2)
        assert float((found - exact(states)).norm() / exact(states).norm()) < 0.02
    assert int(rounded.weight.abs().max()) <= 127


def test_all_layers_are_near_float32_and_what_was_measured_is_told(folder: str) -> None:
    exact = Encoder(folder, dtype="float32", device="cpu")
    rounded = Encoder(folder, dtype="int8", device="cpu")
    assert rounded.dtype == torch.int8 and exact.fidelity is None
    if cpu_has_vnni():
        assert all(isinstance(layer, Int8Block) for layer in rounded.model.encoder.layer)
    else:
        assert sum(isinstance(module, Int8Linear) for module in rounded.model.modules()) == 3 * 6
    fidelity = rounded.fidelity
    assert fidelity is not None and RANDOM in fidelity.languages
    value, language, layer = fidelity.lowest
    assert LEAST_FIDELITY <= value < 1 and layer > 0
    assert any(f"{value:.4f} ({language}, layer {layer})" in warning for warning in rounded.warnings)
    states = rounded.encode(TEXTS)
    assert states.shape == (4, 4, 128) and states.dtype == np.float32
    np.testing.assert_array_equal(states[:, 0], exact.encode(TEXTS)[:, 0])  # the embedding has no product
    own = measure_fidelity(exact, rounded, {"en": TEXTS})
    assert own.lowest[0] > LEAST_FIDELITY
    frame = own.frame()
    assert list(frame.columns) == ["language", "layer", "cosine", "centred"] and len(frame) == 4


def test_other_cpus_round_each_product_by_itself(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.encoders.int8_blocks.cpu_has_vnni", lambda: False)
    rounded = Encoder(folder, dtype="int8", device="cpu")
    assert sum(isinstance(module, Int8Linear) for module in rounded.model.modules()) == 3 * 6
    assert rounded.fidelity is not None and rounded.fidelity.lowest[0] >= LEAST_FIDELITY


vnni = pytest.mark.skipif(not cpu_has_vnni(), reason="layers are computed as one on CPUs with VNNI only")


def multiply_by_hand(product: FixedProduct, states: torch.Tensor) -> torch.Tensor:
    """States as whole numbers around the zero point, back in their own size, times the rounded weights."""
    step, zero = float(product.step), product._zero
    smaller = states if product.shrink is None else states * product.shrink
    rounded = ((smaller / step).round().clamp(-zero, 255 - zero)) * step
    return rounded @ (product.weight.float() * product.scales[:, None]).T + product.bias


@vnni
@pytest.mark.parametrize("uneven", [False, True])
def test_a_block_is_a_layer_of_rounded_numbers_without_padding(uneven: bool) -> None:
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=50, hidden_size=128, num_hidden_layers=1, num_attention_heads=4, intermediate_size=256
    )  # fmt: skip
    layer = BertModel(config).eval().encoder.layer[0]
    states = nn.functional.layer_norm(torch.randn(4, 6, 128), (128,))
    with torch.no_grad():  # so that tokens look at some tokens more than at others
        layer.attention.self.query.weight.mul_(8)
        layer.attention.self.key.weight.mul_(8)
        if uneven:
            states[..., 5] *= 20
            layer.intermediate.dense.bias[7] = 9.0
    lengths = [6, 4, 4, 1]
    real = torch.arange(6) < torch.tensor(lengths)[:, None]
    seen = ranges_of(layer, states)
    block = Int8Block(layer, seen)
    assert (block.attend.shrink is not None) == uneven and len(block.forwards) == 1 + uneven
    with torch.no_grad():
        found = block(states, real[:, None, None, :])
        for row, length in enumerate(lengths):
            given = states[row, :length]
            joined = multiply_by_hand(block.attend, given)
            query, key, value = (part.view(length, 4, 32).transpose(0, 1) for part in joined.split(128, dim=1))
            weights = (query @ key.transpose(1, 2)).softmax(dim=2)  # queries are scaled in the product
            assert length == 1 or weights.max() > 0.6 > 0.1 > weights.min()
            mixed = (weights @ value).transpose(0, 1).reshape(length, -1)
            attended = block.attended(multiply_by_hand(block.mix, mixed) + given)
            total = attended
            for forward in block.forwards:
                inner = nn.functional.gelu(multiply_by_hand(forward.inner, attended))
                total = total + multiply_by_hand(forward.outer, inner)
            final = block.final(total)
            np.testing.assert_allclose(found[row, :length], final, atol=3e-2)  # a number on an edge may round otherwise
            assert float((found[row, :length] - final).norm() / final.norm()) < 3e-3
            assert float((final - layer(given[None])[0]).norm() / final.norm()) < 2e-2
        assert found[~real].count_nonzero() == 0
        alone = block(states[:1])
    np.testing.assert_allclose(alone[0], found[0], rtol=0, atol=1e-6)


def ranges_of(layer: Any, states: torch.Tensor) -> dict[str, Seen]:
    """The ranges that the products of a layer are given when it reads ``states``."""
    seen = {path: Seen.nothing(layer.get_submodule(path).in_features) for path in WITHIN}
    handles = [
        layer.get_submodule(path).register_forward_pre_hook(lambda _, args, one=one: one.add(0.0, args[0]))
        for path, one in seen.items()
    ]
    with torch.no_grad():
        layer(states)
    for handle in handles:
        handle.remove()
    return seen


@vnni
def test_large_dimensions_do_not_make_the_steps_of_others_coarse() -> None:
    torch.manual_seed(0)
    states = torch.randn(400, 160)
    states[:, 3] *= 60
    linear = nn.Linear(160, 130)
    seen = Seen.nothing(160)
    seen.add(0.0, states)
    with torch.no_grad():
        exact = linear(states)
        gaps = []
        for smooth in (False, True):
            product = FixedProduct(linear.weight, linear.bias, seen, smooth=smooth)
            gaps.append(float((product(product.round(states)) - exact).norm() / exact.norm()))
    assert gaps[1] < 0.02 < 3 * gaps[1] < gaps[0]


def test_neurons_of_a_far_wider_range_are_rounded_apart() -> None:
    high = torch.linspace(1, 1.2, 200)
    assert [len(group) for group in groups_of_neurons(Seen(0.0, torch.zeros(200), high))] == [200]
    low = torch.zeros(200)
    low[[4, 150]] = -9.0
    most, wide = groups_of_neurons(Seen(0.0, low, high))
    assert len(wide) == WIDE and {4, 150} <= set(wide.tolist())
    assert sorted([*most.tolist(), *wide.tolist()]) == list(range(200))
    assert [len(group) for group in groups_of_neurons(Seen(0.0, low[:WIDE], high[:WIDE]))] == [WIDE]


@vnni
@pytest.mark.parametrize("family", sorted(LIKE_BERT))
def test_every_family_whose_layers_are_berts_is_computed_by_blocks(family: str) -> None:
    torch.manual_seed(0)
    config = AutoConfig.for_model(
        family, vocab_size=50, hidden_size=128, embedding_size=128, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=256, pad_token_id=1,
    )  # fmt: skip
    model = AutoModel.from_config(config).eval()
    ids = torch.tensor([[5, 6, 7, 8, 9], [10, 11, 12, 1, 1]])
    real = ids != 1
    with torch.no_grad():
        exact = model(ids, attention_mask=real.long()).last_hidden_state
        linear = {path: module for path, module in model.named_modules() if path.endswith(WITHIN)}
        ends = {path: torch.full((module.in_features,), 5.0) for path, module in linear.items()}
        blocks = make_blocks(model, linear, {path: Seen(0.0, -end, end) for path, end in ends.items()})
        assert sorted(blocks) == [0, 1]
        for number, block in blocks.items():
            model.encoder.layer[number] = block
        found = model(ids, attention_mask=real.long()).last_hidden_state
    assert 0 < float((found - exact)[real].norm() / exact[real].norm()) < 0.05


@vnni
def test_states_beyond_the_range_are_cut_off_and_do_not_wrap_around() -> None:
    torch.manual_seed(0)
    linear = nn.Linear(160, 130)
    product = FixedProduct(linear.weight, linear.bias, Seen(0.0, -torch.ones(160), torch.ones(160)))
    states = torch.tensor([-50.0, -1.0, 0.0, 1.0, 50.0])[:, None].repeat(1, 160)
    back = (product.round(states).float() - product._zero) * float(product.step)
    np.testing.assert_allclose(back[:, 0], [-1.2, -1.0, 0.0, 1.0, 1.2], atol=float(product.step))


def test_real_tokens_are_found_in_every_kind_of_mask() -> None:
    real = torch.tensor([[True, True, True], [True, False, False]])
    added = torch.where(real, 0.0, torch.finfo(torch.float32).min)[:, None, None].expand(2, 1, 3, 3)
    for mask in (real[:, None, None], added, real.long()):
        assert torch.equal(real_tokens(mask, 2), real)


@vnni
@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_a_sentence_has_the_same_states_in_every_batch(folder: str, attention: str) -> None:
    rounded = Encoder(folder, dtype="int8", device="cpu")
    rounded.model.set_attn_implementation(attention)
    rounded._reader._attention = None  # which would choose by length
    together = rounded.encode(TEXTS)
    for row, text in enumerate(TEXTS):
        np.testing.assert_allclose(rounded.encode([text])[0], together[row], rtol=0, atol=1e-5)


@vnni
def test_a_model_for_which_fixed_ranges_do_not_do_is_rounded_product_by_product(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.encoders.int8_blocks.WIDER", 0.05)
    rounded = Encoder(folder, dtype="int8", device="cpu")
    assert sum(isinstance(module, Int8Linear) for module in rounded.model.modules()) == 3 * 6
    assert rounded.fidelity is not None and rounded.fidelity.lowest[0] >= LEAST_FIDELITY


@pytest.fixture(scope="module")
def rogue(folder: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same with one inner neuron that drowns the others of its layer in rounding, and does not count behind it."""
    path = tmp_path_factory.mktemp("rogue")
    model = BertModel.from_pretrained(folder)
    with torch.no_grad():
        model.encoder.layer[1].intermediate.dense.bias[7] = 3000.0
        model.encoder.layer[1].output.dense.weight.mul_(20.0)
        model.encoder.layer[1].output.dense.weight[:, 7] = 0.0
    model.save_pretrained(path)
    Encoder(folder, device="cpu").tokenizer.save_pretrained(path)
    return str(path)


def test_a_product_with_a_rogue_input_stays_in_float32(rogue: str) -> None:
    rounded = Encoder(rogue, dtype="int8", device="cpu")
    assert type(rounded.model.encoder.layer[1].output.dense) is nn.Linear
    assert any("1 of 18 products stay in float32" in warning for warning in rounded.warnings)


def test_a_model_that_strays_is_refused(rogue: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.encoders.int8.MOST_STRAY", 1e9)  # what calibration would have kept in float32
    with pytest.raises(IsoglossError, match=r"strays too far from float32: cosine 0\.[0-9]+ \(.*, layer [23]\)"):
        Encoder(rogue, dtype="int8", device="cpu")


def test_fidelity_sees_what_a_large_common_part_would_hide() -> None:
    draw = np.random.default_rng(0)
    exact = draw.normal(size=(6, 2, 16)).astype(np.float32)
    exact[..., 0] += 100
    rounded = exact.copy()
    rounded[:, 1, 1:] = draw.normal(size=(6, 15))
    found = Fidelity.compare({"en": exact}, {"en": rounded})
    assert found.plain[0, 1] > 0.99 > found.centred[0, 1]
    assert found.lowest[1:] == ("en", 1)
    np.testing.assert_allclose([found.plain[0, 0], found.centred[0, 0]], 1)


def test_narrow_models_and_language_models_are_refused(saved: Any) -> None:
    with pytest.raises(IsoglossError, match="no product of this model"):
        Encoder(str(saved("bert").folder), dtype="int8", device="cpu")
    with pytest.raises(IsoglossError, match="hidden states only"):
        LanguageModel(str(saved("llama").folder), dtype="int8")


def test_the_cache_keeps_8_bit_states_apart(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_HOME", str(tmp_path))
    exact, rounded = (Encoder(folder, dtype=dtype, device="cpu") for dtype in ("float32", "int8"))
    first = np.array(exact.cached(TEXTS).layer(3))
    second = np.array(rounded.cached(TEXTS).layer(3))
    assert np.abs(first - second).max() > 0
    np.testing.assert_array_equal(second, rounded.encode(TEXTS)[:, 3])


@vnni
@pytest.mark.parametrize("family", sorted(LIKE_BERT))
def test_packed_sentences_have_the_states_of_padded_ones(family: str, folder: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    tokenizer = Encoder(folder, device="cpu").tokenizer
    config = AutoConfig.for_model(
        family, vocab_size=len(tokenizer), hidden_size=128, embedding_size=128, num_hidden_layers=2,
        num_attention_heads=4, intermediate_size=256, pad_token_id=0,
    )  # fmt: skip
    AutoModel.from_config(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    rounded = Encoder(str(tmp_path), dtype="int8", device="cpu")
    assert rounded._reader.stack.reads_packed
    packed = [rounded.encode(TEXTS, pooling=pooling) for pooling in ("mean", "last")]
    words = rounded.encode([text.split() for text in TEXTS], level="word").values
    for block in rounded.model.encoder.layer:
        block.reads_packed = False
    assert not rounded._reader.stack.reads_packed
    for pooling, states in zip(("mean", "last"), packed, strict=True):
        np.testing.assert_allclose(rounded.encode(TEXTS, pooling=pooling), states, rtol=0, atol=1e-5)
    padded = rounded.encode([text.split() for text in TEXTS], level="word").values
    np.testing.assert_allclose(padded, words, rtol=0, atol=1e-5)
