"""One worker against two: the same shards of text, read by a random BERT into moments, in one run and in turn.

python benchmarks/workers.py            12 shards of 4,000 sentences, 4 layers of 256, two rounds
python benchmarks/workers.py --quick    fewer and smaller

Prints seconds with one and with two workers, and the efficiency: half of their ratio.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path
from statistics import median

from inspection import save_model
from isogloss.corpora.lab import Lab, preset
from isogloss.corpora.records import ParallelText
from isogloss.corpora.shards import cut_text
from isogloss.runs import Local, Store
from isogloss.studies.shared.models import name_model
from isogloss.studies.shared.shard_moments import ShardMoments


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    sentences, layers, width, rounds = (60, 2, 64, 1) if quick else (4000, 4, 256, 2)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ISOGLOSS_HOME"] = str(Path(folder) / "home")
        cells = make_cells(Path(folder), sentences, layers, width)
        pairs = [tuple(read(cells, Path(folder) / f"store-{turn}-{n}", n) for n in (1, 2)) for turn in range(rounds)]
        for one, two in pairs:
            print(f"{len(cells)} shards: 1 worker {one:.1f} s, 2 workers {two:.1f} s, efficiency {one / two / 2:.2f}")
        print(f"median efficiency {median(one / two / 2 for one, two in pairs):.2f}, load {os.getloadavg()[0]:.1f}")


def make_cells(folder: Path, sentences: int, layers: int, width: int) -> list[ShardMoments]:
    lab = Lab(preset("families"))
    texts = {code: tuple(lab.text(code, 6 * sentences)) for code in ("qaa", "qab")}
    save_model(folder / "model", ParallelText(texts, "lab", ""), layers, width)
    (folder / "text").mkdir()
    for code, lines in texts.items():
        (folder / "text" / f"{code}.txt").write_text("\n".join(lines) + "\n")
    model = name_model(str(folder / "model"))
    shards = cut_text(str(folder / "text"), None, sentences, 10**6)
    return [ShardMoments(model, shard, device="cpu", dtype="float32") for parts in shards.values() for shard in parts]


def read(cells: list[ShardMoments], root: Path, workers: int) -> float:
    """Seconds for all cells; workers that start are part of it, as in any run."""
    began = time.perf_counter()
    outcome = Local(workers).run("workers", cells, Store(root))
    if outcome.failures:
        raise RuntimeError(str(outcome.failures))
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
