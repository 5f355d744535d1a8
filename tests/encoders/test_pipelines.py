"""A pipeline's output is what sentence-transformers itself makes of the text."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from small_models import TEXTS, WIDTH
from small_pipelines import PROMPTS, build_pipeline, dense, layer_norm

pytest.importorskip("sentence_transformers")
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer import modules as st

from isogloss import Encoder, IsoglossError
from isogloss.encoders import encoder as module
from isogloss.encoders.fingerprints import text_fingerprint, tokeniser_fingerprint, weights_fingerprint
from isogloss.encoders.names import ModelName

LONG = [*TEXTS, " ".join(TEXTS)]


def output(folder: Path | str, texts: list[str] = LONG, **settings: Any) -> Any:
    encoder = Encoder(str(folder), device="cpu", dtype="float32", **settings)
    return encoder.encode(texts, layers="output")[:, 0]


def agrees(folder: Path, theirs: Any, **settings: Any) -> None:
    np.testing.assert_allclose(output(folder, **settings), theirs, atol=1e-5)


@pytest.mark.parametrize(
    "mode",
    ["cls", "mean", "max", "weightedmean", "lasttoken", "mean_sqrt_len_tokens", ("cls", "mean"), ("max", "lasttoken")],
)
def test_every_pooling(mode: Any, saved: Any, tmp_path: Path) -> None:
    theirs = build_pipeline(saved("bert").folder, tmp_path, mode)
    agrees(tmp_path, theirs.encode(LONG))


@pytest.mark.parametrize("family", ["xlm-roberta", "modernbert", "qwen", "gemma", "t5"])
@pytest.mark.parametrize("mode", ["mean", "lasttoken", "weightedmean"])
def test_every_kind_of_model(family: str, mode: str, saved: Any, tmp_path: Path) -> None:
    theirs = build_pipeline(saved(family).folder, tmp_path, mode, max_seq_length=60)
    agrees(tmp_path, theirs.encode(LONG))


@pytest.mark.parametrize(
    "tail",
    [
        [dense()],
        [dense(activation=torch.nn.Identity()), st.Normalize()],
        [dense(WIDTH, WIDTH, use_residual=True)],
        [dense(use_residual=True, bias=False)],
        [layer_norm()],
        [layer_norm(), dense(), dense(16, 8, torch.nn.GELU()), st.Normalize()],
        [st.Normalize()],
        [st.Dropout(0.5), st.Normalize()],
    ],
    ids=["dense", "projected", "residual", "residual-projected", "layer-norm", "long", "normalised", "dropout"],
)
def test_every_layer_behind_the_pooling(tail: list[Any], saved: Any, tmp_path: Path) -> None:
    theirs = build_pipeline(saved("bert").folder, tmp_path, "mean", *tail)
    agrees(tmp_path, theirs.encode(LONG))


def test_left_padding(saved: Any, tmp_path: Path) -> None:
    build_pipeline(saved("llama").folder, tmp_path, "lasttoken")
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings | {"padding_side": "left"}))
    opened = SentenceTransformer(str(tmp_path), device="cpu")
    assert opened.tokenizer.padding_side == "left"
    agrees(tmp_path, opened.encode(LONG))


@pytest.mark.parametrize("mode", ["cls", "mean", "max", "weightedmean", "lasttoken"])
@pytest.mark.parametrize("include_prompt", [True, False])
def test_prompts(mode: str, include_prompt: bool, saved: Any, tmp_path: Path) -> None:
    theirs = build_pipeline(
        saved("bert").folder,
        tmp_path,
        mode,
        include_prompt=include_prompt,
        prompts=PROMPTS,
        default_prompt_name="document",
    )
    agrees(tmp_path, theirs.encode(LONG))
    agrees(tmp_path, theirs.encode(LONG, prompt_name="query"), prompt="query")
    agrees(tmp_path, theirs.encode(LONG, prompt="das ist: "), prompt="das ist: ")
    agrees(tmp_path, theirs.encode(LONG, prompt=""), prompt="")


def test_what_a_prompt_adds_to_the_counts_is_known(saved: Any, tmp_path: Path) -> None:
    build_pipeline(saved("bert").folder, tmp_path, "mean", prompts={"query": "the @ cat "})
    bare, asked = (Encoder(str(tmp_path), device="cpu", prompt=prompt) for prompt in ("", "query"))
    for encoder in (bare, asked):
        encoder.encode(TEXTS)
    extra = asked.prompt_counts
    assert extra.unknown == 1
    assert asked.counts.tokens == bare.counts.tokens + len(TEXTS) * extra.tokens
    assert asked.counts.unknown == bare.counts.unknown + len(TEXTS)


def test_a_prompt_by_name_must_be_there(saved: Any, tmp_path: Path) -> None:
    build_pipeline(saved("bert").folder, tmp_path, prompts=PROMPTS)
    with pytest.raises(IsoglossError, match="unknown prompt 'quary'; did you mean 'query'"):
        Encoder(str(tmp_path), device="cpu", prompt="quary")
    with pytest.raises(IsoglossError, match="this model has no prompts"):
        Encoder(str(saved("bert").folder), device="cpu", prompt="query")


def test_fewer_dimensions(saved: Any, tmp_path: Path) -> None:
    theirs = build_pipeline(saved("bert").folder, tmp_path, "mean", st.Normalize(), truncate_dim=8)
    agrees(tmp_path, SentenceTransformer(str(tmp_path), device="cpu").encode(LONG))
    assert output(tmp_path, dim=5).shape == (len(LONG), 5)
    np.testing.assert_allclose(output(tmp_path, dim=20), theirs.encode(LONG, truncate_dim=20), atol=1e-5)
    with pytest.raises(IsoglossError, match="only 32 dimensions"):
        output(tmp_path, dim=40)
    with pytest.raises(IsoglossError, match="this model has none"):
        Encoder(str(saved("bert").folder), device="cpu", dim=4)


def test_long_texts_are_cut_where_the_pipeline_cuts_them(saved: Any, tmp_path: Path) -> None:
    theirs = build_pipeline(saved("bert").folder, tmp_path, "mean", max_seq_length=9)
    agrees(tmp_path, theirs.encode(LONG))
    encoder = Encoder(str(tmp_path), device="cpu")
    assert encoder.max_tokens == 9
    encoder.encode(LONG)
    assert encoder.counts.cut_sentences > 3


def test_lower_case(saved: Any, tmp_path: Path) -> None:
    theirs = build_pipeline(saved("bert").folder, tmp_path, "mean", do_lower_case=True)
    shouted = [text.upper() for text in TEXTS]
    np.testing.assert_allclose(output(tmp_path, shouted), theirs.encode(shouted), atol=1e-5)


def test_layers_use_the_pipelines_pooling_unless_told_otherwise(saved: Any, tmp_path: Path) -> None:
    build_pipeline(saved("bert").folder, tmp_path, "cls", st.Normalize(), prompts=PROMPTS)
    bare = Encoder(str(saved("bert").folder), device="cpu", dtype="float32")
    pipeline = Encoder(str(tmp_path), device="cpu", dtype="float32")
    assert bare.columns == bare.layers == pipeline.layers
    assert pipeline.columns == [*bare.layers, "output"]
    np.testing.assert_allclose(pipeline.encode(TEXTS), bare.encode(TEXTS, pooling="cls"), atol=1e-6)
    told = Encoder(str(tmp_path), device="cpu", dtype="float32", pooling="mean")
    np.testing.assert_allclose(told.encode(TEXTS), bare.encode(TEXTS), atol=1e-6)
    np.testing.assert_allclose(told.encode(TEXTS, layers="output"), pipeline.encode(TEXTS, layers="output"), atol=1e-6)
    without = Encoder(str(tmp_path), device="cpu", dtype="float32", pipeline=False)
    np.testing.assert_array_equal(without.encode(TEXTS), bare.encode(TEXTS))
    top = pipeline.encode(TEXTS, layers="columns")
    expected = top[:, -2] / np.linalg.norm(top[:, -2], axis=1, keepdims=True)
    np.testing.assert_allclose(top[:, -1], expected, atol=1e-6)


def test_words_are_read_without_a_prompt(saved: Any, tmp_path: Path) -> None:
    build_pipeline(saved("bert").folder, tmp_path, "cls", prompts=PROMPTS, default_prompt_name="query")
    words = [text.split() for text in TEXTS]
    bare = Encoder(str(saved("bert").folder), device="cpu").encode(words, level="word")
    np.testing.assert_array_equal(Encoder(str(tmp_path), device="cpu").encode(words, level="word").values, bare.values)


def test_one_array_for_layers_and_an_output_of_another_width(saved: Any, tmp_path: Path) -> None:
    build_pipeline(saved("bert").folder, tmp_path, "mean", dense())
    encoder = Encoder(str(tmp_path), device="cpu")
    with pytest.raises(IsoglossError, match="one array cannot hold both"):
        encoder.encode(TEXTS, layers="columns")
    cached = encoder.cached(TEXTS, layers="columns")
    assert [layer.shape[1] for layer in cached.layers] == [WIDTH] * 4 + [16]
    np.testing.assert_allclose(cached.layers[-1], encoder.encode(TEXTS, layers="output")[:, 0], atol=1e-6)
    again = encoder.cached(TEXTS, layers="columns")
    np.testing.assert_array_equal(again.layers[-1], cached.layers[-1])


def test_the_cache_tells_settings_apart_and_bare_encoders_keep_their_entries(
    saved: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = []
    real = module.read_or_compute
    monkeypatch.setattr(module, "read_or_compute", lambda key, *rest: keys.append(key) or real(key, *rest))
    build_pipeline(saved("bert").folder, tmp_path, "cls", prompts=PROMPTS)
    bare = Encoder(str(saved("bert").folder), device="cpu", dtype="float32")
    bare.cached(TEXTS)
    Encoder(str(tmp_path), device="cpu", dtype="float32", pipeline=False).cached(TEXTS)
    Encoder(str(tmp_path), device="cpu", dtype="float32", pooling="mean", max_tokens=bare.max_tokens).cached(TEXTS)
    weights, words = weights_fingerprint(bare.model), tokeniser_fingerprint(bare.tokenizer)
    named = [weights, words, text_fingerprint(TEXTS), "sentence", "mean", "float32", str(bare.max_tokens)]
    assert keys[0] == hashlib.sha256("\n".join(named).encode()).hexdigest()[:32]  # as in releases without pipelines
    assert keys[1] == keys[2]
    for settings in ({}, {"prompt": "query"}, {"prompt": "document"}, {"pooling": "last"}, {"dim": 3}):
        Encoder(str(tmp_path), device="cpu", dtype="float32", **settings).cached(TEXTS, layers="columns")
    assert len(set(keys)) == 7


def test_a_pipeline_without_pooling_and_one_with_a_part_that_is_not_read(saved: Any, tmp_path: Path) -> None:
    build_pipeline(saved("bert").folder, tmp_path, "mean", st.Normalize())
    modules = json.loads((tmp_path / "modules.json").read_text())
    unknown = [*modules, {"idx": 3, "name": "3", "path": "3_Whitening", "type": "custom.Whitening"}]
    (tmp_path / "modules.json").write_text(json.dumps(unknown))
    encoder = Encoder(str(tmp_path), device="cpu")
    assert "custom.Whitening" in encoder.warnings[0]
    assert encoder.columns == encoder.layers
    with pytest.raises(IsoglossError, match="no output"):
        encoder.encode(TEXTS, layers="output")
    (tmp_path / "modules.json").write_text(json.dumps(modules[:1]))
    with pytest.raises(IsoglossError, match="no Pooling module"):
        Encoder(str(tmp_path), device="cpu")
    assert Encoder(str(tmp_path), device="cpu", pooling="mean").encode(TEXTS).shape == (len(TEXTS), 4, WIDTH)
    (tmp_path / "modules.json").write_text(json.dumps([modules[0] | {"path": "../elsewhere"}]))
    with pytest.raises(IsoglossError, match="leads out of the model"):
        Encoder(str(tmp_path), device="cpu")


def test_pickled_weights_of_a_dense_layer_open_only_when_allowed(saved: Any, tmp_path: Path) -> None:
    from safetensors.torch import load_file

    theirs = build_pipeline(saved("bert").folder, tmp_path, "mean", dense())
    weights = tmp_path / "2_Dense" / "model.safetensors"
    torch.save(load_file(weights), tmp_path / "2_Dense" / "pytorch_model.bin")
    weights.unlink()
    with pytest.raises(IsoglossError, match="--allow-pickle"):
        Encoder(str(tmp_path), device="cpu")
    agrees(tmp_path, theirs.encode(LONG), allow_pickle=True)
    assert "--allow-pickle" in Encoder(str(tmp_path), device="cpu", allow_pickle=True).warnings[-1]


def test_dense_layers_that_do_not_fit(saved: Any, tmp_path: Path) -> None:
    build_pipeline(saved("bert").folder, tmp_path, "mean", dense())
    config = json.loads((tmp_path / "2_Dense" / "config.json").read_text())
    (tmp_path / "2_Dense" / "config.json").write_text(json.dumps(config | {"in_features": 7}))
    with pytest.raises(IsoglossError, match="do not fit"):
        Encoder(str(tmp_path), device="cpu")
    (tmp_path / "2_Dense" / "config.json").write_text(json.dumps(config | {"activation_function": "os.system"}))
    with pytest.raises(IsoglossError, match="not an activation"):
        Encoder(str(tmp_path), device="cpu")


@pytest.mark.parametrize(
    "name",
    [
        ModelName("org/model"),
        ModelName("folder", prompt="query: "),
        ModelName("folder", prompt=""),
        ModelName("a/b", prompt="x&y=z?%", pooling="cls", dim=3, adapter="c/d", allow_pickle=True, content="ab"),
    ],
)
def test_a_name_with_settings_reads_back(name: ModelName) -> None:
    assert ModelName.parse(str(name)) == name


def test_names_with_settings_that_do_not_exist(tmp_path: Path) -> None:
    with pytest.raises(IsoglossError, match="did you mean 'prompt'"):
        ModelName.parse("model?promt=x")
    with pytest.raises(IsoglossError, match="not a number"):
        ModelName.parse("model?dim=many")
    with pytest.raises(IsoglossError, match="yes"):
        ModelName.parse("model?allow_pickle=1")
    odd = tmp_path / "what?now"
    odd.mkdir()
    assert ModelName.parse(str(odd)).path == str(odd)
