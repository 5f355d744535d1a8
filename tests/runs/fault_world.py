"""A small world for faults: data files, a model, cached states, tables and a report, and what children do to it.

Cells: a model is made, texts are read through it into the cache of states and a table, the table is added up.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pandas as pd
import torch
import transformers
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from transformers.utils.logging import disable_progress_bar

from isogloss.encoders import Encoder
from isogloss.files import whole_file
from isogloss.runs import Bench, Cell, Inline, Outcome, Plan, Store
from isogloss.studies.result import Figure, Finding, Provenance, Result, Table, by_name
from isogloss.studies.saved import save_result
from isogloss.studies.shared.models import open_model
from isogloss.transfer.data import Data, find_data

WORDS = ["[UNK]", "[PAD]", "[MASK]", *(f"w{number}" for number in range(40))]
FILE = "norms.parquet"
disable_progress_bar()  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class Number:
    value: float
    n: int


@dataclass(frozen=True)
class Make(Cell[Number]):
    """A random model with its tokeniser."""

    name: ClassVar[str] = "fault-make"
    record: ClassVar[type] = Number
    seed: int = 0

    def run(self, bench: Bench) -> Number:
        with torch.random.fork_rng():
            torch.manual_seed(self.seed)
            sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
            transformers.BertModel(transformers.BertConfig(vocab_size=len(WORDS), **sizes)).save_pretrained(
                bench.workspace
            )
        plain = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
        plain.pre_tokenizer = Whitespace()
        transformers.PreTrainedTokenizerFast(
            tokenizer_object=plain, unk_token="[UNK]", pad_token="[PAD]", mask_token="[MASK]"
        ).save_pretrained(bench.workspace)
        return Number(float(self.seed), len(WORDS))


@dataclass(frozen=True)
class Measure(Cell[Number]):
    """Norms of the states of all texts, by language and layer, through the cache of states."""

    name: ClassVar[str] = "fault-measure"
    record: ClassVar[type] = Number
    model: Make = field(default_factory=Make)
    texts: tuple[Data, ...] = ()

    def run(self, bench: Bench) -> Number:
        encoder = Encoder(str(bench.folder(self.model)), dtype="float32", device="cpu")
        rows = []
        for data in self.texts:
            states = encoder.cached([sentence.text for sentence in data.read()])
            rows += [
                {"language": data.language, "layer": layer, "norm": float((states.layer(layer) ** 2).sum())}
                for layer in states.numbers
            ]
        with whole_file(bench.workspace / FILE) as part:
            pd.DataFrame(rows).to_parquet(part, index=False)
        return Number(sum(row["norm"] for row in rows), len(rows))


@dataclass(frozen=True)
class Weigh(Cell[Number]):
    """What the weights of a model folder add up to."""

    name: ClassVar[str] = "fault-weigh"
    record: ClassVar[type] = Number
    model: Any = None

    def run(self, bench: Bench) -> Number:
        weights = [parameter.detach() for parameter in open_model(self.model, bench).model.parameters()]
        return Number(float(sum(one.double().square().sum() for one in weights)), len(weights))


@dataclass(frozen=True)
class Answer(Cell[Number]):
    """What the tables add up to."""

    name: ClassVar[str] = "fault-answer"
    record: ClassVar[type] = Number
    parts: tuple[Measure, ...] = ()

    def run(self, bench: Bench) -> Number:
        frames = [pd.read_parquet(bench.folder(part) / FILE) for part in self.parts]
        return Number(float(pd.concat(frames)["norm"].sum()), sum(bench.result(part).n for part in self.parts))


def write_texts(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for code in ("de", "en"):
        chance = Random(code)
        lines = (" ".join(chance.choices(WORDS[3:], k=6)) for _ in range(12))
        (folder / f"{code}.txt").write_text("".join(f"{line}\n" for line in lines))


def plan(texts: Path) -> list[Cell[Any]]:
    """Planned anew, as a command would: from what the files hold now."""
    data = tuple(find_data(str(texts), "text", code, "") for code in ("de", "en"))
    return [Answer((Measure(Make(0), data), Measure(Make(1), data[:1])))]


def compute(home: Path, texts: Path, cells: list[Cell[Any]] | None = None) -> Outcome:
    """Run the plan in this process, with store and cache below ``home``."""
    os.environ["ISOGLOSS_HOME"] = str(home)
    return Inline().run("faults", cells or plan(texts), Store(home / "store"))


def numbers(home: Path, texts: Path) -> list[Any]:
    """Every record, and the digest of every file that the cells left."""
    store = Store(home / "store")
    found = []
    for cell in Plan(plan(texts)).cells.values():
        store.check(cell)
        envelope = store._envelope(cell)
        assert envelope is not None
        found.append((store.get(cell), envelope.files))
    return found


def make_report(home: Path, texts: Path, folder: Path) -> Path:
    """A report folder of the run's numbers."""
    store = Store(home / "store")
    (answer,) = plan(texts)
    records = [(cell.name, store.get(cell)) for cell in Plan([answer]).cells.values()]
    frame = pd.DataFrame([{"cell": name, "value": record.value, "n": record.n} for name, record in records if record])
    result = Result(
        study="faults",
        question="Does it hold?",
        findings=(Finding("It holds.", effect=float(frame["value"].iloc[-1]), low=0.0, high=1e9, n=2, unit="norm"),),
        tables=by_name(Table("cells", "Cells", "All of them.", frame, index=("cell",))),
        figures=by_name(
            Figure("cells", "Cells", "profile", frame.assign(layer=range(len(frame))), reading="Up.", alt="A line.")
        ),
        main_figure="cells",
        provenance=Provenance.gather(models=("m",), data=("d",), revisions={}, seeds=(0,), seconds=1.0, command="c"),
        records=frame,
    )
    return save_result(result, folder)


def child_computes(home: str, texts: str) -> None:
    compute(Path(home), Path(texts))


def child_computes_with_little_memory(home: str, texts: str, spare: str) -> None:
    """As above, but with room for only so many bytes more than the process has."""
    import resource

    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + int(spare), used + int(spare)))
    compute(Path(home), Path(texts))


def child_reports(home: str, texts: str, folder: str) -> None:
    for _ in range(20):
        make_report(Path(home), Path(texts), Path(folder))


def child_pretrains(recipe: str, out: str) -> None:
    torch.set_num_threads(1)
    from isogloss.pretrain import Recipe, pretrain

    pretrain(Recipe.load(Path(recipe)), pretraining_texts(), Path(out))


def pretraining_texts() -> dict[str, list[str]]:
    chance = Random(0)
    return {code: [" ".join(chance.choices(WORDS[3:], k=6)) for _ in range(120)] for code in ("qaa", "qab")}


def child_downloads(url: str, path: str) -> None:
    from isogloss.corpora.download import download

    download(url, Path(path))
