"""Recipes: YAML there and back, changes by name, and mistakes named."""

import pytest

from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe


@pytest.mark.parametrize("name", ["paper", "laptop", "lab", "mini", "bilingual"])
def test_a_preset_survives_the_way_through_yaml(name: str) -> None:
    recipe = Recipe.preset(name)
    assert Recipe.from_yaml(recipe.to_yaml()) == recipe


def test_the_default_is_the_papers_model() -> None:
    recipe = Recipe()
    assert (recipe.model.layers, recipe.model.heads, recipe.model.width, recipe.model.feedforward) == (8, 12, 768, 3072)
    assert (recipe.data.length, recipe.data.alpha, recipe.masking.share) == (256, 0.7, 0.15)
    assert recipe.training.batch_tokens == 8 * 96 * 256


def test_changes_by_dotted_name_leave_the_rest_alone() -> None:
    changed = Recipe().changed_at({"sharing.separate_layers": 3, "seed": 7})
    assert changed.differences(Recipe()) == ["seed", "sharing.separate_layers"]


def test_changes_that_only_work_together_are_made_together() -> None:
    changed = Recipe().changed_at({"model.heads": 3, "model.width": 192, "training.steps": 5})
    assert (changed.model.heads, changed.model.width, changed.training.steps) == (3, 192, 5)
    with pytest.raises(IsoglossError, match="multiple"):
        Recipe().changed_at({"model.heads": 5})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("training:\n  stepz: 3", r"mini.yaml:2: .*stepz.*did you mean 'steps'"),
        ("seed: 0\n\nmodel:\n  width: wide", r"mini.yaml:4: .*model.width"),
        ("seed: 0\ndata: [", r"mini.yaml:2: "),
    ],
)
def test_a_wrong_setting_is_named_with_its_line(text: str, complaint: str) -> None:
    with pytest.raises(IsoglossError, match=complaint):
        Recipe.from_yaml(text, where="mini.yaml")


def test_a_text_without_settings_is_the_papers_recipe() -> None:
    assert Recipe.from_yaml("# nothing here\n") == Recipe.from_yaml("") == Recipe()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("training: {steps: many}", "training"),
        ("training: {steps: 0}", "at least 1"),
        ("masking: {share: 1.5}", "between 0 and 1"),
        ("data: {layout: sentences, pairs: 1.5}", "between 0 and 1"),
        ("data: {pairs: 0.5}", "needs data.layout: sentences"),
        ("data: {layout: sentences, repeats: 0.5}", "needs data.pairs"),
        ("masking: {mask: 0.9, random: 0.2}", "mask . random at most 1"),
        ("vocabulary: {scope: own}", "separate"),
        ("vocabulary: {kind: unigram, scope: marked}", "unigram"),
        ("sharing: {separate_layers: 8}", "nothing would be shared"),
        ("model: {width: 100}", "multiple"),
        ("[1, 2]", "mapping"),
        ("seed: 1\n---\nseed: 2", "one mapping"),
        ("a: [", "not valid YAML"),
    ],
)
def test_settings_that_cannot_work_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(IsoglossError, match=complaint):
        Recipe.from_yaml(text)


def test_an_unknown_preset_lists_the_known_ones() -> None:
    with pytest.raises(IsoglossError, match="laptop"):
        Recipe.preset("labb")
