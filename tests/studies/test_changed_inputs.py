"""Inputs that change after planning: the cell fails, nothing is stored, and the next run reads them as they are."""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
import transformers
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from isogloss.corpora import load_dictionary
from isogloss.corpora.parallel_sentences import find_sentences
from isogloss.digests import ChangedError, steady
from isogloss.encoders.model_folder import unchanged_model
from isogloss.encoders.opening import open_checkpoint
from isogloss.runs import Bench, Cell, Inline, Store, key_of
from isogloss.runs.cells import key_by_path
from isogloss.runs.envelope import Work
from isogloss.runs.resources import threads_of
from isogloss.runs.threads import cores
from isogloss.studies.align.cells.inputs import Lexicon, VectorFile, find_vectors
from isogloss.studies.shared.meeting import find_translations
from isogloss.studies.shared.models import Checkpoint, FolderCheckpoint, Untrained, name_model, open_model
from isogloss.studies.shared.pretraining import Words, sentences_of
from isogloss.transfer.data import find_data

WORDS = ["[UNK]", "[PAD]", "[MASK]", *(f"w{number}" for number in range(30))]


def change(path: Path) -> None:
    """Other words of the same length, and a time of change that says nothing."""
    found = path.stat()
    path.write_text(path.read_text().replace("haus", "maus"))
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


def write_text(folder: Path) -> None:
    for code in ("de", "en"):
        (folder / f"{code}.txt").write_text("".join(f"ein haus {number}\n" for number in range(30)))


def planned_text(folder: Path) -> Callable[[], object]:
    write_text(folder)
    return find_data(str(folder), "text", "de", "").read


def planned_stream(folder: Path) -> Callable[[], object]:
    write_text(folder)
    data = find_data(str(folder), "text", "de", "")
    return lambda: list(sentences_of(data)())  # type: ignore[operator]


def planned_sentences(folder: Path) -> Callable[[], object]:
    write_text(folder)
    found = find_sentences(str(folder), 30, "de", ["en"])
    assert found is not None
    return found.read


def planned_translations(folder: Path) -> Callable[[], object]:
    write_text(folder)
    return find_translations(str(folder), "", ("de", "en"), 30).read


def planned_words(folder: Path) -> Callable[[], object]:
    path = folder / "de-en.txt"
    path.write_text("haus house\nkind child\n")
    return Words(str(path), "de", "en", load_dictionary(str(path), "de", "en").revision).read


def planned_lexicon(folder: Path) -> Callable[[], object]:
    path = folder / "de-en.txt"
    path.write_text("haus house\nkind child\n")
    blank = Lexicon(str(path), "de", "en", False, 0.5)
    from isogloss.studies.align.cells.inputs import _hash_entries

    return Lexicon(str(path), "de", "en", False, 0.5, _hash_entries(blank.split())).split


def planned_vectors(folder: Path) -> Callable[[], object]:
    path = folder / "de.txt"
    path.write_text("1 2\nhaus 1 2\n")

    @dataclass
    class Config:
        vectors: dict[str, str] = field(default_factory=lambda: {"de": str(path)})

    found = find_vectors(Config(), "de")  # type: ignore[arg-type]
    assert isinstance(found, VectorFile)

    def read() -> None:
        with found.unchanged():
            path.read_text()

    return read


PLANNED = [
    planned_text,
    planned_stream,
    planned_sentences,
    planned_translations,
    planned_words,
    planned_lexicon,
    planned_vectors,
]


@pytest.mark.parametrize("planned", PLANNED, ids=lambda function: function.__name__)
def test_data_that_changed_after_planning_is_refused(planned: Callable[[Path], Any], tmp_path: Path):
    read = planned(tmp_path)
    read()
    files = [path for path in tmp_path.iterdir() if "haus" in path.read_text()]
    for path in files:
        change(path)
    with pytest.raises(ChangedError, match="changed after the run was planned"):
        read()


def test_a_file_that_was_swapped_while_it_was_read_and_swapped_back_is_refused(tmp_path: Path):
    path, kept = tmp_path / "a.txt", tmp_path / "kept.txt"
    path.write_text("one")
    with pytest.raises(ChangedError, match="changed while it was read"), steady([path]):
        path.rename(kept)
        path.write_text("two")
        path.unlink()
        kept.rename(path)


@pytest.fixture
def model_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    torch.manual_seed(0)
    sizes = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    transformers.BertModel(transformers.BertConfig(vocab_size=len(WORDS), **sizes)).save_pretrained(folder)
    plain = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    plain.pre_tokenizer = Whitespace()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=plain, unk_token="[UNK]", pad_token="[PAD]", mask_token="[MASK]"
    ).save_pretrained(folder)
    return folder


def flip_weights(folder: Path) -> None:
    path = folder / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def test_a_model_that_changed_after_planning_is_refused(model_folder: Path):
    model = name_model(str(model_folder))
    open_model(model, None)  # type: ignore[arg-type]
    flip_weights(model_folder)
    with pytest.raises(ChangedError, match="changed after the run was planned"):
        open_model(model, None)  # type: ignore[arg-type]


def test_weights_do_not_change_with_their_file_once_they_are_opened(model_folder: Path):
    opened = open_checkpoint(str(model_folder), None, torch.float32, allow_pickle=False, trust_remote_code=False)
    before = [parameter.clone() for parameter in opened.model.parameters()]
    path = model_folder / "model.safetensors"
    with path.open("r+b") as content:  # in place, as a copy tool may write
        content.seek(path.stat().st_size // 2)
        content.write(b"\x7f" * (path.stat().st_size // 2))
    assert all(torch.equal(old, new) for old, new in zip(before, opened.model.parameters(), strict=True))


@dataclass(frozen=True)
class Norm:
    value: float


@dataclass(frozen=True)
class Weigh(Cell[Norm]):
    name: ClassVar[str] = "test-weigh"
    record: ClassVar[type] = Norm
    model: Any = None

    def run(self, bench: Bench) -> Norm:
        encoder = open_model(self.model, bench)
        return Norm(float(sum(parameter.detach().square().sum() for parameter in encoder.model.parameters())))


def test_nothing_is_stored_for_a_model_that_changed_and_the_next_run_is_right(model_folder: Path, tmp_path: Path):
    store, kept = Store(tmp_path / "store"), tmp_path / "kept"
    shutil.copytree(model_folder, kept)
    cell = Weigh(name_model(str(model_folder)))
    flip_weights(model_folder)
    (failure,) = Inline().run("weigh", [cell], store).failures.values()
    assert "changed after the run was planned" in failure.message and failure.users_mistake
    assert not store.has(cell)
    shutil.rmtree(model_folder)
    shutil.copytree(kept, model_folder)
    assert Inline().run("weigh", [Weigh(name_model(str(model_folder)))], store).computed == 1


def test_moving_a_model_folder_recomputes_nothing(model_folder: Path, tmp_path: Path):
    store = Store(tmp_path / "store")
    cells = [Weigh(name_model(str(model_folder))), Weigh(Untrained(name_model(str(model_folder))))]
    assert Inline().run("weigh", cells, store).exit_code == 0
    moved = model_folder.rename(tmp_path / "elsewhere")
    again = [Weigh(name_model(str(moved))), Weigh(Untrained(name_model(str(moved))))]
    assert [key_of(cell) for cell in again] == [key_of(cell) for cell in cells]
    assert Inline().run("weigh", again, store).computed == 0


def test_results_of_a_model_that_older_releases_named_by_its_path_are_found(tmp_path: Path):
    """They lie under the key of a plain ``Checkpoint`` of the same path and content."""
    store = Store(tmp_path / "store")
    older, newer = Weigh(Checkpoint("/models/a", "abc")), Weigh(FolderCheckpoint("/models/a", "abc"))
    store.put(older, Norm(3.0), Work(1.0))
    assert key_of(newer) != key_of(older) == key_by_path(newer)
    assert store.get(newer) == Norm(3.0)
    assert store.get(Weigh(FolderCheckpoint("/models/b", "abc"))) is None
    store.check(newer)


def test_threads_are_a_matter_of_the_cell_alone(model_folder: Path):
    assert threads_of(Weigh(name_model(str(model_folder)))) == 1
    assert threads_of(Weigh(Checkpoint("xlm-roberta-base"))) == cores()
    assert threads_of(Weigh(Untrained(Checkpoint("xlm-roberta-base")))) == cores()


def test_a_model_of_the_hub_is_named_by_the_hubs_revision():
    with unchanged_model(Checkpoint("xlm-roberta-base", "main")):
        pass
