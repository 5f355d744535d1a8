"""Pretraining steps against transformers' Trainer with its masking collator: same model, data, batch and threads.

python benchmarks/pretrain.py            the promised size: 8 layers, 256 wide, 30,000 entries, 256 tokens
python benchmarks/pretrain.py --quick    fewer steps and repeats
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoModelForMaskedLM, DataCollatorForLanguageModeling, Trainer, TrainingArguments
from transformers.trainer_callback import PrinterCallback, ProgressCallback
from transformers.utils import logging

from isogloss.pretrain import Recipe
from isogloss.pretrain.batches import Sampler
from isogloss.pretrain.dropout import use_fast_dropout
from isogloss.pretrain.folders import Folders
from isogloss.pretrain.loop import Run, draw_batches, learn_from
from isogloss.pretrain.masking import Words
from isogloss.pretrain.model import build_config
from isogloss.pretrain.optimiser import build_optimiser
from isogloss.pretrain.prepare import Corpus
from isogloss.pretrain.sharing import build_paths
from isogloss.pretrain.tokenisers import SPECIALS, Tokenisers, as_fast
from isogloss.pretrain.tokens import Stream
from measure import interleave, report_row

ENTRIES, LENGTH, ROWS = 30_000, 256, 16


def recipe(precision: str, attention: str) -> Recipe:
    return Recipe().changed(
        data={"length": LENGTH, "draws": 1},
        model={"layers": 8, "heads": 8, "width": 256, "feedforward": 1024, "dropout": 0.1, "attention": attention},
        training={"batch_tokens": LENGTH * ROWS, "precision": precision, "device": "cpu", "steps": 1_000},
    )


def word_tokeniser() -> Tokenizer:
    """A tokeniser of 30,000 whole words; only its special tokens and its size matter here."""
    entries = [*SPECIALS, *(f"w{number}" for number in range(ENTRIES - len(SPECIALS)))]
    tokeniser = Tokenizer(models.WordLevel({entry: number for number, entry in enumerate(entries)}, unk_token="[UNK]"))
    tokeniser.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokeniser.add_special_tokens(list(SPECIALS))
    return tokeniser


def zipf_ids(number: int) -> np.ndarray:
    weights = 1 / np.arange(1, ENTRIES - len(SPECIALS) + 1)
    drawn = np.random.default_rng(0).choice(len(weights), size=number, p=weights / weights.sum())
    return (drawn + len(SPECIALS)).astype(np.uint32)


class Ours:
    """Our loop's step, on a stream of ids."""

    def __init__(self, settings: Recipe, ids: np.ndarray) -> None:
        stream = Stream(ids, np.arange(0, len(ids) + 1, 25, dtype=np.uint64))
        tokenisers = Tokenisers({"a": word_tokeniser()}, None)
        words = Words(torch.arange(len(SPECIALS), ENTRIES), torch.ones(ENTRIES, dtype=torch.bool))
        corpus = Corpus(tokenisers, {"a": stream}, {"a": stream}, {"a": words})
        self.run = Run(settings, corpus, build_paths(settings, {"a": ENTRIES}), Folders(Path()))
        self.run.paths["a"].train()
        if settings.training.kernels == "fast":
            use_fast_dropout(self.run.paths["a"])
        self.sampler = Sampler(corpus, settings)
        self.optimiser = build_optimiser(self.run.paths, settings.training)
        self.step = 0
        self.losses: list[float] = []

    def __call__(self, steps: int) -> None:
        parameters = [parameter for _, parameter in self.run.paths.named_parameters()]
        for _ in range(steps):
            self.step += 1
            self.optimiser.zero_grad(set_to_none=True)
            self.losses.append(learn_from(self.run, draw_batches(self.run, self.sampler, self.step), self.step))
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            self.optimiser.step()


class Peer:
    """transformers' Trainer on the same model; ``bf16`` is its own switch."""

    def __init__(self, settings: Recipe, ids: np.ndarray, steps: int, folder: str, bf16: bool = False) -> None:
        config = build_config(settings.model, ENTRIES, LENGTH)
        model = AutoModelForMaskedLM.from_config(config, attn_implementation="sdpa")
        rows = [{"input_ids": row.tolist()} for row in ids[: len(ids) // LENGTH * LENGTH].reshape(-1, LENGTH)]
        arguments = TrainingArguments(
            folder, max_steps=steps, per_device_train_batch_size=ROWS, save_strategy="no", report_to=[], use_cpu=True,
            logging_strategy="no", disable_tqdm=True, bf16=bf16, dataloader_pin_memory=False,
        )  # fmt: skip
        collator = DataCollatorForLanguageModeling(as_fast(word_tokeniser(), LENGTH), mlm_probability=0.15)
        self.trainer = Trainer(model, arguments, train_dataset=rows, data_collator=collator)
        for callback in (PrinterCallback, ProgressCallback):
            self.trainer.remove_callback(callback)

    def __call__(self) -> None:
        self.trainer.train()


class PlainLoop:
    """A loop with what makes small recipes fast on one device (Geiping and Goldstein 2023, "Cramming"): packed rows,
    bfloat16 by autocast, one fused attention, logits at hidden places only, fused AdamW; on transformers' BERT."""

    def __init__(self, settings: Recipe, ids: np.ndarray) -> None:
        torch.manual_seed(0)
        config = build_config(settings.model, ENTRIES, LENGTH)
        self.model = AutoModelForMaskedLM.from_config(config, attn_implementation="sdpa").train()
        self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=settings.training.learning_rate, fused=True)
        self.rows = torch.from_numpy(ids[: len(ids) // LENGTH * LENGTH].reshape(-1, LENGTH).astype(np.int64))
        self.draw = torch.Generator().manual_seed(0)
        self.losses: list[float] = []

    def __call__(self, steps: int) -> None:
        for _ in range(steps):
            rows = self.rows[torch.randint(len(self.rows), (ROWS,), generator=self.draw)]
            hidden = torch.rand(rows.shape, generator=self.draw) < 0.15
            kind = torch.rand(rows.shape, generator=self.draw)
            inputs = torch.where(hidden & (kind < 0.8), SPECIALS.index("[MASK]"), rows)
            other = torch.randint(len(SPECIALS), ENTRIES, rows.shape, generator=self.draw)
            inputs = torch.where(hidden & (kind > 0.9), other, inputs)
            self.optimiser.zero_grad(set_to_none=True)
            with torch.autocast("cpu", torch.bfloat16):
                states = self.model.bert(input_ids=inputs).last_hidden_state[hidden]
                logits = self.model.cls(states)
            loss = torch.nn.functional.cross_entropy(logits.float(), rows[hidden])
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimiser.step()
            self.losses.append(loss.item())


class Products:
    """Only the matrix products of a step, forward and backward, in bfloat16."""

    def __init__(self, settings: Recipe) -> None:
        size, tokens = settings.model, ROWS * LENGTH
        asked = round(0.15 * tokens)
        width, inner, heads = size.width, size.feedforward, size.heads
        layer = [((tokens, width), (width, width))] * 4
        layer += [((tokens, width), (width, inner)), ((tokens, inner), (inner, width))]
        layer += [((ROWS * heads, LENGTH, width // heads), (ROWS * heads, width // heads, LENGTH))]
        layer += [((ROWS * heads, LENGTH, LENGTH), (ROWS * heads, LENGTH, width // heads))]
        head = [((asked, width), (width, width)), ((asked, width), (width, ENTRIES))]
        self.pairs = [
            (torch.randn(left, dtype=torch.bfloat16), torch.randn(right, dtype=torch.bfloat16))
            for left, right in [*layer * size.layers, *head]
        ]

    def __call__(self, steps: int) -> None:
        with torch.inference_mode():
            for _ in range(steps):
                for left, right in self.pairs:
                    made = left @ right
                    made @ right.transpose(-1, -2)
                    left.transpose(-1, -2) @ made


def compare_plain(ids: np.ndarray, steps: int, repeats: int, threads: int) -> None:
    """Rows beside a plain loop and beside the products alone; losses of both loops stand in the row."""
    settings = recipe("bf16", "auto").changed(training={"kernels": "fast"})
    ours, plain, products = Ours(settings, ids), PlainLoop(settings, ids), Products(settings)
    works = {"ours": ours, "plain": plain, "products": products}
    spent: dict[str, list[float]] = {name: [] for name in works}
    for work in works.values():
        work(1)
    for _ in range(repeats):
        for name, work in works.items():
            start = time.process_time()
            work(steps)
            spent[name].append(time.process_time() - start)
    mine, theirs, least = (statistics.median(times) for times in spent.values())
    work = f"{steps} steps of {ROWS} x {LENGTH} tokens, bf16, {threads} threads; processor time"
    curve = f"last losses {ours.losses[-1]:.2f} and {plain.losses[-1]:.2f}"
    report_row(work, f"a plain loop in the way of Cramming ({curve})", mine, theirs, None, repeats)
    report_row(work, "its own matrix products, forward and backward", mine, least, round(1 / 1.6, 3), repeats)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=("trainer", "plain"), nargs="+", default=["trainer", "plain"])
    parser.add_argument("--threads", type=int, default=int(os.environ.get("OMP_NUM_THREADS", "1")))
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    logging.set_verbosity_error()
    steps, repeats = (4, 1) if options.quick else (10, 3)
    ids = zipf_ids(LENGTH * 2_000)
    if "plain" in options.only:
        compare_plain(ids, steps, repeats, options.threads)
    if "trainer" not in options.only:
        return
    with tempfile.TemporaryDirectory() as folder:
        for precision, bf16, target in (("fp32", False, None), ("bf16", False, 2.5), ("bf16", True, None)):
            if options.quick and target is None:
                continue
            ours = Ours(recipe(precision, "auto"), ids)
            peer = Peer(recipe(precision, "auto"), ids, steps, folder, bf16)
            ours(1)
            mine, theirs = interleave(lambda ours=ours: ours(steps), peer, repeats)
            name = f"{steps} steps of {ROWS} x {LENGTH} tokens, {precision}, {options.threads} threads"
            report_row(name, f"transformers Trainer, {'bf16' if bf16 else 'fp32'}", mine, theirs, target, repeats)


if __name__ == "__main__":
    main()
