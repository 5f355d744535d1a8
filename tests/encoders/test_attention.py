"""A decoder with its mask opened: states depend on later tokens, and nothing else about the model changes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from small_models import DECODERS, TEXTS
from transformers import AutoModel

from isogloss.encoders import Encoder
from isogloss.encoders.attention import sees_ahead
from isogloss.encoders.model_folder import revision_of
from isogloss.encoders.names import ModelName
from isogloss.encoders.opening import open_checkpoint
from isogloss.errors import IsoglossError


def opened(folder: Path | str, *, full: bool) -> Any:
    name = f"{folder}?attention=full" if full else str(folder)
    return open_checkpoint(name, None, torch.float32, allow_pickle=False, trust_remote_code=False).model


@pytest.mark.parametrize("family", DECODERS)
@pytest.mark.parametrize("kernel", ["eager", "sdpa"])
def test_a_state_depends_on_later_tokens_if_and_only_if_attention_is_full(family: str, kernel: str, saved: Any) -> None:
    ids = torch.tensor([[1, 7, 9, 11, 12, 13], [1, 7, 9, 11, 12, 14]])  # the last token differs
    for full in (False, True):
        model = opened(saved(family).folder, full=full)
        model.set_attn_implementation(kernel)
        with torch.no_grad():
            states = model(input_ids=ids).last_hidden_state
        gaps = (states[0] - states[1]).abs().amax(dim=-1)
        assert gaps[-1] > 1e-3
        assert bool((gaps[:-1] > 1e-5).all()) == full
        assert bool((gaps[:-1] == 0).all()) != full


def test_padding_stays_unseen(saved: Any) -> None:
    encoder = Encoder(f"{saved('gemma').folder}?attention=full", dtype="float32")
    assert not encoder.causal
    together = encoder.encode(TEXTS[:4])
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS[:4]])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_full_attention_is_what_a_mask_of_ones_gives(saved: Any) -> None:
    """The library takes a mask by hand: four-dimensional, added to the scores."""
    ids = torch.tensor([[1, 7, 9, 11, 12, 13]])
    plain = AutoModel.from_pretrained(saved("llama").folder, attn_implementation="eager").eval()
    model = opened(saved("llama").folder, full=True)
    with torch.no_grad():
        by_hand = plain(input_ids=ids, attention_mask=torch.zeros(1, 1, 6, 6), use_cache=False).last_hidden_state
        torch.testing.assert_close(model(input_ids=ids).last_hidden_state, by_hand, atol=1e-5, rtol=1e-5)


def test_a_saved_model_with_an_open_mask_opens_as_one(saved: Any, tmp_path: Path) -> None:
    model = opened(saved("gemma").folder, full=True)
    model.save_pretrained(tmp_path)
    saved("gemma").tokenizer.save_pretrained(tmp_path)
    for kernel in ("eager", "sdpa"):
        again = opened(tmp_path, full=False)
        again.set_attn_implementation(kernel)
        assert sees_ahead(again)


def test_only_the_setting_names_another_model(saved: Any) -> None:
    folder = str(saved("gemma").folder)
    plain, full = ModelName(folder), ModelName(folder, attention="full")
    assert revision_of(full) == f"{revision_of(plain)}-attention=full"
    assert ModelName.parse(str(full)) == full
    assert full.label().endswith("(full attention)")


def test_an_encoder_and_a_mistyped_setting_are_refused(saved: Any) -> None:
    with pytest.raises(IsoglossError, match="see the whole text already"):
        opened(saved("xlm-roberta").folder, full=True)
    with pytest.raises(IsoglossError, match="attention is 'half'"):
        ModelName.parse("org/model?attention=half")
