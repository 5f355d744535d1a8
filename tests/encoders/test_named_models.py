"""Small models of the architectures that people deploy, put together as their cards say: the output is that of
sentence-transformers. The models themselves are not at hand; their classes, poolings, layers and prompts are."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from small_models import (
    DEPTH,
    TEXTS,
    WIDTH,
    _bart_like,
    _bert_like,
    _decoder,
    build_from,
    byte_level,
    byte_level_closed,
    metaspace_framed,
    unigram,
    wordpiece,
)
from small_pipelines import build_pipeline, dense

pytest.importorskip("sentence_transformers")
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer import modules as st

from isogloss import Encoder

t = transformers


@dataclass(frozen=True)
class Named:
    """How a model is built: tokeniser, configuration, pooling, layers behind it, prompts."""

    tokeniser: Callable[[Path], Any]
    config: Callable[[Any], Any]
    pooling: str = "mean"
    tail: Callable[[], list[Any]] = lambda: [st.Normalize()]
    prompts: dict[str, str] = field(default_factory=dict)
    padding: str = "right"
    encoder_alone: bool = False  # of an encoder-decoder


def _labse() -> list[Any]:
    return [dense(WIDTH, WIDTH), st.Normalize()]


def _embedding_gemma() -> list[Any]:
    wide, back = (dense(*sizes, torch.nn.Identity(), bias=False) for sizes in ((WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)))
    return [wide, back, st.Normalize()]


MODELS = {
    "LaBSE": Named(wordpiece, lambda k: _bert_like(t.BertConfig, k), "cls", _labse),
    "multilingual-e5-small": Named(unigram, lambda k: _bert_like(t.BertConfig, k)),
    "multilingual-e5-large": Named(unigram, lambda k: _bert_like(t.XLMRobertaConfig, k)),
    "bge-m3": Named(unigram, lambda k: _bert_like(t.XLMRobertaConfig, k), "cls"),
    "gte-multilingual-base": Named(unigram, lambda k: _bert_like(t.GteConfig, k), "cls"),
    "jina-embeddings-v3": Named(
        unigram, lambda k: _bert_like(t.JinaEmbeddingsV3Config, k),
        prompts={"retrieval.query": "Represent the query for retrieving evidence documents: "},
    ),
    "Qwen3-Embedding": Named(
        byte_level_closed, lambda k: _decoder(t.Qwen3Config, k), "lasttoken",
        prompts={"query": "Instruct: find passages\nQuery:", "document": ""}, padding="left",
    ),
    "EmbeddingGemma": Named(
        metaspace_framed,
        lambda k: _decoder(t.Gemma3TextConfig, k, sliding_window=8, use_bidirectional_attention=True),
        "mean", _embedding_gemma, {"query": "task: search result | query: ", "document": "title: none | text: "},
    ),
    "mmBERT": Named(
        metaspace_framed,
        lambda k: _bert_like(
            t.ModernBertConfig, k, local_attention=8, cls_token_id=1, sep_token_id=2, bos_token_id=1, eos_token_id=2
        ),
        tail=list,
    ),
    "EuroBERT": Named(byte_level, lambda k: _decoder(t.EuroBertConfig, k), tail=list),
    "SONAR": Named(unigram, lambda k: _bart_like(t.M2M100Config, k), tail=list, encoder_alone=True),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_the_output_is_that_of_sentence_transformers(name: str, tmp_path: Path) -> None:
    given = MODELS[name]
    model, _ = build_from(given.tokeniser, given.config, tmp_path / "bare")
    if given.encoder_alone:
        model.get_encoder().save_pretrained(tmp_path / "bare")
    _pad_on(tmp_path / "bare", given.padding)
    build_pipeline(
        tmp_path / "bare", tmp_path / "model", given.pooling, *given.tail(), prompts=given.prompts, max_seq_length=48
    )
    _pad_on(tmp_path / "model", given.padding)
    theirs = SentenceTransformer(str(tmp_path / "model"), device="cpu")
    assert theirs.tokenizer.padding_side == given.padding
    texts = [*TEXTS, " ".join(TEXTS)]
    for prompt in (None, *given.prompts):
        ours = Encoder(str(tmp_path / "model"), device="cpu", dtype="float32", prompt=prompt)
        assert not ours.warnings
        expected = theirs.encode(texts, prompt_name=prompt)
        np.testing.assert_allclose(ours.encode(texts, layers="output")[:, 0], expected, atol=1e-5)
        assert ours.columns == ["embedding", *(f"layer {n}" for n in range(1, DEPTH + 1)), "output"]


def test_an_adapter_inside_the_folder_of_a_model_as_in_jina_embeddings_v3(tmp_path: Path) -> None:
    peft = pytest.importorskip("peft")
    given = MODELS["jina-embeddings-v3"]
    build_from(given.tokeniser, given.config, tmp_path / "bare")
    build_pipeline(tmp_path / "bare", tmp_path / "model", "mean", st.Normalize())
    model = t.AutoModel.from_pretrained(tmp_path / "bare")
    with torch.random.fork_rng():
        torch.manual_seed(5)
        lora = peft.LoraConfig(r=2, target_modules=["q_proj", "v_proj"], init_lora_weights=False)
        changed = peft.get_peft_model(model, lora)
    changed.save_pretrained(tmp_path / "model" / "retrieval_query")
    changed.merge_and_unload().save_pretrained(tmp_path / "merged")
    t.AutoTokenizer.from_pretrained(tmp_path / "bare").save_pretrained(tmp_path / "merged")
    expected = build_pipeline(tmp_path / "merged", tmp_path / "other", "mean", st.Normalize()).encode(TEXTS)
    ours = Encoder(str(tmp_path / "model"), device="cpu", dtype="float32", adapter="retrieval_query")
    np.testing.assert_allclose(ours.encode(TEXTS, layers="output")[:, 0], expected, atol=1e-5)


def _pad_on(folder: Path, side: str) -> None:
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(settings | {"padding_side": side}))
