"""Sentences without padding between them: positions, attention, and the same states as with padding."""

import numpy as np
import pytest
import torch
from transformers import AutoConfig, AutoModel

from isogloss.encoders.batching import cut_batches
from isogloss.encoders.levels import Piece
from isogloss.encoders.packed import LONGEST_BFLOAT16, alike, attend_within, packed_inputs

PADDING = 1


def pieces(lengths: list[int]) -> list[Piece]:
    return [Piece([5 + place for place in range(length)], [row], [(0, length)]) for row, length in enumerate(lengths)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_attention_stays_within_each_sentence(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    lengths, heads, width = [LONGEST_BFLOAT16 + 2, 40, 17, 17, 16, 15, 3, 3, 1], 2, 32
    joined = (2 * torch.randn(sum(lengths), 3 * heads * width)).to(dtype)
    joined[:, : heads * width] *= width**-0.5
    found = attend_within(joined, lengths, heads)
    assert found.dtype == torch.float32
    for part, rows in zip(joined.float().split(lengths), found.split(lengths), strict=True):
        query, key, value = part.view(len(part), 3, heads, width).permute(1, 2, 0, 3)
        by_hand = ((query @ key.transpose(1, 2)).softmax(dim=2) @ value).transpose(0, 1).reshape(len(part), -1)
        exact = dtype == torch.float32 or len(part) > LONGEST_BFLOAT16
        assert float((rows - by_hand).norm() / by_hand.norm()) < (1e-6 if exact else 0.02)  # 8 bits, rounded twice


def test_attention_with_large_scores_does_not_overflow() -> None:
    for length in (3, 20):
        joined = torch.full((length, 3 * 8), 40.0, dtype=torch.bfloat16)
        np.testing.assert_allclose(attend_within(joined, [length], 1), 40, rtol=1e-2)


def test_runs_of_like_length() -> None:
    assert list(alike([4, 2, 2, 0, 2, 1])) == [(0, 4, 1), (4, 10, 3), (10, 11, 1)]
    assert list(alike([])) == []


@pytest.mark.parametrize("family", ["bert", "electra", "roberta", "xlm-roberta", "camembert"])
def test_positions_are_those_that_the_model_counts_by_itself(family: str) -> None:
    torch.manual_seed(0)
    config = AutoConfig.for_model(
        family, vocab_size=50, hidden_size=16, embedding_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=12, pad_token_id=PADDING,
    )  # fmt: skip
    embeddings = AutoModel.from_config(config).eval().embeddings
    batch = [*pieces([6, 4, 4]), Piece([9, PADDING, 9], [3], [(0, 3)])]  # a text may name the padding itself
    inputs = packed_inputs(batch, embeddings)
    assert inputs["input_ids"].shape == (1, 17) and inputs["cu_seq_lens_q"].tolist() == [0, 6, 10, 14, 17]
    with torch.no_grad():
        together = embeddings(input_ids=inputs["input_ids"], position_ids=inputs["position_ids"])[0]
        for piece, rows in zip(batch, together.split([6, 4, 4, 3]), strict=True):
            alone = embeddings(input_ids=torch.tensor([piece.ids]))[0]
            torch.testing.assert_close(rows, alone, rtol=0, atol=0)


def test_packed_batches_are_full_and_in_order_of_length() -> None:
    batches = list(cut_batches(pieces([3, 9, 5, 5, 8]), 14, packed=True))
    assert [[len(piece.ids) for piece in batch] for batch in batches] == [[9], [8, 5], [5, 3]]
    assert list(cut_batches([], 14, packed=True)) == []
