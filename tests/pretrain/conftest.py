"""Two small languages of disjoint words, and a recipe that trains on them in a second."""

import random
from pathlib import Path

import pytest
import torch

from isogloss.pretrain import Recipe

SYLLABLES = {"qaa": "bdgkl", "qab": "mnprs"}


def make_sentences(language: str, number: int, seed: int = 0) -> list[str]:
    """Random sentences over thirty words of a language's own syllables; '.' and '7' are in all languages."""
    chance = random.Random(f"{language} {seed}")
    syllables = [consonant + vowel for consonant in SYLLABLES[language] for vowel in "aeiou"]
    words = ["".join(random.Random(f"{language} {i}").choices(syllables, k=1 + i % 3)) for i in range(30)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    return [" ".join([*chance.choices(words, weights, k=chance.randint(4, 8)), "7", "."]) for _ in range(number)]


@pytest.fixture
def two_languages() -> dict[str, list[str]]:
    return {language: make_sentences(language, 300) for language in SYLLABLES}


@pytest.fixture
def tiny_recipe() -> Recipe:
    return Recipe().changed(
        vocabulary={"size": 70, "accept_fewer": True},
        data={"layout": "sentences", "length": 24, "draws": 2, "validation": 20},
        model={"layers": 2, "heads": 2, "width": 16, "feedforward": 32, "dropout": 0.1},
        training={
            "steps": 12, "batch_tokens": 256, "learning_rate": 3e-3, "warmup": 3, "schedule": "linear",
            "validate_every": 6, "save_every": 6, "log_every": 1, "threads": 1,
        },
    )  # fmt: skip


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "model"
