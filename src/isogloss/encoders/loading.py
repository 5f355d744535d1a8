"""What became of a checkpoint's weights: what is missing, what was left over, what is not a number."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import torch

from isogloss.encoders.anatomy import text_reader
from isogloss.errors import IsoglossError

COMPUTED = ("position_ids", "inv_freq", "masked_bias")  # tables that older releases saved, computed today
SHOWN = 4  # names in a warning


def check_weights(model: Any, missing: Iterable[str], name: str) -> None:
    """Refuse a checkpoint that left weights of the reader to chance, or holds NaN or infinity."""
    reader = text_reader(model)
    inside = {id(parameter) for parameter in reader.parameters()}
    named = dict(model.named_parameters())
    absent = sorted(
        key
        for key in missing
        if key in named and id(named[key]) in inside and "pooler" not in key and not _is_computed(model, key)
    )
    if absent:
        raise IsoglossError(
            f"the checkpoint lacks {len(absent)} weights of its architecture, such as '{absent[0]}'", where=name,
            remedy="check that config.json and the weights belong together",
        )  # fmt: skip
    for key, parameter in reader.named_parameters():
        if not torch.isfinite(parameter).all():
            raise IsoglossError(
                f"the weights '{key}' hold NaN or infinity", where=name, remedy="use an earlier checkpoint"
            )


def load_warnings(model: Any, config: Any, loading: Mapping[str, Any]) -> tuple[str, ...]:
    """Sentences on a checkpoint that opened, but perhaps not as its author meant."""
    return (*_left_over(model, loading["unexpected_keys"]), *_other_class(model, config))


def _left_over(model: Any, unexpected: Iterable[str]) -> list[str]:
    """Weights of the reader itself that found no place; heads are left out on purpose."""
    prefix = f"{getattr(model, 'base_model_prefix', '')}."
    parts = {name for name, _ in model.base_model.named_children() if "pooler" not in name}
    inner = {key: key.removeprefix(prefix) for key in unexpected}
    strange = sorted(
        key for key, bare in inner.items() if bare.partition(".")[0] in parts and not bare.endswith(COMPUTED)
    )
    if not strange:
        return []
    return [
        f"{len(strange)} weights of the checkpoint were not used: its configuration has no place for {_listed(strange)}"
    ]


def family_of(name: str) -> str:
    """What the classes of a family have in common: ``Bert`` of ``BertModel`` and ``BertForMaskedLM``."""
    return re.sub(r"(Text|Encoder)?Model$|For[A-Z]\w+$|Encoder$", "", name)


def _other_class(model: Any, config: Any) -> list[str]:
    """A configuration that says one class while another was opened."""
    told, opened = next(iter(getattr(config, "architectures", None) or ()), ""), type(model).__name__
    family = family_of(opened)
    if not told or getattr(config, "auto_map", None) or told.startswith(family):
        return []
    return [f"config.json says that this is a {told}, but it was opened as a {opened}"]


def _is_computed(model: Any, key: str) -> bool:
    """Whether a parameter is computed, not learned: sinusoidal positions, which ``save_pretrained`` leaves out."""
    owner = model.get_submodule(key.rpartition(".")[0])
    return "Sinusoidal" in type(owner).__name__


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"
