"""Small random models of real architectures, with tokenisers of the family's own kind trained on the spot."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sentencepiece
import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

TEXTS = [
    "the cat sat on the mat", "a small dog ran in the wide green park", "yes", "in the house of the old king",
    "der Hund läuft schnell durch den Wald", "das ist ein Haus", "la casa roja de la montaña", "мама мыла раму",
    "the king of the mountain ran through the old wood with a dog and a cat and a red house", "and so on",
]  # fmt: skip
WIDTH, HEADS, DEPTH = 32, 4, 3
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>", "<mask>"]


def wordpiece(folder: Path) -> Any:
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    backend = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=False)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.train_from_iterator(
        TEXTS * 3, trainers.WordPieceTrainer(vocab_size=150, special_tokens=special, show_progress=False)
    )
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


def byte_level(folder: Path) -> Any:
    return _framed(_byte_backend(SPECIAL), pad_token="<pad>", mask_token="<mask>")


def byte_level_decoder(folder: Path) -> Any:
    """As Qwen's: no special token around a text, and none for padding."""
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=_byte_backend(["<|endoftext|>"]), eos_token="<|endoftext|>"
    )


def byte_level_closed(folder: Path) -> Any:
    """As Qwen3-Embedding's: a text is closed by the token that also pads."""
    backend = _byte_backend(["<|endoftext|>"])
    backend.post_processor = processors.TemplateProcessing(
        single="$A <|endoftext|>", special_tokens=[("<|endoftext|>", 0)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, eos_token="<|endoftext|>", pad_token="<|endoftext|>"
    )


def metaspace_framed(folder: Path) -> Any:
    """As EmbeddingGemma's and mmBERT's: spaces become marks, and tokens open and close the text."""
    tokenizer = metaspace_opened(folder)
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    return tokenizer


def unigram(folder: Path) -> Any:
    return _framed(_unigram_backend(), pad_token="<pad>", mask_token="<mask>")


def unigram_closed(folder: Path) -> Any:
    """As T5's: only an end-of-sentence token after the text."""
    backend = _unigram_backend()
    backend.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 2)])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )


def metaspace_opened(folder: Path) -> Any:
    """As Gemma's and Llama's: spaces become marks, and a token opens the text."""
    backend = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True))
    backend.normalizer = normalizers.Replace(" ", "▁")
    backend.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    backend.train_from_iterator(
        TEXTS * 3, trainers.BpeTrainer(vocab_size=200, special_tokens=SPECIAL, show_progress=False)
    )
    backend.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )


def marian(folder: Path) -> Any:
    """Marian's has no fast version: a sentencepiece model and a vocabulary."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "text.txt").write_text("\n".join(TEXTS * 3), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "text.txt"),
        model_prefix=str(folder / "source"),
        vocab_size=120,
        minloglevel=9,
        hard_vocab_limit=False,
    )
    (folder / "source.model").rename(folder / "source.spm")
    (folder / "target.spm").write_bytes((folder / "source.spm").read_bytes())
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "source.spm"))
    entries = ["</s>", "<unk>", *(pieces.id_to_piece(i) for i in range(3, pieces.get_piece_size())), "<pad>"]
    (folder / "vocab.json").write_text(
        json.dumps({entry: number for number, entry in enumerate(entries)}), encoding="utf-8"
    )
    return transformers.MarianTokenizer(
        str(folder / "source.spm"), str(folder / "target.spm"), str(folder / "vocab.json")
    )


def xlm(folder: Path) -> Any:
    """XLM's has no fast version either: BPE whose entries mark the end of a word."""
    folder.mkdir(parents=True, exist_ok=True)
    letters = sorted({letter for text in TEXTS for letter in text.lower() if letter != " "})
    merges = ["t h", "th e</w>", "c a", "o n</w>", "a n", "an d</w>"]
    entries = [
        "<s>",
        "</s>",
        "<pad>",
        "<unk>",
        "<special0>",
        "<special1>",
        *letters,
        *(letter + "</w>" for letter in letters),
    ]
    entries += [merge.replace(" ", "") for merge in merges]
    (folder / "vocab.json").write_text(
        json.dumps({entry: number for number, entry in enumerate(entries)}), encoding="utf-8"
    )
    (folder / "merges.txt").write_text("".join(f"{merge} 1\n" for merge in merges), encoding="utf-8")
    return transformers.XLMTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))


def _byte_backend(special: list[str]) -> Tokenizer:
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=340, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    backend.train_from_iterator(TEXTS * 3, trainer)
    return backend


def _unigram_backend() -> Tokenizer:
    backend = Tokenizer(models.Unigram())
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=120, special_tokens=SPECIAL, unk_token="<unk>", show_progress=False)
    backend.train_from_iterator(TEXTS * 3, trainer)
    return backend


def _framed(backend: Tokenizer, **special: str) -> Any:
    backend.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend,
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        unk_token="<unk>",
        **special,
    )


def _bert_like(config: type, tokenizer: Any, **more: Any) -> Any:
    settings = {
        "vocab_size": len(tokenizer), "hidden_size": WIDTH, "num_hidden_layers": DEPTH, "num_attention_heads": HEADS,
        "intermediate_size": 2 * WIDTH, "max_position_embeddings": 64, "pad_token_id": tokenizer.pad_token_id,
    }  # fmt: skip
    return config(**(settings | more))


def _decoder(config: type, tokenizer: Any, **more: Any) -> Any:
    return _bert_like(config, tokenizer, num_key_value_heads=2, head_dim=WIDTH // HEADS, **more)


def _bart_like(config: type, tokenizer: Any) -> Any:
    sizes = {f"{side}_{size}": value for side in ("encoder", "decoder") for size, value in
             (("layers", DEPTH), ("attention_heads", HEADS), ("ffn_dim", 2 * WIDTH))}  # fmt: skip
    return config(
        vocab_size=len(tokenizer), d_model=WIDTH, max_position_embeddings=64, pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id, bos_token_id=1, decoder_start_token_id=2, forced_eos_token_id=None,
        **sizes,
    )  # fmt: skip


def _t5_like(config: type, tokenizer: Any) -> Any:
    return config(
        vocab_size=len(tokenizer), d_model=WIDTH, d_kv=WIDTH // HEADS, d_ff=2 * WIDTH, num_layers=DEPTH,
        num_heads=HEADS, pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=0,
    )  # fmt: skip


t = transformers
FAMILIES: dict[str, tuple[Callable[[Path], Any], Callable[[Any], Any]]] = {
    "bert": (wordpiece, lambda k: _bert_like(t.BertConfig, k)),
    "distilbert": (
        wordpiece,
        lambda k: t.DistilBertConfig(
            vocab_size=len(k), dim=WIDTH, n_layers=DEPTH, n_heads=HEADS, hidden_dim=2 * WIDTH,
            max_position_embeddings=64,
        ),
    ),
    "roberta": (byte_level, lambda k: _bert_like(t.RobertaConfig, k)),
    "xlm-roberta": (unigram, lambda k: _bert_like(t.XLMRobertaConfig, k)),
    "xlm": (
        xlm,
        lambda k: t.XLMConfig(
            vocab_size=len(k), emb_dim=WIDTH, n_layers=DEPTH, n_heads=HEADS, max_position_embeddings=64, n_langs=2
        ),
    ),
    "electra": (wordpiece, lambda k: _bert_like(t.ElectraConfig, k, embedding_size=16)),
    "deberta-v2": (
        unigram,
        lambda k: _bert_like(
            t.DebertaV2Config, k, relative_attention=True, position_buckets=16, pos_att_type=["p2c", "c2p"],
            norm_rel_ebd="layer_norm", share_att_key=True, position_biased_input=False, max_relative_positions=-1,
            conv_kernel_size=3, conv_act="gelu",
        ),
    ),
    "modernbert": (
        byte_level,
        lambda k: _bert_like(
            t.ModernBertConfig, k, local_attention=8, cls_token_id=1, sep_token_id=2, bos_token_id=1, eos_token_id=2
        ),
    ),
    "gemma": (metaspace_opened, lambda k: _decoder(t.Gemma3TextConfig, k, sliding_window=8)),
    "qwen": (byte_level_decoder, lambda k: _decoder(t.Qwen3Config, k)),
    "llama": (metaspace_opened, lambda k: _decoder(t.LlamaConfig, k)),
    "t5": (unigram_closed, lambda k: _t5_like(t.T5Config, k)),
    "mt5": (unigram_closed, lambda k: _t5_like(t.MT5Config, k)),
    "bart": (byte_level, lambda k: _bart_like(t.BartConfig, k)),
    "mbart": (unigram, lambda k: _bart_like(t.MBartConfig, k)),
    "marian": (marian, lambda k: _bart_like(t.MarianConfig, k)),
}  # fmt: skip
DECODERS = ("gemma", "qwen", "llama")
WITHOUT_CLS = ("t5", "mt5", "marian", *DECODERS)


def build(family: str, folder: Path, seed: int = 0) -> tuple[Any, Any]:
    """A model and a tokeniser of ``family``, both saved in ``folder``."""
    return build_from(*FAMILIES[family], folder, seed)


def build_from(
    make_tokenizer: Callable[[Path], Any], make_config: Callable[[Any], Any], folder: Path, seed: int = 0
) -> tuple[Any, Any]:
    """A model and a tokeniser of any kind, both saved in ``folder``."""
    tokenizer = make_tokenizer(folder / "parts")
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = transformers.AutoModel.from_config(make_config(tokenizer)).eval()
        _stir(model)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return model, tokenizer


def _stir(model: Any) -> None:
    """Move every parameter off its start, so that a norm or bias that is left out shows."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
