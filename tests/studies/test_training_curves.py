"""Training curves: what the files of a pretraining become."""

from pathlib import Path

import pytest

from isogloss.studies.shared.training_curves import curves

HISTORY = "step,languages,loss,gradient,rate,tokens,seconds\n"
VALIDATION = "step,language,perplexity\n10,de,50\n10,en,40\n20,de,30\n20,en,20\n"
HEALTH = "step,language,layer,residual_norm,gradient_norm,loss_without\n"


def write(folder: Path, *, history: str = "", health: str = "", validation: str = VALIDATION) -> Path:
    (folder / "history.csv").write_text(HISTORY + history)
    (folder / "health.csv").write_text(HEALTH + health)
    (folder / "validation.csv").write_text(validation)
    return folder


def test_perplexity_has_a_line_a_language_and_its_last_values_in_words(tmp_path: Path) -> None:
    (figure,) = curves(write(tmp_path))
    assert figure.kind == "training"
    assert figure.frame.groupby("language")["value"].last().to_dict() == {"de": 30, "en": 20}
    assert "de 30.0, en 20.0" in figure.alt


def test_batches_of_one_language_have_lines_of_their_own_that_are_smoothed(tmp_path: Path) -> None:
    rows = "".join(f"{step},{'de' if step % 2 else 'en'},{10 - step},1,0.1,1,1\n" for step in range(8))
    loss = {figure.name: figure for figure in curves(write(tmp_path, history=rows))}["loss"]
    assert list(dict.fromkeys(loss.frame["language"])) == ["en", "de"]
    assert loss.frame[loss.frame["language"] == "en"]["value"].tolist() == pytest.approx([10, 9, 8, 7])


def test_mixed_batches_have_one_line(tmp_path: Path) -> None:
    rows = "1,de en,9,1,0.1,1,1\n2,de,8,1,0.1,1,1\n"
    loss = {figure.name: figure for figure in curves(write(tmp_path, history=rows))}["loss"]
    assert set(loss.frame["language"]) == {"all languages"}


def test_layers_show_the_end_of_training_without_the_embedding(tmp_path: Path) -> None:
    rows = "10,de,1,8,1,0.5\n20,de,0,8,1,nan\n20,de,1,8,1,0.75\n20,de,2,8,1,0.25\n"
    layers = {figure.name: figure for figure in curves(write(tmp_path, health=rows))}["layers"]
    assert layers.frame[["layer", "value"]].values.tolist() == [[1, 0.75], [2, 0.25]]


def test_a_folder_without_records_has_no_figures(tmp_path: Path) -> None:
    assert list(curves(tmp_path)) == []
