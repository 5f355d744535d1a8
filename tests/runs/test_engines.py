import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
import toy_cells
from toy_cells import After, AskThreads, Draw, Fail, Number, Threads, Total, plan

from isogloss.errors import IsoglossError
from isogloss.runs import Engine, Inline, Local, Store, key_of, make_engine
from isogloss.runs.envelope import Work
from isogloss.runs.plan import Plan

ENGINES = pytest.mark.parametrize("engine", [Inline(), Local(2)], ids=["inline", "local"])


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def records(count: int, store: Store) -> dict[str, Number | None]:
    return {key: store.get(cell) for key, cell in Plan(plan(count, pause=0.01)).cells.items()}


@ENGINES
def test_a_run_computes_every_cell_and_the_next_one_none(engine: Engine, store: Store):
    outcome = engine.run("toy", plan(4, pause=0.0), store)
    assert (outcome.computed, outcome.found, outcome.exit_code) == (6, 0, 0)
    again = engine.run("toy", plan(4, pause=0.0), store)
    assert (again.computed, again.found, again.exit_code) == (0, 6, 0)
    longer = engine.run("toy", [*plan(4, pause=0.0), Draw(seed=99)], store)
    assert (longer.computed, longer.found) == (1, 6)


@ENGINES
def test_a_failed_cell_leaves_its_error_and_the_others_go_on(engine: Engine, store: Store):
    broken = Fail("bug")
    outcome = engine.run("toy", [After(broken), Total((Draw(seed=1),))], store)
    assert outcome.exit_code == 1
    assert outcome.skipped == {key_of(After(broken)): "fail"}
    assert store.get(Total((Draw(seed=1),))) is not None
    failure = store.failure(broken)
    assert failure is not None
    assert failure.message == "ZeroDivisionError: a bug"
    assert "toy_cells.py" in failure.traceback


@ENGINES
def test_a_users_mistake_in_a_cell_gives_exit_code_2_and_no_traceback(engine: Engine, store: Store):
    outcome = engine.run("toy", [Fail("mistake")], store)
    assert outcome.exit_code == 2
    (failure,) = outcome.failures.values()
    assert failure.message == "a.conllu:3: the treebank is empty\n  hint: fill it"
    assert failure.traceback == ""


@ENGINES
def test_a_full_disk_in_a_cell_names_the_file_and_the_remedy(engine: Engine, store: Store):
    outcome = engine.run("toy", [Fail("full disk"), Draw(seed=1)], store)
    (failure,) = outcome.failures.values()
    assert outcome.exit_code == 2
    assert failure.message.startswith("states.safetensors: no space left on device")
    assert "free some space" in failure.message
    assert store.get(Draw(seed=1)) is not None


def test_a_disk_too_full_to_keep_the_failure_still_ends_with_its_message(store: Store, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "result.json")

    monkeypatch.setattr(os, "fsync", full)
    outcome = Inline().run("toy", [Draw()], store)
    (failure,) = outcome.failures.values()
    assert failure.message.startswith("result.json: no space left on device")
    assert outcome.exit_code == 2
    assert store.get(Draw()) is None


@ENGINES
def test_a_record_of_the_wrong_type_is_a_failure(engine: Engine, store: Store):
    (failure,) = engine.run("toy", [Fail("type")], store).failures.values()
    assert "returned str, not Number" in failure.message


def test_a_failed_cell_is_tried_again_on_the_next_run(store: Store):
    assert Inline().run("toy", [Fail("bug")], store).exit_code == 1
    assert len(Inline().run("toy", [Fail("bug")], store).failures) == 1


def test_a_worker_that_is_killed_costs_only_its_own_cell(store: Store):
    outcome = Local(1).run("toy", [Fail("killed"), Draw(seed=1), Draw(seed=2)], store)
    (failure,) = outcome.failures.values()
    assert "SIGKILL" in failure.message
    assert outcome.computed == 2


def test_both_engines_give_the_same_records(tmp_path: Path):
    one, other = Store(tmp_path / "one"), Store(tmp_path / "other")
    Inline().run("toy", plan(3, pause=0.01), one)
    Local(2).run("toy", plan(3, pause=0.01), other)
    assert records(3, one) == records(3, other)


def test_a_damaged_result_is_said_and_computed_again(store: Store, capsys: pytest.CaptureFixture[str]):
    store.put(Draw(), Number(1.0, 1), Work(0.0))
    store.result_path(Draw()).write_text("{")
    outcome = Inline().run("toy", [Draw()], store)
    assert (outcome.computed, outcome.exit_code) == (1, 0)
    assert f"{key_of(Draw())}.json: this result file is damaged" in capsys.readouterr().err
    assert store.get(Draw()) != Number(1.0, 1)


@pytest.mark.parametrize("engine", [Inline(), Local(1), Local(2), Local(4)], ids=["inline", "one", "two", "four"])
def test_a_cell_has_its_own_threads_whatever_ran_before_it(engine: Engine, store: Store):
    cells = [Threads(threads=2), Draw(), AskThreads(), Threads(threads=1, run_again=1), AskThreads(seed=1)]
    before = torch.get_num_threads()
    assert engine.run("toy", cells, store).exit_code == 0
    asked = [store.get(cell) for cell in cells if not isinstance(cell, Draw)]
    assert [record.value for record in asked if record] == [2, 1, 1, 1]
    assert torch.get_num_threads() == before


def test_a_plan_hands_out_a_cell_only_where_it_fits():
    plan_ = Plan([Draw(seed=1), Draw(seed=2)])
    assert plan_.next(lambda cell: False) is None
    assert plan_.open == 2
    assert plan_.next() == key_of(Draw(seed=1))


def test_a_run_killed_at_random_moments_ends_with_the_numbers_of_an_undisturbed_one(tmp_path: Path):
    calm, killed = tmp_path / "calm", tmp_path / "killed"
    command = [sys.executable, toy_cells.__file__]
    subprocess.run([*command, str(calm), "40"], check=True, capture_output=True)
    moments = random.Random(0)
    for results in sorted(moments.sample(range(1, 36), k=5)):  # kill once so many of the 42 results are there
        process = subprocess.Popen([*command, str(killed), "40"], stderr=subprocess.DEVNULL)
        while len(list((killed / "results").rglob("*.json"))) < results and process.poll() is None:
            time.sleep(0.002)
        time.sleep(moments.uniform(0.0, 0.02))
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run([*command, str(killed), "40"], check=True, capture_output=True)
    assert records(40, Store(killed)) == records(40, Store(calm))
    assert None not in records(40, Store(killed)).values()


def test_a_script_that_begins_a_run_while_it_is_imported_is_told_so(tmp_path: Path):
    """Its workers import it again and end; they used to be replaced without an end."""
    script = tmp_path / "script.py"
    lines = ["import sys", f"sys.path.insert(0, {str(Path(toy_cells.__file__).parent)!r})", "from pathlib import Path"]
    lines += ["from toy_cells import Draw", "from isogloss.runs import Local, Store"]
    lines += [f"Local(1).run('toy', [Draw(), Draw(seed=1)], Store(Path({str(tmp_path / 'store')!r})))"]
    script.write_text("\n".join(lines))
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode != 0
    assert "if __name__ == '__main__'" in ran.stderr


def test_workers_end_when_their_parent_is_killed(tmp_path: Path):
    process = start_long_run(tmp_path / "store")
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert group_ends(process.pid)


def test_ctrl_c_stops_the_run_cleanly_and_keeps_what_was_finished(tmp_path: Path):
    process = start_long_run(tmp_path / "store")
    os.killpg(process.pid, signal.SIGINT)
    process.wait(10)
    assert group_ends(process.pid)
    done = len(list((tmp_path / "store" / "results").rglob("*.json")))
    assert 0 < done < 402
    assert not list((tmp_path / "store" / "results").rglob("*.error.json"))


def test_an_unknown_engine_names_the_nearest():
    with pytest.raises(IsoglossError, match="did you mean 'local'"):
        make_engine("locale")
    with pytest.raises(IsoglossError, match="negative"):
        make_engine("local", workers=-1)


def start_long_run(store: Path) -> subprocess.Popen[bytes]:
    """A run of 402 cells in a process group of its own; returns when its first result is there."""
    command = [sys.executable, toy_cells.__file__, str(store), "400"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 30
    while not list((store / "results").rglob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert process.poll() is None
    return process


def group_ends(group: int) -> bool:
    """Whether every process of the group is gone within a few seconds."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
