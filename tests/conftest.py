"""Every test has a home of its own, so that no test reads or writes the user's stores and caches."""

import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from isogloss.places import data_folder

if TYPE_CHECKING:
    from browser import Browser


@pytest.fixture(autouse=True)
def isogloss_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "isogloss-home"
    monkeypatch.setenv("ISOGLOSS_HOME", str(home))
    return home


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """A shell makes what it starts in the background deaf to Ctrl-C, and with it every process that a test starts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def real_data() -> Path:
    """The folder of real data sets; tests that ask for it are skipped where ISOGLOSS_DATA is not set."""
    folder = data_folder()
    if folder is None:
        pytest.skip("ISOGLOSS_DATA is not set")
    return folder


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Browser]":
    """One headless browser for all tests of pages; only they need selenium."""
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        pytest.skip("Chromium and its driver are not installed")
    from browser import Browser

    window = Browser(tmp_path_factory.mktemp("browser"))
    yield window
    window.close()


@pytest.fixture(scope="session")
def rotate_model() -> Callable[[Path, Path], Path]:
    """Saves a BERT anew with its hidden dimensions in another order: a rotation of every layer's space."""

    def rotate(folder: Path, out: Path) -> Path:
        import torch
        from transformers import AutoModel, AutoTokenizer

        model = AutoModel.from_pretrained(folder)
        order = torch.randperm(model.config.hidden_size, generator=torch.Generator().manual_seed(0))
        with torch.no_grad():
            for name, tensor in model.named_parameters():
                inner = any(part in name for part in ("query", "key", "value", "intermediate", "pooler"))
                if tensor.dim() == 2 and (inner or "embeddings" in name):
                    tensor.copy_(tensor[:, order])
                elif not inner:
                    tensor.copy_(tensor[order])
        model.save_pretrained(out)
        AutoTokenizer.from_pretrained(folder).save_pretrained(out)
        return out

    return rotate


WordPieces = Callable[[Sequence[str], int, Sequence[str]], dict[str, int]]


@pytest.fixture(scope="session")
def word_pieces() -> WordPieces:
    """A word-piece vocabulary that depends on the lines alone: WordPieceTrainer breaks ties at random, run by run."""

    def make(lines: Sequence[str], size: int, special: Sequence[str]) -> dict[str, int]:
        words = Counter(word for line in lines for word in line.split())
        letters = sorted({letter for word in words for letter in word})
        gains: Counter[str] = Counter()
        for word, count in words.items():
            for start in range(len(word)):
                for end in range(start + 2, len(word) + 1):
                    gains["##" * (start > 0) + word[start:end]] += count * (end - start - 1)
        best = sorted(gains, key=lambda piece: (-gains[piece], piece))
        pieces = [*special, *letters, *("##" + letter for letter in letters), *best]
        return {piece: entry for entry, piece in enumerate(pieces[:size])}

    return make
