"""The lens and the losses of language models against full logits and the library's own loss."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from small_models import DEPTH, FAMILIES, TEXTS

from isogloss.encoders.language_model import LanguageModel
from isogloss.encoders.lens import Lens, fit_affine_lens, raw_states
from isogloss.errors import IsoglossError

DECODERS = ("gemma", "qwen", "llama")


def with_head(family: str, folder: Path) -> LanguageModel:
    make_tokenizer, make_config = FAMILIES[family]
    tokenizer = make_tokenizer(folder / "parts")
    kind = transformers.AutoModelForCausalLM if family in DECODERS else transformers.AutoModelForMaskedLM
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = make_config(tokenizer)
        if family == "gemma":
            config.final_logit_softcapping = 3.0  # the head is more than a product
        model = kind.from_config(config).eval()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(torch.randn_like(parameter) * 0.2)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return LanguageModel(str(folder))


@pytest.mark.parametrize("family", DECODERS)
def test_the_lens_is_the_head_on_every_layer(family: str, tmp_path: Path) -> None:
    model = with_head(family, tmp_path)
    asked = [{"a": [3, 4], "b": [7]}, {"c": [9]}, {"a": [1]}]
    prompts = TEXTS[:3]
    found = Lens(model).log_probabilities(prompts, asked)
    inner = model.model
    for prompt, names, ours in zip(prompts, asked, found, strict=True):
        ids = torch.tensor([model.tokenizer(prompt)["input_ids"]])
        with torch.no_grad():
            output = inner(input_ids=ids, output_hidden_states=True)
            normed = [inner.model.norm(state) for state in output.hidden_states[:-1]] + [output.hidden_states[-1]]
            logits = torch.stack([inner.lm_head(state)[0, -1] for state in normed])
        if family == "gemma":
            logits = 3.0 * torch.tanh(logits / 3.0)
        torch.testing.assert_close(logits[-1], output.logits[0, -1])
        probabilities = logits.softmax(-1)  # layers x vocabulary
        assert set(ours) == set(names)
        for name, tokens in names.items():
            expected = probabilities[:, tokens].sum(1).log().double().numpy()
            np.testing.assert_allclose(ours[name], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("family", DECODERS)
def test_losses_are_the_librarys_own(family: str, tmp_path: Path) -> None:
    model = with_head(family, tmp_path)
    sums, counts = model.losses(TEXTS)
    for text, total, count in zip(TEXTS, sums, counts, strict=True):
        ids = torch.tensor([model.tokenizer(text)["input_ids"]])
        with torch.no_grad():
            expected = float(model.model(input_ids=ids, labels=ids).loss)
        assert count == ids.shape[1] - 1
        if count == 0:  # one token, and none before it
            continue
        assert total / count == pytest.approx(expected, rel=1e-4)


def test_a_masked_model_guesses_the_same_hidden_tokens_every_time(tmp_path: Path) -> None:
    model = with_head("bert", tmp_path)
    sums, counts = model.losses(TEXTS)
    again, _ = model.losses(TEXTS)
    np.testing.assert_array_equal(sums, again)
    seen: list[tuple[torch.Tensor, torch.Tensor]] = []
    for batch in model.batches(TEXTS):
        inputs, (lines, places) = model._guesses(batch)
        assert (inputs["input_ids"][lines, places] == model.tokenizer.mask_token_id).all()
        with torch.no_grad():
            logs = model.model(**inputs).logits.log_softmax(-1)
        seen.append((torch.tensor(batch.rows)[lines], -logs[lines, places, batch.ids[lines, places]]))
    rows, losses = (torch.cat(parts) for parts in zip(*seen, strict=True))
    np.testing.assert_array_equal(np.bincount(rows, minlength=len(TEXTS)), counts)
    np.testing.assert_allclose(np.bincount(rows, losses.double(), len(TEXTS)), sums, rtol=1e-4)
    assert (counts >= 1).all()


def test_the_affine_lens_is_ridge_regression_on_the_last_block(tmp_path: Path) -> None:
    from sklearn.linear_model import Ridge

    model = with_head("llama", tmp_path)
    lens = fit_affine_lens(model, TEXTS * 2, ridge=1e-2)
    rows: list[list[Any]] = [[] for _ in range(DEPTH + 1)]
    for batch in model.batches(TEXTS * 2):
        with torch.no_grad():
            for layer, state in enumerate(raw_states(model.stack, batch.inputs, lambda s, b=batch: s[b.text])):
                rows[layer].append(state.double().numpy())
    states = [np.concatenate(parts) for parts in rows]
    for layer in range(DEPTH):
        X = states[layer]
        penalty = 1e-2 * (X**2).sum(0).mean()
        ridge = Ridge(alpha=penalty).fit(X, states[-1])
        ours = lens(layer, torch.from_numpy(X).float()).numpy()
        np.testing.assert_allclose(ours, ridge.predict(X), rtol=1e-3, atol=1e-3)


def test_the_affine_lens_reads_lower_layers_better_than_the_plain_one(tmp_path: Path) -> None:
    model = with_head("llama", tmp_path)
    texts = TEXTS * 3
    with torch.no_grad():
        said = [int(model.model(**model.tokenizer(text, return_tensors="pt")).logits[0, -1].argmax()) for text in TEXTS]
    asked = [{"said": [token]} for token in said]
    plain = Lens(model).log_probabilities(TEXTS, asked)
    learnt = Lens(model, fit_affine_lens(model, texts)).log_probabilities(TEXTS, asked)
    better = np.mean([mine["said"][0] for mine in learnt]) - np.mean([mine["said"][0] for mine in plain])
    assert better > 0.1
    for mine, its in zip(learnt, plain, strict=True):
        assert mine["said"][-1] == pytest.approx(its["said"][-1])


def test_a_model_without_a_head_is_refused(tmp_path: Path) -> None:
    make_tokenizer, make_config = FAMILIES["llama"]
    tokenizer = make_tokenizer(tmp_path / "parts")
    transformers.AutoModel.from_config(make_config(tokenizer)).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(IsoglossError, match="no language model head"):
        LanguageModel(str(tmp_path))


def test_the_lens_refuses_an_encoder(tmp_path: Path) -> None:
    with pytest.raises(IsoglossError, match="reads decoders"):
        Lens(with_head("bert", tmp_path))
