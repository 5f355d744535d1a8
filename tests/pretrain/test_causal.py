"""Causal pretraining: each token from those before it, and nothing of the masked recipes moved."""

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from isogloss.encoders import LanguageModel
from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe, pretrain
from isogloss.pretrain.masking import shift_rows
from isogloss.pretrain.plain_text import Text
from isogloss.pretrain.tokenisers import Specials
from isogloss.runs.cells import _plain

Texts = dict[str, list[str]]


def test_every_token_but_the_first_and_padding_is_predicted_where_the_one_before_stands() -> None:
    rows = torch.tensor([[2, 7, 8, 3], [2, 9, 3, 0]])
    batch = shift_rows("qaa", rows, Specials())
    pairs = [
        (line * 4 + place - 1, int(rows[line, place]))
        for line in range(2)
        for place in range(1, 4)
        if rows[line, place]
    ]
    assert list(zip(batch.positions.tolist(), batch.labels.tolist(), strict=True)) == pairs
    assert batch.attention is not None and batch.attention.tolist() == (rows != 0).tolist()
    assert torch.equal(batch.ids, rows)
    assert batch.part(slice(1, 2)).labels.tolist() == [9, 3]


@pytest.mark.parametrize("architecture", ["bert", "llama", "gpt2"])
def test_a_causal_run_leaves_a_decoder_that_transformers_opens(
    two_languages: Texts, tiny_recipe: Recipe, out: Path, architecture: str
) -> None:
    activation = {"gpt2": "gelu_new", "llama": "silu"}.get(architecture, "gelu")
    recipe = tiny_recipe.changed(
        objective="causal",
        model={"architecture": architecture, "activation": activation},
        training={"steps": 40, "validate_every": 40, "save_every": 40},
    )
    result = pretrain(recipe, two_languages, out)
    model, tokeniser = AutoModelForCausalLM.from_pretrained(out).eval(), AutoTokenizer.from_pretrained(out)
    assert (tokeniser.bos_token, tokeniser.eos_token) == ("[CLS]", "[SEP]")
    ids = tokeniser(two_languages["qaa"][0], return_tensors="pt")["input_ids"]
    changed = ids.clone()
    changed[0, -2] += 1
    with torch.no_grad():
        ours, theirs = model(input_ids=ids).logits, model(input_ids=changed).logits
    torch.testing.assert_close(ours[0, :-2], theirs[0, :-2])  # nothing is seen before it comes
    assert not torch.allclose(ours[0, -2:], theirs[0, -2:])
    opened = LanguageModel(str(out))
    assert opened.causal
    assert result.perplexities["qaa"] < 60  # of about 70 entries


def test_the_perplexity_of_a_causal_run_is_that_of_the_saved_model(
    two_languages: Texts, tiny_recipe: Recipe, out: Path
) -> None:
    recipe = tiny_recipe.changed(
        objective="causal", model={"architecture": "llama", "activation": "silu"}, data={"length": 64}
    )
    result = pretrain(recipe, two_languages, out)
    text = Text("qaa", two_languages["qaa"])
    held_out = list(text.part("validation", text.measure().held_out(20)))
    sums, counts = LanguageModel(str(out)).losses(held_out)
    # The run also guesses each sentence's end, which is no token of the text.
    model, tokeniser = AutoModelForCausalLM.from_pretrained(out).eval(), AutoTokenizer.from_pretrained(out)
    ends = 0.0
    with torch.no_grad():
        for text in held_out:
            ids = tokeniser(text, return_tensors="pt")["input_ids"]
            ends -= float(model(input_ids=ids).logits[0, -2].log_softmax(-1)[ids[0, -1]])
    expected = np.exp((sums.sum() + ends) / (counts.sum() + len(held_out)))
    assert result.perplexities["qaa"] == pytest.approx(expected, rel=1e-3)


def test_an_architecture_that_looks_ahead_is_refused(two_languages: Texts, tiny_recipe: Recipe, out: Path) -> None:
    with pytest.raises(IsoglossError, match="no causal language model"):
        pretrain(tiny_recipe.changed(objective="causal", model={"architecture": "modernbert"}), two_languages, out)


def test_masked_recipes_are_hashed_as_before(tiny_recipe: Recipe) -> None:
    assert "objective" not in _plain(tiny_recipe, None, False)  # type: ignore[arg-type]
    assert _plain(tiny_recipe.changed(objective="causal"), None, False)["objective"] == "causal"  # type: ignore[arg-type]


def test_the_causal_preset_of_the_lab_is_a_decoder() -> None:
    recipe = Recipe.preset("lab-causal")
    assert (recipe.objective, recipe.model.architecture) == ("causal", "llama")
    assert Recipe.from_yaml(recipe.to_yaml()) == recipe
