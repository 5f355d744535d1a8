"""Open a checkpoint: a folder, or a Hugging Face model. What cannot work is refused here, before any text is read."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from isogloss.encoders.adapters import ADAPTER, base_of, find_adapter, merge_adapter, told_base
from isogloss.encoders.anatomy import text_reader
from isogloss.encoders.attention import open_mask
from isogloss.encoders.layers import is_causal, is_decoder
from isogloss.encoders.loading import check_weights, load_warnings
from isogloss.encoders.model_files import ModelFiles, licence_of
from isogloss.encoders.names import ModelName, check_hub_name
from isogloss.encoders.pipeline import Pipeline, read_pipeline
from isogloss.encoders.quiet import quietly
from isogloss.encoders.subwords import lower_case
from isogloss.errors import IsoglossError

TOKENISER_FILES = (
    "tokenizer.json", "vocab.txt", "vocab.json", "vocab.bpe", "spiece.model", "spm.model", "sentencepiece.bpe.model",
    "sentencepiece.model", "tokenizer.model", "source.spm", "bpe.codes", "merges.txt", "tekken.json",
)  # fmt: skip
LEAST_COVERAGE = 0.95  # real embeddings are padded by at most a few hundred rows, under half a per cent


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """An opened model and the tokeniser that belongs to it; ``warnings`` are what a reader of results must know."""

    model: Any
    tokenizer: Any
    revision: str | None
    pipeline: Pipeline | None = None
    warnings: tuple[str, ...] = ()
    licence: str = ""  # as its card says


@dataclass(frozen=True)
class Allowed:
    """What a user has allowed beyond reading numbers (pickled weights, code that comes with a model), and whether
    the head of a language model is wanted too."""

    pickle: bool = False
    remote_code: bool = False
    with_head: bool = False


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

    ``name`` may carry settings (``names.ModelName``). A pipeline's transformer is opened, and its other parts read.
    ``with_head`` opens it as the language model it is: causal for a decoder, masked for an encoder.
    """
    named = ModelName.parse(name)
    allowed = Allowed(allow_pickle or named.allow_pickle, trust_remote_code or named.trust_remote_code, with_head)
    files = ModelFiles(named.path, revision)
    with explained(name, allow_pickle=allowed.pickle):
        pipeline = read_pipeline(files, allow_pickle=allowed.pickle)
    source = _locate(named.path, pipeline.folder if pipeline else "", revision)
    checkpoint = _open_source(source, dtype, allowed)
    if named.adapter is not None:
        checkpoint = _with_adapter(checkpoint, find_adapter(named.adapter, files), named.path, allowed)
    if named.attention is not None or _was_opened(checkpoint.model):
        open_mask(checkpoint.model, name)
    if pipeline is not None:
        checkpoint = replace(checkpoint, pipeline=pipeline, warnings=(*checkpoint.warnings, *pipeline.warnings))
        if pipeline.lower_case:
            lower_case(checkpoint.tokenizer)
    check_vocabulary(checkpoint.model, checkpoint.tokenizer, name)
    used = [
        flag for flag, on in (("--allow-pickle", allowed.pickle), ("--trust-remote-code", allowed.remote_code)) if on
    ]
    notes = (f"this model was opened with {' and '.join(used)}",) if used else ()
    warnings = (*checkpoint.warnings, *notes)
    return replace(checkpoint, model=checkpoint.model.eval(), warnings=warnings, licence=licence_of(files))


def _was_opened(model: Any) -> bool:
    """Whether a decoder was saved with its mask open: its configuration says so, its blocks must be told."""
    config = text_reader(model).config.get_text_config()
    return getattr(config, "is_causal", True) is False and is_decoder(config)


@dataclass(frozen=True)
class Source:
    """Where transformers finds a model: a folder or a Hugging Face name, a folder below it, a GGUF file in it."""

    name: str
    revision: str | None = None
    folder: str = ""
    gguf: str = ""

    @property
    def place(self) -> str:
        return f"{self.name}/{self.folder}" if self.folder else self.name

    def files(self) -> ModelFiles:
        """The files of the transformer."""
        return ModelFiles(self.place if Path(self.name).is_dir() else self.name, self.revision)


def _locate(path: str, folder: str, revision: str | None) -> Source:
    """The model that ``path`` stands for, its files checked where it is a folder."""
    place = Path(path).expanduser()
    if place.is_file() and place.suffix == ".gguf":
        return Source(str(place.parent), gguf=place.name)
    local = _local_folder(path, folder)
    return Source(path, revision, folder) if local is None else Source(str(local))


def _open_source(source: Source, dtype: torch.dtype, allowed: Allowed) -> Checkpoint:
    files = source.files()
    if not source.gguf and files.local and files.find("config.json") is None:  # an adapter, which names its model
        base = _open_source(_locate(base_of(files), "", None), dtype, allowed)
        merged = _with_adapter(base, files, base_of(files), allowed)
        own = _open_tokenizer(source, allowed) if _has_tokeniser(Path(files.name)) else base.tokenizer
        return replace(merged, tokenizer=own)
    from transformers import AutoConfig

    shared = _arguments(source, allowed)
    with quietly(), explained(source.place, allow_pickle=allowed.pickle):
        config = AutoConfig.from_pretrained(source.name, **shared)
        tokenizer = _open_tokenizer(source, allowed)
        model, loading = _class_for(config, with_head=allowed.with_head).from_pretrained(
            source.name,
            config=config,
            dtype=dtype,
            use_safetensors=None if allowed.pickle or source.gguf else True,
            output_loading_info=True,
            **shared,
        )
    _leave_file(model)
    check_weights(model, loading["missing_keys"], source.place)
    if allowed.with_head and loading["missing_keys"]:
        raise IsoglossError(
            "this checkpoint has no language model head", where=source.place,
            remedy="name a model that was saved with its head: a decoder or a masked language model",
        )  # fmt: skip
    warnings = load_warnings(model, config, loading)
    return Checkpoint(model, tokenizer, getattr(config, "_commit_hash", None) or source.revision, warnings=warnings)


def _leave_file(model: Any) -> None:
    """Copy the weights into memory: they are mapped, and would change under the model with the file behind them."""
    for parameter in model.parameters():
        parameter.data = parameter.data.clone()


def _class_for(config: Any, *, with_head: bool) -> Any:
    """The transformers class that opens a checkpoint; of one without a decoder the encoder's (``T5EncoderModel``,
    ``M2M100Encoder``)."""
    import transformers

    if with_head:
        causal = is_causal(config.get_text_config())
        return transformers.AutoModelForCausalLM if causal else transformers.AutoModelForMaskedLM
    told = next(iter(getattr(config, "architectures", None) or ()), "")
    if told.endswith("EncoderModel"):
        return getattr(transformers, told, transformers.AutoModel)
    if told.endswith("Encoder") and type(config) in transformers.MODEL_MAPPING:
        family = transformers.MODEL_MAPPING[type(config)]
        return getattr(sys.modules[family.__module__], told, transformers.AutoModel)
    return transformers.AutoModel


def _open_tokenizer(source: Source, allowed: Allowed) -> Any:
    from transformers import AutoTokenizer

    with quietly(), explained(source.place, allow_pickle=allowed.pickle):
        return AutoTokenizer.from_pretrained(source.name, **_arguments(source, allowed))


def _arguments(source: Source, allowed: Allowed) -> dict[str, Any]:
    more: dict[str, Any] = {"gguf_file": source.gguf} if source.gguf else {}
    if source.folder:
        more["subfolder"] = source.folder
    local = Path(source.name).expanduser().is_dir()
    return {"revision": source.revision, "trust_remote_code": allowed.remote_code, "local_files_only": local, **more}


def _with_adapter(checkpoint: Checkpoint, adapter: ModelFiles, name: str, allowed: Allowed) -> Checkpoint:
    merged = merge_adapter(checkpoint.model, adapter, name, allow_pickle=allowed.pickle)
    base = told_base(adapter)
    other = base and Path(base).name != Path(name).name
    note = (f"the adapter {adapter.name} was trained on '{base}', and is read on '{name}'",) if other else ()
    return replace(checkpoint, model=merged, warnings=(*checkpoint.warnings, *note))


def _has_tokeniser(folder: Path) -> bool:
    return any((folder / file).exists() for file in TOKENISER_FILES) or any(folder.glob("*.tiktoken"))


def _local_folder(name: str, inside: str = "") -> Path | None:
    """The folder ``name`` stands for, its files checked; None for a Hugging Face model."""
    folder = Path(name).expanduser()
    if not folder.is_dir():
        if folder.exists():
            raise IsoglossError(
                "this is a file, not a model folder", where=name, remedy="name the folder that holds it"
            )
        check_hub_name(name)
        return None
    folder /= inside
    adapter = (folder / ADAPTER).exists()
    if not (folder / "config.json").exists() and not adapter:
        raise IsoglossError(
            "there is no model in this folder: config.json is missing",
            where=name,
            remedy="name the folder that save_pretrained wrote",
        )
    if not _has_tokeniser(folder) and not adapter:
        # transformers would make up an empty vocabulary here and read every word as unknown
        raise IsoglossError(
            "this model folder has no tokeniser", where=name,
            remedy="save it there too: AutoTokenizer.from_pretrained(...).save_pretrained(folder)",
        )  # fmt: skip
    return folder


@contextmanager
def explained(name: str, *, allow_pickle: bool) -> Iterator[None]:
    """Turn what transformers raises on an unusable checkpoint into a message with a remedy."""
    try:
        yield
    except IsoglossError:
        raise
    except Exception as error:
        first = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
        remedy = "name a model folder with config.json, tokeniser and safetensors weights, or a Hugging Face model"
        if "trust_remote_code" in str(error):
            remedy = "read its code first, then pass trust_remote_code=True (--trust-remote-code)"
        elif not allow_pickle and ("safetensors" in str(error) or "pytorch_model.bin" in str(error)):
            remedy = (
                "convert the weights to safetensors; or, if you trust their author, allow_pickle=True (--allow-pickle)"
            )
        missing = _missing(name, str(error))
        if missing:
            remedy = "check the name; a model folder has config.json, a tokeniser and safetensors weights"
            raise IsoglossError(missing, where=name, remedy=remedy) from error
        raise IsoglossError(f"cannot open this model: {first}", where=name, remedy=remedy) from error


def _missing(name: str, message: str) -> str:
    """What a message of transformers means when ``name`` is neither a folder nor found on the hub; otherwise empty."""
    if Path(name).expanduser().exists():
        return ""
    if "couldn't connect" in message or "offline" in message.lower():
        return "no such folder, and the Hugging Face hub cannot be reached for a model of this name"
    if "is not a valid model identifier" in message or "Repository Not Found" in message:
        return "no such folder, and no public Hugging Face model of this name"
    return ""


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
