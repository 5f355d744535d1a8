"""The loop that fine-tunes any task with any method: read it from top to bottom.

fitted = Trainer("xlm-roberta-base", "pos", "fusion:layer=1").fit(train, validation)
fitted.evaluate({"de": german, "fi": finnish})
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from isogloss.encoders.devices import bfloat16_is_faster, choose_device
from isogloss.encoders.layers import Stack, find_stack
from isogloss.encoders.limits import choose_limit
from isogloss.encoders.opening import open_checkpoint
from isogloss.errors import IsoglossError
from isogloss.progress import Task as Progress
from isogloss.tasks import Labels, Task, get_task, screen
from isogloss.tasks.screening import OnError
from isogloss.transfer.batches import Split
from isogloss.transfer.examples import Reader
from isogloss.transfer.fitted import Epoch, Fitted
from isogloss.transfer.method import Ground, Part
from isogloss.transfer.methods import Method, parse_methods
from isogloss.transfer.network import Network, Step, head_width
from isogloss.transfer.optimising import clip_gradients, make_optimiser, make_schedule
from isogloss.transfer.settings import Settings


@dataclass(frozen=True)
class Trainer:
    """Fine-tunes ``model`` for ``task``. ``texts`` (by language) feed the methods that need languages told apart."""

    model: str
    task: Task[Any] | str
    method: Sequence[Method] | str = "plain"
    settings: Settings = field(default_factory=Settings)
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    revision: str | None = None
    on_error: OnError = "raise"

    def fit(self, train: Sequence[Any], validation: Sequence[Any], sources: Sequence[str] = ()) -> Fitted:
        """Fine-tune on ``train``; the epoch is chosen by ``validation``, which must be of the source language."""
        if self.settings.threads is not None:
            torch.set_num_threads(self.settings.threads)
        fitted, training, held_out = self.prepare(train, validation, sources)
        with explained_memory():
            history = run_epochs(fitted, training, held_out, self.settings)
        return replace(fitted, history=tuple(history))

    def prepare(
        self, train: Sequence[Any], validation: Sequence[Any], sources: Sequence[str] = ()
    ) -> tuple[Fitted, Split, Sequence[Any]]:
        """Everything before the first step: the checked data, and the network as its method wants it."""
        task = get_task(self.task) if isinstance(self.task, str) else self.task
        given = parse_methods(self.method) if isinstance(self.method, str) else self.method
        methods = tuple(sorted(given, key=lambda method: method.rank))
        training = screen(task, train, what="training part", on_error=self.on_error)
        units = (label for record in training.records for label in task.labels_of(record))
        labels = Labels.learn(units, f"{task.name} labels", where="training part")
        held_out = screen(task, validation, labels, what="validation part", on_error=self.on_error)
        fix_chance(self.settings.seed)
        fitted = self._build(task, methods, labels, tuple(sources))
        to_learn, dropped = fitted.known(training.records)
        to_choose, dropped_too = fitted.known(held_out.records)
        split, _ = fitted.lay_out(to_learn)
        skipped = training.skipped + held_out.skipped + dropped + dropped_too
        return replace(fitted, skipped=skipped), split, to_choose

    def _build(self, task: Task[Any], methods: tuple[Method, ...], labels: Labels, sources: tuple[str, ...]) -> Fitted:
        settings = self.settings
        device = choose_device(settings.device)
        folder = self.model
        for method in methods:
            folder = method.folder(folder, sources)
        checkpoint = open_checkpoint(folder, self.revision, torch.float32, allow_pickle=False, trust_remote_code=False)
        model = checkpoint.model
        for method in methods:
            model = method.change(model, settings, folder)
        stack = find_stack(model.to(device))
        special = len(Reader(checkpoint.tokenizer, 1024).tokeniser.frame([]))
        limit = choose_limit(stack.model, checkpoint.tokenizer, special, settings.max_tokens)
        reader = Reader(checkpoint.tokenizer, limit, settings.long, has_types(model))
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
            model=self.model,
            sources=sources,
            texts=self.texts,
        )
        parts = attach_all(methods, ground)
        head = task.make_head(head_width(stack, parts), labels, settings.head_dropout, settings.head_spread)
        network = Network(stack, parts, head, task.reading, dtype).to(device)
        network.still = network.still or not settings.encoder_dropout
        return Fitted(
            model=self.model,
            revision=checkpoint.revision,
            task=task,
            methods=methods,
            settings=settings,
            labels=labels,
            reader=reader,
            network=network,
            whole=model,
        )


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


def run_epochs(fitted: Fitted, training: Split, validation: Sequence[Any], settings: Settings) -> list[Epoch]:
    """The loop. The network ends with the weights of the best epoch by the validation part."""
    network = fitted.network
    held_out, _ = fitted.lay_out(validation)  # once: states of frozen layers stay with it
    plan = [training.shuffled(settings, epoch) for epoch in range(settings.epochs)]
    steps = sum(-(-len(batches) // settings.accumulate) for batches in plan)
    optimiser = make_optimiser(network, settings)
    schedule = make_schedule(optimiser, settings, steps)
    history: list[Epoch] = []
    best: dict[str, Tensor] = {}
    done = 0
    with Progress(f"fine-tuning {fitted.task.name}", steps) as progress:
        for epoch, batches in enumerate(plan):
            for part in network.chain:
                part.before_epoch(network, epoch)
            network.train()
            losses = []
            for start in range(0, len(batches), settings.accumulate):
                group = [training.collate(places) for places in batches[start : start + settings.accumulate]]
                units = sum(batch.size for batch in group)
                total = 0.0
                for batch in group:  # weights make the sum what one batch of them all would give
                    loss = network.objective(Step(network, batch, epoch, done / steps)) * (batch.size / max(1, units))
                    loss.backward()  # type: ignore[no-untyped-call]
                    total += loss.item()
                check_loss(total, epoch, done, settings)
                clip_gradients(network, settings.clip)
                optimiser.step()
                schedule.step()
                optimiser.zero_grad(set_to_none=True)
                losses.append(total)
                done += 1
                progress.advance(text=f"epoch {epoch + 1}, loss {total:.3f}")
            predicted = fitted.answer(validation, held_out)
            score = fitted.task.tally(validation, predicted).score(fitted.task.measure)
            history.append(Epoch(epoch + 1, float(np.mean(losses)), score))
            if settings.keep == "best" and score >= max(past.validation for past in history):
                best = trained_weights(network)
    if best:
        network.load_state_dict(best, strict=False)
    return history


def trained_weights(network: Network) -> dict[str, Tensor]:
    """A copy of everything that training changes: trained parameters, and all of the methods (batch statistics)."""
    trained = {name for name, parameter in network.named_parameters() if parameter.requires_grad}
    trained |= {f"parts.{name}" for name in network.parts.state_dict()}
    return {name: tensor.detach().clone() for name, tensor in network.state_dict().items() if name in trained}


def check_loss(loss: float, epoch: int, step: int, settings: Settings) -> None:
    """Stop at once when the loss is no number any more."""
    if not np.isfinite(loss):
        raise IsoglossError(
            f"the loss is {loss} in epoch {epoch + 1}, step {step + 1}",
            where="fine-tuning",
            remedy=f"lower encoder_rate (now {settings.encoder_rate:g}) or head_rate, or use precision float32",
        )


def choose_precision(name: str, device: torch.device, width: int) -> torch.dtype:
    """The number type of matrix products; ``auto`` takes bfloat16 where the machine is faster at it."""
    if name == "auto":
        return torch.bfloat16 if bfloat16_is_faster(device, width) else torch.float32
    return {"float32": torch.float32, "bfloat16": torch.bfloat16}[name]


def fix_chance(seed: int) -> None:
    """Fix every random choice that follows."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


@contextmanager
def explained_memory() -> Iterator[None]:
    """Say which setting to lower when a batch does not fit memory."""
    try:
        yield
    except (MemoryError, torch.OutOfMemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "memory" not in str(error):
            raise
        raise IsoglossError(
            "a batch does not fit the memory of this device",
            where="fine-tuning",
            remedy="lower batch (and raise accumulate to match), batch_tokens or max_tokens",
        ) from error
