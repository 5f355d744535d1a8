"""Adapters are merged, GGUF files open by their path, and what loads wrongly is said with names."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from small_models import TEXTS, build
from small_pipelines import build_pipeline

from isogloss import Encoder, IsoglossError

peft = pytest.importorskip("peft")


def make_adapter(model: Any, folder: Path, base: str = "", seed: int = 3, **more: Any) -> Any:
    """A LoRA adapter with weights that are not zero, saved in ``folder``; the changed model is returned."""
    config = peft.LoraConfig(r=4, target_modules=["query", "value"], **more)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        changed = peft.get_peft_model(model, config)
        for name, parameter in changed.named_parameters():
            if "lora_" in name:
                torch.nn.init.normal_(parameter, std=0.3)
    changed.save_pretrained(folder)
    told = json.loads((folder / "adapter_config.json").read_text())
    (folder / "adapter_config.json").write_text(json.dumps(told | {"base_model_name_or_path": base}))
    return changed.eval()


@pytest.fixture
def adapted(tmp_path: Path) -> tuple[Path, Path, Any]:
    """A model's folder, its adapter's folder, and the vectors of the last layer as PEFT computes them."""
    model, tokenizer = build("bert", tmp_path / "base")
    changed = make_adapter(model, tmp_path / "adapter", str(tmp_path / "base"))
    rows = []
    with torch.no_grad():
        for text in TEXTS:
            states = changed(**tokenizer(text, return_tensors="pt")).last_hidden_state[0, 1:-1]
            rows.append(states.mean(0).numpy())
    return tmp_path / "base", tmp_path / "adapter", np.stack(rows)


def last(name: Path | str, **settings: Any) -> Any:
    return Encoder(str(name), device="cpu", dtype="float32", **settings).encode(TEXTS, layers="last")[:, 0]


def test_an_adapter_by_its_folder_by_its_name_in_the_model_and_as_a_model(adapted: tuple[Path, Path, Any]) -> None:
    base, adapter, theirs = adapted
    assert np.abs(last(base) - theirs).max() > 0.05
    np.testing.assert_allclose(last(base, adapter=str(adapter)), theirs, atol=1e-5)
    np.testing.assert_allclose(last(f"{base}?adapter={adapter}"), theirs, atol=1e-5)
    np.testing.assert_allclose(last(adapter), theirs, atol=1e-5)
    shutil.copytree(adapter, base / "german")
    np.testing.assert_allclose(last(base, adapter="german"), theirs, atol=1e-5)
    with pytest.raises(IsoglossError, match="this model has the adapters german"):
        last(base, adapter="french")


def test_an_adapter_inside_a_pipeline(adapted: tuple[Path, Path, Any], tmp_path: Path) -> None:
    base, adapter, _ = adapted
    model = build_pipeline(base, tmp_path / "pipeline", "cls")
    model[0].auto_model.load_adapter(str(adapter))
    theirs = model.encode(TEXTS)
    encoder = Encoder(str(tmp_path / "pipeline"), device="cpu", dtype="float32", adapter=str(adapter))
    np.testing.assert_allclose(encoder.encode(TEXTS, layers="output")[:, 0], theirs, atol=1e-5)
    assert "was trained on" in encoder.warnings[0]  # the base has another name here
    model.save(str(tmp_path / "saved"), create_model_card=False)
    assert (tmp_path / "saved" / "adapter_config.json").exists()
    reopened = Encoder(str(tmp_path / "saved"), device="cpu", dtype="float32")
    np.testing.assert_allclose(reopened.encode(TEXTS, layers="output")[:, 0], theirs, atol=1e-5)


def test_an_adapter_of_a_model_with_a_head(tmp_path: Path) -> None:
    import transformers

    build("bert", tmp_path / "base")
    headed = transformers.BertForMaskedLM.from_pretrained(tmp_path / "base")
    changed = make_adapter(headed, tmp_path / "adapter", "base")
    merged = changed.merge_and_unload()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "base")
    with torch.no_grad():
        theirs = merged.bert(**tokenizer(TEXTS[0], return_tensors="pt")).last_hidden_state[0, 1:-1].mean(0).numpy()
    np.testing.assert_allclose(last(tmp_path / "base", adapter=str(tmp_path / "adapter"))[0], theirs, atol=1e-5)


def test_an_adapter_for_another_family_with_the_same_names_and_widths(
    adapted: tuple[Path, Path, Any], tmp_path: Path
) -> None:
    build("xlm-roberta", tmp_path / "other")
    with pytest.raises(IsoglossError, match="trained on a BertModel, and this is a XLMRobertaModel"):
        Encoder(str(tmp_path / "other"), device="cpu", adapter=str(adapted[1]))


@pytest.mark.parametrize("family", ["roberta", "qwen", "bert"])
def test_an_adapter_for_another_model(family: str, adapted: tuple[Path, Path, Any], tmp_path: Path) -> None:
    _, adapter, _ = adapted
    model, _tokenizer = build(family, tmp_path / "other")
    if family == "bert":  # the same architecture, one layer less
        config = json.loads((tmp_path / "other" / "config.json").read_text())
        (tmp_path / "other" / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 2}))
    if family == "roberta":  # the same names, another width
        (adapter / "adapter_model.safetensors").unlink()
        from transformers import BertConfig, BertModel

        wide = BertModel(BertConfig(vocab_size=50, hidden_size=64, num_hidden_layers=3, num_attention_heads=4))
        make_adapter(wide, adapter)
    with pytest.raises(IsoglossError, match="does not fit the model"):
        Encoder(str(tmp_path / "other"), device="cpu", adapter=str(adapter))
    del model


def test_weights_that_the_configuration_has_no_place_for_are_named(saved: Any, tmp_path: Path) -> None:
    shutil.copytree(saved("bert").folder, tmp_path / "model")
    assert Encoder(str(tmp_path / "model"), device="cpu").warnings == ()
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    (tmp_path / "model" / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 2}))
    (warning,) = Encoder(str(tmp_path / "model"), device="cpu").warnings
    assert "'encoder.layer.2.attention.output.LayerNorm.bias'" in warning
    assert "more" in warning


def test_a_class_that_the_configuration_does_not_mean(saved: Any, tmp_path: Path) -> None:
    shutil.copytree(saved("bert").folder, tmp_path / "model")
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    (tmp_path / "model" / "config.json").write_text(json.dumps(config | {"architectures": ["ElectraModel"]}))
    (warning,) = Encoder(str(tmp_path / "model"), device="cpu").warnings
    assert "ElectraModel" in warning
    assert "BertModel" in warning


def test_positions_that_are_computed_need_not_be_in_the_checkpoint(saved: Any, tmp_path: Path) -> None:
    shutil.copytree(saved("marian").folder, tmp_path / "model")
    weights = load_file(tmp_path / "model" / "model.safetensors")
    kept = {name: weight for name, weight in weights.items() if "embed_positions" not in name}
    save_file(kept, tmp_path / "model" / "model.safetensors", metadata={"format": "pt"})
    import transformers

    theirs = transformers.MarianModel.from_pretrained(tmp_path / "model").eval()
    tokens = saved("marian").tokenizer(TEXTS[0], return_tensors="pt")
    with torch.no_grad():
        state = theirs.get_encoder()(**tokens).last_hidden_state[0, :-1].mean(0).numpy()
    np.testing.assert_allclose(last(tmp_path / "model")[0], state, atol=1e-5)


def write_gguf(folder: Path, path: Path) -> None:
    """A small Qwen as a GGUF file, with the tokeniser and the weights of the model in ``folder``."""
    gguf = pytest.importorskip("gguf")
    config = json.loads((folder / "config.json").read_text())
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    writer = gguf.GGUFWriter(path, "qwen2")
    heads, width = config["num_attention_heads"], config["hidden_size"]
    writer.add_context_length(64)
    writer.add_embedding_length(width)
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(config["vocab_size"])
    vocabulary = sorted(tokenizer["model"]["vocab"].items(), key=lambda pair: pair[1])
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([token for token, _ in vocabulary])
    writer.add_token_types([3 if number < 1 else 1 for _, number in vocabulary])
    writer.add_token_merges([" ".join(pair) for pair in tokenizer["model"]["merges"]])
    writer.add_eos_token_id(0)
    names = {
        "embed_tokens": "token_embd", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm", "layers.": "blk.",
    }  # fmt: skip
    for name, weight in load_file(folder / "model.safetensors").items():
        told = "output_norm.weight" if name == "norm.weight" else name
        for ours, theirs in names.items():
            told = told.replace(ours, theirs)
        writer.add_tensor(told, weight.float().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def test_a_gguf_file_opens_by_its_path(saved: Any, tmp_path: Path) -> None:
    import transformers

    folder = tmp_path / "model"
    tokenizer = saved("qwen").tokenizer
    tokenizer.save_pretrained(folder)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    config = transformers.Qwen2Config(vocab_size=len(tokenizer), num_key_value_heads=2, **sizes)
    transformers.Qwen2Model(config).save_pretrained(folder)
    write_gguf(folder, tmp_path / "small.gguf")
    encoder = Encoder(str(tmp_path / "small.gguf"), device="cpu", dtype="float32")
    theirs = Encoder(str(folder), device="cpu", dtype="float32")
    for ours, other in zip(encoder.model.parameters(), theirs.model.parameters(), strict=True):
        np.testing.assert_allclose(ours.detach(), other.detach(), atol=1e-6)
    np.testing.assert_allclose(encoder.encode(TEXTS), theirs.encode(TEXTS), atol=1e-5)
