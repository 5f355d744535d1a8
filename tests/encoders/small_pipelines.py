"""Small sentence-transformers pipelines of each kind, saved by sentence-transformers itself."""

from pathlib import Path
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer import modules as st
from small_models import WIDTH

PROMPTS = {"query": "the king: ", "document": "a house of "}


def build_pipeline(
    base: Path,
    folder: Path,
    pooling: str | tuple[str, ...] = "mean",
    *tail: Any,
    include_prompt: bool = True,
    **settings: Any,
) -> SentenceTransformer:
    """A pipeline around the model in ``base``, saved in ``folder``; ``settings`` are sentence-transformers'."""
    max_length = settings.pop("max_seq_length", None)
    lower = settings.pop("do_lower_case", False)
    reader = st.Transformer(str(base), max_seq_length=max_length, do_lower_case=lower)
    if reader.tokenizer.pad_token is None:
        reader.tokenizer.pad_token = reader.tokenizer.eos_token
    pool = st.Pooling(WIDTH, pooling, include_prompt=include_prompt)
    model = SentenceTransformer(modules=[reader, pool, *tail], device="cpu", **settings)
    model.save(str(folder), create_model_card=False)
    return model


def dense(given: int = WIDTH, made: int = 16, activation: Any = None, seed: int = 1, **more: Any) -> Any:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return st.Dense(given, made, activation_function=activation or torch.nn.Tanh(), **more)


def layer_norm() -> Any:
    layer = st.LayerNorm(WIDTH)
    with torch.no_grad():
        layer.norm.weight.add_(torch.linspace(-0.5, 0.5, WIDTH))
        layer.norm.bias.add_(torch.linspace(0.2, -0.2, WIDTH))
    return layer
