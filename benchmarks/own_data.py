"""What `choose` and `audit` cost beside the forward pass that they need, and beside a script for the same question.

python benchmarks/own_data.py            5 languages x 1,000 sentences (NTREX or the lab), a 6 x 384 BERT
python benchmarks/own_data.py --quick    40 sentences, 2 layers x 128

One thread, processor time, in turns; every repeat has a new store and an empty cache of states. The script is
sentence-transformers and numpy: the last layer alone, and retrieval between all pairs of languages.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

import isogloss
from encode import sentence_transformer
from inspection import TEXTS, clean_states, save_model
from isogloss.corpora import load_parallel
from isogloss.corpora.records import ParallelText
from isogloss.places import data_folder
from isogloss.runs import Inline, Store
from isogloss.studies import audit, choose
from measure import report_row

MOST = 1.3  # times the forward pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    data = "ntrex" if data_folder() and not quick else "lab"
    with tempfile.TemporaryDirectory() as folder:
        compare(data, Path(folder), *((2, 128, 40, 1) if quick else (6, 384, 1000, 3)))


def compare(data: str, folder: Path, layers: int, width: int, sentences: int, repeats: int) -> None:
    os.environ["ISOGLOSS_HOME"] = str(folder / "home")
    text = load_parallel(data, TEXTS[data], sentences)
    model = folder / "model"
    save_model(model, text, layers, width)
    encoder, pipeline = isogloss.Encoder(str(model), device="cpu"), sentence_transformer(str(model))
    count = iter(range(1000))

    def study(kind: Any) -> Callable[[], object]:
        config = kind.Config(models=(str(model),), data=data, languages=TEXTS[data], limit=sentences)
        return lambda: kind.run(config, engine=Inline(), store=Store(folder / f"store{next(count)}"))

    runs: dict[str, Callable[[], object]] = {
        "forward": lambda: [encoder.encode(list(rows)) for rows in text.texts.values()],
        "script": lambda: by_script(pipeline, text),
        "choose": study(choose),
        "audit": study(audit),
    }
    spent: dict[str, list[float]] = {name: [] for name in runs}
    encoder.encode(list(text.texts[TEXTS[data][0]][:8]))
    for _ in range(repeats):
        for name, run in runs.items():
            clean_states(folder / "home")
            start = time.process_time()
            run()
            spent[name].append(time.process_time() - start)
    middle = {name: statistics.median(times) for name, times in spent.items()}
    size = f"{len(text.languages)} languages x {len(text):,} sentences ({data}), {layers} layers x {width}"
    for name in ("choose", "audit"):
        work = f"{name}, {size}; s of one thread"
        report_row(work, "the forward pass of all layers", middle[name], middle["forward"], round(1 / MOST, 2), repeats)
        report_row(work, "sentence-transformers and numpy, last layer", middle[name], middle["script"], None, repeats)


def by_script(pipeline: Any, text: ParallelText) -> dict[tuple[str, str], float]:
    """Precision at 1 between all pairs of languages, from the vectors of the last layer."""
    vectors = {code: pipeline.encode(list(rows), normalize_embeddings=True) for code, rows in text.texts.items()}
    right = np.arange(len(text))
    return {
        (one, other): float(((vectors[one] @ vectors[other].T).argmax(axis=1) == right).mean())
        for one, other in permutations(vectors, 2)
    }


if __name__ == "__main__":
    main()
