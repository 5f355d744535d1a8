"""A whole run: what it leaves, that it learns, and that mistakes are named."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer

from isogloss.corpora.records import Dictionary
from isogloss.errors import IsoglossError
from isogloss.pretrain import Pretrained, Recipe, pretrain, timing
from isogloss.pretrain.history import read_table

Texts = dict[str, list[str]]


def test_the_result_is_a_folder_that_transformers_opens(two_languages: Texts, tiny_recipe: Recipe, out: Path) -> None:
    result = pretrain(tiny_recipe, two_languages, out)
    tokeniser, model = AutoTokenizer.from_pretrained(out), AutoModelForMaskedLM.from_pretrained(out)
    encoded = tokeniser(two_languages["qaa"][:3], padding=True, truncation=True, return_tensors="pt")
    assert model(**encoded).logits.shape == (*encoded.input_ids.shape, len(tokeniser))
    assert AutoModel.from_pretrained(out)(**encoded).last_hidden_state.shape[-1] == 16
    assert not list(out.rglob("*.bin")) and not list(out.rglob("*.pt"))
    assert result.encoder("qab") == out
    assert Pretrained.load(out) == result


@pytest.mark.parametrize("layout", ["stream", "sentences"])
def test_it_learns_and_the_saved_model_has_the_perplexity_it_reports(
    two_languages: Texts, tiny_recipe: Recipe, out: Path, layout: str
) -> None:
    recipe = tiny_recipe.changed(
        data={"layout": layout}, training={"steps": 80, "validate_every": 10, "save_every": 80}
    )
    result = pretrain(recipe, two_languages, out)
    rows = [row for row in read_table(out / "validation.csv") if row["language"] == "qaa"]
    assert [int(row["step"]) for row in rows] == list(range(10, 81, 10))
    assert float(rows[-1]["perplexity"]) == pytest.approx(result.perplexities["qaa"], rel=1e-4)
    assert result.perplexities["qaa"] < 0.8 * float(rows[0]["perplexity"])
    history = read_table(out / "history.csv")
    assert len(history) == result.steps == 80
    assert int(history[-1]["tokens"]) == result.tokens


def test_a_vocabulary_too_small_for_its_letters_is_a_warning_of_the_run_with_a_size_that_serves(
    tiny_recipe: Recipe, out: Path
) -> None:
    rows = ["".join(chr(0x4E00 + (7 * row + place) % 300) for place in range(10)) for row in range(200)]
    recipe = tiny_recipe.changed(vocabulary={"size": 400, "accept_fewer": True}, training={"steps": 1})
    (said, *_) = pretrain(recipe, {"yue": rows}, out).warnings
    assert "have room for 100 of its 300 characters" in said and "set vocabulary.size to at least 2,352" in said


def test_the_best_step_by_a_language_is_kept(two_languages: Texts, tiny_recipe: Recipe, out: Path) -> None:
    wild = {"steps": 30, "validate_every": 2, "best_by": "qab", "learning_rate": 0.3, "schedule": "constant"}
    result = pretrain(tiny_recipe.changed(training=wild), two_languages, out)
    rows = [row for row in read_table(out / "validation.csv") if row["language"] == "qab"]
    best = min(rows, key=lambda row: float(row["perplexity"]))
    assert result.best_step == int(best["step"]) < 30
    assert result.perplexities["qab"] == pytest.approx(float(best["perplexity"]), rel=1e-4)


def test_micro_batches_change_nothing_but_the_order_of_sums(
    two_languages: Texts, tiny_recipe: Recipe, out: Path
) -> None:
    calm = tiny_recipe.changed(model={"dropout": 0.0}, training={"steps": 5})
    whole = pretrain(calm, two_languages, out / "whole")
    parts = pretrain(calm.changed(training={"micro_batches": 3}), two_languages, out / "parts")
    first, second = (load_file(result.folder / "model.safetensors") for result in (whole, parts))
    assert all(torch.allclose(first[name], second[name], atol=2e-4) for name in first)


def test_continuing_starts_from_the_checkpoint_and_its_tokeniser(
    two_languages: Texts, tiny_recipe: Recipe, out: Path
) -> None:
    first = pretrain(tiny_recipe.changed(training={"steps": 60}), two_languages, out / "first")
    recipe = tiny_recipe.changed(
        model={"start": str(first.folder)}, training={"steps": 1, "learning_rate": 1e-9, "warmup": 1}
    )
    second = pretrain(recipe, two_languages, out / "second")
    for language, value in first.perplexities.items():
        assert second.perplexities[language] == pytest.approx(value, rel=1e-3)


def test_the_same_seed_gives_the_same_model_and_another_another(
    two_languages: Texts, tiny_recipe: Recipe, out: Path
) -> None:
    recipe = tiny_recipe.changed(training={"steps": 4})
    files = [
        pretrain(replace(recipe, seed=seed), two_languages, out / name).folder / "model.safetensors"
        for name, seed in (("a", 0), ("b", 0), ("c", 1))
    ]
    assert files[0].read_bytes() == files[1].read_bytes() != files[2].read_bytes()


def test_bf16_trains(two_languages: Texts, tiny_recipe: Recipe, out: Path) -> None:
    result = pretrain(tiny_recipe.changed(training={"precision": "bf16", "steps": 30}), two_languages, out)
    assert result.perplexities["qaa"] < 60
    assert load_file(out / "model.safetensors")["bert.embeddings.word_embeddings.weight"].dtype == torch.float32


def test_a_loss_that_is_no_number_stops_the_run_and_the_last_checkpoint_stays(
    two_languages: Texts, tiny_recipe: Recipe, out: Path
) -> None:
    wild = tiny_recipe.changed(training={"learning_rate": 1e6, "warmup": 1, "clip": 1e6, "steps": 40, "save_every": 2})
    with pytest.raises(
        IsoglossError, match=r"no longer a number at step \d+.*(whole and stays|no checkpoint)"
    ) as failure:
        pretrain(wild, two_languages, out)
    assert "learning_rate" in str(failure.value)
    kept = list((out / "work" / "checkpoints").glob("step-*"))
    assert all(
        math.isfinite(t.abs().sum()) for path in kept for t in load_file(path / "parameters.safetensors").values()
    )
    assert not (out / "pretrained.json").exists()


def test_an_empty_language_is_named(two_languages: Texts, tiny_recipe: Recipe, out: Path) -> None:
    with pytest.raises(IsoglossError, match="'qac' has no text"):
        pretrain(tiny_recipe, {**two_languages, "qac": []}, out)


def test_a_checkpoint_of_another_vocabulary_is_refused(two_languages: Texts, tiny_recipe: Recipe, out: Path) -> None:
    first = pretrain(tiny_recipe.changed(training={"steps": 1}), two_languages, out / "first").folder
    model = AutoModelForMaskedLM.from_pretrained(first)
    model.resize_token_embeddings(200)
    model.save_pretrained(first)
    with pytest.raises(IsoglossError, match="200 entries"):
        pretrain(tiny_recipe.changed(model={"start": str(first)}), two_languages, out / "second")


def test_an_unknown_architecture_or_option_is_named(two_languages: Texts, tiny_recipe: Recipe, out: Path) -> None:
    with pytest.raises(IsoglossError, match="unknown architecture 'bertt'; did you mean 'bert'"):
        pretrain(tiny_recipe.changed(model={"architecture": "bertt"}), two_languages, out / "a")
    with pytest.raises(IsoglossError, match="no masked language model"):
        pretrain(tiny_recipe.changed(model={"architecture": "gpt2"}), two_languages, out / "b")
    with pytest.raises(IsoglossError, match="did you mean 'initializer_range'"):
        pretrain(tiny_recipe.changed(model={"options": {"initialiser_range": 1}}), two_languages, out / "c")


def test_a_dictionary_with_separate_embeddings_is_refused(two_languages: Texts, tiny_recipe: Recipe, out: Path) -> None:
    recipe = tiny_recipe.changed(sharing={"embeddings": "separate"}, vocabulary={"scope": "own"})
    with pytest.raises(IsoglossError, match="separate embeddings"):
        pretrain(recipe, two_languages, out, dictionaries=[Dictionary("qaa", "qab", (("7", "7"),))])


def test_tensorboard_gets_the_curves(two_languages: Texts, tiny_recipe: Recipe, out: Path) -> None:
    pretrain(tiny_recipe.changed(training={"steps": 2, "tensorboard": True}), two_languages, out)
    assert any((out / "tensorboard").glob("events*"))


def test_a_run_leaves_the_caller_s_threads_and_chance_alone(
    two_languages: Texts, tiny_recipe: Recipe, out: Path
) -> None:
    torch.set_num_threads(2)
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    pretrain(tiny_recipe.changed(training={"steps": 1}), two_languages, out)
    assert torch.get_num_threads() == 2
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"training": {"kernels": "fast", "batch_tokens": 8192}},
        {"model": {"start": "elsewhere"}, "sharing": {"embeddings": "separate"}, "vocabulary": {"scope": "own"}},
        {"objective": "causal"},
    ],
)
def test_timed_steps_are_real_steps(changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    predicted, real = [], timing.take_step

    def watched(run: Any, optimiser: Any, batches: Any, step: int) -> tuple[float, float]:
        predicted.append((sum(batch.ids.numel() for batch in batches), sum(len(batch.labels) for batch in batches)))
        return real(run, optimiser, batches, step)

    monkeypatch.setattr(timing, "take_step", watched)
    recipe = Recipe.preset("lab").changed(**{**changes, "seed": 7})
    timing._seconds_per_step.cache_clear()
    seconds = timing.seconds_of_steps(recipe)
    assert len(predicted) == 1 + timing.TIMED_STEPS
    tokens, labels = predicted[0]
    assert tokens == min(2048, recipe.training.batch_tokens)
    share = 63 / 64 if recipe.objective == "causal" else recipe.masking.share
    assert labels / tokens == pytest.approx(share, rel=0.2)
    more = recipe.changed(training={"steps": 2 * recipe.training.steps})
    assert timing.seconds_of_steps(more) == pytest.approx(2 * seconds)
    assert len(predicted) == 1 + timing.TIMED_STEPS  # timed once
