"""Models of many families are fine-tuned, whole and with frozen layers, and saved so that they open again."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoConfig, AutoModel

from isogloss.encoders.surgery import Truncate
from isogloss.transfer import Settings, Trainer, load_fitted, save_fitted

Records = dict[str, dict[str, list[Any]]]
SIZE = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32, "pad_token_id": 0}
FAMILIES: dict[str, dict[str, Any]] = {
    "xlm-roberta": {"max_position_embeddings": 66},
    "distilbert": {},
    "albert": {"embedding_size": 16},
    "deberta-v2": {"relative_attention": True, "position_buckets": 8, "pos_att_type": ["p2c", "c2p"]},
    "modernbert": {"bos_token_id": 2, "eos_token_id": 3, "cls_token_id": 2, "sep_token_id": 3},
    "t5": {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2},
    "gemma3_text": {"head_dim": 8, "num_key_value_heads": 1},
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_family_is_fine_tuned_frozen_and_saved(family: str, tokenizer: Any, records: Records, tmp_path: Path) -> None:
    torch.manual_seed(0)
    config = AutoConfig.for_model(family, vocab_size=len(tokenizer), **{**SIZE, **FAMILIES[family]})
    AutoModel.from_config(config).save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    train, dev = records["pos"]["train"][:40], records["pos"]["dev"][:10]
    for method in ("plain", "frozen:0-1"):
        settings = Settings(epochs=2, encoder_rate=1e-3, head_rate=1e-2, batch=16, precision="float32")
        if method != "plain" and family == "albert":
            continue  # its layers are one and the same
        fitted = Trainer(str(tmp_path / "model"), "pos", method, settings).fit(train, dev)
        assert fitted.history[1].loss < fitted.history[0].loss
        again = load_fitted(save_fitted(fitted, tmp_path / method))
        assert again.predict(dev).records == fitted.predict(dev).records


def test_a_decoder_is_fine_tuned_with_its_mask_open_and_saved(tokenizer: Any, records: Records, tmp_path: Path) -> None:
    torch.manual_seed(0)
    size = {**SIZE, **FAMILIES["gemma3_text"]}
    AutoModel.from_config(AutoConfig.for_model("gemma3_text", vocab_size=len(tokenizer), **size)).save_pretrained(
        tmp_path / "model"
    )
    tokenizer.save_pretrained(tmp_path / "model")
    train, dev = records["pos"]["train"][:40], records["pos"]["dev"][:10]
    settings = Settings(epochs=1, encoder_rate=1e-3, head_rate=1e-2, batch=16, precision="float32")
    fitted = Trainer(f"{tmp_path / 'model'}?attention=full", "pos", "plain", settings).fit(train, dev)
    assert not fitted.network.stack.causal and fitted.reader.last
    again = load_fitted(save_fitted(fitted, tmp_path / "fitted"))
    assert not again.network.stack.causal and again.reader.last
    assert again.predict(dev).records == fitted.predict(dev).records
    assert Trainer(str(tmp_path / "model"), "pos", "plain", settings).prepare(train, dev)[0].network.stack.causal


@pytest.mark.parametrize("family", ["gemma3_text", "modernbert", "t5", "xlm-roberta", "deberta-v2", "xlm"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_lower_layer_is_read_as_the_last_one_of_a_truncated_model(
    family: str, tokenizer: Any, records: Records, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    xlm = {"emb_dim": 16, "n_layers": 2, "n_heads": 2, "pad_index": 0}
    settings = {**SIZE, **FAMILIES.get(family, xlm)}
    whole = AutoModel.from_config(AutoConfig.for_model(family, vocab_size=len(tokenizer), **settings))
    with torch.no_grad():  # a normalisation that shows: not one that multiplies by one
        for name, parameter in whole.named_parameters():
            if "norm" in name.lower():
                parameter.add_(torch.rand_like(parameter))
    for name, model in {"whole": whole, "cut": Truncate(1).apply(whole)}.items():
        model.save_pretrained(tmp_path / name)
        tokenizer.save_pretrained(tmp_path / name)
    train, dev = records["pos"]["train"][:20], records["pos"]["dev"][:4]

    def states(name: str, method: str) -> torch.Tensor:
        chosen = Settings(precision="float32")
        fitted, split, _ = Trainer(str(tmp_path / name), "pos", method, chosen).prepare(train, dev)
        batch = split.collate(np.arange(4))
        with torch.no_grad():
            network = fitted.network.eval()
            return network.token_states(network.hidden(batch), batch)

    last, lower = states("whole", "plain"), states("cut", "plain")
    assert torch.allclose(states("whole", "layer:1"), lower, atol=1e-5)
    assert torch.allclose(states("whole", "concat:1,2"), torch.cat([lower, last], dim=-1), atol=1e-5)
    assert torch.allclose(states("whole", "scalar-mix:1,2"), (lower + last) / 2, atol=1e-5)


def test_a_layer_is_never_normalised_for_methods_that_hold_states_in_place(
    tokenizer: Any, records: Records, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    size = {**SIZE, **FAMILIES["gemma3_text"]}
    model = AutoModel.from_config(AutoConfig.for_model("gemma3_text", vocab_size=len(tokenizer), **size))
    model.save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    train, dev = records["pos"]["train"][:20], records["pos"]["dev"][:4]
    fitted, split, _ = Trainer(str(tmp_path / "model"), "pos", "layer:1", Settings(precision="float32")).prepare(
        train, dev
    )
    batch = split.collate(np.arange(4))
    raw = fitted.network.eval().hidden(batch)[1]
    with torch.no_grad():
        theirs = fitted.network.stack.model(**batch.inputs, output_hidden_states=True).hidden_states[1]
    assert torch.allclose(raw, theirs, atol=1e-5)
