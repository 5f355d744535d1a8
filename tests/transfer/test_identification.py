"""Languages are told apart after fine-tuning by two protocols, each named."""

from typing import Any

import numpy as np
import pytest

from isogloss.transfer import Settings, Trainer
from isogloss.transfer.identification import identify_languages, read_states

Records = dict[str, dict[str, list[Any]]]


@pytest.mark.parametrize("task", ["pos", "nli"])
def test_both_protocols_are_reported_with_a_control(
    task: str, model_folder: str, records: Records, texts: dict[str, list[str]]
) -> None:
    settings = Settings(epochs=1, encoder_rate=1e-4, head_rate=1e-2, precision="float32")
    fitted = Trainer(model_folder, task, "plain", settings).fit(records[task]["train"], records[task]["dev"])
    train = {code: lines[:100] for code, lines in texts.items()}
    held_out = {code: lines[100:] for code, lines in texts.items()}
    tests = {"texts": held_out, "task": {"qaa": records[task]["dev"], "qab": records[task]["test"]}}
    frame = identify_languages(fitted, train, tests, most=1000)
    assert frame[["test", "protocol"]].to_records(index=False).tolist() == [
        ("texts", "paper"),
        ("task", "paper"),
        ("texts", "converged"),
        ("task", "converged"),
    ]
    solved = frame[frame["protocol"] == "converged"].set_index("test")
    assert solved["converged"].all()
    assert solved.loc["texts", "macro_f1"] > solved.loc["texts", "control_accuracy"] + 0.1  # even untrained
    assert solved.loc["texts", "control_accuracy"] < 0.65
    assert frame["macro_f1"].between(0, 1).all() and (frame["n"] > 0).all()


def test_a_rate_that_does_not_converge_shows_as_the_difference_of_protocols(
    model_folder: str, records: Records, texts: dict[str, list[str]]
) -> None:
    settings = Settings(epochs=1, encoder_rate=1e-4, head_rate=1e-9, precision="float32")  # the head never moves
    fitted = Trainer(model_folder, "pos", "plain", settings).fit(records["pos"]["train"], records["pos"]["dev"])
    frame = identify_languages(fitted, texts, {"texts": texts}, most=1000).set_index("protocol")
    assert frame.loc["paper", "accuracy"] + 0.1 < frame.loc["converged", "accuracy"]


def test_states_are_at_most_so_many_of_each_language(
    model_folder: str, records: Records, texts: dict[str, list[str]]
) -> None:
    fitted, _, _ = Trainer(model_folder, "pos", "plain").prepare(records["pos"]["train"], records["pos"]["dev"])
    given = read_states(fitted, texts, ("qaa", "qab"), most=50)
    assert given.states.shape == (100, 32) and np.bincount(given.languages).tolist() == [50, 50]
    assert len(set(given.sentences)) > 20
