"""The Tab key offers presets, languages and data sets by name."""

import os
import subprocess
import sys

import pytest

from isogloss.cli.completion import LABS
from isogloss.corpora.lab.presets import PRESETS


def offered(line: str) -> list[str]:
    """What bash is offered at the end of ``line``."""
    words = line.split(" ")
    given = {"_ISOGLOSS_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    code = "import sys; sys.argv = ['isogloss']; from isogloss.cli import main; main()"
    environment = {**os.environ, **given}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    return ran.stdout.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("isogloss insp", {"inspect"}),
        ("isogloss ablate --preset ", {"lab", "mini", "paper"}),
        ("isogloss transfer --preset muller21-", {"muller21-ner", "muller21-parsing", "muller21-pos"}),
        ("isogloss inspect m --langs en,d", {"en,da", "en,de"}),
        ("isogloss data get ud", {"ud", "ud-pud", "ud-ewt"}),
    ],
)
def test_tab_completes(line: str, expected: set[str]):
    assert expected <= set(offered(line))


def test_the_labs_that_are_offered_are_those_there_are():
    assert set(LABS) == set(PRESETS)
