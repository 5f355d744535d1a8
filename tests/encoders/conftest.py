"""One saved model a family, built when first asked for."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from small_models import build


@dataclass(frozen=True)
class Saved:
    folder: Path
    model: Any
    tokenizer: Any


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Saved]:
    made: dict[str, Saved] = {}

    def get(family: str) -> Saved:
        if family not in made:
            folder = tmp_path_factory.mktemp(family)
            made[family] = Saved(folder, *build(family, folder))
        return made[family]

    return get
