"""Fine-tuning a model whose languages have parts of their own: those stay, only the shared ones learn (Wu20 §4.3)."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from isogloss.encoders.model_folder import LANGUAGES
from isogloss.errors import IsoglossError, unknown_name
from isogloss.pretrain import Recipe
from isogloss.pretrain.folders import Folders, encoder_folder
from isogloss.transfer.method import Method
from isogloss.transfer.settings import Settings

if TYPE_CHECKING:
    from torch import Tensor

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
        from isogloss.encoders.surgery import Freeze

        layers = own_layers(_root(folder))
        return Freeze(layers).apply(model) if layers else model

    def speak(self, fitted: "Fitted", language: str) -> "Fitted":
        import torch

        from isogloss.encoders.layers import find_stack
        from isogloss.encoders.opening import open_checkpoint
        from isogloss.transfer.examples import Reader
        from isogloss.transfer.network import Network

        root = Path(fitted.model)
        folder = encoder_folder(root, language)
        if folder == root:
            _check_language(root, language)
            return fitted
        checkpoint = open_checkpoint(str(folder), None, torch.float32, allow_pickle=False, trust_remote_code=False)
        model = checkpoint.model.to(fitted.device)
        model.load_state_dict(learnt_state(fitted, own_layers(_root(str(folder)))), strict=False)
        reader = Reader(
            checkpoint.tokenizer, fitted.reader.limit, fitted.reader.long, fitted.reader.typed, fitted.reader.last
        )
        old = fitted.network
        network = Network(find_stack(model), old.chain, old.head, old.reading, old.dtype).eval()
        return replace(fitted, reader=reader, network=network, whole=model)


def own_layers(root: Path) -> tuple[int, ...]:
    """The layers that each language has for itself in the model pretrained at ``root``; 0 is the embedding."""
    sharing = Recipe.load(Folders(root).recipe).sharing
    own = range(1, sharing.separate_layers + 1)
    return (0, *own) if sharing.embeddings == "separate" else tuple(own)


def learnt_state(fitted: "Fitted", own: tuple[int, ...]) -> "dict[str, Tensor]":
    """What fine-tuning taught: shared, trained parameters. A model that was saved and opened has forgotten what was
    frozen, so the source's own layers are left out by name."""
    from isogloss.encoders.anatomy import layer_parameters

    stay = layer_parameters(fitted.whole, own)
    return {
        name: parameter.detach()
        for name, parameter in fitted.whole.named_parameters()
        if parameter.requires_grad and name not in stay
    }


def _check_language(root: Path, language: str) -> None:
    """Refuse a language whose path is not there although others have theirs: the source's would read it as noise."""
    known = [path.name for path in (root / LANGUAGES).glob("*") if (path / "config.json").is_file()]
    if known:
        raise unknown_name("language", language, known, where=root)


def _root(folder: str) -> Path:
    """The pretrained model's folder, of which ``folder`` is a language's path or which it is itself."""
    path = Path(folder)
    for root in (path, path.parent.parent):
        if Folders(root).recipe.is_file():
            return root
    raise IsoglossError(
        "this is not a model that isogloss pretrain wrote",
        where=folder,
        remedy="fine-tune it without the method 'separate'",
    )
