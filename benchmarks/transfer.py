"""Fine-tuning and evaluation beside what people run: ``python benchmarks/transfer.py [--quick] [--threads 2]``.

POS fine-tuning of a 12-layer, 768-wide BERT with random weights, one pass over sentences as long as English-EWT's (EWT
itself where ISOGLOSS_DATA has it). Every side opens the model, tokenises, trains and steps AdamW; time is for the whole
of it, so the ratio of times is that of real tokens/s. Speed must not cost quality: a small encoder is trained by both
sides over three seeds, and its row tells the accuracies of each.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    AutoModelForTokenClassification,
    AutoTokenizer,
    BertConfig,
    BertModel,
    DataCollatorForTokenClassification,
    PreTrainedTokenizerFast,
    TrainingArguments,
)
from transformers import Trainer as TheirTrainer
from transformers.utils import logging

from isogloss.corpora import TaggedSentence, load_trees
from isogloss.corpora.lab import Lab, preset
from isogloss.errors import IsoglossError
from isogloss.tasks import LabelTally, decode_trees
from isogloss.transfer import Settings, Trainer
from isogloss.transfer.fitted import Fitted
from measure import interleave, report_row

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
THEIR_DEFAULTS = {"batch": 8, "warmup": 0.0, "weight_decay": 0.0}  # of transformers' Trainer, as are clip and schedule
IGNORED = -100


def sentences(count: int) -> tuple[list[TaggedSentence], str]:
    """Tagged sentences of natural lengths: EWT's, or lab sentences joined to lengths like EWT's (mean 16 words)."""
    try:
        trees = load_trees("ud-ewt", part="train", limit=20 * count).read()
        chosen = [trees[place] for place in np.random.default_rng(0).permutation(len(trees))[:count]]
        return [TaggedSentence(tree.words, tree.upos, "en") for tree in chosen], "EWT"
    except IsoglossError:
        pass
    lab = Lab(preset("families"))
    words = [pair for tree in lab.trees("qaa", 8 * count) for pair in zip(tree.words, tree.upos, strict=True)]
    lengths = np.clip(np.random.default_rng(0).lognormal(2.5, 0.8, count), 1, 90).astype(int)
    starts = np.cumsum(lengths) - lengths
    cut = [words[start : start + length] for start, length in zip(starts, lengths, strict=True)]
    return [TaggedSentence(*zip(*pairs, strict=True), "qaa") for pairs in cut if pairs], "lab, EWT's lengths"


def make_model(records: Sequence[TaggedSentence], folder: Path, layers: int, width: int) -> str:
    backend = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=False)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=30_000, special_tokens=SPECIAL, show_progress=False)
    backend.train_from_iterator((" ".join(record.words) for record in records), trainer)
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), SPECIAL, strict=True))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=512, **names)
    torch.manual_seed(0)
    config = BertConfig(vocab_size=len(tokenizer), hidden_size=width, num_hidden_layers=layers, pad_token_id=0,
                        num_attention_heads=width // 64, intermediate_size=4 * width)  # fmt: skip
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def ours(folder: str, records: Sequence[TaggedSentence], **settings: Any) -> Fitted:
    chosen = Settings(**{"epochs": 1, "batch": 32, "encoder_rate": 5e-5, "keep": "last", **settings})
    return Trainer(folder, "pos", "plain", chosen).fit(records, records[:1])


def encode(
    folder: str, records: Sequence[TaggedSentence], pad_to: int | None
) -> tuple[Any, list[dict[str, Any]], list[str]]:
    """Features as XTREME's and the Trainer's examples make them: the label on the first subword of each word."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    names = sorted({tag for record in records for tag in record.tags})
    rows = []
    for record in records:
        more = {"padding": "max_length", "max_length": pad_to} if pad_to else {}
        row = tokenizer(list(record.words), is_split_into_words=True, truncation=True, **more)
        seen: set[int] = set()
        labels = []
        for word in row.word_ids():
            labels.append(IGNORED if word is None or word in seen else names.index(record.tags[word]))
            seen |= {word} - {None}
        rows.append({**row, "labels": labels})
    return tokenizer, rows, names


def padded(folder: str, records: Sequence[TaggedSentence]) -> None:
    """XTREME's way: every sentence padded to 128, batches of 8 accumulated 4 times, float32."""
    _, rows, names = encode(folder, records, pad_to=128)
    model = AutoModelForTokenClassification.from_pretrained(folder, num_labels=len(names)).train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=5e-5)
    for start in range(0, len(rows), 8):
        batch = rows[start : start + 8]
        keys = ("input_ids", "attention_mask", "labels")
        inputs = {key: torch.tensor([row[key] for row in batch]) for key in keys}
        (model(**inputs).loss / 4).backward()
        if (start // 8) % 4 == 3 or start + 8 >= len(rows):
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            optimiser.zero_grad()


def theirs(folder: str, records: Sequence[TaggedSentence], **arguments: Any) -> tuple[Any, Any, list[str]]:
    """transformers' Trainer with dynamic padding at its defaults."""
    tokenizer, rows, names = encode(folder, records, pad_to=None)
    model = AutoModelForTokenClassification.from_pretrained(folder, num_labels=len(names))
    with tempfile.TemporaryDirectory() as out:
        chosen = TrainingArguments(**{
            "output_dir": out, "num_train_epochs": 1, "report_to": [], "save_strategy": "no", "disable_tqdm": True,
            "logging_strategy": "no", "use_cpu": True, **arguments,
        })  # fmt: skip
        collator = DataCollatorForTokenClassification(tokenizer)
        TheirTrainer(model=model, args=chosen, train_dataset=rows, data_collator=collator).train()
    return model, tokenizer, names


def compare_scores(records: list[TaggedSentence], held_out: list[TaggedSentence], seeds: int) -> None:
    """Seconds and accuracies of the same three epochs of a small encoder, each side over the same seeds."""
    times: dict[str, list[float]] = {"ours": [], "Trainer": []}
    scores: dict[str, list[float]] = {"ours": [], "Trainer": []}
    with tempfile.TemporaryDirectory() as folder:
        small = make_model(records, Path(folder), layers=4, width=128)
        for seed in range(seeds):
            begin = time.perf_counter()
            fitted = ours(small, records, epochs=3, encoder_rate=5e-4, seed=seed, **THEIR_DEFAULTS)
            middle = time.perf_counter()
            trained = theirs(small, records, num_train_epochs=3, learning_rate=5e-4, seed=seed)
            times["ours"].append(middle - begin)
            times["Trainer"].append(time.perf_counter() - middle)
            scores["ours"].append(100 * fitted.tally(held_out).score("accuracy"))
            scores["Trainer"].append(100 * _score(*trained, held_out))
    told = {side: ", ".join(f"{score:.1f}" for score in found) for side, found in scores.items()}
    report_row(
        f"POS fine-tuning, 4 x 128, {len(records)} sentences, 3 epochs: accuracy by seed {told['ours']}",
        f"transformers Trainer: accuracy by seed {told['Trainer']}",
        statistics.median(times["ours"]),
        statistics.median(times["Trainer"]),
        None,
        seeds,
    )


def _score(model: Any, tokenizer: Any, names: list[str], records: Sequence[TaggedSentence]) -> float:
    model.eval()
    predicted = []
    for record in records:
        row = tokenizer(list(record.words), is_split_into_words=True, truncation=True, return_tensors="pt")
        with torch.inference_mode():
            best = model(**row).logits[0].argmax(-1).tolist()
        words = row.word_ids()
        predicted.append([names[best[words.index(place)]] for place in range(len(record.words))])
    return LabelTally.count([record.tags for record in records], predicted).score("accuracy")


def frozen_evaluation(folder: str, records: list[TaggedSentence], repeats: int) -> tuple[float, float]:
    """Evaluate with the lower 9 of 12 layers frozen: their states kept from the first time, against computed again."""
    settings = Settings(encoder_rate=5e-5, epochs=1)
    fitted, _, held_out = Trainer(folder, "pos", "frozen:0-9", settings).prepare(records, records)
    plain, _, _ = Trainer(folder, "pos", "frozen:0-9", settings).prepare(records, records)
    plain.network.lower = plain.network.shortcut = None
    split, _ = fitted.lay_out(held_out)
    again, _ = plain.lay_out(held_out)
    fitted.answer(held_out, split)
    return interleave(lambda: fitted.answer(held_out, split), lambda: plain.answer(held_out, again), repeats)


def decoding(count: int) -> tuple[float, float]:
    """Seconds for ``count`` random score matrices of EWT's lengths (the worst case: hardly any is a tree at once)."""
    rng = np.random.default_rng(0)
    sizes = np.clip(rng.lognormal(2.5, 0.8, count), 1, 90).astype(int)
    order = np.sort(sizes)
    batches = [order[start : start + 64] for start in range(0, count, 64)]
    scores = [rng.normal(size=(len(b), b.max(), b.max() + 1)).astype(np.float32) for b in batches]

    def decode() -> None:
        for table, lengths in zip(scores, batches, strict=True):
            decode_trees(table, lengths.tolist())

    return interleave(decode, lambda: None, 3)[0], count / 5000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sentences, one repeat, no comparison of scores")
    parser.add_argument("--threads", type=int, default=0, help="of every side; 0 leaves torch's choice")
    arguments = parser.parse_args()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    count, repeats = (32, 1) if arguments.quick else (128, 3)
    found, nominal = decoding(2_000 if arguments.quick else 10_000)
    report_row("one-root trees of random scores, EWT's lengths", "5,000 sentences/s", found, nominal, 1.0, 3)
    if not arguments.quick:
        many, _ = sentences(700)
        compare_scores(many[:400], many[400:], seeds=3)
    records, data = sentences(count)
    with tempfile.TemporaryDirectory() as folder:
        model = make_model(records, Path(folder), layers=12, width=768)
        kept, computed = frozen_evaluation(model, records, repeats)
        report_row(
            "evaluation, 9 of 12 layers frozen, states kept", "the same, computed again", kept, computed, 3.0, repeats
        )
        work = f"POS fine-tuning, 12 x 768, {count} sentences ({data}), {threads()}"
        mine, trainer = interleave(
            lambda: ours(model, records, **THEIR_DEFAULTS), lambda: theirs(model, records), repeats
        )
        report_row(
            f"{work}, batches of 8", "transformers Trainer, dynamic padding, defaults", mine, trainer, 1.8, repeats
        )
        mine, xtreme = interleave(lambda: ours(model, records), lambda: padded(model, records), repeats)
        report_row(work, "padding to 128, batches of 8 x 4, float32 (XTREME)", mine, xtreme, 5.0, repeats)


def threads() -> str:
    number = torch.get_num_threads()
    return "one thread" if number == 1 else f"{number} threads"


if __name__ == "__main__":
    main()
