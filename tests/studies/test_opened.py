"""Models with settings as inputs of studies: what is part of a stored result's name, and what is said first."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

from isogloss.errors import IsoglossError
from isogloss.runs import Inline, Store, key_of
from isogloss.studies.inspect import STUDY, Config
from isogloss.studies.shared.estimate import estimate_run
from isogloss.studies.shared.models import Checkpoint, Untrained, name_model
from isogloss.studies.shared.opened import Opened, openings

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small bare encoder."""
    backend = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    path = tmp_path / "bare"
    transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **special).save_pretrained(path)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    with torch.random.fork_rng():
        torch.manual_seed(0)
        transformers.BertModel(transformers.BertConfig(vocab_size=len(WORDS), **sizes)).save_pretrained(path)
    return path


def as_pipeline(folder: Path, mode: str = "cls") -> Path:
    path = folder.parent / f"pipeline-{mode}"
    shutil.copytree(folder, path)
    kinds = [("", "Transformer"), ("1_Pooling", "Pooling")]
    modules = [{"idx": i, "path": p, "type": f"sentence_transformers.models.{k}"} for i, (p, k) in enumerate(kinds)]
    (path / "modules.json").write_text(json.dumps(modules))
    (path / "1_Pooling").mkdir()
    (path / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode": mode}))
    return path


@pytest.fixture
def text(tmp_path: Path) -> str:
    rows = [{"en": f"one {a} two {b}", "de": f"{b} three {a}"} for a in WORDS[5:] for b in WORDS[6:11]]
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return str(path)


def test_a_pipelines_parts_and_settings_are_in_its_key_and_a_bare_encoders_key_stays(folder: Path) -> None:
    bare = name_model(str(folder))
    assert isinstance(bare, Checkpoint)
    assert "-" not in bare.revision
    pipeline = as_pipeline(folder)
    first = name_model(str(pipeline))
    (pipeline / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode": "mean"}))
    names = [first, name_model(str(pipeline)), name_model(f"{pipeline}?prompt=one: "), name_model(f"{pipeline}?dim=4")]
    assert len({key_of(Opened(model)) for model in names if isinstance(model, Checkpoint)}) == 4
    assert names[2].label() == "pipeline-cls (prompt 'one: ')"


def test_every_model_is_opened_once_and_untrained_twins_are_not(folder: Path) -> None:
    model = name_model(str(folder))
    assert isinstance(model, Checkpoint)
    assert openings([Opened(model)]) == ()
    assert openings([Untrained(model, 0)]) == ()


def test_a_model_that_cannot_be_opened_fails_before_any_other_cell_runs(
    folder: Path, text: str, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    (broken / "model.safetensors").write_bytes(b"no weights")
    store = Store(tmp_path / "store")
    plan = STUDY.prepare(Config(models=(str(folder), str(broken)), data=text, device="cpu"))
    result, outcome = STUDY.attempt(plan, Inline(), store)
    assert result is None
    assert [failure.label for failure in outcome.failures.values()] == ["open broken"]
    assert outcome.exit_code == 2
    assert not any(map(store.has, plan.cells))


def test_a_damaged_look_at_a_model_is_computed_again(folder: Path, text: str, tmp_path: Path) -> None:
    store, config = Store(tmp_path / "store"), Config(models=(str(folder),), data=text, device="cpu")
    sound = STUDY.run(config, engine=Inline(), store=store)
    (opened,) = openings(STUDY.prepare(config).all_cells)
    path = store.result_path(opened)
    path.write_bytes(path.read_bytes().replace(b"vocabulary", b"vocabulurx"))
    estimate_run(STUDY.prepare(config).cells, Inline(), store)
    assert STUDY.run(config, engine=Inline(), store=store).findings == sound.findings
    store.check(opened)


def test_what_opened_but_not_as_meant_comes_first(folder: Path, text: str, tmp_path: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 1}))
    result = STUDY.run(
        Config(models=(str(folder),), data=text, device="cpu"), engine=Inline(), store=Store(tmp_path / "store")
    )
    assert result.findings[0].warning
    assert result.findings[0].text.startswith("bare: 16 weights of the checkpoint were not used")
    assert "encoder.layer.1" in result.findings[0].text


def test_a_study_file_runs_no_code_unless_its_reader_says_so(tmp_path: Path, run_cli: Any = None) -> None:
    from isogloss.cli.run import refuse_code
    from isogloss.runs.config import read_study_files

    (tmp_path / "study.yaml").write_text("study: inspect\nmodels: ['org/model?trust_remote_code=yes']\n")
    with pytest.raises(IsoglossError, match="runs code"):
        refuse_code(read_study_files(tmp_path / "study.yaml"))


def test_inspect_shows_a_pipelines_output_and_pools_as_it_does(folder: Path, text: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    pipeline = as_pipeline(folder)
    bare, own = (
        STUDY.run(Config(models=(str(model),), data=text, device="cpu", pooling=pooling), engine=Inline(), store=store)
        for model, pooling in ((folder, "cls"), (pipeline, "own"))
    )
    assert list(own.tables["layers"].frame["layer"]) == ["0", "1", "2", "output"]
    found = own.tables["layers"].frame.drop(columns="layer").to_numpy()
    np.testing.assert_allclose(found[:3], bare.tables["layers"].frame.drop(columns="layer").to_numpy(), atol=1e-6)
    np.testing.assert_allclose(found[3], found[2], atol=1e-6)  # pooling is all this pipeline does
    plans = [STUDY.plan(Config(models=(str(folder),), data=text, pooling=pooling)) for pooling in ("own", "mean")]
    assert key_of(plans[0].cells[0]) == key_of(plans[1].cells[0])  # a bare encoder's own pooling is the mean
