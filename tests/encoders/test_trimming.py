"""A smaller vocabulary: text of the kept entries is tokenised as before, and its hidden states stay."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from peft import LoraConfig, get_peft_model
from small_models import TEXTS, build
from small_pipelines import PROMPTS, build_pipeline, dense

from isogloss import Encoder, IsoglossError
from isogloss.encoders.subwords import Tokeniser
from isogloss.encoders.trimming import choose_entries, trim_model

KEPT, DROPPED = TEXTS[:4], "мама мыла раму"  # English stays, Russian goes


def trim(folder: Path, out: Path, texts: list[str] = KEPT) -> Any:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    cut = choose_entries(tokenizer, texts)
    trim_model(str(folder), cut, out)
    return cut


@pytest.mark.parametrize(
    "family",
    [
        "bert",
        "distilbert",
        "roberta",
        "xlm-roberta",
        "deberta-v2",
        "modernbert",
        "gemma",
        "qwen",
        "llama",
        "t5",
        "mbart",
    ],
)
def test_states_stay_on_text_of_the_kept_vocabulary(family: str, saved: Any, tmp_path: Path) -> None:
    folder = saved(family).folder
    cut = trim(folder, tmp_path)
    before, after = (Encoder(str(place), device="cpu", dtype="float32") for place in (folder, tmp_path))
    assert len(after.tokenizer) == len(cut.numbers) < len(before.tokenizer)
    assert after.model.get_input_embeddings().weight.shape[0] == len(cut.numbers)
    np.testing.assert_allclose(after.encode(KEPT), before.encode(KEPT), atol=1e-5)
    old, new = (Tokeniser(one.tokenizer).read_sentences([*KEPT, KEPT[0] + " 7"], 0) for one in (before, after))
    for one, other in zip(old, new, strict=True):
        assert [cut.numbers[number] for number in other.ids] == one.ids
    assert after.encode([DROPPED]).shape == before.encode([DROPPED]).shape  # read, if not as well


@pytest.mark.parametrize("family", ["bert", "roberta", "xlm-roberta", "qwen", "gemma"])
def test_the_output_layer_is_cut_with_the_embedding(family: str, saved: Any, tmp_path: Path) -> None:
    folder = tmp_path / "headed"
    config = saved(family).model.config
    kind = transformers.AutoModelForCausalLM if family in {"qwen", "gemma"} else transformers.AutoModelForMaskedLM
    model = kind.from_config(config).eval()
    head = model.get_output_embeddings()
    if getattr(head, "bias", None) is not None:
        head.bias.data.normal_()
    model.save_pretrained(folder)
    saved(family).tokenizer.save_pretrained(folder)
    cut = trim(folder, tmp_path / "small")
    small = kind.from_pretrained(tmp_path / "small").eval()
    tokenizers = [transformers.AutoTokenizer.from_pretrained(place) for place in (folder, tmp_path / "small")]
    for text in KEPT:
        old, new = (
            one(**tokenizer(text, return_tensors="pt")).logits
            for one, tokenizer in zip((model, small), tokenizers, strict=True)
        )
        np.testing.assert_allclose(new.detach(), old.detach()[..., cut.numbers], atol=1e-5)


def test_special_tokens_keep_their_meaning(saved: Any, tmp_path: Path) -> None:
    trim(saved("xlm-roberta").folder, tmp_path)
    before, after = (
        transformers.AutoTokenizer.from_pretrained(place) for place in (saved("xlm-roberta").folder, tmp_path)
    )
    assert after.special_tokens_map == before.special_tokens_map
    config = transformers.AutoConfig.from_pretrained(tmp_path)
    assert config.vocab_size == len(after)
    assert config.pad_token_id == after.pad_token_id
    assert after.decode(after("the cat").input_ids) == before.decode(before("the cat").input_ids)


def test_a_pipeline_stays_one(saved: Any, tmp_path: Path) -> None:
    sentence_transformers = pytest.importorskip("sentence_transformers")
    build_pipeline(saved("bert").folder, tmp_path / "whole", "cls", dense(), prompts=PROMPTS, max_seq_length=20)
    trim(tmp_path / "whole", tmp_path / "small", [*KEPT, *PROMPTS.values()])
    theirs = sentence_transformers.SentenceTransformer(str(tmp_path / "whole"), device="cpu")
    small = sentence_transformers.SentenceTransformer(str(tmp_path / "small"), device="cpu")
    assert small.prompts == theirs.prompts
    np.testing.assert_allclose(
        small.encode(KEPT, prompt_name="query"), theirs.encode(KEPT, prompt_name="query"), atol=1e-5
    )


def test_rare_entries_can_be_dropped_and_letters_digits_and_bytes_stay(saved: Any) -> None:
    tokenizer = saved("bert").tokenizer
    every, often = (choose_entries(tokenizer, TEXTS, at_least=times) for times in (1, 3))
    assert len(often.numbers) < len(every.numbers)
    entries = often.definition["model"]["vocab"]
    assert {"a", "##a", "[MASK]"} <= set(entries)
    with pytest.raises(IsoglossError, match="no text"):
        choose_entries(tokenizer, [])


def test_a_tokeniser_without_a_fast_form_is_refused(tmp_path: Path) -> None:
    _, tokenizer = build("marian", tmp_path)
    with pytest.raises(IsoglossError, match="no fast form"):
        choose_entries(tokenizer, KEPT)


def test_the_command_writes_a_model_and_says_what_it_cost(
    saved: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from isogloss.cli.trim import trim as command

    rows = [{"en": f"{one} {number}", "de": f"{two} {number}", "ru": DROPPED} for number in range(20)
            for one, two in zip(TEXTS[:3], TEXTS[4:7], strict=True)]  # fmt: skip
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)))
    folder = str(saved("xlm-roberta").folder)
    settings: dict[str, Any] = {"langs": "en,de", "data": str(tmp_path / "mine.jsonl"), "limit": 60, "at_least": 1}
    command(folder, out=tmp_path / "small", text=None, device="cpu", as_json=True, **settings)
    said = json.loads(capsys.readouterr().out)
    assert said["same_tokens"]["value"] == 100
    assert said["after"]["parameters"] < said["before"]["parameters"]
    assert said["others"] == {"ru": 0.0}
    assert said["after"]["retrieval"] == said["before"]["retrieval"]
    assert (tmp_path / "small" / "README.md").exists()
    with pytest.raises(IsoglossError, match="exists already"):
        command(folder, out=tmp_path, text=None, device="cpu", as_json=True, **settings)


def test_an_adapter_is_merged_below_the_head_that_stays(saved: Any, tmp_path: Path) -> None:
    config = saved("bert").model.config
    torch.manual_seed(0)
    headed = transformers.BertForMaskedLM(config)
    headed.save_pretrained(tmp_path / "base")
    saved("bert").tokenizer.save_pretrained(tmp_path / "base")
    lora = LoraConfig(r=2, target_modules=["query", "value"], init_lora_weights=False)
    get_peft_model(headed, lora).save_pretrained(tmp_path / "adapter")
    name = f"{tmp_path / 'base'}?adapter={tmp_path / 'adapter'}"
    before = Encoder(name, device="cpu", dtype="float32")
    trim_model(name, choose_entries(before.tokenizer, KEPT), tmp_path / "out")
    after = Encoder(str(tmp_path / "out"), device="cpu", dtype="float32")
    np.testing.assert_allclose(after.encode(KEPT), before.encode(KEPT), atol=1e-5)
    bare = Encoder(str(tmp_path / "base"), device="cpu", dtype="float32")
    assert np.abs(after.encode(KEPT) - bare.encode(KEPT)).max() > 1e-3, "the adapter must do something"
    assert transformers.AutoConfig.from_pretrained(tmp_path / "out").architectures == ["BertForMaskedLM"]
