"""Faults, seeded and bounded: after each there is no wrong number, and the next run ends with the undisturbed one's.

A fault ends in one of two ways: ``mended`` (the next run says what it found, if anything, and has the right numbers)
or ``refused`` (a clear error first, and the right numbers once its remedy is followed). Run with -s for the table.
"""

import errno
import hashlib
import multiprocessing
import os
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import fault_world as world
import pytest
import torch

from isogloss.corpora.download import download
from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe, pretrain
from isogloss.runs import Store
from isogloss.runs.audit import audit, repair
from isogloss.studies.saved import load_result
from isogloss.studies.shared.models import name_model
from isogloss.transfer import data

Ending = str
MENDED, REFUSED = "mended", "refused"


@dataclass
class Place:
    """A copy of the finished world for one fault, and what is right."""

    root: Path
    chance: Random
    right: list[Any]
    extra: Path  # shared by all faults: finished pretraining, the file to download
    children: Any

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def texts(self) -> Path:
        return self.root / "texts"

    def compute(self, cells: Any = None) -> Any:
        return world.compute(self.home, self.texts, cells)

    def check(self) -> None:
        """The next run computes what is missing and has the right numbers."""
        outcome = self.compute()
        assert outcome.exit_code == 0, outcome.failures
        assert world.numbers(self.home, self.texts) == self.right

    def forget_results(self) -> None:
        shutil.rmtree(self.home)

    def child(self, function: Callable[..., None], *arguments: object) -> Any:
        process = self.children.Process(target=function, args=tuple(map(str, arguments)))
        process.start()
        return process

    def kill_after(self, process: Any, seconds: float) -> bool:
        """Whether it was still at work."""
        process.join(seconds)
        process.kill()
        process.join()
        return bool(process.exitcode == -9)


Fault = Callable[[Place], Ending]
FAULTS: dict[str, tuple[int, Fault]] = {}


def fault(kind: str, times: int) -> Callable[[Fault], Fault]:
    def note(function: Fault) -> Fault:
        FAULTS[kind] = (times, function)
        return function

    return note


def flip(path: Path, chance: Random) -> None:
    content = bytearray(path.read_bytes())
    place = chance.randrange(8 * len(content))
    content[place // 8] ^= 1 << place % 8
    path.write_bytes(content)


def cut(path: Path, chance: Random) -> None:
    path.write_bytes(path.read_bytes()[: chance.randrange(path.stat().st_size)])


def pick(chance: Random, folder: Path, pattern: str) -> Path:
    return chance.choice(sorted(path for path in folder.rglob(pattern) if path.is_file()))


def stored_file(place: Place, harm: Callable[[Path, Random], None]) -> Ending:
    """Any file of the store: a result, weights, a configuration, a tokeniser, a table."""
    harm(pick(place.chance, place.home / "store" / place.chance.choice(["results", "folders"]), "*"), place.chance)
    if place.chance.random() < 0.5:
        repair(audit(place.home / "store"))
    place.check()
    return MENDED


@fault("flipped bit in a stored file", 70)
def _(place: Place) -> Ending:
    return stored_file(place, flip)


@fault("truncated stored file", 30)
def _(place: Place) -> Ending:
    return stored_file(place, cut)


@fault("deleted stored file", 10)
def _(place: Place) -> Ending:
    return stored_file(place, lambda path, _: path.unlink())


@fault("file planted in a stored folder", 6)
def _(place: Place) -> Ending:
    return stored_file(place, lambda path, _: (path.parent / "added_tokens.json").write_text("{}") and None)


@fault("result copied over another's", 6)
def _(place: Place) -> Ending:
    one, other = place.chance.sample(sorted((place.home / "store/results").rglob("*.json")), k=2)
    shutil.copyfile(one, other)
    place.check()
    return MENDED


@fault("damaged mark of the store", 6)
def _(place: Place) -> Ending:
    place.chance.choice([flip, cut])(place.home / "store/store.json", place.chance)
    place.check()
    return MENDED


def cached_states(place: Place, harm: Callable[[Path, Random], None]) -> Ending:
    harm(pick(place.chance, place.home / "states", "*"), place.chance)
    shutil.rmtree(place.home / "store")
    place.check()
    return MENDED


@fault("flipped bit in cached states", 40)
def _(place: Place) -> Ending:
    return cached_states(place, flip)


@fault("truncated cached states", 20)
def _(place: Place) -> Ending:
    return cached_states(place, cut)


def report_file(place: Place, harm: Callable[[Path, Random], None]) -> Ending:
    folder = world.make_report(place.home, place.texts, place.root / "report")
    sound = load_result(folder)
    harm(pick(place.chance, folder, "*"), place.chance)
    try:
        loaded, ending = load_result(folder), MENDED
        assert loaded.findings == sound.findings and loaded.frame().equals(sound.frame())
    except IsoglossError:
        ending = REFUSED
    world.make_report(place.home, place.texts, folder)
    assert load_result(folder).frame().equals(sound.frame())
    return ending


@fault("flipped bit in a report folder", 40)
def _(place: Place) -> Ending:
    return report_file(place, flip)


@fault("truncated file of a report folder", 15)
def _(place: Place) -> Ending:
    return report_file(place, cut)


@fault("data changed after planning", 12)
def _(place: Place) -> Ending:
    place.forget_results()
    cells = world.plan(place.texts)
    path = pick(place.chance, place.texts, "*.txt")
    before = path.read_text()
    path.write_text(before.replace("w1", "w2"))
    failures = place.compute(cells).failures.values()
    assert failures and all("changed after the run was planned" in failure.message for failure in failures)
    path.write_text(before)
    place.check()
    return REFUSED


@fault("data swapped while it is read", 8)
def _(place: Place) -> Ending:
    place.forget_results()
    path = pick(place.chance, place.texts, "*.txt")
    kept, real = path.with_suffix(".kept"), Path.open

    def swap(self: Path, *arguments: Any, **more: Any) -> Any:
        if self != path:
            return real(self, *arguments, **more)
        path.rename(kept)
        with real(path, "w") as other:
            other.write("w3 w4\n" * 12)
        opened = real(self, *arguments, **more)
        path.unlink()
        kept.rename(path)
        return opened

    cells = world.plan(place.texts)
    data._READ.clear()  # what was read under this revision before is not read again
    with patch.object(Path, "open", swap):
        failures = place.compute(cells).failures.values()
    assert failures and all("changed while it was read" in failure.message for failure in failures)
    place.check()
    return REFUSED


@fault("model changed after planning", 8)
def _(place: Place) -> Ending:
    folder, store = place.root / "model", Store(place.home / "store")
    shutil.copytree(store.folder(world.Make(0)), folder)
    cell = world.Weigh(name_model(str(folder)))
    assert place.compute([cell]).exit_code == 0
    sound = store.get(cell)
    store.forget(cell)
    harmed = pick(place.chance, folder, place.chance.choice(["*.safetensors", "config.json", "tokenizer.json"]))
    before = harmed.read_bytes()
    flip(harmed, place.chance)
    (failure,) = place.compute([cell]).failures.values()
    assert failure.users_mistake and "changed after the run was planned" in failure.message
    harmed.write_bytes(before)
    assert place.compute([world.Weigh(name_model(str(folder)))]).exit_code == 0
    assert store.get(cell) == sound
    return REFUSED


@fault("run killed", 30)
def _(place: Place) -> Ending:
    place.forget_results()
    for _ in range(2):
        place.kill_after(place.child(world.child_computes, place.home, place.texts), place.chance.uniform(0.05, 0.6))
    place.check()
    return MENDED


@fault("extraction killed", 15)
def _(place: Place) -> Ending:
    shutil.rmtree(place.home / "states")
    for folder in (place.home / "store/results").iterdir():  # the models stay
        for path in folder.iterdir():
            path.unlink() if b"fault-make" not in path.read_bytes()[:200] else None
    place.kill_after(place.child(world.child_computes, place.home, place.texts), place.chance.uniform(0.05, 0.4))
    place.check()
    return MENDED


@fault("report killed", 15)
def _(place: Place) -> Ending:
    folder = world.make_report(place.home, place.texts, place.root / "report")
    sound = load_result(folder)
    child = place.child(world.child_reports, place.home, place.texts, folder)
    place.kill_after(child, place.chance.uniform(0.05, 0.3))
    assert load_result(folder).frame().equals(sound.frame())
    return MENDED


@fault("pretraining killed", 4)
def _(place: Place) -> Ending:
    out = place.root / "model"
    for _ in range(2):
        child = place.child(world.child_pretrains, place.extra / "recipe.yaml", out)
        place.kill_after(child, place.chance.uniform(0.1, 1.0))
    pretrain(Recipe.load(place.extra / "recipe.yaml"), world.pretraining_texts(), out)
    assert (out / "model.safetensors").read_bytes() == (place.extra / "model/model.safetensors").read_bytes()
    return MENDED


@fault("damaged checkpoint", 8)
def _(place: Place) -> Ending:
    out = place.root / "model"
    shutil.copytree(place.extra / "half", out)
    place.chance.choice([flip, cut])(pick(place.chance, out / "work", "*"), place.chance)
    ending = MENDED
    try:
        pretrain(Recipe.load(place.extra / "recipe.yaml"), world.pretraining_texts(), out)
    except IsoglossError:
        ending = REFUSED
        pretrain(Recipe.load(place.extra / "recipe.yaml"), world.pretraining_texts(), out, resume=False)
    assert (out / "model.safetensors").read_bytes() == (place.extra / "model/model.safetensors").read_bytes()
    return ending


class Slow(BaseHTTPRequestHandler):
    """Sends a file in small pieces, from where it is asked to."""

    content = bytes(range(256)) * 4000

    def do_GET(self) -> None:
        asked = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-")
        start = int(asked)
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(self.content) - start))
        self.send_header("Content-Range", f"bytes {start}-{len(self.content) - 1}/{len(self.content)}")
        self.send_header("ETag", '"one"')
        self.end_headers()
        for place in range(start, len(self.content), 1 << 16):
            try:
                self.wfile.write(self.content[place : place + (1 << 16)][: len(self.content) - place])
            except OSError:
                return
            time.sleep(0.01)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/file"
    finally:
        server.shutdown()
        server.server_close()


@fault("download killed", 8)
def _(place: Place) -> Ending:
    path = place.root / "file"
    with serving() as url:
        place.kill_after(place.child(world.child_downloads, url, path), place.chance.uniform(0.05, 0.25))
        assert download(url, path) == hashlib.sha256(Slow.content).hexdigest()
    return MENDED


def failing_calls(place: Place, number: int, strerror: str, name: str = "fsync") -> Ending:
    """The ``n``-th call of a function of ``os`` fails as the system would."""
    place.forget_results()
    left, real = place.chance.randrange(1, 12), getattr(os, name)

    def fails(*arguments: Any, **more: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            raise OSError(number, strerror, "disk")
        return real(*arguments, **more)

    with patch.object(os, name, fails):
        try:
            failures = list(place.compute().failures.values())
        except IsoglossError:
            failures = []
        except OSError as error:  # the store itself could not be made; the command line explains it
            assert error.errno == number
            failures = []
    assert all(failure.users_mistake for failure in failures)
    place.check()
    return REFUSED if left <= 0 else MENDED


@fault("full disk", 15)
def _(place: Place) -> Ending:
    return failing_calls(place, errno.ENOSPC, "No space left on device")


@fault("quota reached", 10)
def _(place: Place) -> Ending:
    call = "replace" if place.chance.random() < 0.3 else "fsync"
    return failing_calls(place, errno.EDQUOT, "Disk quota exceeded", call)


@fault("folder that may only be read", 8)
def _(place: Place) -> Ending:
    if place.chance.random() < 0.5:
        with patch.object(os, "access", lambda *_: False):  # a store that holds everything serves
            assert place.compute().found == 5
        return MENDED
    return failing_calls(place, errno.EROFS, "Read-only file system", "mkdir")


@fault("out of memory in a cell", 8)
def _(place: Place) -> Ending:
    place.forget_results()
    left = place.chance.randrange(1, 4)

    def run(self: Any, bench: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            raise MemoryError
        return real(self, bench)

    real = world.Measure.run
    with patch.object(world.Measure, "run", run):
        place.compute()
    place.check()
    return REFUSED if left <= 0 else MENDED


@fault("no memory left in the process", 6)
def _(place: Place) -> Ending:
    place.forget_results()
    spare = place.chance.randrange(2**20, 2**26)
    child = place.child(world.child_computes_with_little_memory, place.home, place.texts, spare)
    place.kill_after(child, 2.0)
    place.check()
    return MENDED


@fault("clock that jumps", 10)
def _(place: Place) -> Ending:
    jump = place.chance.choice([-1e9, -3600.0, 3600.0, 1e9])
    for path in place.home.rglob("*.json"):
        os.utime(path, (time.time() + jump, time.time() + jump))
    real, calls = time.time, 0

    def jumping() -> float:
        nonlocal calls
        calls += 1
        return real() + (jump if calls % 2 else 0.0)

    for path in sorted((place.home / "store/results").rglob("*.json"))[:2]:
        path.unlink()
    with patch.object(time, "time", jumping):
        place.check()
    return MENDED


@fault("stale lock", 6)
def _(place: Place) -> Ending:
    place.forget_results()
    locks = Store(place.home / "store").root / "locks"
    locks.mkdir(parents=True)
    for cell in world.Plan(world.plan(place.texts)).cells:
        (locks / f"{cell}.lock").write_text("12345")
    place.check()
    return MENDED


@fault("file system without locks", 5)
def _(place: Place) -> Ending:
    place.forget_results()
    number = place.chance.choice([errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])

    def refuses(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    with patch("isogloss.runs.work.FileLock.acquire", refuses):
        failures = place.compute().failures.values()
    assert failures and all("has no locks" in failure.message for failure in failures)
    place.check()
    return REFUSED


@pytest.fixture(scope="module")
def children() -> Any:
    """Children that start at once: a server process has loaded everything and forks."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["fault_world"])
    return context


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The undisturbed world, a finished pretraining and a half-finished one."""
    root, before = tmp_path_factory.mktemp("sound"), os.environ.get("ISOGLOSS_HOME")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    place = root / "place"  # where every fault finds its copy: the data's path is part of the keys
    world.write_texts(place / "texts")
    assert world.compute(place / "home", place / "texts").exit_code == 0
    shutil.copytree(place, root / "whole")
    recipe = Recipe().changed(
        vocabulary={"size": 60, "accept_fewer": True},
        data={"layout": "sentences", "length": 16, "draws": 1, "validation": 10},
        model={"layers": 1, "heads": 2, "width": 16, "feedforward": 16},
        training={"steps": 8, "batch_tokens": 128, "warmup": 2, "validate_every": 8, "save_every": 2, "threads": 1},
    )
    (root / "recipe.yaml").write_text(recipe.to_yaml())
    pretrain(recipe, world.pretraining_texts(), root / "model")
    with patch("isogloss.pretrain.loop.validate", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        pretrain(recipe, world.pretraining_texts(), root / "half")
    yield root
    torch.set_num_threads(threads)
    os.environ.pop("ISOGLOSS_HOME") if before is None else os.environ.update(ISOGLOSS_HOME=before)


@pytest.fixture(scope="module")
def right(sound: Path) -> list[Any]:
    """The numbers of the undisturbed run."""
    return world.numbers(sound / "place/home", sound / "place/texts")


@pytest.fixture(scope="module")
def table() -> Iterator[dict[str, Counter[Ending]]]:
    endings: dict[str, Counter[Ending]] = {}
    yield endings
    total = sum(sum(counts.values()) for counts in endings.values())
    print(f"\n{'fault':40} {'injected':>9} {MENDED:>8} {REFUSED:>8}")
    for kind, counts in endings.items():
        print(f"{kind:40} {sum(counts.values()):9} {counts[MENDED]:8} {counts[REFUSED]:8}")
    print(f"{'in all, no wrong number':40} {total:9}")


@pytest.mark.slow
@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_leads_to_no_wrong_number(
    kind: str, sound: Path, right: list[Any], children: Any, table: dict[str, Counter[Ending]]
):
    times, function = FAULTS[kind]
    endings = table.setdefault(kind, Counter())
    for number in range(times):
        shutil.rmtree(sound / "place")
        shutil.copytree(sound / "whole", sound / "place")
        endings[function(Place(sound / "place", Random(f"{kind} {number}"), right, sound, children))] += 1


def test_at_least_three_hundred_faults_are_injected():
    assert sum(times for times, _ in FAULTS.values()) >= 300
