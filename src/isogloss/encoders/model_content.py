"""What a model is without its weights: its configuration, and a hash of the files around its transformer."""

from pathlib import Path
from typing import Any

from isogloss.encoders.adapters import ADAPTER, WEIGHTS, base_of, find_adapter
from isogloss.encoders.model_files import ModelFiles
from isogloss.encoders.names import ModelName
from isogloss.encoders.pipeline_layout import MODULES, pipeline_files
from isogloss.encoders.quiet import quietly


def content_of(named: ModelName, revision: str | None = None) -> str | None:
    """A hash of a pipeline's and an adapter's files; None for a bare encoder, whose name says all."""
    files = ModelFiles(named.path, revision)
    parts = pipeline_files(files)
    hashes = [files.fingerprint(parts)] if parts else []
    if named.adapter is not None:
        adapter = find_adapter(named.adapter, files)
        hashes.append(adapter.fingerprint((ADAPTER, f"{WEIGHTS}.safetensors", f"{WEIGHTS}.bin")))
    return "-".join(hashes) or None


def read_config(name: str, revision: str | None = None) -> Any:
    """The configuration of a model's transformer, wherever it stands: in a pipeline, or below an adapter."""
    from transformers import AutoConfig

    named = ModelName.parse(name)
    files = ModelFiles(named.path, revision)
    modules = files.read_json(MODULES)
    folder = str(modules[0].get("path", "")) if modules else ""
    if files.local and files.find("config.json") is None and not folder and files.find(ADAPTER) is not None:
        return read_config(base_of(files))
    more: dict[str, Any] = {"subfolder": folder} if folder else {}
    place = Path(named.path).expanduser()
    if place.is_file():
        place, more = place.parent, {"gguf_file": place.name}
    source = str(place) if place.is_dir() else named.path
    with quietly():
        return AutoConfig.from_pretrained(
            source,
            revision=None if place.is_dir() else revision,
            trust_remote_code=named.trust_remote_code,
            **more,
        )
