"""``isogloss transfer`` on the command line: a whole run, and mistakes that end with code 2 and a remedy."""

import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import Result
from typer.testing import CliRunner

from isogloss.cli import reading
from isogloss.corpora.lab import Lab, preset
from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe, pretrain


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("model")
    lab = Lab(preset("twins"))
    recipe = Recipe.preset("lab").changed(
        model={"layers": 2, "width": 32, "heads": 4, "feedforward": 64},
        data={"validation": 10},
        training={"steps": 2, "validate_every": 2, "save_every": 2, "warmup": 1},
    )
    pretrain(recipe, {code: lab.text(code, 200) for code in lab.codes}, folder)
    return str(folder)


def invoke(*arguments: str) -> Result:
    from isogloss.cli import app, register

    register()
    return CliRunner().invoke(app, ["transfer", *arguments])


def run(*arguments: str) -> tuple[int, str, BaseException | None]:
    outcome = invoke(*arguments)
    return outcome.exit_code, outcome.stdout, outcome.exception


def test_a_run_writes_report_predictions_and_model(model: str, tmp_path: Path) -> None:
    code, stdout, error = run(
        *("--task", "ner", "--model", model, "--data", "lab:twins", "--preset", "lab", "--set", "epochs=1"),
        *("--limit", "60", "--test-limit", "20", "--keep-model", "--json", "--engine", "inline"),
        *("--out", str(tmp_path / "out")),
    )
    assert code == 0, error
    told = json.loads(stdout)  # and nothing else on standard output
    assert told["findings"]
    frame = pd.read_parquet(tmp_path / "out" / "results.parquet")
    assert set(frame["measure"]) == {"f1", "precision", "recall"}
    (condition,) = (tmp_path / "out" / "predictions").iterdir()
    assert sorted(path.name for path in condition.iterdir()) == ["lab-twins.qaa.tsv", "lab-twins.qab.tsv"]
    assert (tmp_path / "out" / "models" / condition.name / "model.safetensors").is_file()


def test_the_printed_study_file_has_every_setting(model: str) -> None:
    code, stdout, _ = run("--model", model, "--set", "encoder_rate=3e-5", "--method", "fusion:1", "--print-config")
    assert code == 0
    assert "study: transfer" in stdout and "fusion:1" in stdout and "3.0e-05" in stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--task", "tagging"), "unknown task"),
        (("--method", "fussion"), "did you mean 'fusion'"),
        (("--targets", "de"), "de"),
        (("--data", "nowhere"), "nowhere"),
        (("--seeds", "a"), "--seeds"),
        (("--set", "epochs"), "--set"),
        (("--model", "./nowhere"), "no such folder"),
    ],
)
def test_mistakes_are_user_errors(model: str, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    defaults = (
        "--data",
        "lab:twins",
        "--limit",
        "30",
        "--test-limit",
        "10",
        "--engine",
        "inline",
        "--out",
        str(tmp_path),
    )
    given = ("--model", model, *defaults, *arguments) if "--model" not in arguments else (*defaults, *arguments)
    code, _, error = run(*given)
    assert code != 0
    told = str(error) if isinstance(error, IsoglossError) else ""
    assert message in told or code == 2


def test_settings_are_read_as_numbers_and_words() -> None:
    assert reading.settings(["encoder-rate=3e-5", "long=cut", "batch=16", "sort=false"]) == {
        "encoder_rate": 3e-5,
        "long": "cut",
        "batch": 16,
        "sort": False,
    }


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Sentences, tags and pairs of the lab in files, as a user has them."""
    lab = Lab(preset("twins"))
    for name, size in (("train", 60), ("validation", 20), ("test", 20)):
        part = {"validation": "dev"}.get(name, name)
        for code in lab.codes:
            tagged = (
                "".join(f"{word}\t{tag}\n" for word, tag in zip(sentence.words, sentence.tags, strict=True))
                for sentence in lab.entities(code, size, name)
            )
            pairs = (f"{pair.first}\t{pair.second}\t{pair.label}\n" for pair in lab.nli(code, size, name))
            for folder, text in (("ner", "\n".join(tagged)), ("nli", "".join(pairs))):
                (tmp_path / folder).mkdir(exist_ok=True)
                (tmp_path / folder / f"{part}-{code}.tsv").write_text(text)
    return tmp_path


def spoil(path: Path, right: str, wrong: str) -> int:
    """Replace the first ``right`` in a file; the number of its line."""
    text = path.read_text()
    path.write_text(text.replace(right, wrong, 1))
    return text[: text.index(right)].count("\n") + 1


@pytest.mark.parametrize(
    ("task", "file", "right", "wrong", "message"),
    [
        ("ner", "train-qaa.tsv", "\tB-PER\n", "\tI-PER\n", "continues no entity"),
        ("ner", "test-qab.tsv", "\tB-PER\n", "\tB-MISC\n", "the training part lacks"),
        ("ner", "test-qab.tsv", "\tB-PER\n", "\tPERSON\n", "is not a BIO tag"),
        ("nli", "train-qaa.tsv", "\tneutral\n", "\n", "2 columns where 3 are due"),
        ("nli", "test-qab.tsv", "\tneutral\n", "\tnetural\n", "unknown label"),
    ],
)
def test_a_bad_line_is_named_or_skipped_and_counted(
    model: str, files: Path, task: str, file: str, right: str, wrong: str, message: str
) -> None:
    path = files / task / file
    line = spoil(path, right, wrong)
    given = (
        *("--task", task, "--model", model, "--data", str(files / task), "--preset", "lab", "--set", "epochs=1"),
        *("--engine", "inline", "--json", "--out", str(files / "out")),
    )
    told = invoke(*given)
    above = path.read_text().split("\n")[: line - 1]
    blank = max((number for number, text in enumerate(above, start=1) if not text), default=0)
    begin = blank + 1 if message in ("continues no entity", "the training part lacks") else line
    assert told.exit_code == 2
    assert f"{file}:{begin}: " in told.stderr and message in told.stderr and "--on-error skip" in told.stderr
    code, stdout, error = run(*given, "--on-error", "skip")
    assert code == 0, error
    assert any("1 records could not be used" in finding["text"] for finding in json.loads(stdout)["findings"])
