"""Pretraining steps against transformers' Trainer with its masking collator: same model, data, batch and threads.

python benchmarks/pretrain.py            the promised size: 8 layers, 256 wide, 30,000 entries, 256 tokens
python benchmarks/pretrain.py --quick    fewer steps and repeats
"""

import argparse
import os
import tempfile
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoModelForMaskedLM, DataCollatorForLanguageModeling, Trainer, TrainingArguments
from transformers.trainer_callback import PrinterCallback, ProgressCallback
from transformers.utils import logging

from isogloss.pretrain import Recipe
from isogloss.pretrain.batches import Sampler
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
        self.sampler = Sampler(corpus, settings)
        self.optimiser = build_optimiser(self.run.paths, settings.training)
        self.step = 0

    def __call__(self, steps: int) -> None:
        parameters = [parameter for _, parameter in self.run.paths.named_parameters()]
        for _ in range(steps):
            self.step += 1
            self.optimiser.zero_grad(set_to_none=True)
            learn_from(self.run, draw_batches(self.run, self.sampler, self.step), self.step)
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--threads", type=int, default=int(os.environ.get("OMP_NUM_THREADS", "1")))
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    logging.set_verbosity_error()
    steps, repeats = (4, 1) if options.quick else (10, 3)
    ids = zipf_ids(LENGTH * 2_000)
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
