"""`inspect` against a script that reads sentence by sentence and compares pair by pair in Python, as MEXA's does.

python benchmarks/inspection.py              5 languages x 200 sentences, a 12-layer, 768-wide BERT with random weights
python benchmarks/inspection.py --only lab   short sentences only; NTREX's, which are long, need ISOGLOSS_DATA
python benchmarks/inspection.py --quick      a smaller model and fewer sentences

The peer computes only one of inspect's measures, MEXA's score, with scipy's cosine of two vectors at a time as MEXA's
authors do: for every pair of languages, as inspect does for all its measures, and in another row against a pivot only.
"""

import argparse
import os
import tempfile
from itertools import combinations
from pathlib import Path

import numpy as np
import torch
from scipy.spatial.distance import cosine
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel, PreTrainedTokenizerFast

from isogloss.corpora import load_parallel
from isogloss.corpora.records import ParallelText
from isogloss.places import data_folder
from isogloss.runs import Inline, Store
from isogloss.studies import inspect
from measure import interleave, report_row, seconds

TEXTS = {"lab": ("qaa", "qab", "qac", "qad", "qae"), "ntrex": ("en", "de", "ru", "sw", "zh")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=TEXTS, nargs="+", help="the lab's text, or NTREX where it is found")
    arguments = parser.parse_args()
    for data in arguments.only or (TEXTS if data_folder() and not arguments.quick else ["lab"]):
        with tempfile.TemporaryDirectory() as folder:
            compare(data, Path(folder), arguments.quick)


def compare(data: str, folder: Path, quick: bool) -> None:
    layers, width, sentences, repeats = (3, 64, 40, 1) if quick else (12, 768, 200, 3)
    os.environ["ISOGLOSS_HOME"] = str(folder / "home")
    text = load_parallel(data, TEXTS[data], sentences)
    save_model(folder / "model", text, layers, width)
    count = iter(range(1000))

    def ours() -> None:
        store = Store(folder / f"store{next(count)}")
        clean_states(folder / "home")
        config = inspect.Config(models=(str(folder / "model"),), data=data, languages=TEXTS[data], limit=sentences)
        inspect.run(config, engine=Inline(), store=store)

    pairs = list(combinations(text.languages, 2))
    pivot = [pair for pair in pairs if text.languages[0] in pair]
    ours_s, peer_s = interleave(ours, lambda: one_by_one(folder / "model", text, pairs), repeats)
    pivot_s = seconds(lambda: one_by_one(folder / "model", text, pivot))
    words = sum(len(row.split()) for row in text.texts[text.languages[0]]) / len(text)
    work = (
        f"inspect, {len(text.languages)} languages x {len(text)} sentences ({data}, {words:.0f} words), "
        f"{layers} layers x {width}: every measure"
    )
    peer = "sentence by sentence, pair by pair: MEXA"
    report_row(work, f"{peer} of every pair", ours_s, peer_s, None if quick else 5.0, repeats)
    report_row(work, f"{peer} against one pivot", ours_s, pivot_s, None, 1)


def save_model(folder: Path, text: ParallelText, layers: int, width: int) -> None:
    """A random BERT with a WordPiece vocabulary of the text."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    backend = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=8000, special_tokens=list(special.values()), show_progress=False)
    backend.train_from_iterator([row for rows in text.texts.values() for row in rows], trainer)
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=512, **special)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=width, num_hidden_layers=layers, num_attention_heads=max(1, width // 64),
        intermediate_size=4 * width,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def clean_states(home: Path) -> None:
    """No cached state may help a repeat."""
    import shutil

    shutil.rmtree(home / "states", ignore_errors=True)


def one_by_one(folder: Path, text: ParallelText, pairs: list[tuple[str, str]]) -> dict[tuple[str, str], list[float]]:
    """MEXA's score for every layer and these pairs, step by step as its authors' script computes it."""
    model, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    states: dict[str, list[list[np.ndarray]]] = {}
    for language, rows in text.texts.items():
        states[language] = []
        for row in rows:
            inputs = tokenizer(row, return_tensors="pt", truncation=True, max_length=512)
            with torch.no_grad():
                hidden = model(**inputs, output_hidden_states=True).hidden_states
            layers = len(hidden)
            states[language].append([layer[0].mean(dim=0).numpy() for layer in hidden])
    return {
        pair: [mexa(*([rows[layer] for rows in states[code]] for code in pair)) for layer in range(layers)]
        for pair in pairs
    }


def mexa(pivot: list[np.ndarray], other: list[np.ndarray]) -> float:
    """The share of sentences that are each other's nearest, from one cosine at a time."""
    matrix = np.zeros((len(pivot), len(other)))
    for i, x in enumerate(pivot):
        for j, y in enumerate(other):
            matrix[i, j] = 1 - cosine(x.astype(np.float64), y.astype(np.float64))
    hits = 0
    for i in range(len(matrix)):
        row, column = np.delete(matrix[i], i), np.delete(matrix[:, i], i)
        hits += matrix[i, i] > max(row) and matrix[i, i] > max(column)
    return hits / len(matrix)


if __name__ == "__main__":
    main()
