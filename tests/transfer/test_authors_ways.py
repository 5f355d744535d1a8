"""What the authors' code does otherwise than the papers say, or than we do by default: each against a plain twin."""

from typing import Any

import numpy as np
import pytest
import torch
from transformers import BertForSequenceClassification

from isogloss.errors import IsoglossError
from isogloss.runs.cells import describe, key_of
from isogloss.tasks import get_task
from isogloss.transfer import Fitted, Settings, Trainer, load_fitted, save_fitted
from isogloss.transfer.batches import Batch, Split
from isogloss.transfer.identification import Labelled, train_head
from isogloss.transfer.identify_cell import Identify
from isogloss.transfer.methods.modules.entropy import EntropyPart
from isogloss.transfer.methods.modules.ldar import LDARPart
from isogloss.transfer.methods.modules.reversal import ReversalPart
from isogloss.transfer.network import Step
from isogloss.transfer.presets_by_name import load_preset, preset_names

Records = dict[str, dict[str, list[Any]]]
Texts = dict[str, list[str]]


def prepare(folder: str, records: Records, method: str, texts: Texts, **settings: Any) -> tuple[Fitted, Split, Any]:
    chosen = Settings(encoder_rate=1e-3, precision="float32", batch=16, **settings)
    fitted, split, _ = Trainer(folder, "pos", method, chosen, texts=texts).prepare(
        records["pos"]["train"], records["pos"]["dev"]
    )
    fitted.network.examples = len(split)
    return fitted, split, fitted.network.chain[0]


def test_ldar_over_labelled_tokens_is_the_mean_over_first_subwords_that_bear_labels(
    model_folder: str, records: Records, texts: Texts
) -> None:
    fitted, split, part = prepare(model_folder, records, "ldar:alpha=0.7,layers=2,dims=2,over=labelled", texts)
    assert isinstance(part, LDARPart)
    batch = split.collate(np.arange(6))
    batch.targets[0, 0] = -1  # a word without a label does not count
    network = fitted.network.train()
    before = Step(network, batch).hidden[2].detach()
    part.original.of(batch)
    with torch.no_grad():
        for parameter in network.encoder.parameters():
            parameter.add_(0.05 * torch.randn_like(parameter))
    moved = Step(network, batch)
    lengths = []
    for sentence in range(6):
        for unit in range(batch.units.shape[1]):
            if batch.unit_mask[sentence, unit] and batch.targets[sentence, unit, 0] >= 0:
                row, token = divmod(int(batch.units[sentence, unit]), batch.ids.shape[1])
                gap = (moved.hidden[2] - before)[row, token].detach().numpy() @ part.map_of(2).numpy()
                lengths.append(np.linalg.norm(gap))
    expected = moved.task_loss().item() + 0.7 * float(np.mean(lengths))
    assert network.objective(moved).item() == pytest.approx(expected, rel=1e-4)
    assert int(batch.labelled.sum()) == len(lengths) < int(batch.mask.sum())


def test_ldar_shares_of_the_first_eigenvalues_sum_to_one(model_folder: str, records: Records, lab: Any) -> None:
    texts = {code: lab.text("qaa", 60) if code != "qab" else lab.text("qab", 60) for code in ("qaa", "qab")}
    texts["qac"] = [line[::-1] for line in texts["qaa"]]
    plain = prepare(model_folder, records, "ldar:dims=1,layers=1", texts)[2]
    scaled = prepare(model_folder, records, "ldar:dims=1,layers=1,renormalise=true", texts)[2]
    assert plain.map_of(1).norm().item() < 0.999
    assert scaled.map_of(1).norm().item() == pytest.approx(1.0, abs=1e-5)


def test_a_language_may_be_read_off_the_first_subword_of_each_word(
    model_folder: str, records: Records, texts: Texts
) -> None:
    part = prepare(model_folder, records, "reversal:0.1,units=words", texts)[2]
    every = prepare(model_folder, records, "reversal:0.1", texts)[2]
    assert isinstance(part, ReversalPart)
    fitted = prepare(model_folder, records, "reversal:0.1,units=words", texts)[0]
    tokenizer = fitted.reader.tokenizer
    batch, whole = next(part.batches), next(every.batches)
    for sentence, row in enumerate(batch.ids.tolist()):
        tokens = tokenizer.convert_ids_to_tokens(row)
        firsts = [n for n, token in enumerate(tokens) if not token.startswith(("##", "[CLS]", "[SEP]", "[PAD]"))]
        found = batch.units[sentence][batch.unit_mask[sentence]].tolist()
        assert [place - sentence * batch.ids.shape[1] for place in found] == firsts
    assert batch.unit_mask.sum() < whole.unit_mask.sum()


@pytest.mark.parametrize("adam", ["new", "kept"])
def test_one_adam_serves_all_epochs_of_the_language_head_where_asked(
    adam: str, model_folder: str, records: Records, texts: Texts
) -> None:
    fitted, _, part = prepare(model_folder, records, f"entropy:0.3,adam={adam}", texts, head_rate=1e-2)
    assert isinstance(part, EntropyPart)
    steps = []
    for epoch in range(2):
        part.before_epoch(fitted.network, epoch)
        assert part.adam is not None
        steps.append(int(part.adam.state[part.head.out.weight]["step"]))
    assert steps[1] == (2 * steps[0] if adam == "kept" else steps[0]) and steps[0] > 1


@pytest.mark.parametrize("phase", ["texts", "smaller"])
def test_the_language_phase_reads_no_more_texts_than_the_smaller_set_has(
    phase: str, model_folder: str, records: Records, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted, _, part = prepare(model_folder, records, f"entropy:0.3,phase={phase}", texts)
    seen: list[int] = []
    collate = part.texts.split.collate

    def count(places: Any) -> Batch:
        seen.append(len(places))
        return collate(places)

    monkeypatch.setattr(part.texts.split, "collate", count)
    total = len(part.texts.split)
    fitted.network.examples = 37
    part.before_epoch(fitted.network, 0)
    assert sum(seen) == (37 if phase == "smaller" else total) and total > 37


@pytest.mark.parametrize("dropout", [False, True])
def test_the_encoder_s_dropout_is_on_in_the_language_phase_where_asked(
    dropout: bool, model_folder: str, records: Records, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted, _, part = prepare(model_folder, records, f"entropy:0.3,dropout={str(dropout).lower()}", texts)
    modes: list[bool] = []
    forward = fitted.network.hidden
    monkeypatch.setattr(
        fitted.network, "hidden", lambda batch: (modes.append(fitted.network.encoder.training), forward(batch))[1]
    )
    weights = {name: tensor.clone() for name, tensor in fitted.network.encoder.state_dict().items()}
    part.before_epoch(fitted.network, 0)
    assert set(modes) == {dropout}
    assert all(torch.equal(weights[name], tensor) for name, tensor in fitted.network.encoder.state_dict().items())


@pytest.mark.parametrize("method", ["reversal:0.1", "entropy:0.1"])
def test_the_head_s_dropout_reaches_the_language_head(
    method: str, model_folder: str, records: Records, texts: Texts
) -> None:
    assert prepare(model_folder, records, method, texts, head_dropout=0.4)[2].head.dropout.p == 0.4
    assert prepare(model_folder, records, method, texts)[2].head.dropout.p == 0.1


def test_the_head_s_dropout_reaches_the_head_trained_afterwards(model_folder: str, records: Records) -> None:
    chosen = Settings(encoder_rate=1e-3, precision="float32", batch=16, head_dropout=0.3, epochs=1)
    ready, _, _ = Trainer(model_folder, "pos", "plain", chosen).prepare(records["pos"]["train"], records["pos"]["dev"])
    rng = np.random.default_rng(0)
    given = Labelled(rng.normal(size=(40, 32)).astype(np.float32), np.arange(40) % 2, np.arange(40))
    assert train_head(given, 2, ready).dropout.p == 0.3


def test_pairs_may_be_read_through_the_pretrained_pooler_as_transformers_does(
    model_folder: str, records: Records, tmp_path: Any
) -> None:
    settings = Settings(encoder_rate=1e-3, precision="float32", batch=16)
    trainer = Trainer(model_folder, get_task("nli", pooler=True), "plain", settings)
    fitted, split, _ = trainer.prepare(records["nli"]["train"], records["nli"]["dev"])
    peer = BertForSequenceClassification.from_pretrained(model_folder, num_labels=len(fitted.labels)).eval()
    head = fitted.network.head
    assert torch.equal(head.dense.weight, peer.bert.pooler.dense.weight)
    with torch.no_grad():
        peer.classifier.weight.copy_(head.out.weight)
        peer.classifier.bias.copy_(head.out.bias)
        batch = split.collate(np.arange(8))
        ours = fitted.network.eval().scores(batch)[:, 0]
        theirs = peer(**{"attention_mask": batch.mask.long(), **batch.inputs}).logits
    assert torch.allclose(ours, theirs, atol=1e-5)
    loaded = load_fitted(save_fitted(fitted, tmp_path / "kept"))
    again, _ = loaded.lay_out(records["nli"]["dev"][:4])
    same = fitted.lay_out(records["nli"]["dev"][:4])[0].collate(np.arange(4))
    assert torch.allclose(loaded.network.scores(again.collate(np.arange(4))), fitted.network.scores(same), atol=1e-5)


def test_the_presets_of_tanti21_and_liang21_take_the_authors_ways() -> None:
    for name in preset_names():
        if name.startswith("tanti21"):
            assert load_preset(name).settings.clip == 0, name
    assert "units=words" in load_preset("tanti21-pos-reversal").method
    assert "adam=kept,dropout=true,phase=smaller" in load_preset("tanti21-nli-entropy").method
    liang = load_preset("liang21")
    assert (liang.settings.warmup, liang.settings.weight_decay) == (0, 0)
    assert "over=labelled,renormalise=true" in liang.method


def test_new_options_leave_the_keys_of_stored_results_alone() -> None:
    assert key_of(Identify()) != key_of(Identify(units="words"))
    assert "units" not in describe(Identify())["inputs"]


def test_a_misspelt_way_is_refused(model_folder: str, records: Records, texts: Texts) -> None:
    with pytest.raises(IsoglossError, match="over"):
        prepare(model_folder, records, "ldar:over=words", texts)
