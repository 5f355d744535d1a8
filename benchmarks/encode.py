"""Hidden states of all layers of a 12-layer, 768-wide BERT with random weights, against what published scripts do.

python benchmarks/encode.py            about 4,000 sentences: NTREX in ISOGLOSS_DATA, or made-up text of natural lengths
python benchmarks/encode.py --quick    a few hundred

Times are seconds for 10,000 real (unpadded) subwords. Each repeat reads another quarter of the sentences; slow peers
read a sample of it.
"""

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

import isogloss
from isogloss.encoders.batching import cut_batches
from isogloss.places import data_folder
from measure import peak_megabytes, report_row, seconds

UNIT = 10_000  # subwords
WORK = "all 13 layers of a 12 x 768 BERT, mean-pooled; s for 10,000 subwords"
MOST_GROWTH = 200  # MB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=("speed", "memory"), nargs="+", default=["speed", "memory"])
    parser.add_argument("--peak", nargs=2, metavar=("FOLDER", "N"), help="print the peak memory of a stream, in MB")
    arguments = parser.parse_args()
    if arguments.peak:
        print(peak_memory(arguments.peak[0], int(arguments.peak[1])))
        return
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    texts = sentences()[: 120 if arguments.quick else 4000]
    repeats = 1 if arguments.quick else 4
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), texts)
        if "speed" in arguments.only:
            compare(folder, texts, 8 if arguments.quick else 100, repeats)
        if "memory" in arguments.only:
            compare_memory(folder, 12 if arguments.quick else 400)


def compare(folder: str, texts: list[str], sample: int, repeats: int) -> None:
    """Rows for each peer, all measured in turns."""
    encoder = isogloss.Encoder(folder, device="cpu")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    plain = transformers.AutoModel.from_pretrained(folder).eval()
    pipeline = sentence_transformer(folder)
    draw = random.Random(0)
    batch = best_batch_size(pipeline, draw.sample(texts, min(len(texts), 4 * sample)))
    size = {text: len(ids) for text, ids in zip(texts, tokenizer(texts)["input_ids"], strict=True)}
    encoder.encode(texts[:50])
    peers: dict[str, tuple[Callable[[list[str]], object], int, float]] = {
        "one sentence at a time, float32": (lambda some: one_by_one(plain, tokenizer, some), sample, 3.5),
        "batches padded to 128, float32": (lambda some: padded(plain, tokenizer, some), sample, 6.0),
        f"sentence-transformers, last layer only, batches of {batch} (its best)": (
            lambda some: pipeline.encode(some, batch_size=batch), 4 * sample, 1.8,
        ),
        f"its own matrix products, {str(encoder.dtype).removeprefix('torch.')}": (
            lambda some: matrix_products(encoder, some), len(texts), 1 / 1.5,
        ),
    }  # fmt: skip
    ours: list[float] = []
    theirs: dict[str, list[float]] = {name: [] for name in peers}
    for repeat in range(repeats):
        part = texts[repeat::repeats]
        ours.append(rate(encoder.encode, part, size))
        for name, (run, count, _) in peers.items():
            theirs[name].append(rate(run, draw.sample(part, min(count, len(part))), size))
    for name, (_, _, target) in peers.items():
        report_row(WORK, name, statistics.median(ours), statistics.median(theirs[name]), round(target, 3), repeats)


def rate(run: Callable[[list[str]], object], texts: list[str], size: dict[str, int]) -> float:
    """Seconds for 10,000 subwords."""
    return seconds(lambda: run(texts)) * UNIT / sum(size[text] for text in texts)


def one_by_one(model: Any, tokenizer: Any, texts: list[str]) -> np.ndarray:
    """What most published scripts do."""
    rows = []
    for text in texts:
        with torch.no_grad():
            output = model(**tokenizer(text, return_tensors="pt", truncation=True), output_hidden_states=True)
        rows.append(np.stack([state[0, 1:-1].mean(dim=0).numpy() for state in output.hidden_states]))
    return np.stack(rows)


def padded(model: Any, tokenizer: Any, texts: list[str], batch: int = 32) -> np.ndarray:
    """What the others do."""
    rows = []
    for start in range(0, len(texts), batch):
        some = texts[start : start + batch]
        inputs = tokenizer(some, return_tensors="pt", padding="max_length", max_length=128, truncation=True)
        with torch.no_grad():
            output = model(**inputs, output_hidden_states=True)
        mask = inputs["attention_mask"][:, :, None]
        rows.append(torch.stack([(state * mask).sum(1) / mask.sum(1) for state in output.hidden_states], 1).numpy())
    return np.concatenate(rows)


def sentence_transformer(folder: str) -> Any:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    reader = Transformer(folder)
    return SentenceTransformer(modules=[reader, Pooling(reader.get_embedding_dimension())], device="cpu")


def best_batch_size(pipeline: Any, texts: list[str]) -> int:
    spent = {size: seconds(lambda size=size: pipeline.encode(texts, batch_size=size)) for size in (8, 16, 32, 64)}
    return min(spent, key=spent.__getitem__)


def matrix_products(encoder: isogloss.Encoder, texts: list[str]) -> None:
    """Only the products of the forward pass, over the same batches and with the same weights."""
    from isogloss.encoders.windows import lay_out

    window = lay_out(texts, 0, "sentence", "mean", encoder._tokeniser, encoder.max_tokens - 2)
    heads = encoder.model.config.num_attention_heads
    with torch.inference_mode():
        for batch in cut_batches(window.pieces, encoder._reader.budget):
            time = max(len(piece.ids) for piece in batch)
            states = torch.randn(len(batch) * time, encoder.width, dtype=encoder.dtype)
            inner = torch.randn(len(batch) * time, encoder.model.config.intermediate_size, dtype=encoder.dtype)
            split = states.view(len(batch), time, heads, -1).transpose(1, 2)
            for layer in encoder.model.encoder.layer:
                attention = layer.attention
                for part in (attention.self.query, attention.self.key, attention.self.value, attention.output.dense):
                    part(states)
                (split @ split.transpose(2, 3)) @ split
                layer.intermediate.dense(states)
                layer.output.dense(inner)


def compare_memory(folder: str, count: int) -> None:
    """A row for the peak memory of a stream over ten times the text, each in a process of its own."""
    peaks = []
    for number in (count, 10 * count):
        command = [sys.executable, __file__, "--peak", folder, str(number)]
        peaks.append(float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1]))
    growth = max(1.0, peaks[1] - peaks[0])
    work = f"growth of the peak memory, MB (not s), from {count:,} to {10 * count:,} different sentences"
    report_row(work, f"{MOST_GROWTH} MB allowed", growth, MOST_GROWTH, 1.0, 1)


def peak_memory(folder: str, count: int) -> float:
    """Of a stream over ``count`` different sentences; all are in memory from the start, whatever is read."""
    texts = sentences()
    for block in isogloss.Encoder(folder, device="cpu").stream(texts[:count]):
        assert len(block)
    return peak_megabytes()


def build(folder: Path, texts: list[str]) -> None:
    """A BERT of the base size with random weights, and a vocabulary made of the texts."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    backend = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=20_000, special_tokens=special, show_progress=False)
    backend.train_from_iterator(texts, trainer)
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        mask_token="[MASK]", model_max_length=512,
    )  # fmt: skip
    torch.manual_seed(0)
    model = transformers.BertModel(transformers.BertConfig(vocab_size=len(tokenizer)))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def sentences() -> list[str]:
    """English and German NTREX if it is at hand, shuffled; or made-up text of natural lengths."""
    folder = data_folder()
    files = [] if folder is None else [folder / "ntrex" / f"{code}.txt" for code in ("eng", "deu")]
    draw = random.Random(0)
    if files and all(file.exists() for file in files):
        lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        return draw.sample(lines, len(lines))
    syllables = [first + second for first in "bdfgklmnprst" for second in "aeiou"]
    words = ["".join(draw.choices(syllables, k=draw.choice((1, 1, 2, 2, 3)))) for _ in range(8000)]
    weights = [1 / (rank + 5) for rank in range(len(words))]  # Zipf
    lengths = [min(90, max(2, round(draw.lognormvariate(3.05, 0.5)))) for _ in range(4000)]
    return [" ".join(draw.choices(words, weights, k=length)) for length in lengths]


if __name__ == "__main__":
    main()
