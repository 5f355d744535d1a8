"""The loop: it learns, its seed fixes everything, and it changes what it should and nothing else."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from isogloss.encoders import fast_layers
from isogloss.errors import IsoglossError
from isogloss.tasks import TASKS, get_task
from isogloss.transfer import Fitted, Settings, Trainer
from isogloss.transfer.loop import run_epochs
from isogloss.transfer.network import Step
from isogloss.transfer.optimising import make_optimiser, make_schedule

Records = dict[str, dict[str, list[Any]]]
QUICK = Settings(epochs=2, encoder_rate=1e-3, head_rate=2e-3, batch=16, precision="float32")


def fit(folder: str, records: Records, task: str = "pos", method: str = "plain", **changes: Any) -> Fitted:
    settings = Settings(**{**QUICK.__dict__, **changes})
    return Trainer(folder, task, method, settings).fit(records[task]["train"], records[task]["dev"])


def weights(fitted: Fitted) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in fitted.network.encoder.state_dict().items()}


def fresh_weights(folder: str) -> dict[str, torch.Tensor]:
    from transformers import AutoModel

    return AutoModel.from_pretrained(folder).state_dict()


@pytest.mark.parametrize("task", TASKS)
def test_every_task_trains_and_predicts_every_record(task: str, model_folder: str, records: Records) -> None:
    fitted = fit(model_folder, records, task)
    if task not in ("nli", "paraphrase"):  # which an untrained encoder does not learn from 120 pairs
        assert fitted.history[1].loss < fitted.history[0].loss
    predicted = fitted.predict(records[task]["test"]).records
    assert len(predicted) == len(records[task]["test"])
    assert all(len(fitted.task.labels_of(a)) == len(fitted.task.labels_of(fitted.task.accept(b)))
               for a, b in zip(predicted, records[task]["test"], strict=True))  # fmt: skip


def test_a_tagger_learns_its_training_part(model_folder: str, records: Records) -> None:
    fitted = fit(model_folder, records, epochs=12, encoder_rate=5e-3, batch=8, keep="last")
    assert fitted.tally(records["pos"]["train"]).score("accuracy") > 0.9


def test_the_seed_fixes_everything(model_folder: str, records: Records) -> None:
    first, again, other = (fit(model_folder, records, seed=seed) for seed in (1, 1, 2))
    assert first.history == again.history != other.history
    for name, tensor in weights(first).items():
        assert torch.equal(tensor, weights(again)[name])


@pytest.mark.parametrize("task", ["pos", "parsing"])
def test_fast_kernels_learn_the_same_to_rounding(task: str, model_folder: str, records: Records) -> None:
    changes = {"epochs": 1, "encoder_dropout": False, "head_dropout": 0.0}
    plain, fast = (fit(model_folder, records, task, kernels=kernels, **changes) for kernels in ("plain", "fast"))
    assert fast.history[0].loss == pytest.approx(plain.history[0].loss, rel=1e-4)
    kinds = [{type(block).__module__ for block in one.network.stack.entrances} for one in (plain, fast)]
    assert kinds[1] == {fast_layers.__name__} != kinds[0]
    found = weights(fast)
    for name, tensor in weights(plain).items():
        torch.testing.assert_close(found[name], tensor, rtol=0, atol=5e-3)
    assert any(not torch.equal(found[name], tensor) for name, tensor in weights(plain).items())


@pytest.mark.parametrize("method", ["frozen:0-1", "frozen:2", "fusion:1", "layer:1", "scalar-mix", "random-init:1"])
def test_fast_kernels_go_with_methods_that_enter_or_leave_layers(
    method: str, model_folder: str, records: Records
) -> None:
    changes = {"epochs": 1, "encoder_dropout": False, "head_dropout": 0.0}
    plain, fast = (fit(model_folder, records, "pos", method, kernels=kind, **changes) for kind in ("plain", "fast"))
    assert fast.history[0].loss == pytest.approx(plain.history[0].loss, rel=1e-4)
    trained = {name for name, one in plain.network.encoder.named_parameters() if one.requires_grad}
    found, before = weights(fast), fresh_weights(model_folder)
    for name, tensor in weights(plain).items():
        torch.testing.assert_close(found[name], tensor, rtol=0, atol=5e-3)
        assert name in trained or name not in before or torch.equal(found[name], before[name]), "frozen, and moved"


def test_fast_kernels_draw_dropout_by_the_seed_too(model_folder: str, records: Records) -> None:
    first, again, other = (fit(model_folder, records, "parsing", kernels="fast", seed=seed) for seed in (1, 1, 2))
    assert first.history == again.history != other.history


def test_a_model_trained_with_fast_kernels_is_saved_like_any_other(
    model_folder: str, records: Records, tmp_path: Path
) -> None:
    from transformers import AutoModel

    fitted = fit(model_folder, records, kernels="fast")
    fitted.whole.save_pretrained(tmp_path)
    opened = AutoModel.from_pretrained(tmp_path).state_dict()
    for name, tensor in weights(fitted).items():
        assert torch.equal(opened[name], tensor)


def test_accumulated_batches_equal_one_large_batch(model_folder: str, records: Records) -> None:
    def one_epoch(**settings: Any) -> dict[str, torch.Tensor]:
        return weights(fit(model_folder, records, epochs=1, encoder_dropout=False, head_dropout=0.0, sort=False,
                           warmup=0.0, optimiser="adam", **settings))  # fmt: skip

    large, small = one_epoch(batch=40), one_epoch(batch=10, accumulate=4)
    moved = fresh_weights(model_folder)
    for name, tensor in large.items():
        assert torch.allclose(tensor, small[name], atol=2e-5), name
    assert any(not torch.allclose(large[name], moved[name], atol=1e-4) for name in large)


def test_the_best_epoch_by_the_validation_part_is_kept(model_folder: str, records: Records) -> None:
    fitted = fit(model_folder, records, epochs=4, encoder_rate=3e-2)  # so fast that scores go up and down
    scores = [epoch.validation for epoch in fitted.history]
    assert fitted.tally(records["pos"]["dev"]).score("accuracy") == pytest.approx(max(scores))


def test_a_linear_head_leaves_the_encoder_as_it_was(model_folder: str, records: Records) -> None:
    fitted = fit(model_folder, records, method="linear")
    for name, tensor in fresh_weights(model_folder).items():
        assert torch.equal(tensor, weights(fitted)[name]), name
    assert fitted.history[1].loss < fitted.history[0].loss


def test_frozen_layers_stay_and_the_others_move(model_folder: str, records: Records) -> None:
    trained = weights(fit(model_folder, records, method="frozen:0-2"))
    for name, tensor in fresh_weights(model_folder).items():
        frozen = name.startswith(("embeddings", "encoder.layer.0", "encoder.layer.1")) or "pooler" in name
        assert torch.equal(tensor, trained[name]) == frozen or "key.bias" in name, name


def test_two_learning_rates_reach_encoder_and_head(model_folder: str, records: Records) -> None:
    trainer = Trainer(model_folder, "pos", "plain", Settings(encoder_rate=1e-4, head_rate=1e-2, weight_decay=0.1))
    fitted, _, _ = trainer.prepare(records["pos"]["train"], records["pos"]["dev"])
    groups = make_optimiser(fitted.network, fitted.settings).param_groups
    rates = {id(p): (group["lr"], group["weight_decay"]) for group in groups for p in group["params"]}
    assert rates[id(fitted.network.head.out.weight)] == (1e-2, 0.1)
    assert rates[id(fitted.network.head.out.bias)] == (1e-2, 0.0)
    assert rates[id(fitted.network.encoder.embeddings.word_embeddings.weight)] == (1e-4, 0.1)
    assert rates[id(fitted.network.encoder.embeddings.LayerNorm.weight)] == (1e-4, 0.0)


def test_rates_warm_up_and_decay_linearly() -> None:
    optimiser = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    schedule = make_schedule(optimiser, Settings(warmup=0.1), steps=100)
    rates = []
    for _ in range(100):
        rates.append(schedule.get_last_lr()[0])
        optimiser.step()
        schedule.step()
    assert np.argmax(rates) == 10 and rates[10] == 1.0
    assert np.allclose(np.diff(rates[:10]), 1 / 11) and np.allclose(np.diff(rates[11:]), -1 / 90)
    assert schedule.get_last_lr()[0] == 0.0
    constant = make_schedule(optimiser, Settings(warmup=0.0, schedule="constant"), steps=10)
    assert constant.get_last_lr()[0] == 1.0


def test_a_loss_that_is_no_number_stops_with_a_remedy(model_folder: str, records: Records) -> None:
    fitted, split, held_out = Trainer(model_folder, "pos", "plain", QUICK).prepare(
        records["pos"]["train"], records["pos"]["dev"]
    )
    with torch.no_grad():
        fitted.network.head.out.weight.fill_(float("nan"))
    with pytest.raises(IsoglossError, match="the loss is nan in epoch 1, step 1") as caught:
        run_epochs(fitted, split, held_out, QUICK)
    assert "encoder_rate" in (caught.value.remedy or "")


def test_a_batch_that_does_not_fit_names_the_setting_to_lower(
    model_folder: str, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(step: Step) -> None:
        raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 TB")

    monkeypatch.setattr("isogloss.transfer.network.Network.objective", lambda self, step: no_room(step))
    with pytest.raises(IsoglossError, match="does not fit") as caught:
        fit(model_folder, records)
    assert "batch" in (caught.value.remedy or "")


def test_sentences_longer_than_the_model_get_a_prediction_for_every_word(model_folder: str, records: Records) -> None:
    fitted = fit(model_folder, records, max_tokens=12, epochs=1)
    predicted = fitted.predict(records["pos"]["test"])
    assert predicted.counts.windowed > 0 and predicted.counts.cut_words == 0
    assert all("_" not in record.tags for record in predicted.records)
    cut = fit(model_folder, records, max_tokens=12, epochs=1, long="cut").predict(records["pos"]["test"])
    assert sum(record.tags.count("_") for record in cut.records) == cut.counts.cut_words > 0


@pytest.mark.parametrize(("setting", "value"), [("epochs", 0), ("warmup", 2.0), ("batch", 0), ("encoder_rate", -1.0)])
def test_impossible_settings_are_refused_by_name(setting: str, value: float) -> None:
    with pytest.raises(IsoglossError, match=setting):
        Settings(**{setting: value})


def test_records_with_unknown_subwords_are_dropped_and_counted(model_folder: str, records: Records) -> None:
    strange = replace(records["pos"]["train"][0], words=("字",) * len(records["pos"]["train"][0].words))
    changed = {"pos": {**records["pos"], "train": [*records["pos"]["train"], strange]}}
    fitted = fit(model_folder, changed, epochs=1, drop_unknown=True)
    assert fitted.skipped["a text with an unknown subword"] >= 1
    assert not fit(model_folder, changed, epochs=1).skipped


def test_a_decoder_s_first_token_is_no_reading_of_a_text(records: Records, tokenizer: Any, tmp_path: Path) -> None:
    from transformers import LlamaConfig, LlamaModel

    config = LlamaConfig(vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                         intermediate_size=32, pad_token_id=0)  # fmt: skip
    LlamaModel(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(IsoglossError, match="no first token"):
        fit(str(tmp_path), records, "nli")
    trainer = Trainer(str(tmp_path), get_task("nli", pooling="mean"), "plain", Settings(epochs=1, precision="float32"))
    assert trainer.fit(records["nli"]["train"], records["nli"]["dev"]).history
    assert fit(str(tmp_path), records, "pos", "frozen:0-1", epochs=1).history
