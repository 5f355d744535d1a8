"""``pretrain``: texts in, a trained encoder folder out."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import torch

from isogloss.corpora.records import Dictionary
from isogloss.digests import read_sealed_json, sealed_json
from isogloss.errors import unknown_name
from isogloss.files import make_folder, write_whole
from isogloss.pretrain import checkpoint, health
from isogloss.pretrain.codeswitch import Switch
from isogloss.pretrain.export import export
from isogloss.pretrain.folders import Folders
from isogloss.pretrain.loop import Run, check, perplexities, train
from isogloss.pretrain.model import check_model
from isogloss.pretrain.plain_text import Texts
from isogloss.pretrain.prepare import open_corpus, prepare
from isogloss.pretrain.pretrained import Pretrained, refuse_other_recipe
from isogloss.pretrain.processes import Processes
from isogloss.pretrain.recipe import Recipe
from isogloss.pretrain.sharing import build_paths
from isogloss.pretrain.statistics import VocabularyUse, complaints, vocabulary_use
from isogloss.pretrain.validate import fixed_batches


def pretrain(
    recipe: Recipe, texts: Texts, out: Path, resume: bool = True, dictionaries: Sequence[Dictionary] = ()
) -> Pretrained:
    """Pretrain a language model on ``texts`` (sentences, or a file with one per line, by language) into ``out``.

    With ``resume`` a run that was stopped resumes from its last checkpoint, and a finished one is returned as it is.
    ``dictionaries`` switch words of the training text (Wu20 §4.2).
    """
    _check(recipe, texts)
    folders, processes = Folders(out), Processes.join()
    if processes.leads:
        _open(folders, recipe, resume)
        prepare(recipe, texts, folders, dictionaries)
        _note_threads(folders)
    processes.wait()
    if folders.result.is_file():
        found = Pretrained.load(out)
        processes.wait()  # nobody moves the folder while another process reads it
        return found
    corpus = open_corpus(recipe, list(texts), folders)
    use = vocabulary_use(corpus, recipe.data.length if recipe.data.layout == "sentences" else None)
    with own_state(recipe.training.threads or _threads_noted(folders)):
        run = Run(recipe, corpus, build_paths(recipe, corpus.sizes()), folders, processes)
        if dictionaries:
            run.switch = Switch.of(dictionaries, corpus, recipe)
        train(run)
        result = _finish(run, use)
    processes.wait()
    return result


def _note_threads(folders: Folders) -> None:
    """Keep the number of threads that a run begins with: resumed on a machine with other cores, it rounds the same."""
    if read_sealed_json(folders.threads) is None:
        write_whole(folders.threads, sealed_json({"threads": torch.get_num_threads()}))


def _threads_noted(folders: Folders) -> int | None:
    found = read_sealed_json(folders.threads) or {}
    return found.get("threads")


@contextmanager
def own_state(threads: int | None) -> Iterator[None]:
    """A run's number of threads and random numbers; the caller's are put back."""
    before = torch.get_num_threads()
    with torch.random.fork_rng():
        torch.set_num_threads(threads or before)
        try:
            yield
        finally:
            torch.set_num_threads(before)


def _check(recipe: Recipe, texts: Texts) -> None:
    if recipe.training.best_by is not None and recipe.training.best_by not in texts:
        raise unknown_name("language", recipe.training.best_by, texts, where="recipe: training.best_by")
    if recipe.model.start is None:
        # Here already: a vocabulary is learnt first, and that takes a while.
        entries, causal = recipe.vocabulary.entries(len(texts)), recipe.objective == "causal"
        check_model(recipe.model, entries, recipe.data.length, causal=causal)


def _open(folders: Folders, recipe: Recipe, resume: bool) -> None:
    """Make the folder ready: take up a run of the same recipe, or start from the beginning."""
    make_folder(folders.root)
    if not resume:
        folders.clear()
    refuse_other_recipe(folders, recipe)
    write_whole(folders.recipe, recipe.to_yaml())


def _lost_letters(folders: Folders) -> list[str]:
    """What was said when the vocabulary was learnt, also by an earlier sitting."""
    return folders.lost_letters.read_text(encoding="utf-8").splitlines() if folders.lost_letters.is_file() else []


def _finish(run: Run, use: list[VocabularyUse]) -> Pretrained:
    """Choose the parameters, save them for AutoModel, and write the record last: it says that all is there."""
    checked = run.checked
    if run.recipe.training.best_by is not None:
        checkpoint.load_best(run.folders.checkpoints, run.paths)
        checked = None
    if checked is None or checked.step != run.state.step:  # a run that was stopped after its last step
        checked = check(run, fixed_batches(run.recipe, run.corpus))
    warnings = _lost_letters(run.folders) + complaints(use) + health.complaints(checked.layers)
    result = Pretrained(
        folder=run.folders.root,
        languages=run.corpus.languages,
        perplexities=perplexities(checked.losses),
        steps=run.state.step,
        tokens=run.state.tokens,
        seconds=run.state.seconds,
        history=run.folders.history,
        warnings=tuple(warnings),
        best_step=run.state.best_step or run.state.step,
        vocabulary=tuple(use),
    )
    if run.processes.leads:
        export(run.paths, run.corpus, run.folders, run.recipe)
        content = asdict(result)
        del content["folder"], content["history"]
        write_whole(run.folders.result, sealed_json(content))
        run.folders.clear_work()
    return result
