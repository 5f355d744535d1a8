"""Products by oneDNN are those of MKL to rounding, with their gradients, and come in few shapes."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import linear

from isogloss.encoders import Encoder, devices, products
from isogloss.encoders.products import FastLinear, filled, next_step, product, times, use_fast_products

needs_onednn = pytest.mark.skipif(products._linear is None, reason="this PyTorch has no product by oneDNN")
wide = [False, pytest.param(True, marks=needs_onednn)]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The shapes that oneDNN multiplied."""
    shapes: list[Any] = []

    def multiply(rows: torch.Tensor, weight: torch.Tensor, *others: Any) -> Any:
        shapes.append((tuple(rows.shape), tuple(weight.shape)))
        return linear_of(rows, weight, *others)

    linear_of = products._linear
    monkeypatch.setattr(products, "_linear", multiply)
    monkeypatch.setattr(products, "WIDE", True)
    return shapes


@pytest.mark.parametrize("use", wide)
@pytest.mark.parametrize("rows", [1, 37, 512, 700])
@pytest.mark.parametrize("biased", [False, True])
def test_a_product_and_its_gradients_are_torchs(
    monkeypatch: pytest.MonkeyPatch, use: bool, rows: int, biased: bool
) -> None:
    monkeypatch.setattr(products, "WIDE", use)
    monkeypatch.setattr(products, "LEAST", 0)
    torch.manual_seed(0)
    given = [torch.randn(1, rows, 24), torch.randn(40, 24), torch.randn(40) if biased else None]
    found = []
    for multiply in (product, linear):
        parts = [None if part is None else part.clone().requires_grad_() for part in given]
        states = multiply(*parts)
        (states**3).sum().backward()
        found.append([states, *(part.grad for part in parts if part is not None)])
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4 * float(theirs.detach().abs().max()))


@needs_onednn
def test_only_large_products_of_float32_take_this_way(counted: list[Any]) -> None:
    states, weight = torch.randn(512, 64), torch.randn(128, 64)
    torch.testing.assert_close(times(states, weight), states @ weight.t(), rtol=1e-4, atol=1e-3)
    assert counted == [((512, 64), (128, 64))]
    times(states[:8], weight)
    times(states.double(), weight.double())
    times(states.bfloat16(), weight.bfloat16())
    assert len(counted) == 1


@needs_onednn
def test_what_is_frozen_gets_no_gradient_and_costs_no_product(counted: list[Any]) -> None:
    states, weight = torch.randn(512, 64), torch.randn(128, 64, requires_grad=True)
    product(states, weight).sum().backward()
    assert weight.grad is not None
    assert len(counted) == 2, "one product forward, one back"
    counted.clear()
    states, weight = states.requires_grad_(), weight.detach()
    product(states, weight).sum().backward()
    assert states.grad is not None
    assert len(counted) == 2


@needs_onednn
def test_texts_of_all_lengths_need_few_kernels(counted: list[Any]) -> None:
    weight = torch.randn(256, 128)
    for rows in range(257, 513):
        product(torch.randn(rows, 128), weight)
    assert len({rows for (rows, _), _ in counted}) == products.STEPS


def test_rows_are_filled_to_the_next_step_with_little_waste(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [next_step(count) for count in range(1, 5000)]
    assert all(count <= step < count + max(32, count / 8 + 1) for count, step in enumerate(steps, start=1))
    assert all(before <= after for before, after in pairwise(steps))
    assert all(next_step(step) == step for step in steps)
    rows = torch.ones(33, 2)
    monkeypatch.setattr(products, "WIDE", True)
    assert filled(rows).shape == (64, 2)
    assert float(filled(rows)[33:].abs().sum()) == 0
    monkeypatch.setattr(products, "WIDE", False)
    assert filled(rows) is rows


def test_linear_layers_keep_their_weights_and_others_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Adapted(nn.Linear):
        pass

    head = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), Adapted(3, 2))
    states, before = torch.randn(5, 4), {name: values.clone() for name, values in head.state_dict().items()}
    expected = head(states)
    monkeypatch.setattr(products, "WIDE", False)
    use_fast_products(head)
    assert type(head[0]) is nn.Linear
    monkeypatch.setattr(products, "WIDE", True)
    use_fast_products(head)
    assert [type(part) for part in head] == [FastLinear, nn.ReLU, Adapted]
    torch.testing.assert_close(head(states), expected)
    assert all(torch.equal(values, before[name]) for name, values in head.state_dict().items())


@pytest.mark.parametrize(
    ("vendor", "family", "flags", "narrow"),
    [
        ("AuthenticAMD", "26", "avx2 avx512f", True),
        ("AuthenticAMD", "25", "avx2 avx512f", False),  # Zen 4 takes 512 bits in two halves
        ("AuthenticAMD", "26", "avx2", False),
        ("GenuineIntel", "6", "avx2 avx512f", False),
        ("", "", "", False),
    ],
)
def test_mkl_is_passed_by_only_where_a_cpu_is_wider_than_it(
    monkeypatch: pytest.MonkeyPatch, vendor: str, family: str, flags: str, narrow: bool
) -> None:
    described = {"vendor_id": vendor, "cpu family": family, "flags": flags}
    monkeypatch.setattr(devices, "_cpu", lambda: described)
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: True)
    assert devices.mkl_is_narrow.__wrapped__() is narrow
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: False)
    assert devices.mkl_is_narrow.__wrapped__() is False


@needs_onednn
@pytest.mark.parametrize("dtype", ["float32", "auto"])
def test_an_encoder_in_float32_reads_this_way_and_gives_the_same_states(
    saved: Any, counted: list[Any], monkeypatch: pytest.MonkeyPatch, dtype: str
) -> None:
    folder, texts = str(saved("bert").folder), ["one two three", "four five", "one"]
    monkeypatch.setattr("isogloss.encoders.encoder.bfloat16_is_faster", lambda *_: False)
    monkeypatch.setattr(products, "LEAST", 0)
    states = Encoder(folder, device="cpu", dtype=dtype).encode(texts)
    assert counted
    counted.clear()
    monkeypatch.setattr(products, "WIDE", False)
    expected = Encoder(folder, device="cpu", dtype=dtype).encode(texts)
    assert not counted
    np.testing.assert_allclose(states, expected, rtol=1e-4, atol=1e-5)
