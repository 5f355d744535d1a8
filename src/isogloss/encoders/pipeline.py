"""A sentence-transformers pipeline as it is deployed: pooling, the layers behind it, prompts.

Read from ``modules.json`` and the files it names; sentence-transformers itself is not needed.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from isogloss.encoders.model_files import ModelFiles
from isogloss.encoders.pipeline_layers import LAYERS, make_layer
from isogloss.encoders.pipeline_layout import MODULES, SETTINGS, TRANSFORMER_SETTINGS, checked_modules, inside
from isogloss.encoders.pooling import LEGACY_MODES, MODES
from isogloss.errors import IsoglossError, unknown_name

A_NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True, eq=False)
class Pipeline:
    """What stands around the transformer. ``tail`` is None where a module is not one that Isogloss can read."""

    folder: str = ""  # of the transformer, below the model's
    modes: tuple[str, ...] = ()  # of the pooling; none where the pipeline has no pooling
    include_prompt: bool = True
    token_weights: NDArray[np.float32] | None = None
    tail: nn.Sequential | None = None
    max_length: int | None = None
    lower_case: bool = False
    prompts: Mapping[str, str] = field(default_factory=dict)
    default_prompt: str | None = None
    dim: int | None = None
    warnings: tuple[str, ...] = ()

    def fingerprint(self) -> str:
        """A hash of what the pipeline does to token states."""
        described = [self.modes, self.include_prompt, self.dim, self.max_length]
        digest = hashlib.sha256(repr(described).encode())
        if self.token_weights is not None:
            digest.update(self.token_weights.tobytes())
        for layer in self.tail or ():
            digest.update(repr(layer).encode())
            for name, parameter in layer.state_dict().items():
                digest.update(name.encode() + parameter.contiguous().cpu().numpy().tobytes())
        return digest.hexdigest()

    def choose_prompt(self, asked: str | None, where: str) -> str:
        """The text put before every sentence: a prompt by its name, a text as it is, or the default."""
        if asked is None:
            return "" if self.default_prompt is None else self.prompts.get(self.default_prompt, "")
        if asked in self.prompts:
            return self.prompts[asked]
        if A_NAME.fullmatch(asked):  # a text to be put before others ends in a space, or has one
            error = unknown_name("prompt", asked, self.prompts, where=where)
            known = ", ".join(sorted(self.prompts)) or "none, this model has no prompts"
            raise IsoglossError(
                error.what, where=where, remedy=f"known: {known}; a text is given with its space: 'query: '"
            )
        return asked


def read_pipeline(files: ModelFiles, *, allow_pickle: bool = False) -> Pipeline | None:
    """The pipeline that a model's folder describes; None for a bare encoder."""
    modules = files.read_json(MODULES)
    if modules is None:
        return None
    first, *rest = checked_modules(modules, files)
    if _kind(first) != "Transformer":
        raise IsoglossError(
            f"this pipeline starts with a {_kind(first)}, not with a Transformer",
            where=f"{files.name}: {MODULES}",
            remedy="name a model whose layers can be read",
        )
    folder = str(first["path"])
    reading: Mapping[str, Any] = next(
        (found for name in TRANSFORMER_SETTINGS if (found := files.read_json(inside(folder) + name))), {}
    )
    settings = files.read_json(SETTINGS) or {}
    parts = _read_parts(rest, files, reading, allow_pickle=allow_pickle)
    if not str(first["type"]).startswith("sentence_transformers."):
        parts |= {"tail": None, "warnings": (_unread(str(first["type"])), *parts["warnings"])}
    return Pipeline(
        folder=folder,
        max_length=reading.get("max_seq_length"),
        lower_case=bool(reading.get("do_lower_case", False)),
        prompts={str(name): str(text) for name, text in (settings.get("prompts") or {}).items() if text is not None},
        default_prompt=settings.get("default_prompt_name"),
        dim=settings.get("truncate_dim"),
        **parts,
    )


def _read_parts(
    modules: list[dict[str, Any]], files: ModelFiles, reading: Mapping[str, Any], *, allow_pickle: bool
) -> dict[str, Any]:
    """Pooling and tail out of the modules behind the transformer."""
    parts: dict[str, Any] = {"tail": nn.Sequential(), "warnings": ()}
    output = (reading.get("modality_config") or {}).get("text", {}).get("method_output_name", "last_hidden_state")
    if output != "last_hidden_state":
        parts |= {"tail": None, "warnings": (_unread(f"the transformer's '{output}'"),)}
    for module in modules:
        kind, folder = _kind(module), str(module["path"])
        config = files.read_json(f"{folder}/config.json") or {}
        ours = str(module["type"]).startswith("sentence_transformers.")
        if kind == "Pooling" and ours:
            parts |= {
                "modes": _modes(config, f"{files.name}: {folder}"),
                "include_prompt": config.get("include_prompt", True),
            }
        elif kind == "WordWeights" and ours and not parts.get("modes"):
            parts["token_weights"] = _token_weights(files.read_weights(folder, "model", allow_pickle=allow_pickle))
        elif kind == "Dropout" and ours:
            continue
        elif kind in LAYERS and ours and parts.get("modes"):
            if parts["tail"] is not None:
                weights = files.read_weights(folder, "model", allow_pickle=allow_pickle) if kind != "Normalize" else {}
                parts["tail"].append(make_layer(kind, config, weights, f"{files.name}: {folder}"))
        else:
            parts |= {"tail": None, "warnings": (*parts["warnings"], _unread(str(module["type"])))}
    if parts.get("token_weights") is not None and parts.get("modes") != ("mean",):
        parts |= {
            "tail": None,
            "warnings": (*parts["warnings"], _unread("WordWeights before a pooling other than mean")),
        }
    return parts


def _unread(what: str) -> str:
    return f"the pipeline has a part that Isogloss does not read ({what}): its output is not shown, only its layers"


def _kind(module: Mapping[str, Any]) -> str:
    return str(module["type"]).rpartition(".")[2]


def _modes(config: Mapping[str, Any], where: str) -> tuple[str, ...]:
    told = config.get("pooling_mode")
    if told is None:
        told = [mode for key, mode in LEGACY_MODES.items() if config.get(key)] or ["mean"]
    modes = (told,) if isinstance(told, str) else tuple(told)
    for mode in modes:
        if mode not in MODES:
            raise unknown_name("pooling", str(mode), MODES, where=where)
    return modes


def _token_weights(weights: Mapping[str, Tensor]) -> NDArray[np.float32]:
    table = next(iter(weights.values()))  # entries x 1
    return np.asarray(table.reshape(-1).to(torch.float32).numpy())
