"""Masking: the shares of 15% and 80-10-10, what is never masked, and whole words."""

import pytest
import torch

from isogloss.pretrain.masking import Batch, Words, mask_rows
from isogloss.pretrain.recipe import Masking

ENTRIES = 50


@pytest.fixture
def rows() -> torch.Tensor:
    rows = torch.randint(5, ENTRIES, (400, 50), generator=torch.Generator().manual_seed(0))
    rows[:, 0], rows[:, -1], rows[:, -2] = 2, 3, 1
    return rows


def masked(rows: torch.Tensor, seed: int = 0, drawable: torch.Tensor | None = None, **settings: object) -> Batch:
    words = Words(torch.arange(5, ENTRIES) if drawable is None else drawable, torch.arange(ENTRIES) % 2 == 0)
    return mask_rows("qaa", rows, words, Masking(**settings), torch.Generator().manual_seed(seed))  # type: ignore[arg-type]


def test_the_shares_are_the_paper_s(rows: torch.Tensor) -> None:
    batch = masked(rows)
    now = batch.ids.view(-1)[batch.positions]
    assert len(batch.positions) / (400 * 47) == pytest.approx(0.15, abs=0.01)
    assert (now == 4).float().mean() == pytest.approx(0.8, abs=0.03)
    kept = (now == batch.labels).float().mean()
    assert kept == pytest.approx(0.1 + 0.1 / 45, abs=0.02)


def test_labels_are_what_stood_there_and_the_rest_is_untouched(rows: torch.Tensor) -> None:
    batch = masked(rows)
    assert torch.equal(batch.labels, rows.view(-1)[batch.positions])
    changed = (batch.ids != rows).view(-1).nonzero().squeeze(1)
    assert set(changed.tolist()) <= set(batch.positions.tolist())


def test_special_tokens_are_never_hidden(rows: torch.Tensor) -> None:
    assert int(masked(rows, share=1.0).labels.min()) >= 5


def test_masks_are_drawn_anew_for_every_generator(rows: torch.Tensor) -> None:
    assert torch.equal(masked(rows, 1).ids, masked(rows, 1).ids)
    assert not torch.equal(masked(rows, 1).ids, masked(rows, 2).ids)


def test_random_words_come_from_the_language_s_own_list(rows: torch.Tensor) -> None:
    batch = masked(rows, drawable=torch.tensor([7, 8]), mask=0.0, random=1.0)
    assert set(batch.ids.view(-1)[batch.positions].tolist()) == {7, 8}


def test_whole_words_are_hidden_whole(rows: torch.Tensor) -> None:
    batch = masked(rows, mask=1.0, random=0.0, whole_words=True)
    chosen = torch.zeros(rows.numel(), dtype=torch.bool)
    chosen[batch.positions] = True
    chosen = chosen.view(rows.shape)
    continues = (rows % 2 == 1) & (rows >= 5)  # odd ids go on with the word before them
    inside = continues[:, 1:] & (rows[:, :-1] >= 5)
    assert torch.equal(chosen[:, 1:][inside], chosen[:, :-1][inside])
    assert chosen.float().mean() == pytest.approx(0.15 * 47 / 50, abs=0.01)


def test_a_batch_always_has_something_to_predict() -> None:
    batch = masked(torch.tensor([[2, 9, 3]]), share=1e-9)
    assert batch.positions.tolist() == [1]


def test_parts_of_a_batch_hold_the_same_positions(rows: torch.Tensor) -> None:
    batch = masked(rows)
    parts = batch.split(3)
    assert sum(len(part.ids) for part in parts) == 400
    assert torch.equal(torch.cat([part.labels for part in parts]), batch.labels)
    for part in parts:
        hidden = part.ids.view(-1)[part.positions]
        assert ((hidden == 4) | (part.labels > 4)).all()
    assert torch.equal(torch.cat([part.ids for part in parts]), batch.ids)
