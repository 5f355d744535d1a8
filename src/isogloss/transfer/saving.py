"""A fine-tuned model on disk: a folder that ``transformers`` and ``isogloss.Encoder`` open, with the head beside it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from isogloss import __version__
from isogloss.encoders.devices import choose_device
from isogloss.encoders.layers import find_stack
from isogloss.encoders.opening import open_checkpoint
from isogloss.errors import IsoglossError
from isogloss.files import make_folder, whole_file, write_whole
from isogloss.tasks import Labels, get_task
from isogloss.transfer.building import make_reader
from isogloss.transfer.epochs import Epoch
from isogloss.transfer.fitted import Fitted
from isogloss.transfer.method import Ground
from isogloss.transfer.methods import format_methods, parse_methods
from isogloss.transfer.network import Network, head_width
from isogloss.transfer.settings import Settings

FORMAT = 1
DESCRIPTION, HEAD = "transfer.json", "head.safetensors"


class Description(msgspec.Struct, frozen=True):
    """What the folder holds beside the encoder."""

    format: int
    isogloss: str
    model: str
    revision: str | None
    task: str
    options: dict[str, Any]
    method: str
    settings: Settings
    labels: tuple[str, ...]
    history: tuple[Epoch, ...]


def save_fitted(fitted: Fitted, folder: Path) -> Path:
    """Write encoder, tokeniser, head and a description; the description comes last."""
    make_folder(folder)
    with _without_bars():
        fitted.whole.save_pretrained(folder)
        fitted.reader.tokenizer.save_pretrained(folder)
    tensors = {
        f"{name}.{key}": tensor.detach().cpu().contiguous()
        for name, module in (("head", fitted.network.head), ("parts", fitted.network.parts))
        for key, tensor in module.state_dict().items()
    }
    with whole_file(folder / HEAD) as part:
        save_file(tensors, part)
    description = Description(
        format=FORMAT,
        isogloss=__version__,
        model=fitted.model,
        revision=fitted.revision,
        task=fitted.task.name,
        options=asdict(fitted.task),
        method=format_methods(fitted.methods),
        settings=fitted.settings,
        labels=fitted.labels.names,
        history=fitted.history,
    )
    write_whole(folder / DESCRIPTION, msgspec.json.format(msgspec.json.encode(description), indent=1))
    return folder


def load_fitted(folder: Path | str, device: str = "auto") -> Fitted:
    """Open what ``save_fitted`` wrote, ready to predict."""
    root = Path(folder)
    described = _read_description(root)
    task, methods = get_task(described.task, **described.options), parse_methods(described.method)
    labels, place = Labels(described.labels), choose_device(device)
    checkpoint = open_checkpoint(str(root), None, torch.float32, allow_pickle=False, trust_remote_code=False)
    stack = find_stack(checkpoint.model.to(place))
    reader = make_reader(stack, checkpoint.tokenizer, described.settings)
    ground = Ground(
        stack=stack,
        tokenizer=checkpoint.tokenizer,
        reader=reader,
        reading=task.reading,
        settings=described.settings,
        width=stack.width,
        dtype=torch.float32,
    )
    tensors = _read_tensors(root / HEAD)
    parts = [method.restore(ground, _below(tensors, f"parts.{n}.")) for n, method in enumerate(methods)]
    head = task.make_head(head_width(stack, parts), labels, described.settings.head_dropout)
    head.load_state_dict(_below(tensors, "head."))
    network = Network(stack, parts, head, task.reading, torch.float32).to(place).eval()
    return Fitted(
        model=described.model,
        revision=described.revision,
        task=task,
        methods=methods,
        settings=described.settings,
        labels=labels,
        reader=reader,
        network=network,
        whole=checkpoint.model,
        history=described.history,
    )


@contextmanager
def _without_bars() -> Iterator[None]:
    """Keep transformers' bars off the terminal: the run has its own."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]


def _read_description(root: Path) -> Description:
    path = root / DESCRIPTION
    try:
        described = msgspec.json.decode(path.read_bytes(), type=Description)
    except FileNotFoundError as error:
        raise IsoglossError(
            "there is no fine-tuned model in this folder", where=root, remedy="name one that isogloss transfer wrote"
        ) from error
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise IsoglossError(
            f"this description is damaged ({error})", where=path, remedy="save the model again (--keep-model)"
        ) from error
    if described.format > FORMAT:
        raise IsoglossError("a newer Isogloss wrote this", where=path, remedy="pip install --upgrade isogloss")
    return described


def _read_tensors(path: Path) -> dict[str, torch.Tensor]:
    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise IsoglossError(f"the head cannot be read ({error})", where=path, remedy="fine-tune again") from error


def _below(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
