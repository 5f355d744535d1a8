"""Can languages still be told apart? The language head is retrained on the frozen encoder (Tanti21 §4), in two ways.

``paper``: one softmax layer, trained with the task's own settings, whether that converges or not.
``converged``: logistic regression solved to its optimum, beside a control with random labels.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy

from isogloss.probes import LogisticProbes, Problem
from isogloss.tasks.heads import Classifier
from isogloss.tasks.label_tally import LabelTally
from isogloss.transfer.batches import Split
from isogloss.transfer.examples import Examples, LanguageUnits
from isogloss.transfer.fitted import EVALUATION_TOKENS, Fitted
from isogloss.transfer.language_texts import make_language_head, require_texts
from isogloss.transfer.network import Step

Texts = Mapping[str, Sequence[Any]]  # language -> plain texts, or records of the task


@dataclass(frozen=True, eq=False)
class Labelled:
    """States of units (tokens or texts), the number of each one's language, and the sentence it is from."""

    states: NDArray[np.float32]  # units x d
    languages: NDArray[np.int64]
    sentences: NDArray[np.int64]


def identify_languages(
    fitted: Fitted,
    train: Texts,
    tests: Mapping[str, Texts],
    most: int = 2000,
    controls: int = 1,
    units: LanguageUnits = "subwords",
) -> pd.DataFrame:
    """Macro F1 and accuracy of language identification, one row per test set and protocol.

    ``train`` are plain texts, ``tests`` plain texts or the task's own records; at most ``most`` units per language.
    ``units``: whether each subword of a plain text has the language as its label, or each word's first (the authors').
    """
    languages = require_texts(train, "identification")
    learnt = read_states(fitted, train, languages, most, units)
    sets = {name: read_states(fitted, texts, languages, most, units) for name, texts in tests.items()}
    head = train_head(learnt, len(languages), fitted)
    tallies = {name: _score(head, given.states, given.languages) for name, given in sets.items()}
    rows = [{"test": name, "protocol": "paper", "n": len(tally), **tally.scores()} for name, tally in tallies.items()]
    return pd.concat([pd.DataFrame(rows).drop(columns="micro_f1"), _solve(learnt, sets, controls)], ignore_index=True)


def read_states(
    fitted: Fitted, texts: Texts, languages: Sequence[str], most: int, units: LanguageUnits = "subwords"
) -> Labelled:
    """What the head sees of texts in the languages given, at most ``most`` units of each, drawn at random."""
    rng = np.random.default_rng(fitted.settings.seed)
    parts = []
    for number, language in enumerate(languages):
        if language in texts:
            states, sentences = unit_states(fitted, _lay_out(fitted, texts[language], number, units))
            chosen = np.sort(rng.permutation(len(states))[:most])
            parts.append((states[chosen], np.full(len(chosen), number), sentences[chosen] * len(languages) + number))
    states, numbers, sentences = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Labelled(states, numbers, sentences)


def unit_states(fitted: Fitted, split: Split) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """States of all units of a split (units x d), and the sentence each is from."""
    states, sentences = [], []
    fitted.network.eval()
    with torch.inference_mode():
        for places in split.in_order(EVALUATION_TOKENS.get(fitted.device.type, 2048)):
            batch = split.collate(places)
            states.append(Step(fitted.network, batch).states[batch.unit_mask].float().cpu().numpy())
            sentences.append(np.repeat(places, batch.unit_mask.sum(1).cpu().numpy()))
    return np.concatenate(states), np.concatenate(sentences)


def train_head(given: Labelled, languages: int, fitted: Fitted) -> Classifier:
    """The paper's protocol: epochs, batch and rate as for the task, the epoch chosen on a tenth of the texts (App. C).

    A known weakness is that a rate chosen for the task may be one at which this head does not converge.
    """
    settings = fitted.settings
    torch.manual_seed(settings.seed)
    head = make_language_head(settings, given.states.shape[1], languages)
    optimiser = torch.optim.Adam(head.parameters(), lr=settings.head_rate or settings.encoder_rate)
    rng = np.random.default_rng(settings.seed)
    order = np.argsort(given.sentences, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(given.sentences[order])) + 1)  # the units of each text
    shuffled = rng.permutation(len(groups))
    held_out, kept = np.split(shuffled, [max(1, len(groups) // 10)])
    validation = np.concatenate([groups[place] for place in held_out])
    best, weights = -1.0, head.state_dict()
    for _ in range(settings.epochs):
        _train_epoch(head, optimiser, given, [groups[place] for place in rng.permutation(kept)], settings.batch)
        score = _score(head, given.states[validation], given.languages[validation]).score("macro_f1")
        if score > best:
            best, weights = score, {name: tensor.clone() for name, tensor in head.state_dict().items()}
    head.load_state_dict(weights)
    return head.eval()


def _train_epoch(
    head: Classifier, optimiser: torch.optim.Optimizer, given: Labelled, texts: Sequence[NDArray[np.int64]], size: int
) -> None:
    head.train()
    for start in range(0, len(texts), size):
        rows = np.concatenate(texts[start : start + size])
        scores = head.out(head.dropout(torch.from_numpy(given.states[rows])))
        loss = cross_entropy(scores, torch.from_numpy(given.languages[rows]))
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()


def _score(head: Classifier, states: NDArray[np.float32], languages: NDArray[np.int64]) -> LabelTally:
    with torch.inference_mode():
        guessed = head.out(torch.from_numpy(states)).argmax(-1).numpy()
    return LabelTally.count(languages.astype(str)[:, None].tolist(), guessed.astype(str)[:, None].tolist())


def _lay_out(fitted: Fitted, texts: Sequence[Any], language: int, units: LanguageUnits) -> Split:
    if texts and isinstance(texts[0], str):
        examples: Examples = fitted.reader.read_texts(texts, language, fitted.task.reading, units=units)
        return Split(examples, fitted.reader.tokeniser.pad, fitted.device)
    return fitted.lay_out([fitted.task.accept(record) for record in texts])[0]


def _solve(learnt: Labelled, sets: Mapping[str, Labelled], controls: int) -> pd.DataFrame:
    problems = []
    for name, given in sets.items():
        rows = np.concatenate([learnt.states, given.states])
        labels = np.concatenate([learnt.languages, given.languages])
        every = np.arange(len(rows))
        train, test = every[: len(learnt.states)], every[len(learnt.states) :]
        problems.append(Problem(rows, labels, train, test, name={"test": name}))
    frame = LogisticProbes(controls=controls).fit_score(problems)
    frame["n"] = [len(given.states) for given in sets.values()]
    wanted = ["test", "macro_f1", "accuracy", "n", "converged", "control_accuracy", "selectivity"]
    return frame[[name for name in wanted if name in frame]].assign(protocol="converged")
