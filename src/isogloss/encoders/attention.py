"""A decoder whose tokens see the whole text: the same weights without the causal mask (``attention=full``)."""

from typing import Any

import torch

from isogloss.encoders.anatomy import text_reader
from isogloss.encoders.layers import evaluating, is_decoder
from isogloss.errors import IsoglossError

FULL = "full"
PROBE = 5  # tokens that the check reads


def open_mask(model: Any, name: str) -> None:
    """Let every token of a decoder see the tokens after it too, in place; positions and weights stay as they are.

    Sliding windows stay, open on both sides. A model whose first token still does not see the last one is refused.
    """
    reader = text_reader(model)
    config = reader.config.get_text_config()
    if not is_decoder(config):
        raise IsoglossError(
            "tokens of this model see the whole text already",
            where=name,
            remedy="leave --attention out; it is for decoders",
        )
    config.is_causal = False
    config.use_cache = False
    for module in reader.modules():
        if getattr(module, "is_causal", False) is True:
            module.is_causal = False
    if not sees_ahead(reader):
        raise IsoglossError(
            f"the mask of a {type(reader).__name__} cannot be opened", where=name, remedy="leave --attention out"
        )


def sees_ahead(reader: Any) -> bool:
    """Whether the last state of the first token depends on the last token."""
    device = next(reader.parameters()).device
    entries = int(reader.get_input_embeddings().weight.shape[0])
    ids = torch.arange(1, PROBE + 1, device=device).expand(2, PROBE).clone() % entries
    ids[1, -1] = (ids[1, -1] + 1) % entries
    with torch.no_grad(), evaluating(reader):
        first = reader(input_ids=ids, use_cache=False).last_hidden_state[:, 0].float()
    return not torch.allclose(first[0], first[1], rtol=1e-6, atol=1e-7)
