"""The cache of states: named by content, computed once, whole or not at all, listed and cleaned."""

import json
import os
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from small_models import TEXTS
from typer.testing import CliRunner

from isogloss import Encoder
from isogloss.cli import data_cache
from isogloss.digests import is_sealed
from isogloss.encoders import Reinitialise
from isogloss.encoders.cache import cache_folder, clean_cache, list_cache


@pytest.fixture
def bert(saved: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Encoder:
    monkeypatch.setenv("ISOGLOSS_HOME", str(tmp_path / "home"))
    return Encoder(str(saved("bert").folder), dtype="float32", device="cpu")


def forbid_reading(encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder._reader, "read", lambda *_, **__: pytest.fail("computed again"))


def test_states_are_computed_once_and_mapped_from_disk(
    bert: Encoder, saved: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = bert.encode(TEXTS)
    np.testing.assert_array_equal(bert.cached(TEXTS).block().values, fresh)
    again = Encoder(str(saved("bert").folder), dtype="float32", device="cpu")
    forbid_reading(again, monkeypatch)
    states = again.cached(TEXTS, layers=[3, 1])
    assert isinstance(states.layer(3), np.memmap)
    np.testing.assert_array_equal(states.layer(1), fresh[:, 1])
    np.testing.assert_array_equal(states.block().values, fresh[:, [3, 1]])
    assert states.counts.sentences == len(TEXTS)


def test_a_masked_language_model_whose_pooler_is_drawn_at_each_opening_is_read_once(
    bert: Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "masked"
    weights = {name: part for name, part in bert.model.state_dict().items() if "pooler" not in name}
    bert.model.save_pretrained(folder, state_dict=weights)
    bert.tokenizer.save_pretrained(folder)
    first, second = (Encoder(str(folder), dtype="float32", device="cpu") for _ in range(2))
    poolers = [encoder.model.pooler.dense.weight for encoder in (first, second)]
    assert not torch.equal(*poolers)
    states = first.cached(TEXTS).block().values
    forbid_reading(second, monkeypatch)
    np.testing.assert_array_equal(second.cached(TEXTS).block().values, states)


def test_several_bodies_of_text_have_entries_of_their_own(bert: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = [TEXTS[:2], TEXTS[1:]]
    each = list(bert.cached_each(bodies, layers=[2]))
    forbid_reading(bert, monkeypatch)
    for body, found in zip(bodies, each, strict=True):
        np.testing.assert_array_equal(found.layer(2), bert.cached(body, layers=[2]).layer(2))


def test_a_layer_is_an_ordinary_safetensors_file(bert: Encoder) -> None:
    bert.cached(TEXTS, layers=[2])
    (file,) = cache_folder().glob("*/*/layer-002.safetensors")
    np.testing.assert_array_equal(load_file(file)["states"], bert.encode(TEXTS, layers=[2])[:, 0])


def test_only_missing_layers_are_computed(bert: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    bert.cached(TEXTS, layers=[0, 1])
    asked: list[tuple[int, ...]] = []
    read = bert._reader.read
    monkeypatch.setattr(bert._reader, "read", lambda *a, **k: (asked.append(a[1]), read(*a, **k)))
    bert.cached(TEXTS, layers=[1, 2, 0, 3])
    assert asked == [(2, 3)]
    assert len(list_cache()) == 1


def test_words_are_cached_with_their_places(bert: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [["the", "", "cat"], ["mat"]]
    fresh = bert.encode(words, level="word")
    bert.cached(words, level="word")
    forbid_reading(bert, monkeypatch)
    block = bert.cached(words, level="word").block()
    np.testing.assert_array_equal(block.values, fresh.values)
    assert block.sentence.tolist() == [0, 0, 0, 1]
    assert block.position.tolist() == [0, 1, 2, 0]
    assert block.missing.tolist() == [False, True, False, False]
    assert block.counts == fresh.counts


def test_another_model_text_level_pooling_or_type_is_another_entry(bert: Encoder, saved: Any) -> None:
    given = saved("bert")
    bert.cached(TEXTS)
    bert.cached(TEXTS, pooling="cls")
    bert.cached(TEXTS[:-1])
    bert.cached(TEXTS, level="token")
    bert.cached([text.split() for text in TEXTS], level="word")
    bert.cached([[*TEXTS[0].split(), *TEXTS[1].split()]], level="word")
    bert.cached([TEXTS[0].split(), TEXTS[1].split()], level="word")
    Encoder(str(given.folder), dtype="bfloat16", device="cpu").cached(TEXTS)
    Encoder(str(given.folder), dtype="float32", device="cpu", max_tokens=9).cached(TEXTS)
    Encoder.from_model(Reinitialise((3,)).apply(given.model), given.tokenizer).cached(TEXTS)
    assert len(list_cache()) == 10
    Encoder.from_model(given.model, given.tokenizer, name="the same by another name").cached(TEXTS)
    assert len(list_cache()) == 10


def test_a_crash_leaves_no_layer_behind_and_damage_is_mended(bert: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(bert._reader, "read", crash)
        with pytest.raises(KeyboardInterrupt):
            bert.cached(TEXTS)
    assert not [path for path in cache_folder().rglob("*") if path.is_file()]
    fresh = bert.cached(TEXTS).block().values
    (layer,) = cache_folder().glob("*/*/layer-001.safetensors")
    layer.write_bytes(layer.read_bytes()[:-10])
    (rows,) = cache_folder().glob("*/*/rows.safetensors")
    np.testing.assert_array_equal(bert.cached(TEXTS).block().values, fresh)
    rows.write_bytes(b"")
    np.testing.assert_array_equal(bert.cached(TEXTS).block().values, fresh)


def test_entries_are_cleaned_by_age_and_model(bert: Encoder) -> None:
    bert.cached(TEXTS)
    bert.cached(TEXTS, pooling="cls")
    old = next(entry for entry in list_cache() if entry.about.pooling == "cls")
    month_ago = time.time() - 30 * 24 * 3600
    os.utime(old.folder / "about.json", (month_ago, month_ago))
    assert [entry.folder for entry in clean_cache(older_than_days=7)] == [old.folder]
    assert clean_cache(model="another") == []
    assert len(clean_cache()) == 1
    assert list_cache() == []


def test_the_command_line_lists_and_cleans(bert: Encoder) -> None:
    bert.cached(TEXTS, layers=[1, 2])
    runner = CliRunner()
    listed = json.loads(runner.invoke(data_cache.app, ["list", "--json"]).stdout)
    assert listed[0]["about"]["level"] == "sentence"
    assert listed[0]["layers"] == [1, 2]
    assert listed[0]["rows"] == len(TEXTS)
    assert "1 entries" in runner.invoke(data_cache.app, ["list"]).stdout
    assert "1 entries deleted" in runner.invoke(data_cache.app, ["clean"]).stdout
    assert "0 entries" in runner.invoke(data_cache.app, ["list"]).stdout
    assert [data_cache.size_in_words(size) for size in (999, 1536, 2_500_000)] == ["999 B", "1.5 kB", "2.5 MB"]


@pytest.mark.parametrize("name", ["layer-002.safetensors", "rows.safetensors"])
def test_a_flipped_bit_anywhere_in_cached_states_is_noticed_and_they_are_computed_again(
    bert: Encoder, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sound = bert.cached(TEXTS, layers=[2])
    values, tokens = sound.block().values.copy(), sound.counts.tokens
    (file,) = cache_folder().glob(f"*/*/{name}")
    whole, chance = file.read_bytes(), random.Random(0)
    for place in chance.sample(range(8 * len(whole)), k=40):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        file.write_bytes(flipped)
        again = bert.cached(TEXTS, layers=[2])
        np.testing.assert_array_equal(again.block().values, values)
        assert again.counts.tokens == tokens
        assert is_sealed(file)
        assert "computed again" in capsys.readouterr().err


def test_another_number_of_threads_has_states_of_its_own(bert: Encoder) -> None:
    before = torch.get_num_threads()
    for threads in (1, 2):
        torch.set_num_threads(threads)
        bert.cached(TEXTS, layers=[2])
    torch.set_num_threads(before)
    assert len(list_cache()) == 2
