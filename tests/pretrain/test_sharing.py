"""Sharing: which parameters languages have apart, and that a batch moves only its language's and the shared ones."""

from pathlib import Path

import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer

from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe, pretrain
from isogloss.pretrain.folders import Folders
from isogloss.pretrain.loop import Run, learn_from
from isogloss.pretrain.masking import Batch
from isogloss.pretrain.optimiser import build_optimiser, rate_at, set_rate
from isogloss.pretrain.prepare import open_corpus, prepare
from isogloss.pretrain.sharing import Paths, build_paths

Texts = dict[str, list[str]]
ARCHITECTURES = ["bert", "roberta-prelayernorm", "modernbert"]


def built(recipe: Recipe, **sharing: object) -> Paths:
    scope = "own" if sharing.get("embeddings") == "separate" else "joint"
    return build_paths(
        recipe.changed(sharing=sharing, vocabulary={"scope": scope}), {"qaa": 40, "qab": 50 if scope == "own" else 40}
    )


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_everything_shared_is_one_model(tiny_recipe: Recipe, architecture: str) -> None:
    paths = built(tiny_recipe.changed(model={"architecture": architecture}))
    assert paths["qaa"] is paths["qab"]
    assert not paths.apart


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_separate_embeddings_include_positions_and_the_output_layer(tiny_recipe: Recipe, architecture: str) -> None:
    paths = built(tiny_recipe.changed(model={"architecture": architecture}), embeddings="separate")
    first, second = paths["qaa"], paths["qab"]
    assert first.get_input_embeddings().weight.shape[0] == 40
    assert second.get_input_embeddings().weight.shape[0] == 50
    for model in (first, second):
        output = model.get_output_embeddings()
        assert output.weight is model.get_input_embeddings().weight
    shared = {id(parameter) for parameter in first.parameters()} & {id(parameter) for parameter in second.parameters()}
    apart = [name for name, parameter in first.named_parameters() if id(parameter) not in shared]
    assert all("emb" in name or "bias" in name for name in apart)
    assert any("position" in name for name in apart) or architecture == "modernbert"
    assert not any(".layer.0." in name or "layers.0" in name for name in apart)


def test_separate_layers_are_the_lowest_ones(tiny_recipe: Recipe) -> None:
    paths = built(tiny_recipe.changed(model={"layers": 3}), separate_layers=2)
    first, second = (paths[language].bert.encoder.layer for language in ("qaa", "qab"))
    assert first[0].attention.self.query.weight is not second[0].attention.self.query.weight
    assert first[1].attention.self.query.weight is not second[1].attention.self.query.weight
    assert first[2].attention.self.query.weight is second[2].attention.self.query.weight
    assert paths["qaa"].bert.embeddings.word_embeddings.weight is paths["qab"].bert.embeddings.word_embeddings.weight


@pytest.mark.parametrize(
    "sharing", [{"embeddings": "separate"}, {"separate_layers": 1}, {"embeddings": "separate", "separate_layers": 1}]
)
def test_a_batch_of_one_language_leaves_the_other_s_parameters_untouched(
    two_languages: Texts, tiny_recipe: Recipe, out: Path, sharing: dict[str, object]
) -> None:
    scope = "own" if "embeddings" in sharing else "united"
    recipe = tiny_recipe.changed(sharing=sharing, vocabulary={"scope": scope}, training={"weight_decay": 0.5})
    prepare(recipe, two_languages, Folders(out))
    corpus = open_corpus(recipe, list(two_languages), Folders(out))
    run = Run(recipe, corpus, build_paths(recipe, corpus.sizes()), Folders(out))
    optimiser = build_optimiser(run.paths, recipe.training)
    set_rate(optimiser, rate_at(3, recipe.training))
    ids = torch.arange(5, 25).view(2, 10)
    for language in ("qab", "qaa"):  # qab first, so that its parameters have momentum when qaa's batch comes
        before = {name: parameter.detach().clone() for name, parameter in run.paths.named_parameters()}
        optimiser.zero_grad(set_to_none=True)
        learn_from(run, [Batch(language, ids, torch.arange(20), ids.view(-1))], step=1)
        optimiser.step()
        moved = {name for name, parameter in run.paths.named_parameters() if not torch.equal(parameter, before[name])}
        other = "qab" if language == "qaa" else "qaa"
        assert not any(name.startswith(f"{other}/") for name in moved)
        assert any(name.startswith(f"{language}/") for name in moved)
        assert any(name.startswith("shared/") and ".layer.1." in name for name in moved)


def test_each_language_s_path_is_saved_as_a_plain_encoder(two_languages: Texts, tiny_recipe: Recipe, out: Path) -> None:
    recipe = tiny_recipe.changed(
        sharing={"embeddings": "separate", "separate_layers": 1}, vocabulary={"scope": "own"}, training={"steps": 3}
    )
    result = pretrain(recipe, two_languages, out)
    models = {language: AutoModelForMaskedLM.from_pretrained(result.encoder(language)) for language in two_languages}
    for language, rows in two_languages.items():
        tokeniser = AutoTokenizer.from_pretrained(result.encoder(language))
        encoded = tokeniser(rows[0], return_tensors="pt")
        assert tokeniser.decode(encoded.input_ids[0], skip_special_tokens=True) == rows[0]
        assert models[language](**encoded).logits.shape[-1] == len(tokeniser)
    top = "bert.encoder.layer.1.output.dense.weight"
    low = "bert.encoder.layer.0.output.dense.weight"
    first, second = (model.state_dict() for model in models.values())
    assert torch.equal(first[top], second[top])
    assert not torch.equal(first[low], second[low])


def test_a_marked_vocabulary_with_everything_shared_has_a_folder_a_language(
    two_languages: Texts, tiny_recipe: Recipe, out: Path
) -> None:
    result = pretrain(tiny_recipe.changed(vocabulary={"scope": "marked"}, training={"steps": 2}), two_languages, out)
    tokens = {
        language: set(
            AutoTokenizer.from_pretrained(result.encoder(language))(rows[0], add_special_tokens=False).input_ids
        )
        for language, rows in two_languages.items()
    }
    assert not tokens["qaa"] & tokens["qab"]
    assert all(use.shared_entries == 0 and use.anchors == 0 for use in result.vocabulary)
    weights = [(result.encoder(language) / "model.safetensors").stat().st_ino for language in two_languages]
    assert weights[0] == weights[1]


def test_as_many_separate_layers_as_a_checkpoint_has_is_refused(
    two_languages: Texts, tiny_recipe: Recipe, out: Path
) -> None:
    pretrain(tiny_recipe.changed(training={"steps": 1}), two_languages, out)
    recipe = tiny_recipe.changed(model={"start": str(out)}, sharing={"separate_layers": 2})
    with pytest.raises(IsoglossError, match="nothing would be shared"):
        pretrain(recipe, two_languages, out.with_name("more"))
