"""PEFT adapters (LoRA and others that merge): their weights are added to the model's, which then is a plain model."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.encoders.model_files import ModelFiles
from isogloss.errors import IsoglossError, missing_extra

if TYPE_CHECKING:
    from torch import Tensor

ADAPTER, WEIGHTS = "adapter_config.json", "adapter_model"


def find_adapter(name: str, model: ModelFiles) -> ModelFiles:
    """The files of the adapter called ``name``: a folder inside the model's, a folder, or a Hugging Face name."""
    for folder in ((Path(model.name).expanduser() / name) if model.local else None, Path(name).expanduser()):
        if folder is not None and (folder / ADAPTER).is_file():
            return ModelFiles(str(folder))
    files = ModelFiles(name)
    if files.find(ADAPTER) is None:
        raise IsoglossError(f"there is no adapter here: {ADAPTER} is missing", where=name, remedy=_remedy(model))
    return files


def _remedy(model: ModelFiles) -> str:
    inside = sorted(path.parent.name for path in Path(model.name).glob(f"*/{ADAPTER}")) if model.local else []
    return f"this model has the adapters {', '.join(inside)}" if inside else "name a folder that PEFT saved"


def told_base(adapter: ModelFiles) -> str:
    """The model that an adapter was trained on, by the name its configuration gives; empty where it gives none."""
    return str((adapter.read_json(ADAPTER) or {}).get("base_model_name_or_path") or "")


def base_of(adapter: ModelFiles) -> str:
    """The model that an adapter was trained on; an adapter that does not say is refused."""
    base = told_base(adapter)
    if not base:
        raise IsoglossError(
            "the adapter does not say which model it belongs to",
            where=f"{adapter.name}: {ADAPTER}",
            remedy="name that model, and this folder with --adapter",
        )
    return base


def merge_adapter(model: Any, adapter: ModelFiles, name: str, *, allow_pickle: bool) -> Any:
    """``model`` with the adapter's changes in its weights; refused where the adapter does not fit the model."""
    from isogloss.encoders.loading import family_of

    try:
        from peft import PeftConfig, get_peft_model, set_peft_model_state_dict
        from peft.utils import get_peft_model_state_dict
    except ImportError as error:
        raise missing_extra("adapters", "peft") from error
    weights = _reader_weights(adapter.read_weights("", WEIGHTS, allow_pickle=allow_pickle), model)
    where = f"adapter {adapter.name}"
    try:
        config = PeftConfig.from_pretrained(adapter.name)
        told = str((config.auto_mapping or {}).get("base_model_class") or "")
        if told and family_of(told) != family_of(type(model).__name__):
            raise _misfit(f"it was trained on a {told}, and this is a {type(model).__name__}", where, name)
        config.base_model_name_or_path = None  # which PEFT would warn of; told_base says it
        config.inference_mode = True
        changed = get_peft_model(model, config)
        wanted = {key for key in get_peft_model_state_dict(changed) if not _is_whole_copy(key)}
        strangers = sorted((set(weights) ^ wanted) - {key for key in weights if _is_whole_copy(key)})
        if strangers:
            raise _misfit(f"'{strangers[0]}' and {len(strangers) - 1} more weights are on one side only", where, name)
        set_peft_model_state_dict(changed, weights)
        merged = changed.merge_and_unload()
    except (ValueError, RuntimeError, KeyError, AttributeError, NotImplementedError) as error:
        raise _misfit(str(error).splitlines()[0], where, name) from error
    if hasattr(merged, "peft_config"):
        del merged.peft_config
    return merged.requires_grad_(True)


def _is_whole_copy(key: str) -> bool:
    """Embeddings that PEFT saves whole beside an adapter, whether or not it changed them."""
    return "embed" in key and "lora" not in key


def _misfit(why: str, where: str, name: str) -> IsoglossError:
    return IsoglossError(
        f"this adapter does not fit the model {name}: {why}", where=where, remedy="name the model it was trained on"
    )


def _reader_weights(weights: "dict[str, Tensor]", model: Any) -> "dict[str, Tensor]":
    """Names as in the bare model: an adapter of a model with a head has the bare model's prefix in them."""
    start, prefix = "base_model.model.", getattr(model, "base_model_prefix", "")
    inner = f"{start}{prefix}."
    if prefix and any(key.startswith(inner) for key in weights):
        return {f"{start}{key[len(inner) :]}": weight for key, weight in weights.items() if key.startswith(inner)}
    return weights
