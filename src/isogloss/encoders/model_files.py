"""The files of a model, in a folder or on the hub."""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.errors import IsoglossError

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class ModelFiles:
    """Where a model's files are: a folder, or a Hugging Face name and a revision."""

    name: str
    revision: str | None = None

    @property
    def local(self) -> bool:
        return Path(self.name).expanduser().is_dir()

    def find(self, file: str) -> Path | None:
        """The file on this machine, fetched from the hub if need be; None where the model has no such file."""
        if self.local:
            path = Path(self.name).expanduser() / file
            return path if path.is_file() else None
        from transformers.utils.hub import cached_file

        try:
            found = cached_file(
                self.name,
                file,
                revision=self.revision,
                _raise_exceptions_for_missing_entries=False,
                _raise_exceptions_for_connection_errors=False,
                _raise_exceptions_for_gated_repo=False,
            )
        except (OSError, ValueError):  # no such model; opening it says so with a remedy
            return None
        return None if found is None else Path(found)

    def read_json(self, file: str) -> Any:
        """The content of a JSON file; None where the model has no such file."""
        path = self.find(file)
        if path is None:
            return None
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise IsoglossError(
                f"this is not JSON ({error})",
                where=f"{self.name}: {file}",
                remedy="fetch the model again, or restore this file",
            ) from error

    def read_weights(self, folder: str, stem: str, *, allow_pickle: bool) -> "dict[str, Tensor]":
        """Weights of a part of the model: ``STEM.safetensors``, or a pickled ``.bin`` file where that is allowed."""
        from safetensors.torch import load_file

        prefix = f"{folder}/" if folder else ""
        if (path := self.find(f"{prefix}{stem}.safetensors")) is not None:
            return load_file(path)
        pickled = self.find(f"{prefix}{'pytorch_model' if stem == 'model' else stem}.bin")
        if pickled is None:
            raise IsoglossError(
                f"{prefix}{stem}.safetensors is missing", where=self.name, remedy="save the model again"
            )
        if not allow_pickle:
            raise IsoglossError(
                f"the weights in {prefix}{pickled.name} are pickled",
                where=self.name,
                remedy="save them as safetensors; or, if you trust their author, pass --allow-pickle",
            )
        from transformers.modeling_utils import load_state_dict  # reads tensors only, no objects

        return dict(load_state_dict(str(pickled), map_location="cpu"))

    def fingerprint(self, files: Iterable[str]) -> str:
        """A hash of those of these files that the model has."""
        digest = hashlib.sha256()
        for file in files:
            if (path := self.find(file)) is not None:
                digest.update(file.encode())
                digest.update(path.read_bytes())
        return digest.hexdigest()[:16]


def licence_of(files: ModelFiles) -> str:
    """The licence that a model's card names in its head; empty where it names none."""
    card = files.find("README.md")
    if card is None:
        return ""
    text = card.read_text(encoding="utf-8", errors="replace")
    head = text.split("---")[1] if text.startswith("---") and text.count("---") > 1 else ""
    found = re.search(r"^license:\s*([\w.+ -]+)$", head, re.MULTILINE)
    return found.group(1).strip() if found else ""
