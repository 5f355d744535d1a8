"""The loop that fine-tunes any task with any method: read it from top to bottom."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from isogloss.errors import IsoglossError
from isogloss.progress import Task as Progress
from isogloss.transfer.batches import Split
from isogloss.transfer.epochs import Epoch
from isogloss.transfer.fitted import Fitted
from isogloss.transfer.network import Network, Step
from isogloss.transfer.optimising import clip_gradients, make_optimiser, make_schedule
from isogloss.transfer.settings import Settings


def run_epochs(fitted: Fitted, training: Split, validation: Sequence[Any], settings: Settings) -> list[Epoch]:
    """The loop. The network ends with the weights of the best epoch by the validation part."""
    network = fitted.network
    network.examples = len(training)
    held_out, _ = fitted.lay_out(validation)  # once: states of frozen layers stay with it
    plan = [training.shuffled(settings, epoch) for epoch in range(settings.epochs)]
    steps = sum(-(-len(batches) // settings.accumulate) for batches in plan)
    optimiser = make_optimiser(network, settings)
    schedule = make_schedule(optimiser, settings, steps)
    history: list[Epoch] = []
    best: dict[str, Tensor] = {}
    parameters = list(network.parameters())
    done = 0
    with Progress(f"fine-tuning {fitted.task.name}", steps) as progress:
        for epoch, batches in enumerate(plan):
            for part in network.chain:
                part.before_epoch(network, epoch)
            network.train()
            losses = []
            for start in range(0, len(batches), settings.accumulate):
                places = batches[start : start + settings.accumulate]
                total = add_gradients(network, training, places, epoch, done / steps)
                check_loss(total, epoch, done, settings)
                clip_gradients(parameters, settings.clip)
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


def add_gradients(
    network: Network, training: Split, batches: Sequence[NDArray[np.int64]], epoch: int, progress: float
) -> float:
    """Add up the gradients of one step, and give its loss: the mean over all units, as one large batch would have it.

    A batch is read in pieces of like length, which saves padding, unless a method looks at batches as a whole.
    """
    pieces = batches if network.whole else [piece for places in batches for piece in training.pieces(places)]
    group = [training.collate(places) for places in pieces]
    units = max(1, sum(batch.size for batch in group))
    total = 0.0
    for batch in group:
        loss = network.objective(Step(network, batch, epoch, progress)) * (batch.size / units)
        loss.backward()  # type: ignore[no-untyped-call]
        total += loss.item()
    return total


def trained_weights(network: Network) -> dict[str, Tensor]:
    """A copy of everything that training changes: trained parameters, and all of the methods (batch statistics)."""
    trained = {name for name, parameter in network.named_parameters() if parameter.requires_grad}
    trained |= {f"parts.{name}" for name in network.parts.state_dict()}
    return {name: tensor.detach().clone() for name, tensor in network.state_dict().items() if name in trained}


def check_loss(loss: float, epoch: int, step: int, settings: Settings) -> None:
    """Stop at once when the loss is not a number."""
    if not np.isfinite(loss):
        raise IsoglossError(
            f"the loss is {loss} in epoch {epoch + 1}, step {step + 1}",
            where="fine-tuning",
            remedy=f"lower encoder_rate (now {settings.encoder_rate:g}) or head_rate, or use precision float32",
        )
