"""Constructed languages written in every format, against the promise, the conllu package and a sentence at a time.

python benchmarks/lab.py            100,000 sentences of text, trees, entities, inference and paraphrase pairs each
python benchmarks/lab.py --quick    the same once, not three times: the promise is about this size
"""

import argparse
import tempfile
from functools import partial
from itertools import count, islice
from pathlib import Path

import conllu

from isogloss.corpora.lab import Lab, Sizes, preset, write_lab
from isogloss.corpora.lab.chance import Stream
from isogloss.corpora.lab.habits import draw
from isogloss.corpora.lab.speech import say
from isogloss.corpora.write import conllu_block
from measure import interleave, report_row, seconds

PROMISE = 20.0  # seconds for 100,000 sentences


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    repeats = 1 if quick else 3
    measure_everything(100_000, repeats)
    measure_trees(10_000, repeats)
    measure_blocks(4_000, repeats)


def measure_everything(sentences: int, repeats: int) -> None:
    """The default lab with the usual sizes of everything but text, then two languages with everything at full size."""
    half = sentences // 2
    full = Sizes(text=half, trees=half, entities=half, nli=half, paraphrases=half)
    usual = Sizes.of_text(sentences // 6)
    for name, sizes, work in (
        ("families", usual, f"write {sentences:,} sentences of text in six languages, and all other formats"),
        ("twins", full, f"write {sentences:,} sentences each as text, CoNLL-U, BIO, NLI and paraphrase pairs"),
    ):
        times = sorted(seconds(partial(write_once, name, sizes)) for _ in range(repeats))
        report_row(work, "the promise", times[repeats // 2], PROMISE, target=1.0, n=repeats)


def write_once(name: str, sizes: Sizes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_lab(Lab(preset(name)), Path(folder), sizes)


def measure_trees(sentences: int, repeats: int) -> None:
    """Drawing, rendering and writing trees, against only writing them with the conllu package."""
    lab = Lab(preset("families"))
    parsed = conllu.parse("".join(map(conllu_block, lab.trees("qaa", sentences))))

    def ours() -> str:
        return "".join(map(conllu_block, lab.trees("qaa", sentences)))

    def peer() -> str:
        return "".join(sentence.serialize() for sentence in parsed)

    times = interleave(ours, peer, repeats)
    report_row(f"make {sentences:,} trees and their CoNLL-U", "conllu serialize alone", *times, target=1.0, n=repeats)


def measure_blocks(sentences: int, repeats: int) -> None:
    """The same text drawn and said in blocks, and a sentence at a time."""
    lab = Lab(preset("families"))
    language = lab.languages[0]

    def one_at_a_time() -> list[str]:
        streams = (Stream(0, "one", number) for number in count())
        made = (draw(lab.world, stream, 1) for stream in streams)
        return [say(meaning, language, meaning.passive * 0).texts()[0] for meaning in islice(made, sentences)]

    times = interleave(lambda: lab.text(language.code, sentences), one_at_a_time, repeats)
    report_row(f"{sentences:,} sentences of text", "a sentence at a time", *times, target=10.0, n=repeats)


if __name__ == "__main__":
    main()
