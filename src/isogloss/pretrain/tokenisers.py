"""Tokenisers of a run: one per language, perhaps one for any text; written so that AutoTokenizer opens them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from isogloss.errors import IsoglossError
from isogloss.pretrain.recipe import Recipe

if TYPE_CHECKING:  # opening transformers takes longer than most of what is done without it
    from transformers import PreTrainedTokenizerFast

PAD, UNK, CLS, SEP, MASK = SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
CONTINUES, WORD_START, BYTE_WORD_START = "##", "▁", "Ġ"


@dataclass(frozen=True)
class Specials:
    """Ids of the special tokens; the same in all tokenisers of a run."""

    pad: int = 0
    unknown: int = 1
    start: int = 2
    separator: int = 3
    mask: int = 4

    @property
    def ids(self) -> list[int]:
        """All of them."""
        return [self.pad, self.unknown, self.start, self.separator, self.mask]


@dataclass(frozen=True)
class Tokenisers:
    """A tokeniser a language, and one for text of any language where the vocabulary allows it.

    All tokenisers share an id space unless the scope is ``own``.
    """

    by_language: Mapping[str, Tokenizer]
    any_text: Tokenizer | None
    specials: Specials = field(default_factory=Specials)

    def size(self, language: str) -> int:
        return int(self.by_language[language].get_vocab_size())

    def save(self, folder: Path, language: str | None, recipe: Recipe) -> None:
        """Write a tokeniser that AutoTokenizer opens: a language's, or (None) the one for any text."""
        tokeniser = self.any_text if language is None else self.by_language[language]
        as_fast(tokeniser, recipe.data.length, causal=recipe.objective == "causal").save_pretrained(folder)


def as_fast(tokeniser: Tokenizer | None, length: int, *, causal: bool = False) -> "PreTrainedTokenizerFast":
    """The same as a transformers tokeniser. Token types are left out: pretraining has one segment only.

    A causal model's text begins with the class token and ends with the separator, and they are called so.
    """
    from transformers import PreTrainedTokenizerFast

    ends = {"bos_token": CLS, "eos_token": SEP} if causal else {}
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokeniser,
        pad_token=PAD,
        unk_token=UNK,
        cls_token=CLS,
        sep_token=SEP,
        mask_token=MASK,
        model_max_length=length,
        model_input_names=["input_ids", "attention_mask"],
        clean_up_tokenization_spaces=False,
        **ends,
    )


def word_starts(tokeniser: Tokenizer) -> npt.NDArray[np.bool_]:
    """For every id, whether its entry begins a word, in the way of WordPiece (##), SentencePiece or byte-level BPE."""
    vocabulary = tokeniser.get_vocab()
    starts = np.ones(max(vocabulary.values()) + 1, dtype=bool)
    continues = any(entry.startswith(CONTINUES) for entry in vocabulary)
    for entry, index in vocabulary.items():
        starts[index] = not entry.startswith(CONTINUES) if continues else entry[:1] in {WORD_START, BYTE_WORD_START}
    for token in tokeniser.get_added_tokens_decoder():
        starts[token] = True
    return starts


def opened(folders: Mapping[str, Path]) -> Tokenisers:
    """The tokenisers that lie with models, by language; they must agree on the special tokens."""
    from transformers import AutoTokenizer

    found: dict[Path, Any] = {}
    for folder in dict.fromkeys(folders.values()):
        try:
            found[folder] = AutoTokenizer.from_pretrained(folder)
        except (OSError, ValueError) as error:
            raise IsoglossError(
                f"no tokeniser can be opened here ({error})", where=folder, remedy="name a folder with tokenizer.json"
            ) from error
        if not getattr(found[folder], "is_fast", False):
            raise IsoglossError("only fast tokenisers can be used", where=folder, remedy="add a tokenizer.json")
    specials = {folder: _specials(tokeniser, folder) for folder, tokeniser in found.items()}
    if len(set(specials.values())) > 1:
        raise IsoglossError(
            "the languages' tokenisers number their special tokens differently",
            where="model.start",
            remedy="train the tokenisers together, or give them the same special tokens in the same order",
        )
    by_language = {language: found[folder].backend_tokenizer for language, folder in folders.items()}
    whole = next(iter(by_language.values())) if len(found) == 1 else None
    return Tokenisers(by_language, whole, next(iter(specials.values())))


def _specials(tokeniser: "PreTrainedTokenizerFast", folder: Path) -> Specials:
    ids = (
        tokeniser.pad_token_id,
        tokeniser.unk_token_id,
        tokeniser.cls_token_id,
        tokeniser.sep_token_id,
        tokeniser.mask_token_id,
    )
    if None in ids:
        raise IsoglossError(
            "this tokeniser lacks a padding, unknown, class, separator or mask token",
            where=folder,
            remedy="add the missing special tokens, or name another tokeniser",
        )
    return Specials(*ids)
