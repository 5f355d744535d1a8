"""Models of many families are fine-tuned, whole and with frozen layers, and saved so that they open again."""

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModel

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
