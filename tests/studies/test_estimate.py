"""What a run will take: from the store's history, scaled where cells differ in size, or from a few timed steps."""

import shutil
from dataclasses import asdict
from pathlib import Path

import pytest

from isogloss.cli.dry_run import describe, described, warn_of_long_run, words
from isogloss.cli.execute import look_ahead
from isogloss.pretrain import Recipe
from isogloss.pretrain.lab_encoder import lab_encoder
from isogloss.runs import Inline, Store
from isogloss.studies import inspect, transfer, vary
from isogloss.studies.shared import estimate
from isogloss.studies.shared.downloads import Download, downloads
from isogloss.studies.shared.estimate import RunEstimate, estimate_run, time_steps
from isogloss.studies.shared.models import Checkpoint
from isogloss.studies.shared.opened import Opened

SMALL = {
    "model.layers": 2, "model.width": 16, "model.heads": 2, "model.feedforward": 32, "vocabulary.size_a_language": 120,
    "data.validation": 10, "training.batch_tokens": 256,
}  # fmt: skip


def study(steps: int, seeds: tuple[int, ...] = (0,)) -> vary.Config:
    return vary.configure(
        "lab:twins", ["anchors=0,1"], steps=steps, sentences=120, parallel_limit=60, settings=SMALL, seeds=seeds
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    found = Store(tmp_path_factory.mktemp("store"))
    vary.run(study(4), engine=Inline(), store=found)
    return found


def test_a_finished_run_has_nothing_left(store: Store) -> None:
    found = estimate_run(vary.STUDY.plan(study(4)).cells, Inline(), store)
    assert found.missing == 0 and found.seconds == 0 and found.cells == 8
    assert describe(found, "vary") == "vary: 0 of 8 cells are missing; a run only draws the page."


def test_pretrainings_are_scaled_by_their_size(store: Store) -> None:
    cells = vary.STUDY.plan(study(400, seeds=(0, 1))).cells
    found = estimate_run(cells, Inline(), store)
    taken = [store.seconds(one.model) for one in vary.STUDY.plan(study(4)).conditions]
    longest = found.largest[0]
    assert longest.kind == "pretraining" and longest.seconds == pytest.approx(100 * sum(taken) / 2)
    assert found.missing == 16 and found.unknown == () and len(found.largest) == 10
    assert found.seconds >= 4 * longest.seconds
    text = describe(found, "vary")
    for part in ("16 of 16 cells are missing", "time on this machine: about", "peak memory: about", "disk: about",
                 "downloads: none", "largest cells:"):  # fmt: skip
        assert part in text


def test_without_history_steps_are_timed_and_other_kinds_are_named(tmp_path: Path) -> None:
    cells = vary.STUDY.plan(study(400)).cells
    found = estimate_run(cells, Inline(), Store(tmp_path))
    assert found.largest[0].seconds and set(found.unknown) == {"untrained", "meeting"}
    assert "at least" in describe(found, "vary") and "untrained, meeting" in describe(found, "vary").replace(
        "meeting, untrained", "untrained, meeting"
    )


def test_more_steps_take_longer() -> None:
    recipe = Recipe.preset("lab").changed_at({**SMALL, "training.steps": 10})
    assert time_steps(recipe.changed(training={"steps": 10_000})) > 10 * time_steps(recipe)


def test_a_long_run_says_so_first(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    short = estimate_run(vary.STUDY.plan(study(4)).cells, Inline(), store)
    warn_of_long_run(short)
    assert capsys.readouterr().err == ""
    long = estimate_run(vary.STUDY.plan(study(10_000_000)).cells, Inline(), store)
    warn_of_long_run(long)
    assert "this run takes about" in capsys.readouterr().err


def test_models_that_are_not_here_are_downloads(tiny_model: Path) -> None:
    assert downloads([Opened(Checkpoint("nobody/no-such-model"))]) == (Download("nobody/no-such-model"),)
    assert downloads([Opened(Checkpoint(str(tiny_model)))]) == ()


@pytest.fixture
def only_configuration(tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A Hugging Face model of which this machine has the configuration and nothing else."""
    from huggingface_hub import constants

    snapshot = tmp_path / "models--nobody--little" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    shutil.copy(tiny_model / "config.json", snapshot)
    (tmp_path / "models--nobody--little" / "refs").mkdir()
    (tmp_path / "models--nobody--little" / "refs" / "main").write_text("abc")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    return "nobody/little"


def test_a_download_is_as_large_as_the_configuration_says(only_configuration: str, tiny_model: Path) -> None:
    (found,) = downloads([Opened(Checkpoint(only_configuration))])
    whole = (tiny_model / "model.safetensors").stat().st_size
    assert found.size is not None and 0.5 * whole < found.size < 1.5 * whole
    assert described((found,)) == f"nobody/little (about {found.size / 1e6:,.0f} MB)"


def test_a_model_that_was_never_opened_counts_as_its_configuration_says(
    only_configuration: str, tmp_path: Path
) -> None:
    def looked_at(name: str) -> RunEstimate:
        config = inspect.Config(models=(name,), data="lab:twins", languages=("qaa", "qab"), limit=100)
        return estimate_run(inspect.STUDY.plan(config).cells, Inline(), Store(tmp_path / "store"))

    known, unknown = looked_at(only_configuration), looked_at("nobody/no-such-model")
    assert known.unsized == () and known.room.states > 0 and known.memory > unknown.memory
    assert unknown.unsized == ("no-such-model",) and unknown.room.states == 0
    assert "without no-such-model, whose size is not known on this machine" in describe(unknown, "inspect")
    assert "time on this machine: not known" in describe(unknown, "inspect")


def test_looking_ahead_asks_no_host(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import socket

    from huggingface_hub import constants

    asked: list[object] = []

    def resolve(*given: object, **_: object) -> None:
        asked.append(given)
        raise OSError("no network in this test")

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    config = inspect.Config(models=("nobody/no-such-model",), data="lab:twins", languages=("qaa", "qab"))
    look_ahead(inspect.STUDY, config, Inline())
    given = {"model": "nobody/no-such-model", "data": "hub:nobody/no-such-data", "task": "nli"}
    look_ahead(transfer.STUDY, transfer.configure(sources=("en",), targets=("de",), **given), Inline())
    assert asked == [] and constants.HF_HUB_OFFLINE is False
    told = capsys.readouterr().out
    assert told.count("nobody/no-such-model (size unknown until downloaded; needs network)") == 2
    assert "  hub:nobody/no-such-data (size unknown until downloaded; needs network)" in told


@pytest.mark.parametrize(("seconds", "text"), [(3, "3 s"), (600, "10 min"), (9000, "2.5 h")])
def test_times_are_said_in_words(seconds: float, text: str) -> None:
    assert words(seconds) == text


def test_a_far_smaller_pretraining_says_nothing_where_steps_can_be_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "time_steps", lambda recipe: 77.0)
    cell = lab_encoder("twins")
    asked = estimate._work(asdict(cell.recipe))
    assert estimate._seconds(cell, {cell.name: [(10.0, asked / 1e6)]}) == 77.0
    alike = {cell.name: [(10.0, asked / 1e6), (30.0, asked / 2)]}
    assert estimate._seconds(cell, alike) == pytest.approx(60.0)


def test_a_damaged_pretraining_in_the_store_is_not_asked_how_long_it_took(tmp_path: Path) -> None:
    found = Store(tmp_path)
    vary.run(study(4), engine=Inline(), store=found)
    for path in (found.root / "results").rglob("*.json"):
        path.write_bytes(path.read_bytes().replace(b'"training"', b'"trainxng"'))
    assert estimate_run(vary.STUDY.plan(study(400)).cells, Inline(), found).seconds > 0
