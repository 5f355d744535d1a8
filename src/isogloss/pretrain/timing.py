"""How long a step of a recipe takes on this machine: a few real ones, on random tokens."""

import time
from functools import cache
from pathlib import Path

import torch

from isogloss.pretrain.folders import Folders
from isogloss.pretrain.loop import Run, make_ready, take_step
from isogloss.pretrain.masking import Batch, Words, make_batch
from isogloss.pretrain.prepare import Corpus
from isogloss.pretrain.recipe import Recipe
from isogloss.pretrain.run import own_state
from isogloss.pretrain.sharing import build_paths
from isogloss.pretrain.tokenisers import Specials, Tokenisers

TIMED_STEPS = 2
TIMED_TOKENS = 2048  # of a timed step; a larger one is scaled, so that looking ahead takes seconds
LANGUAGES = ("one", "two")


def seconds_of_steps(recipe: Recipe) -> float:
    """Seconds of all steps of a recipe. One that differs only in its steps or seed is timed once."""
    training = recipe.training
    alike = recipe.changed(training={"steps": training.warmup + 1}, seed=0)
    return training.steps * _seconds_per_step(alike.to_yaml())


@cache
def _seconds_per_step(recipe_text: str) -> float:
    recipe = Recipe.from_yaml(recipe_text)
    asked, least = recipe.training.batch_tokens, recipe.data.length * recipe.data.draws
    timed = min(asked, max(TIMED_TOKENS, least))
    recipe = recipe.changed(training={"batch_tokens": timed})
    if recipe.model.start is not None:  # its size is that of the settings; its weights do not matter
        plain = {"embeddings": "shared", "separate_layers": 0}
        recipe = recipe.changed(model={"start": None}, sharing=plain, vocabulary={"scope": "joint"})
    entries = recipe.vocabulary.entries(len(LANGUAGES))
    with own_state(recipe.training.threads):
        corpus = Corpus(Tokenisers({}, None), {}, {}, {})
        run = Run(recipe, corpus, build_paths(recipe, dict.fromkeys(LANGUAGES, entries)), Folders(Path()))
        optimiser = make_ready(run)
        marks = []
        for step in range(1, 2 + TIMED_STEPS):  # the first one opens kernels, and is not counted
            take_step(run, optimiser, _random_batches(recipe, entries, step), step)
            marks.append(time.monotonic())
    return asked / timed * (marks[-1] - marks[0]) / TIMED_STEPS


def _random_batches(recipe: Recipe, entries: int, step: int) -> list[Batch]:
    random = torch.Generator().manual_seed(step)
    first = len(Specials().ids)
    words = Words(torch.arange(first, entries), torch.ones(entries, dtype=torch.bool))
    length, draws = recipe.data.length, recipe.data.draws
    shape = (recipe.training.batch_tokens // (draws * length), length)
    return [
        make_batch(LANGUAGES[draw % 2], torch.randint(first, entries, shape, generator=random), words, recipe, random)
        for draw in range(draws)
    ]
