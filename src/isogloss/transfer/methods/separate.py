"""Fine-tuning a model whose languages have parts of their own: those stay, only the shared ones learn (Wu20 §4.3)."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import torch

from isogloss.encoders.layers import find_stack
from isogloss.encoders.opening import open_checkpoint
from isogloss.encoders.surgery import Freeze
from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe
from isogloss.pretrain.folders import Folders, encoder_folder
from isogloss.transfer.examples import Reader
from isogloss.transfer.method import Method
from isogloss.transfer.network import Network
from isogloss.transfer.settings import Settings

if TYPE_CHECKING:
    from isogloss.transfer.fitted import Fitted


@dataclass(frozen=True)
class Separate(Method):
    """Opens the source's path of a model with separate parts, freezes those parts, and in another language puts that
    language's own ones under the layers that were trained. A model that shares everything is trained as a whole."""

    name: ClassVar[str] = "separate"

    def folder(self, model: str, sources: tuple[str, ...]) -> str:
        root = Path(model)
        if Folders(root).recipe.is_file() and len(sources) != 1:
            raise IsoglossError(
                f"method 'separate' needs one source language, not {len(sources)}", remedy="name one with --source"
            )
        return str(encoder_folder(root, sources[0])) if sources else model

    def change(self, model: Any, settings: Settings, folder: str) -> Any:
        sharing = Recipe.load(Folders(_root(folder)).recipe).sharing
        own = range(1, sharing.separate_layers + 1)
        layers = (0, *own) if sharing.embeddings == "separate" else tuple(own)
        return Freeze(layers).apply(model) if layers else model

    def speak(self, fitted: "Fitted", language: str) -> "Fitted":
        folder = encoder_folder(Path(fitted.model), language)
        if folder == Path(fitted.model):
            return fitted
        checkpoint = open_checkpoint(str(folder), None, torch.float32, allow_pickle=False, trust_remote_code=False)
        model = checkpoint.model.to(fitted.device)
        learnt = {name for name, parameter in fitted.whole.named_parameters() if parameter.requires_grad}
        state = {name: tensor for name, tensor in fitted.whole.state_dict().items() if name in learnt}
        model.load_state_dict(state, strict=False)
        reader = Reader(checkpoint.tokenizer, fitted.reader.limit, fitted.reader.long, fitted.reader.typed)
        old = fitted.network
        network = Network(find_stack(model), old.chain, old.head, old.reading, old.dtype).eval()
        return replace(fitted, reader=reader, network=network, whole=model)


def _root(folder: str) -> Path:
    """The pretrained model's folder, of which ``folder`` is a language's path or which it is itself."""
    path = Path(folder)
    for root in (path, path.parent.parent):
        if Folders(root).recipe.is_file():
            return root
    raise IsoglossError(
        "this is no model that isogloss pretrain wrote",
        where=folder,
        remedy="fine-tune it without the method 'separate'",
    )
