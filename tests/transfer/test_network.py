"""What frozen layers cost, what padding must not change, and entering a stack half-way."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModel

from isogloss.encoders.layers import find_stack
from isogloss.errors import IsoglossError
from isogloss.transfer import Fitted, Settings, Trainer
from isogloss.transfer.batches import Split
from isogloss.transfer.entering_layers import Shortcut, run
from isogloss.transfer.frozen import frozen_depth
from isogloss.transfer.network import Step

Records = dict[str, dict[str, list[Any]]]
COMMON = {
    "vocab_size": 50,
    "hidden_size": 16,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "intermediate_size": 32,
}
FAMILIES: dict[str, dict[str, Any]] = {
    "bert": {},
    "roberta": {},
    "electra": {"embedding_size": 16},
    "deberta-v2": {"relative_attention": True, "position_buckets": 8, "pos_att_type": ["p2c", "c2p"]},
    "modernbert": {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "cls_token_id": 1, "sep_token_id": 2},
    "llama": {},
    "gemma3_text": {"head_dim": 8, "num_key_value_heads": 1},
}
NO_WAY_IN: dict[str, dict[str, Any]] = {"albert": {"embedding_size": 16}, "t5": {"d_model": 16, "d_kv": 8, "d_ff": 32}}


def random_model(family: str, extra: dict[str, Any]) -> Any:
    from transformers import AutoConfig

    torch.manual_seed(0)
    return AutoModel.from_config(AutoConfig.for_model(family, **COMMON, **extra)).eval()


def prepare(folder: str, records: Records, method: str, task: str = "pos", **settings: Any) -> tuple[Fitted, Split]:
    trainer = Trainer(folder, task, method, Settings(encoder_rate=1e-3, precision="float32", **settings))
    fitted, split, _ = trainer.prepare(records[task]["train"], records[task]["dev"])
    return fitted, split


@pytest.mark.parametrize("family", FAMILIES)
def test_a_stack_entered_half_way_gives_what_the_whole_gives(family: str) -> None:
    stack = find_stack(random_model(family, FAMILIES[family]))
    ids = torch.randint(3, 50, (3, 7))
    mask = torch.ones_like(ids)
    mask[0, 4:] = 0
    inputs = {"input_ids": ids, "attention_mask": mask}
    for start in (1, 2):
        shortcut = Shortcut.find(stack, start)
        assert shortcut is not None
        with torch.no_grad():
            whole = run(stack, inputs, (start, 3))
            again = shortcut.states(inputs, whole[start], (3,))
        assert torch.allclose(whole[3][mask.bool()], again[3][mask.bool()], atol=1e-5)
        with torch.no_grad():  # and the stack is as it was
            assert torch.equal(run(stack, inputs, (3,))[3], whole[3])


@pytest.mark.parametrize("family", NO_WAY_IN)
def test_a_stack_that_cannot_be_entered_half_way_says_so(family: str) -> None:
    assert Shortcut.find(find_stack(random_model(family, NO_WAY_IN[family])), 1) is None


def test_autograd_tells_which_layers_are_frozen() -> None:
    model = random_model("bert", {})
    stack = find_stack(model)
    assert frozen_depth(stack) is None
    model.embeddings.requires_grad_(False)
    assert frozen_depth(stack) == 0
    model.encoder.layer[0].requires_grad_(False)
    assert frozen_depth(stack) == 1
    model.requires_grad_(False)
    assert frozen_depth(stack) == 3
    model.embeddings.requires_grad_(True)
    assert frozen_depth(stack) is None


@pytest.mark.parametrize(
    "method", ["frozen:0-2", "frozen", "frozen:0-2+scalar-mix", "linear+fusion:1", "linear+layer=1"]
)
def test_kept_states_of_frozen_layers_equal_those_computed_again(
    method: str, model_folder: str, records: Records
) -> None:
    fitted, split = prepare(model_folder, records, method)
    network = fitted.network.eval()
    batches = [split.collate(places) for places in split.in_order(300)]
    with torch.no_grad():
        first = [network.scores(batch) for batch in batches]
        kept = [network.scores(batch) for batch in batches]
        network.lower = network.shortcut = None
        plain = [network.scores(batch) for batch in batches]
    for a, b, c in zip(first, kept, plain, strict=True):
        assert torch.allclose(a, c, atol=1e-5) and torch.allclose(b, c, atol=1e-5)


def test_frozen_layers_are_computed_once(model_folder: str, records: Records) -> None:
    fitted, split = prepare(model_folder, records, "frozen:0-2")
    calls: Counter[int] = Counter()
    for layer in (1, 3):
        block = fitted.network.stack.entrances[layer - 1]
        block.attention.register_forward_hook(lambda *_, layer=layer: calls.update([layer]))
    fitted.network.train()
    batches = split.in_order(400)
    for _ in range(3):
        for places in batches:
            fitted.network.objective(Step(fitted.network, split.collate(places)))
    assert calls == {1: len(batches), 3: 3 * len(batches)}


def test_padding_and_company_change_no_score(model_folder: str, records: Records) -> None:
    fitted, split = prepare(model_folder, records, "fusion:1")
    network = fitted.network.eval()
    shortest, longest = int(split.lengths.argmin()), int(split.lengths.argmax())
    with torch.no_grad():
        alone = network.scores(split.collate(np.array([shortest])))
        together = network.scores(split.collate(np.array([longest, shortest])))
    assert torch.allclose(together[1, : alone.shape[1]], alone[0], atol=1e-5)


def test_a_text_is_the_mean_of_its_tokens_when_asked(model_folder: str, records: Records) -> None:
    from isogloss.tasks import Inference

    trainer = Trainer(model_folder, Inference(pooling="mean"), "plain", Settings(precision="float32"))
    fitted, split, _ = trainer.prepare(records["nli"]["train"], records["nli"]["dev"])
    batch = split.collate(np.array([int(split.lengths.argmax()), int(split.lengths.argmin())]))
    step = Step(fitted.network.eval(), batch)
    with torch.no_grad():
        row = split.examples[batch.numbers[1]].rows[0]
        expected = step.hidden[3][1, row.inside[0] : row.inside[1]].mean(0)
        assert torch.allclose(step.states[1, 0], expected, atol=1e-5)


def test_two_methods_that_choose_what_the_head_sees_are_refused(model_folder: str, records: Records) -> None:
    with pytest.raises(IsoglossError, match="two methods"):
        prepare(model_folder, records, "layer=1+scalar-mix")


def test_layers_above_the_one_the_head_sees_are_not_computed(model_folder: str, records: Records) -> None:
    fitted, split = prepare(model_folder, records, "layer=1")
    called = []
    fitted.network.stack.entrances[1].attention.register_forward_hook(lambda *_: called.append(1))
    fitted.network.objective(Step(fitted.network, split.collate(np.arange(4))))
    assert not called


def test_states_too_many_for_memory_are_kept_in_a_file(
    model_folder: str, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.transfer.frozen_states.IN_MEMORY", 0)
    fitted, split = prepare(model_folder, records, "frozen:0-2")
    network, batch = fitted.network.eval(), split.collate(np.arange(5))
    with torch.no_grad():
        first, kept = network.scores(batch), network.scores(batch)
        assert network.lower is not None and network.lower._folder is not None
        network.lower = network.shortcut = None
        assert torch.allclose(kept, network.scores(batch), atol=1e-5) and torch.equal(first, kept)
