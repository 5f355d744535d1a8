"""The papers' presets of fine-tunings plan to their end in ``transfer``, with the settings that they name."""

from pathlib import Path

import pytest

from isogloss.studies.study import get_study
from isogloss.transfer import Tuned, parse_methods
from isogloss.transfer.presets_by_name import load_preset, preset_names

PAPERS = ("liang21", "tanti21", "muller21", "wu20", "xtreme")
DATA = {"nli": "mnli", "ner": "panx", "pos": "ud-ewt", "parsing": "ud-ewt"}
TEST_DATA = {"nli": ("xnli",), "ner": (), "pos": ("ud",), "parsing": ("ud",)}


@pytest.mark.parametrize("name", [name for name in preset_names() if name.startswith(PAPERS)])
def test_a_preset_plans_to_its_end(desk: Path, name: str) -> None:
    preset = load_preset(name)
    task = preset.task or ("nli" if name == "xtreme-pairs" else "pos")
    study = get_study("transfer")
    assert study.configure is not None
    config = study.configure(
        "bert-base-multilingual-cased", name, task=task, data=DATA[task], test_data=TEST_DATA[task], sources=("en",),
        targets=("en", "de"), methods=(preset.method,), texts="lid-wikipedia", text_languages=("en", "de"),
        on_error="skip",
    )  # fmt: skip
    (cell,) = study.prepare(config).cells
    if preset.draws:
        assert isinstance(cell, Tuned) and len(cell.candidates) == preset.draws
        return
    assert cell.settings == preset.settings and cell.task == task
    assert parse_methods(cell.method) == parse_methods(preset.method)
    assert {data.language for data in cell.tests} == {"en", "de"}
