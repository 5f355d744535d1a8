"""Open a checkpoint: a folder, or a model of the hub. What cannot work is said here, before any text is read."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from isogloss.encoders.anatomy import text_reader
from isogloss.encoders.layers import is_causal
from isogloss.encoders.quiet import quietly
from isogloss.errors import IsoglossError

TOKENISER_FILES = (
    "tokenizer.json", "vocab.txt", "vocab.json", "vocab.bpe", "spiece.model", "spm.model", "sentencepiece.bpe.model",
    "sentencepiece.model", "tokenizer.model", "source.spm", "bpe.codes", "merges.txt", "tekken.json",
)  # fmt: skip
HUB_NAME = re.compile(r"[\w-][\w.-]{0,95}(/[\w-][\w.-]{0,95})?")
LEAST_COVERAGE = 0.95  # real embeddings are padded by at most a few hundred rows, under half a per cent


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """An opened model and the tokeniser that belongs to it."""

    model: Any
    tokenizer: Any
    revision: str | None


def open_checkpoint(
    name: str,
    revision: str | None,
    dtype: torch.dtype,
    *,
    allow_pickle: bool,
    trust_remote_code: bool,
    with_head: bool = False,
) -> Checkpoint:
    """Open the model and the tokeniser called ``name``, and check that they are whole and fit each other.

    ``with_head`` opens it as the language model it is: causal for a decoder, masked for an encoder.
    """
    folder = _local_folder(name)
    shared = {"revision": revision, "trust_remote_code": trust_remote_code, "local_files_only": folder is not None}
    from transformers import AutoConfig, AutoTokenizer

    with quietly(), explained(name, allow_pickle=allow_pickle):
        config = AutoConfig.from_pretrained(name, **shared)
        tokenizer = AutoTokenizer.from_pretrained(name, **shared)
        model, loading = _class_for(config, with_head=with_head).from_pretrained(
            name,
            config=config,
            dtype=dtype,
            use_safetensors=None if allow_pickle else True,
            output_loading_info=True,
            **shared,
        )
    check_weights(model, loading["missing_keys"], name)
    if with_head and loading["missing_keys"]:
        raise IsoglossError(
            "this checkpoint has no language model head", where=name,
            remedy="name a model that was saved with its head: a decoder or a masked language model",
        )  # fmt: skip
    check_vocabulary(model, tokenizer, name)
    return Checkpoint(model.eval(), tokenizer, getattr(config, "_commit_hash", None) or revision)


def _class_for(config: Any, *, with_head: bool) -> Any:
    """The transformers class that opens a checkpoint."""
    from transformers import AutoModel, AutoModelForCausalLM, AutoModelForMaskedLM

    if not with_head:
        return AutoModel
    return AutoModelForCausalLM if is_causal(config.get_text_config()) else AutoModelForMaskedLM


def _local_folder(name: str) -> Path | None:
    """The folder ``name`` stands for, its files checked; None for a model of the hub."""
    folder = Path(name).expanduser()
    if not folder.is_dir():
        if folder.exists():
            raise IsoglossError(
                "this is a file, not a model folder", where=name, remedy="name the folder that holds it"
            )
        check_hub_name(name)
        return None
    if not (folder / "config.json").exists():
        raise IsoglossError(
            "this folder holds no model: config.json is missing",
            where=name,
            remedy="name the folder that save_pretrained wrote",
        )
    if not any((folder / file).exists() for file in TOKENISER_FILES) and not any(folder.glob("*.tiktoken")):
        # transformers would make up an empty vocabulary here and read every word as unknown
        raise IsoglossError(
            "this model folder has no tokeniser", where=name,
            remedy="save it there too: AutoTokenizer.from_pretrained(...).save_pretrained(folder)",
        )  # fmt: skip
    return folder


def check_hub_name(name: str) -> None:
    """Refuse a name that can be neither a folder, which is not there, nor a model of the hub."""
    if not name.strip():
        raise IsoglossError("no model is named", remedy="name a model folder or a model of the hub")
    if not HUB_NAME.fullmatch(name):
        raise IsoglossError("there is no such folder", where=name, remedy="name a model folder or a model of the hub")


@contextmanager
def explained(name: str, *, allow_pickle: bool) -> Iterator[None]:
    """Turn what transformers raises on an unusable checkpoint into a message with a remedy."""
    try:
        yield
    except Exception as error:
        first = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
        remedy = "name a model folder with config.json, tokeniser and safetensors weights, or a model of the hub"
        if "trust_remote_code" in str(error):
            remedy = "read its code first, then pass trust_remote_code=True (--trust-remote-code)"
        elif not allow_pickle and ("safetensors" in str(error) or "pytorch_model.bin" in str(error)):
            remedy = (
                "convert the weights to safetensors; or, if you trust their author, allow_pickle=True (--allow-pickle)"
            )
        raise IsoglossError(f"cannot open this model: {first}", where=name, remedy=remedy) from error


def check_weights(model: Any, missing: set[str], name: str) -> None:
    """Refuse a checkpoint that left weights of the reader to chance, or holds NaN or infinity."""
    reader = text_reader(model)
    inside = {id(parameter): key for key, parameter in reader.named_parameters()}
    named = dict(model.named_parameters())
    absent = sorted(key for key in missing if key in named and id(named[key]) in inside and "pooler" not in key)
    if absent:
        raise IsoglossError(
            f"the checkpoint lacks {len(absent)} weights of its own architecture, '{absent[0]}' among them", where=name,
            remedy="check that config.json and the weights belong together",
        )  # fmt: skip
    for key, parameter in reader.named_parameters():
        if not torch.isfinite(parameter).all():
            raise IsoglossError(
                f"the weights '{key}' hold NaN or infinity", where=name, remedy="take an earlier, healthy checkpoint"
            )


def check_vocabulary(model: Any, tokenizer: Any, name: str) -> None:
    """Refuse a tokeniser whose vocabulary and the model's embedding cannot belong together."""
    rows = int(text_reader(model).get_input_embeddings().weight.shape[0])
    numbers = tokenizer.get_vocab().values()
    largest, entries = max(numbers, default=-1), len(tokenizer)
    remedy = "open the model with the tokeniser it was trained with"
    if largest >= rows:
        raise IsoglossError(
            f"the tokeniser has an entry numbered {largest:,}, but the embedding has only {rows:,} rows",
            where=name,
            remedy=remedy,
        )
    if entries < LEAST_COVERAGE * rows:
        raise IsoglossError(
            f"the tokeniser has {entries:,} entries, far fewer than the {rows:,} rows of the embedding",
            where=name,
            remedy=remedy,
        )
