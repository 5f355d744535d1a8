"""The training loop.

    isogloss pretrain --preset lab --data lab:families --out model            one process
    torchrun --nproc-per-node 2 -m isogloss pretrain ... --out model          several; accelerate launch works too

A step: draw batches of one language each (every process draws the same and takes its rows), predict hidden tokens or
(causal) next ones, add up gradients, clip, move. All chance is a function of the seed and the step, so a resumed run
repeats exactly what an unbroken one would have done, and many processes do what one does.
"""

import io
import math
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING

import torch
from torch.nn import functional
from torch.optim import AdamW

from isogloss.errors import IsoglossError
from isogloss.pretrain import checkpoint, health
from isogloss.pretrain.batches import DROPOUT, MASKS, SWITCHES, Sampler, chance
from isogloss.pretrain.checkpoint import State
from isogloss.pretrain.codeswitch import Switch
from isogloss.pretrain.dropout import use_fast_dropout
from isogloss.pretrain.folders import Folders
from isogloss.pretrain.hardware import pick_device, uses_bf16
from isogloss.pretrain.history import Log
from isogloss.pretrain.masking import Batch, make_batch
from isogloss.pretrain.model import asked_logits, layer_list, packed_logits
from isogloss.pretrain.optimiser import build_optimiser, rate_at, set_rate
from isogloss.pretrain.packing import Packed, can_pack
from isogloss.pretrain.prepare import Corpus
from isogloss.pretrain.processes import Processes
from isogloss.pretrain.recipe import Recipe
from isogloss.pretrain.sharing import Paths
from isogloss.pretrain.validate import fixed_batches, losses
from isogloss.progress import Task

if TYPE_CHECKING:  # opening transformers takes longer than most of what is done without it
    from transformers import PreTrainedModel


@dataclass(frozen=True)
class Checked:
    """What a validation found: the loss by language, and how every layer does."""

    step: int
    losses: dict[str, float]
    layers: list[health.LayerHealth]


@dataclass
class Run:
    """All that a run needs and how far it is; ``paths``, ``state`` and ``checked`` change as it goes."""

    recipe: Recipe
    corpus: Corpus
    paths: Paths
    folders: Folders
    processes: Processes = field(default_factory=Processes)
    switch: Switch | None = None
    state: State = field(default_factory=State)
    perplexities: dict[str, float] = field(default_factory=dict)
    checked: Checked | None = None  # the last validation of this sitting

    @cached_property
    def device(self) -> torch.device:
        """Where to train."""
        return pick_device(self.recipe, self.processes.local_rank)

    @cached_property
    def parameters(self) -> list[torch.nn.Parameter]:
        """Every parameter once, in the order that gradients are clipped in."""
        return [parameter for _, parameter in self.paths.named_parameters()]

    @cached_property
    def bf16(self) -> bool:
        """Whether to compute in bf16."""
        return uses_bf16(self.recipe)


def train(run: Run) -> None:
    """Train the run's paths in place, from its newest checkpoint if it has one."""
    settings, paths, state = run.recipe.training, run.paths, run.state
    optimiser = make_ready(run)
    histories = run.folders.histories if run.processes.leads else ()
    checkpoint.restore(run.folders.checkpoints, state, paths, optimiser, histories)
    sampler = Sampler(run.corpus, run.recipe)
    held_out = fixed_batches(run.recipe, run.corpus)
    with Log(run.folders, state.step, settings, run.processes.leads) as log, _task(run) as task:
        task.skip(state.step)
        while state.step < settings.steps:
            began, step = time.perf_counter(), state.step + 1
            batches = draw_batches(run, sampler, step)
            loss, norm = take_step(run, optimiser, batches, step)
            state.move(sum(batch.ids.numel() for batch in batches), time.perf_counter() - began)
            log.step(state, [batch.language for batch in batches], loss, norm, rate_at(step, settings))
            if step % settings.validate_every == 0 or step == settings.steps:
                validate(run, held_out, log)
            if step % settings.save_every == 0 or step == settings.steps:
                save(run, optimiser)
            task.advance(1, log.note(loss, run.perplexities))


def make_ready(run: Run) -> AdamW:
    """Put the models where they are trained, in the way that the recipe says, and give them an optimiser."""
    settings = run.recipe.training
    for model in run.paths.models:
        model.to(run.device)  # type: ignore[arg-type]
        model.train()
        if settings.kernels == "fast" and can_pack(model):
            use_fast_dropout(model)
        if settings.compile:
            for layer in layer_list(model):
                layer.compile()
    return build_optimiser(run.paths, settings)


def take_step(run: Run, optimiser: AdamW, batches: list[Batch], step: int) -> tuple[float, float]:
    """Move the parameters by what these batches teach; return their loss and the norm of the gradient."""
    settings = run.recipe.training
    set_rate(optimiser, rate_at(step, settings))
    optimiser.zero_grad(set_to_none=True)  # what a batch does not reach stays as it is: no decay, no momentum
    loss = learn_from(run, batches, step)
    norm = float(torch.nn.utils.clip_grad_norm_(run.parameters, settings.clip))
    if not (math.isfinite(loss) and math.isfinite(norm)):
        raise _not_finite(run, step)
    optimiser.step()
    return loss, norm


def _task(run: Run) -> Task:
    """Progress of the leading process; the others are silent."""
    return Task("pretrain", run.recipe.training.steps, None if run.processes.leads else io.StringIO())


def draw_batches(run: Run, sampler: Sampler, step: int) -> list[Batch]:
    """All batches of a step, each of one language; the same in every process."""
    seed, batches = run.recipe.seed, []
    for draw in range(run.recipe.data.draws):
        language, rows = sampler.draw(step, draw)
        if run.switch is not None:
            rows = run.switch.apply(language, rows, chance(seed, SWITCHES, step, draw))
        random = torch.Generator().manual_seed(int(chance(seed, MASKS, step, draw).integers(2**62)))
        words = run.corpus.words[language]
        batches.append(make_batch(language, torch.from_numpy(rows), words, run.recipe, random))
    return batches


def learn_from(run: Run, batches: list[Batch], step: int) -> float:
    """Leave the gradient of the mean loss over all batches in the parameters; return that loss.

    Each process, and each micro-batch of it, adds its part of the sum over predicted tokens; dividing by the number of
    predicted tokens of the whole step makes the parts add up to what one process with one micro-batch has.
    """
    predicted = sum(len(batch.labels) for batch in batches)
    torch.manual_seed(int(chance(run.recipe.seed, DROPOUT, step, run.processes.rank).integers(2**62)))
    total = torch.zeros((), device=run.device)
    for model, group in _passes(run, batches):
        with torch.autocast(run.device.type, dtype=torch.bfloat16, enabled=run.bf16):
            logits = packed_logits(model, Packed.of(group)) if _packs(run, group[0]) else asked_logits(model, group[0])
        labels = torch.cat([batch.labels for batch in group])
        loss = functional.cross_entropy(logits.float(), labels, reduction="sum") / predicted
        loss.backward()  # type: ignore[no-untyped-call]
        total += loss.detach()
    if run.processes.number > 1:
        reached = {id(p): p for batch in batches for p in run.paths[batch.language].parameters()}
        run.processes.add_up_gradients(total, reached.values())
    return float(total)


def _passes(run: Run, batches: list[Batch]) -> "Iterator[tuple[PreTrainedModel, list[Batch]]]":
    """What goes through a model together: one micro-batch, or (packed) one of each batch that has the same model."""
    settings = run.recipe.training
    mine = [batch.part(run.processes.rows(len(batch.ids))) for batch in batches]
    micros = [[micro.to(run.device) for micro in batch.split(settings.micro_batches)] for batch in mine]
    if settings.kernels == "plain":
        for batch, parts in zip(mine, micros, strict=True):
            for micro in parts:
                yield run.paths[batch.language], [micro]
        return
    for together in zip_longest(*micros):
        groups: defaultdict[int, list[Batch]] = defaultdict(list)
        for micro in together:
            if micro is not None:
                groups[id(run.paths[micro.language] if _packs(run, micro) else micro)].append(micro)
        for group in groups.values():
            yield run.paths[group[0].language], group


def _packs(run: Run, batch: Batch) -> bool:
    """Whether a batch may share a pass: rows with padding, and models that cannot be packed, go by themselves."""
    fast = run.recipe.training.kernels == "fast"
    return fast and batch.attention is None and can_pack(run.paths[batch.language])


def validate(run: Run, held_out: dict[str, list[Batch]], log: Log) -> None:
    """Perplexity by language, the health of each layer, and the best parameters so far."""
    state, best_by = run.state, run.recipe.training.best_by
    run.checked = check(run, held_out)
    found = run.checked.losses
    run.perplexities = perplexities(found)
    log.validation(state.step, run.perplexities)
    log.health(state.step, run.checked.layers)
    if best_by is not None and found[best_by] < state.best:
        state.best, state.best_step = found[best_by], state.step
        if run.processes.leads:
            checkpoint.save_best(run.folders.checkpoints, run.paths)


def check(run: Run, held_out: dict[str, list[Batch]]) -> Checked:
    """Look at the parameters as they are."""
    found = losses(run.paths, held_out, run.device)
    return Checked(run.state.step, found, health.examine(run.paths, held_out, run.device))


def perplexities(found: dict[str, float]) -> dict[str, float]:
    """The same as perplexities, by language."""
    return {language: math.exp(min(loss, 30.0)) for language, loss in found.items()}


def save(run: Run, optimiser: AdamW) -> None:
    """Write a checkpoint; processes continue together, so that none trains past a checkpoint that was never written."""
    if run.processes.leads:
        checkpoint.save(run.folders.checkpoints, run.state, run.paths, optimiser, run.folders.histories)
    run.processes.wait()


def _not_finite(run: Run, step: int) -> IsoglossError:
    kept = checkpoint.written(run.folders.checkpoints)
    where = f"{kept[-1]} is whole and stays" if kept else "no checkpoint was written yet"
    rate = run.recipe.training.learning_rate
    return IsoglossError(
        f"the loss or its gradient is no longer a number at step {step}; {where}",
        where=run.folders.root,
        remedy=f"lower training.learning_rate (now {rate:g}), lengthen training.warmup, lower training.clip, "
        "or use training.precision: fp32",
    )
