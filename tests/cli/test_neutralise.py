"""``isogloss neutralise``: a folder that sentence-transformers opens and that does what the neutraliser does."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from peft import LoraConfig, get_peft_model
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer import modules as parts
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

from isogloss import Encoder
from isogloss.geometry import Moments, Neutraliser, language_share

LANGUAGES, ROWS = ("de", "en", "fi"), 60
NEW = ("one unseen text", "noch ein Text aus acht Wörtern mit Unbekanntem ☃", "a")


@pytest.fixture(scope="module")
def texts():
    """Rows that say the same with each language's own words."""
    rng = np.random.default_rng(0)
    meanings = [rng.integers(0, 12, rng.integers(4, 9)) for _ in range(ROWS)]
    return {code: [" ".join(f"{code}{word}" for word in row) for row in meanings] for code in LANGUAGES}


@pytest.fixture(scope="module")
def data(texts, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parallel")
    for code, rows in texts.items():
        (folder / f"{code}.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


def _tokeniser(texts, framed=True):
    backend = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    words = [row for rows in texts.values() for row in rows]
    backend.train_from_iterator(words, trainers.WordPieceTrainer(vocab_size=200, special_tokens=special))
    if framed:
        backend.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **names)


@pytest.fixture(scope="module")
def model(texts, tmp_path_factory):
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("model")
    tokeniser = _tokeniser(texts)
    config = transformers.BertConfig(
        vocab_size=len(tokeniser), hidden_size=32, num_hidden_layers=3, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=64, initializer_range=0.5,
    )  # fmt: skip
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    tokeniser.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("method", ["leace", "densray", "lda"])
def test_the_folder_gives_our_mean_pooled_states_through_the_neutraliser(isogloss, model, data, tmp_path, method):
    out = tmp_path / "neutral"
    ran = isogloss("neutralise", model, "--data", data, "--method", method, "--out", out, "--device", "cpu")
    assert ran.code == 0, ran.err
    assert f"SentenceTransformer('{out}')" in ran.out and "held-out rows" in ran.out
    assert "MISSING" not in ran.err and "shards" not in ran.err
    theirs = SentenceTransformer(str(out), device="cpu").encode(list(NEW))
    states = Encoder(str(model), dtype="float32", device="cpu").encode(list(NEW), layers=[-1])[:, 0]
    ours = Neutraliser.load(out / "neutraliser.safetensors").transform(states)
    np.testing.assert_allclose(theirs, ours, atol=2e-5)
    assert np.abs(theirs - states).max() > 0.01, "the map must do something"
    assert not list(out.rglob("*.bin")) and not list(out.rglob("*.pt"))


def test_held_out_retrieval_and_the_share_of_language_are_reported_before_and_after(isogloss, model, data, tmp_path):
    ran = isogloss(
        "neutralise", model, "--data", data, "--langs", "de,fi", "--dims", "1", "--out", tmp_path / "n", "--json"
    )
    assert ran.code == 0, ran.err
    report = json.loads(ran.out)
    assert report["languages"] == ["de", "fi"] and report["removed"] == 1 and report["fitted_rows"] == ROWS // 2
    before, after, gain = (report["retrieval"][name] for name in ("before", "after", "gain"))
    assert before["n"] == ROWS // 2
    assert gain["value"] == pytest.approx(after["value"] - before["value"])
    assert report["language_share"]["after"] < 0.01 < report["language_share"]["before"]
    assert str(tmp_path / "n" / "modules.json") in report["files"]
    assert json.loads((tmp_path / "n" / "neutralise.json").read_text())["retrieval"] == report["retrieval"]


def test_centring_writes_the_means_and_says_how_to_use_them(isogloss, model, data, tmp_path):
    out = tmp_path / "means"
    ran = isogloss("neutralise", model, "--data", data, "--method", "centre", "--out", out)
    assert ran.code == 0, ran.err
    assert "transform(vectors, languages)" in ran.out and "--method leace" in ran.out
    assert not (out / "modules.json").exists(), "a fixed layer cannot centre by language"
    assert Neutraliser.load(out / "neutraliser.safetensors").classes_.tolist() == list(LANGUAGES)


def test_a_lower_layer_may_be_chosen(isogloss, model, data, tmp_path):
    out = tmp_path / "low"
    ran = isogloss("neutralise", model, "--data", data, "--layer", "2", "--out", out, "--device", "cpu")
    assert ran.code == 0, ran.err
    theirs = SentenceTransformer(str(out), device="cpu").encode(list(NEW))
    states = Encoder(str(model), dtype="float32", device="cpu").encode(list(NEW), layers=[2])[:, 0]
    ours = Neutraliser.load(out / "neutraliser.safetensors").transform(states)
    np.testing.assert_allclose(theirs, ours, atol=2e-5)


@pytest.mark.parametrize("layer", [1, 2, 3])
def test_a_layer_of_a_model_with_a_final_norm_is_the_hidden_state_that_inspect_sees(
    isogloss, texts, data, tmp_path, layer
):
    torch.manual_seed(0)
    tokeniser = _tokeniser(texts, framed=False)
    config = transformers.LlamaConfig(
        vocab_size=len(tokeniser), hidden_size=32, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=4,
        intermediate_size=64, max_position_embeddings=64, initializer_range=0.5, pad_token_id=0,
    )  # fmt: skip
    model = transformers.LlamaModel(config)
    with torch.no_grad():
        model.norm.weight.uniform_(0.2, 3.0)
    model.save_pretrained(tmp_path / "llama")
    tokeniser.save_pretrained(tmp_path / "llama")
    out = tmp_path / "neutral"
    ran = isogloss("neutralise", tmp_path / "llama", "--data", data, "--layer", layer, "--out", out, "--device", "cpu")
    assert ran.code == 0, ran.err
    theirs = SentenceTransformer(str(out), device="cpu").encode(list(NEW))
    states = Encoder(str(tmp_path / "llama"), dtype="float32", device="cpu").encode(list(NEW), layers=[layer])[:, 0]
    ours = Neutraliser.load(out / "neutraliser.safetensors").transform(states)
    np.testing.assert_allclose(theirs, ours, atol=2e-4)


def test_the_language_share_is_that_of_the_vectors_delivered(isogloss, model, data, texts, tmp_path):
    reader = parts.Transformer(str(model))
    source = SentenceTransformer(modules=[reader, parts.Pooling(32, "mean"), parts.Normalize()], device="cpu")
    source.save(str(tmp_path / "source"), create_model_card=False)
    ran = isogloss(
        "neutralise", tmp_path / "source", "--data", data, "--out", tmp_path / "n", "--device", "cpu", "--json"
    )
    assert ran.code == 0, ran.err
    said = json.loads(ran.out)
    order = np.random.default_rng(0).permutation(ROWS)
    for folder, state in ((tmp_path / "source", "before"), (tmp_path / "n", "after")):
        pipeline = SentenceTransformer(str(folder), device="cpu")
        rows = [pipeline.encode([texts[code][row] for row in np.sort(order[ROWS // 2 :])]) for code in LANGUAGES]
        moments = Moments.of(np.concatenate(rows), np.repeat(LANGUAGES, [len(part) for part in rows]))
        assert said["language_share"][state] == pytest.approx(language_share(moments), abs=1e-4)
    assert said["normalised"] and "unit length" in said["findings"][-1]


def test_a_layer_that_is_not_there_is_refused(isogloss, model, data, tmp_path):
    ran = isogloss("neutralise", model, "--data", data, "--layer", "7", "--out", tmp_path / "x", "--device", "cpu")
    assert ran.code == 2 and "this model has 3 layers" in ran.err


def test_a_sentence_encoder_keeps_its_own_pooling_and_its_normalisation(isogloss, model, data, tmp_path):
    reader = parts.Transformer(str(model))
    source = SentenceTransformer(modules=[reader, parts.Pooling(32, "cls"), parts.Normalize()], device="cpu")
    source.save(str(tmp_path / "source"), create_model_card=False)
    ran = isogloss("neutralise", tmp_path / "source", "--data", data, "--out", tmp_path / "n", "--device", "cpu")
    assert ran.code == 0, ran.err
    theirs = SentenceTransformer(str(tmp_path / "n"), device="cpu").encode(list(NEW))
    raw = SentenceTransformer(modules=[reader, parts.Pooling(32, "cls")], device="cpu").encode(list(NEW))
    ours = Neutraliser.load(tmp_path / "n" / "neutraliser.safetensors").transform(raw)
    np.testing.assert_allclose(theirs, ours / np.linalg.norm(ours, axis=1, keepdims=True), atol=2e-5)
    wrong = isogloss("neutralise", tmp_path / "source", "--data", data, "--layer", "1", "--out", tmp_path / "m")
    assert wrong.code == 2 and "drop --layer" in wrong.err


def test_a_pipeline_keeps_its_prompts_and_its_dense_layer_and_gets_a_card(isogloss, model, data, tmp_path):
    modules = [parts.Transformer(str(model)), parts.Pooling(32, "cls"), parts.Dense(32, 16)]
    prompts = {"query": "w1: ", "document": "w2 "}
    source = SentenceTransformer(modules=modules, device="cpu", prompts=prompts, default_prompt_name="query")
    source.save(str(tmp_path / "source"), create_model_card=False)
    ran = isogloss("neutralise", tmp_path / "source", "--data", data, "--out", tmp_path / "n", "--device", "cpu")
    assert ran.code == 0, ran.err
    after = SentenceTransformer(str(tmp_path / "n"), device="cpu")
    assert after.prompts == source.prompts
    assert after.default_prompt_name == "query"
    fitted = Neutraliser.load(tmp_path / "n" / "neutraliser.safetensors")
    raw = source.encode(list(NEW))  # with the default prompt, as the map was fitted
    np.testing.assert_allclose(after.encode(list(NEW)), fitted.transform(raw), atol=2e-5)
    assert "translations found among" in (tmp_path / "n" / "README.md").read_text()


@pytest.mark.parametrize("form", ["plain", "pipeline", "adapter folder"])
def test_an_adapter_is_fitted_with_and_stays_in_the_weights(isogloss, model, data, tmp_path, form):
    plain = transformers.BertModel.from_pretrained(model, add_pooling_layer=False)
    torch.manual_seed(1)
    lora = LoraConfig(r=2, target_modules=["query", "value"], init_lora_weights=False)
    adapted = get_peft_model(plain, lora)
    adapted.save_pretrained(tmp_path / "adapter")
    told = json.loads((tmp_path / "adapter" / "adapter_config.json").read_text())
    told["base_model_name_or_path"] = str(model)
    (tmp_path / "adapter" / "adapter_config.json").write_text(json.dumps(told))
    named, given = model, ["--adapter", tmp_path / "adapter"]
    if form == "pipeline":
        modules = [parts.Transformer(str(model)), parts.Pooling(32, "mean"), parts.Dense(32, 16)]
        SentenceTransformer(modules=modules, device="cpu").save(str(tmp_path / "source"), create_model_card=False)
        named = tmp_path / "source"
    elif form == "adapter folder":
        named, given = tmp_path / "adapter", []
    out = tmp_path / "n"
    ran = isogloss("neutralise", named, "--data", data, *given, "--out", out, "--device", "cpu")
    assert ran.code == 0, ran.err
    setting = {"adapter": str(tmp_path / "adapter")} if given else {}
    encoder, bare = (
        Encoder(str(place), device="cpu", dtype="float32", **more) for place, more in ((named, setting), (model, {}))
    )
    column = "output" if form == "pipeline" else [-1]
    raw = encoder.encode(list(NEW), layers=column)[:, 0]
    ours = Neutraliser.load(out / "neutraliser.safetensors").transform(raw)
    np.testing.assert_allclose(SentenceTransformer(str(out), device="cpu").encode(list(NEW)), ours, atol=2e-5)
    assert np.abs(encoder.encode(list(NEW)) - bare.encode(list(NEW))).max() > 0.01, "the adapter must do something"


def test_a_prompt_and_a_width_may_be_chosen(isogloss, model, data, tmp_path):
    modules = [parts.Transformer(str(model)), parts.Pooling(32, "mean")]
    source = SentenceTransformer(modules=modules, device="cpu", prompts={"query": "w1: "})
    source.save(str(tmp_path / "source"), create_model_card=False)
    given = ("--data", data, "--device", "cpu")
    for number, (prompt, text) in enumerate((("query", "w1: "), ("w3 w4: ", "w3 w4: "))):
        out = tmp_path / f"n{number}"
        ran = isogloss("neutralise", tmp_path / "source", *given, "--prompt", prompt, "--dim", "8", "--out", out)
        assert ran.code == 0, ran.err
        fitted = Neutraliser.load(out / "neutraliser.safetensors")
        raw = source.encode(list(NEW), prompt=text)
        after = SentenceTransformer(str(out), device="cpu").encode(list(NEW))
        np.testing.assert_allclose(after, fitted.transform(raw)[:, :8], atol=2e-5)
    refused = isogloss("neutralise", model, *given, "--prompt", "query", "--out", tmp_path / "x")
    assert refused.code == 2 and "drop --prompt" in refused.err


@pytest.mark.parametrize("method", ["lsar", "lir"])
def test_low_rank_removers_serve_too(isogloss, model, data, tmp_path, method):
    ran = isogloss(
        "neutralise", model, "--data", data, "--method", method, "--out", tmp_path / "n", "--device", "cpu"
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert (tmp_path / "n" / "modules.json").exists() == (method == "lsar")


def test_mistakes_end_with_a_message_and_code_two(isogloss, model, data, tmp_path):
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "thesis.txt").write_text("mine")
    for arguments, message in [
        ((model, "--data", data, "--method", "leac", "--out", tmp_path / "x"), "did you mean 'leace'"),
        ((model, "--data", data, "--out", taken), "exists already"),
        ((model, "--data", data, "--langs", "de", "--out", tmp_path / "x"), "two languages"),
        ((model, "--data", data, "--limit", "10", "--out", tmp_path / "x"), "at least two languages and 20 rows"),
        ((tmp_path / "absent", "--data", data, "--out", tmp_path / "x"), "no such folder"),
    ]:
        ran = isogloss("neutralise", *arguments)
        assert ran.code == 2 and message in ran.err and "Traceback" not in ran.err, ran.err
    assert (taken / "thesis.txt").read_text() == "mine" and not (tmp_path / "x").exists()


def test_a_result_may_be_written_again(isogloss, model, data, tmp_path):
    out = tmp_path / "again"
    for dims in ("1", "2"):
        assert isogloss("neutralise", model, "--data", data, "--dims", dims, "--out", out).code == 0
    assert json.loads((out / "neutralise.json").read_text())["removed"] == 2
    assert [path.name for path in Path(tmp_path).iterdir() if path.name.startswith(".again")] == []


def test_models_that_a_cell_makes_are_made_first(isogloss, model, data, tmp_path):
    ran = isogloss("neutralise", f"untrained:{model}", "--data", data, "--out", tmp_path / "n", "--device", "cpu")
    assert ran.code == 0, ran.err
    theirs = SentenceTransformer(str(tmp_path / "n"), device="cpu").encode(list(NEW))
    assert theirs.shape == (3, 32) and np.isfinite(theirs).all()
