"""Names by content: of a model's weights, of its tokeniser, of a body of text."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

import torch

from isogloss.encoders.windows import Text

# what a configuration also remembers, and no state depends on
_INCIDENTAL = {"_name_or_path", "transformers_version", "architectures", "dtype", "torch_dtype", "_attn_implementation"}


def weights_fingerprint(model: Any) -> str:
    """A hash of what ``model`` computes: its configuration and every parameter, as they are now.

    Poolers are left out: no hidden state passes through them, and a missing pooler is re-initialised at every opening.
    """
    settings = {name: value for name, value in model.config.to_dict().items() if name not in _INCIDENTAL}
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode())
    for name, parameter in model.named_parameters():
        if "pooler" in name:
            continue
        digest.update(f"{name}{tuple(parameter.shape)}{parameter.dtype}".encode())
        flat = parameter.detach().reshape(-1).contiguous().cpu()
        digest.update(flat.view(torch.uint8).numpy())
    return digest.hexdigest()


def tokeniser_fingerprint(tokenizer: Any) -> str:
    """A hash of what a tokeniser does: its definition if it is fast, or else its class, vocabulary and settings."""
    if tokenizer.is_fast:
        return hashlib.sha256(tokenizer.backend_tokenizer.to_str().encode()).hexdigest()
    settings = {name: str(value) for name, value in tokenizer.init_kwargs.items() if not _is_path(value)}
    described = [type(tokenizer).__name__, sorted(tokenizer.get_vocab().items()), sorted(settings.items())]
    digest = hashlib.sha256(json.dumps(described).encode())
    for probe in ("Ein Haus, a house; la casa.", "мама мыла раму", "我有一只猫", "نص قصير"):
        digest.update(json.dumps(tokenizer.encode(probe)).encode())
    return digest.hexdigest()


def text_fingerprint(texts: Iterable[Text]) -> str:
    """A hash of texts, or of texts split into words, and of their order and boundaries."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(json.dumps(text if isinstance(text, str) else list(text)).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def _is_path(value: object) -> bool:
    return isinstance(value, str) and ("/" in value or "\\" in value)
