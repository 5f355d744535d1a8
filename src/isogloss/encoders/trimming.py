"""A model with only part of its vocabulary: embeddings, output layer and tokeniser cut together."""

import json
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from isogloss.encoders.adapters import ADAPTER
from isogloss.encoders.model_files import ModelFiles
from isogloss.encoders.names import ModelName
from isogloss.encoders.opening import open_checkpoint
from isogloss.encoders.pipeline_layout import MODULES, SETTINGS, TRANSFORMER_SETTINGS
from isogloss.encoders.quiet import quietly
from isogloss.encoders.subwords import Tokeniser
from isogloss.encoders.trimmed_tokeniser import (
    always_kept,
    cut_definition,
    definition_of,
    entries_of,
    letters_of,
    with_parts,
)
from isogloss.errors import IsoglossError

OTHER_VOCABULARIES = (
    "vocab.txt", "vocab.json", "merges.txt", "sentencepiece.bpe.model", "spiece.model", "spm.model", "tokenizer.model",
)  # fmt: skip


@dataclass(frozen=True)
class Cut:
    """What is kept: the tokeniser's new definition, and the old number of each kept entry."""

    definition: dict[str, Any]
    numbers: list[int]
    before: int


def choose_entries(tokenizer: Any, texts: Iterable[str], at_least: int = 1) -> Cut:
    """Keep the entries that ``texts`` use at least so often, all they are merged from, single characters of their
    scripts, special tokens, bytes and digits."""
    definition = definition_of(tokenizer)
    counts: dict[int, int] = {}
    reader = Tokeniser(tokenizer)
    for start, batch in enumerate(_batches(texts)):
        for one in reader.read_sentences(batch, start * BATCH):
            for number in one.ids:
                counts[number] = counts.get(number, 0) + 1
    if not counts:
        raise IsoglossError("there is no text to count subwords on", remedy="give text with --data or --text")
    named = {number: entry for entry, number in entries_of(definition).items()}
    used = {named[number] for number, times in counts.items() if times >= at_least}
    kept = with_parts(definition, used | always_kept(definition) | letters_of(definition, used))
    cut, numbers = cut_definition(definition, kept & set(entries_of(definition)))
    return Cut(cut, numbers, len(tokenizer))


BATCH = 1000


def _batches(texts: Iterable[str]) -> Iterable[list[str]]:
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def trim_model(name: str, cut: Cut, out: Path) -> None:
    """Write the model called ``name`` with only the entries of ``cut`` into the folder ``out``.

    The head that the checkpoint was saved with stays. Of a pipeline, everything around the transformer is copied.
    """
    named = ModelName.parse(name)
    checkpoint = open_checkpoint(name, None, torch.float32, allow_pickle=False, trust_remote_code=False)
    if checkpoint.pipeline is not None and checkpoint.pipeline.token_weights is not None:
        raise IsoglossError(
            "a pipeline that weights tokens cannot be trimmed", where=name, remedy="trim its transformer"
        )
    folder = checkpoint.pipeline.folder if checkpoint.pipeline is not None else ""
    model = _with_head(named, folder, checkpoint.model)
    cut_embeddings(model, cut.numbers)
    with quietly():
        model.save_pretrained(out)
        checkpoint.tokenizer.save_pretrained(out)
    write_tokeniser(out, cut)
    if checkpoint.pipeline is not None:
        _copy_pipeline(Path(named.path).expanduser(), folder, out)


def _with_head(named: ModelName, folder: str, bare: Any) -> Any:
    """The model as it was saved, with its head; the bare one where its class is unknown or its head is missing.

    An adapter's changes are in ``bare`` only, so its weights replace those below the head.
    """
    import transformers

    files = ModelFiles(named.path)
    told = next(iter(bare.config.architectures or ()), "")
    known = getattr(transformers, told, None)
    if known is None or known is type(bare) or files.find(ADAPTER) is not None:
        return bare
    more = {"subfolder": folder} if folder else {}
    with quietly():
        model, loading = known.from_pretrained(
            files.name,
            dtype=torch.float32,
            output_loading_info=True,
            use_safetensors=None if named.allow_pickle else True,
            **more,
        )
    if loading["missing_keys"]:
        return bare
    if named.adapter is not None:
        model.base_model.load_state_dict(bare.state_dict(), strict=False)
    return model.eval()


def cut_embeddings(model: Any, numbers: list[int]) -> None:
    """Keep the rows ``numbers`` of the embedding and of the output layer, in place."""
    rows = torch.tensor(numbers)
    size = int(model.get_input_embeddings().weight.shape[0])
    tensors = {id(model.get_input_embeddings().weight): model.get_input_embeddings().weight}
    head = model.get_output_embeddings()
    if head is not None:
        tensors |= {id(part): part for part in head.parameters() if part.shape[0] == size}
    for name, part in (*model.named_parameters(), *model.named_buffers()):
        if name.endswith(("predictions.bias", "lm_head.bias")) and part.shape == (size,):
            tensors[id(part)] = part
        if name.endswith("final_logits_bias"):
            part.data[..., : len(rows)] = part.data[..., rows].clone()
    with torch.no_grad():
        for part in tensors.values():
            part[: len(rows)] = part[rows].clone()
    model.resize_token_embeddings(len(rows), mean_resizing=False)
    new = {old: place for place, old in enumerate(numbers)}
    for config in (model.config, getattr(model, "generation_config", None)):
        if config is not None:
            _renumber(config, new)


def _renumber(config: Any, new: dict[int, int]) -> None:
    """Special tokens in a configuration under their new numbers."""
    for name, value in vars(config).items():
        if not name.endswith("_token_id") or value is None:
            continue
        several = isinstance(value, list)
        found = [new.get(number) for number in (value if several else [value])]
        setattr(config, name, [number for number in found if number is not None] if several else found[0])


def write_tokeniser(folder: Path, cut: Cut) -> None:
    """Put the cut tokeniser in the place of the one that was saved in ``folder``."""
    (folder / "tokenizer.json").write_text(json.dumps(cut.definition, ensure_ascii=False), encoding="utf-8")
    for name in OTHER_VOCABULARIES:
        (folder / name).unlink(missing_ok=True)
    path = folder / "tokenizer_config.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    settings["tokenizer_class"] = "PreTrainedTokenizerFast"  # which reads tokenizer.json as it is
    new = {old: place for place, old in enumerate(cut.numbers)}
    if "added_tokens_decoder" in settings:
        decoder = settings["added_tokens_decoder"].items()
        settings["added_tokens_decoder"] = {str(new[int(number)]): token for number, token in decoder}
    path.write_text(json.dumps(settings, indent=2, ensure_ascii=False), encoding="utf-8")


def _copy_pipeline(source: Path, folder: str, out: Path) -> None:
    """What stands around the transformer, whose own files move to the top."""
    modules = json.loads((source / MODULES).read_text(encoding="utf-8"))
    for module in modules[1:]:
        if module.get("path") and (source / module["path"]).is_dir():
            shutil.copytree(source / module["path"], out / module["path"], dirs_exist_ok=True)
    modules[0]["path"] = ""
    (out / MODULES).write_text(json.dumps(modules, indent=2), encoding="utf-8")
    for name in (SETTINGS, *(str(Path(folder) / name) for name in TRANSFORMER_SETTINGS)):
        if (source / name).is_file():
            shutil.copy(source / name, out / Path(name).name)
