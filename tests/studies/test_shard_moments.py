"""Reading in shards: the merged moments are those of one pass, whatever the shards, and memory does not grow."""

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.corpora import lines
from isogloss.corpora.lab import Lab, preset
from isogloss.encoders import Encoder
from isogloss.runs import Inline, Local, Store, key_of
from isogloss.runs.work import StoreBench
from isogloss.studies import locate
from isogloss.studies.locate.plan import plan
from isogloss.studies.shared import shard_moments
from isogloss.studies.shared.gather import Gather
from isogloss.studies.shared.shard_moments import MergedMoments, SentenceSample, rank_of, split

LANGUAGES = ("qaa", "qab", "qac")
SIZES = {"qaa": 90, "qab": 60, "qac": 60}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Text of three languages, one with more than the others, and some lines twice."""
    folder, lab = tmp_path_factory.mktemp("text"), Lab(preset("families"))
    for code, number in SIZES.items():
        lines = list(lab.text(code, number))
        (folder / f"{code}.txt").write_text("\n".join([*lines, "", *lines[:5]]) + "\n")
    return folder


def settings(model: Path, folder: Path, **changes: object) -> locate.Config:
    config = locate.Config(
        model=str(model), data=str(folder), limit=1_000, tokens=120, train=80, test=40, pairs=2, sizes=(1, 2),
        window=1, windows=2, draws=1, profile=locate.Profile(1, 2, 2), seeds=(0,), dtype="float32", device="cpu",
    )  # fmt: skip
    return replace(config, **changes)


def merged(model: Path, folder: Path, store: Store, shard: int, engine: object = None) -> MergedMoments:
    (condition,) = plan(settings(model, folder, shard=shard)).conditions
    assert isinstance(condition.gather, MergedMoments)
    outcome = (engine or Inline()).run("shards", [condition.gather], store)
    assert not outcome.failures
    return condition.gather


@pytest.mark.parametrize("shard", [7, 40, 1_000])
def test_merged_moments_are_those_of_one_pass(tiny_model: Path, folder: Path, store: Store, shard: int):
    cell = merged(tiny_model, folder, store, shard)
    bench = StoreBench(store, cell)
    encoder = Encoder(str(tiny_model), device="cpu", dtype="float32")
    counts, means, within = {}, [], 0
    for code in LANGUAGES:
        lines = [line for line in (folder / f"{code}.txt").read_text().splitlines() if line]
        block = encoder.encode([line for line in lines if rank_of(line, 0) % 2 == 0], level="token")
        rows = block.values[~block.missing].astype(np.float64)  # tokens x layers x d
        counts[code] = len(rows)
        means.append(rows.mean(axis=0))
        centred = rows - means[-1]
        within = within + np.einsum("nld,nle->lde", centred, centred) * (cell.tokens / len(rows))
    assert store.get(cell).tokens == counts
    assert len(set(counts.values())) > 1
    for layer in range(len(encoder.layers)):
        found = cell.moments(bench, layer)
        assert found.classes == list(LANGUAGES)
        assert set(found.counts) == {cell.tokens}  # a language with more text has no more say
        np.testing.assert_allclose(found.means, np.array(means)[:, layer], atol=1e-6)
        np.testing.assert_allclose(found.within(), within[layer], rtol=1e-5, atol=1e-4)


def test_halves_share_no_sentence_and_do_not_depend_on_the_shards(tiny_model: Path, folder: Path, store: Store):
    cells = [merged(tiny_model, folder, store, shard) for shard in (7, 40)]
    for code in LANGUAGES:
        lines = [line for line in (folder / f"{code}.txt").read_text().splitlines() if line]
        fitting = set(split(lines, 0, SentenceSample()))
        kept = [cell.lines_to_probe(StoreBench(store, cell), code) for cell in cells]
        assert kept[0] == kept[1]
        assert set(kept[0]) == set(lines) - fitting
        assert fitting
        assert len(kept[0]) == len(set(kept[0]))


def test_a_sample_keeps_the_lowest_ranks_however_it_was_filled(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shard_moments, "SAMPLED", 10)
    lines = {rank_of(f"line {number}", 3): f"line {number}" for number in range(200)}
    whole, first, second = SentenceSample(), SentenceSample(), SentenceSample()
    for place, (rank, line) in enumerate(lines.items()):
        whole.add(rank, line)
        (first if place % 3 else second).add(rank, line)
    first.join(second)
    assert first.sentences == whole.sentences == [line for _, line in sorted(lines.items())[:10]]


def test_workers_read_shards_side_by_side_and_give_the_same(tiny_model: Path, folder: Path, tmp_path: Path):
    stores = [Store(tmp_path / name) for name in ("one", "two")]
    cells = [
        merged(tiny_model, folder, store, 40, engine)
        for store, engine in zip(stores, (Inline(), Local(2)), strict=True)
    ]
    assert key_of(cells[0]) == key_of(cells[1])
    for layer in range(3):
        one, two = (cell.moments(StoreBench(store, cell), layer) for cell, store in zip(cells, stores, strict=True))
        assert np.array_equal(one.means, two.means)
        assert np.array_equal(one.scatter, two.scatter)


def test_locate_answers_from_shards(tiny_model: Path, folder: Path, store: Store):
    result = locate.run(settings(tiny_model, folder, shard=40), engine=Inline(), store=store)
    assert set(result.frame()["task"]) >= {"LI", "room"}
    assert result.findings


def test_no_shards_leave_cells_as_they_were(tiny_model: Path, folder: Path):
    (condition,) = plan(settings(tiny_model, folder)).conditions
    assert type(condition.gather) is Gather


def test_text_that_changed_after_planning_fails_its_shard_alone(tiny_model: Path, folder: Path, tmp_path: Path):
    text = tmp_path / "text"
    text.mkdir()
    for path in folder.iterdir():
        (text / path.name).write_bytes(path.read_bytes())
    (condition,) = plan(settings(tiny_model, text, shard=40)).conditions
    content = (text / "qab.txt").read_text().splitlines()
    (text / "qab.txt").write_text("\n".join([*content[:50], "changed", *content[51:]]) + "\n")
    store = Store(tmp_path / "store")
    outcome = Inline().run("shards", [condition.gather], store)
    (failure,) = outcome.failures.values()
    assert "changed after the run was planned" in failure.message
    assert not store.has(condition.gather)


@pytest.mark.slow
def test_memory_is_flat_at_1_4_and_16_times_the_text(tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Cutting, reading and adding up, all in this process. Every line has a word of 2,000 letters, so that text which
    were held would show: 16x has 15 MB more of it than 1x."""
    monkeypatch.setattr(shard_moments, "SAMPLED", 50)
    monkeypatch.setattr(
        lines, "BLOCK", 2**16
    )  # bytes read at a time: less than 1x here, as the real one is of real text
    lab, peaks = Lab(preset("families")), {}
    for times in (0, 1, 4, 16):  # the first one warms up
        folder, rows = tmp_path / f"x{times}", 250 * max(times, 1)
        folder.mkdir()
        for code in ("qaa", "qab"):
            rows_of = (f"{number} {line} {'x' * 2_000}" for number, line in enumerate(lab.text(code, rows)))
            (folder / f"{code}.txt").write_text("\n".join(rows_of) + "\n")
        config = settings(tiny_model, folder, shard=250, limit=10**6)
        tracemalloc.start()
        (condition,) = plan(config).conditions
        assert len(condition.gather.shards) == 2 * max(times, 1)
        assert not Inline().run("shards", [condition.gather], Store(tmp_path / f"store-{times}")).failures
        peaks[times] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    print("peak memory by size of the text:", {times: f"{peak / 1e6:.2f} MB" for times, peak in peaks.items()})
    assert peaks[4] < peaks[1] + 2e6
    assert peaks[16] < peaks[1] + 2e6
