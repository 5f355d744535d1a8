"""A tiny random encoder for the lab's languages, saved as a folder, and a store of its own for every test."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel, PreTrainedTokenizerFast

from isogloss.corpora import load_trees
from isogloss.corpora.lab import Lab, preset
from isogloss.runs import Store

SPECIAL = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory, word_pieces: Any) -> Path:
    """Two random layers of width 16, with a tokeniser of the six languages of ``lab:families``."""
    folder = tmp_path_factory.mktemp("tiny-model")
    lab = Lab(preset("families"))
    text = [line for code in lab.codes for line in lab.text(code, 300)]
    vocabulary = word_pieces(text, 600, list(SPECIAL.values()))
    backend = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, **SPECIAL)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=64,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def telling_model(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model, in which the embedding of a first subword tells its usual part of speech, in all languages."""
    folder = tmp_path_factory.mktemp("telling-model")
    model, tokenizer = AutoModel.from_pretrained(tiny_model), AutoTokenizer.from_pretrained(tiny_model)
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for code in ("qaa", "qab", "qac", "qad"):
        for tree in load_trees("lab:families", [code], "train", 300).read(code):
            for word, tag in zip(tree.words, tree.upos, strict=True):
                counts[tokenizer(word, add_special_tokens=False)["input_ids"][0]][tag] += 1
    tags = sorted({tag for found in counts.values() for tag in found})
    with torch.no_grad():
        for entry, found in counts.items():
            model.embeddings.word_embeddings.weight[entry] = 0.0
            model.embeddings.word_embeddings.weight[entry, tags.index(found.most_common(1)[0][0])] = 1.0
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
