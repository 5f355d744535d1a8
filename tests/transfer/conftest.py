"""A small encoder with a word-piece vocabulary of the lab's languages, and lab data for every task."""

from typing import Any

import pytest
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from isogloss.corpora.lab import Lab, preset

SOURCE, TARGET = "qaa", "qab"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@pytest.fixture(scope="session")
def lab() -> Lab:
    return Lab(preset("twins"))


@pytest.fixture(scope="session")
def texts(lab: Lab) -> dict[str, list[str]]:
    return {code: lab.text(code, 150) for code in (SOURCE, TARGET)}


@pytest.fixture(scope="session")
def tokenizer(texts: dict[str, list[str]], word_pieces: Any) -> Any:
    lines = [line for lines in texts.values() for line in lines]
    return make_tokenizer(word_pieces(lines, 400, SPECIAL))


@pytest.fixture(scope="session")
def model_folder(tokenizer: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A BERT of three layers, 32 wide, never trained."""
    folder = tmp_path_factory.mktemp("model")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
        pad_token_id=0,
    )
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def make_tokenizer(vocabulary: dict[str, int]) -> Any:
    backend = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=False)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=64,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


@pytest.fixture(scope="session")
def records(lab: Lab) -> dict[str, dict[str, list[Any]]]:
    """By task: the source's training and validation part, and the target's test part."""
    kinds = {
        "pos": lab.trees,
        "parsing": lab.trees,
        "ner": lab.entities,
        "nli": lab.nli,
        "paraphrase": lab.paraphrases,
    }
    return {
        task: {
            "train": list(make(SOURCE, 120, part="train")),
            "dev": list(make(SOURCE, 40, part="validation")),
            "test": list(make(TARGET, 40, part="test")),
        }
        for task, make in kinds.items()
    }


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)
