"""From a checkpoint to a network: opened, changed and extended by its methods, with the task's head on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from isogloss.encoders.devices import bfloat16_is_faster, choose_device
from isogloss.encoders.fast_layers import use_fast_layers
from isogloss.encoders.layers import Stack, find_stack, is_decoder
from isogloss.encoders.limits import choose_limit
from isogloss.encoders.opening import open_checkpoint
from isogloss.encoders.products import use_fast_products
from isogloss.errors import IsoglossError
from isogloss.pretrain.dropout import use_fast_dropout
from isogloss.tasks import Labels, Task
from isogloss.tasks.heads import PooledClassifier
from isogloss.transfer.examples import Reader
from isogloss.transfer.fitted import Fitted
from isogloss.transfer.method import Ground, Method
from isogloss.transfer.methods.modules.part import Part
from isogloss.transfer.network import Network, head_width
from isogloss.transfer.settings import Settings


@dataclass(frozen=True)
class Opening:
    """Which model to open, for which source languages, and the texts that methods may need."""

    model: str
    revision: str | None = None
    sources: tuple[str, ...] = ()
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)


def build(task: Task[Any], methods: tuple[Method, ...], labels: Labels, settings: Settings, opening: Opening) -> Fitted:
    """The network before its first step."""
    device = choose_device(settings.device)
    folder = opening.model
    for method in methods:
        folder = method.folder(folder, opening.sources)
    checkpoint = open_checkpoint(folder, opening.revision, torch.float32, allow_pickle=False, trust_remote_code=False)
    model = checkpoint.model
    for method in methods:
        model = method.change(model, settings, folder)
    stack = find_stack(model.to(device))
    reader = make_reader(stack, checkpoint.tokenizer, settings)
    check_reading(task, stack, reader)
    dtype = choose_precision(settings.precision, device, stack.width)
    ground = Ground(
        stack=stack,
        tokenizer=checkpoint.tokenizer,
        reader=reader,
        reading=task.reading,
        settings=settings,
        width=stack.width,
        dtype=dtype,
        model=opening.model,
        sources=opening.sources,
        texts=opening.texts,
    )
    parts = attach_all(methods, ground)
    head = task.make_head(head_width(stack, parts), labels, settings.head_dropout, settings.head_spread)
    if isinstance(head, PooledClassifier):
        head.adopt(getattr(stack.model, "pooler", None))
    network = Network(stack, parts, head, task.reading, dtype).to(device)
    network.still = network.still or not settings.encoder_dropout
    if settings.kernels == "fast":
        hasten(network)
    return Fitted(
        model=opening.model,
        revision=checkpoint.revision,
        task=task,
        methods=methods,
        settings=settings,
        labels=labels,
        reader=reader,
        network=network,
        whole=model,
    )


def hasten(network: Network) -> None:
    """Let cheaper operations serve, where there are any for this model and device."""
    network.head.fast = True
    use_fast_dropout(network, (torch.bfloat16, torch.float32))
    if network.dtype == torch.float32 and next(network.parameters()).device.type == "cpu":
        use_fast_layers(network.stack.model)
        use_fast_products(network.head)


def make_reader(stack: Stack, tokenizer: Any, settings: Settings) -> Reader:
    """A reader that gives the model as many subwords at once as it can take, or as the settings say.

    Words are read off their first subword, of decoders (whatever their mask) off their last.
    """
    special = len(Reader(tokenizer, 1024).tokeniser.frame([]))
    limit = choose_limit(stack.model, tokenizer, special, settings.max_tokens)
    decoder = is_decoder(stack.model.config.get_text_config())
    return Reader(tokenizer, limit, settings.long, has_types(stack.model), last=decoder)


def has_types(model: Any) -> bool:
    """Whether a model has an embedding for the second of two texts."""
    return int(getattr(model.config.get_text_config(), "type_vocab_size", 0) or 0) > 1


def check_reading(task: Task[Any], stack: Stack, reader: Reader) -> None:
    """Refuse to read a text off its first token where that has not seen the rest."""
    if task.reading == "first" and (stack.causal or not reader.tokeniser.prefix):
        raise IsoglossError(
            "this model has no first token that sees the whole text (CLS)",
            where=f"task '{task.name}'",
            remedy="read the mean of all tokens: --option pooling=mean",
        )


def attach_all(methods: Sequence[Method], ground: Ground) -> list[Part]:
    """Attach every method in turn, each to what those before it leave to the head."""
    parts: list[Part] = []
    for method in methods:
        parts.append(method.attach(replace(ground, width=head_width(ground.stack, parts))))
    return parts


def choose_precision(name: str, device: torch.device, width: int) -> torch.dtype:
    """The number type of matrix products; ``auto`` takes bfloat16 where the machine is faster at it."""
    if name == "auto":
        return torch.bfloat16 if bfloat16_is_faster(device, width) else torch.float32
    return {"float32": torch.float32, "bfloat16": torch.bfloat16}[name]
