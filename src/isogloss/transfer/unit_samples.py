"""Units of test data or text with their states: the same ones whatever model reads them (Tanti21 App. B)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.probes.clusters import sample_evenly
from isogloss.tasks import screen
from isogloss.transfer import Data, Fitted
from isogloss.transfer.batches import Split
from isogloss.transfer.identification import unit_states

LONGEST = 200  # characters of a sentence that are kept to be shown
COLUMNS = ["language", "label", "token", "sentence"]


@dataclass(frozen=True, eq=False)
class Points:
    """``table``: language, label, token, sentence; ``states`` (n x d): what the head sees of each."""

    table: pd.DataFrame
    states: NDArray[np.float32]


def sample_records(fitted: Fitted, tests: Sequence[Data], limit: int) -> Points:
    """At most ``limit`` units of each label and language of the task's own test data."""
    records: list[Any] = []
    units: list[tuple[str, str, int, int]] = []
    for data in tests:
        kept = screen(fitted.task, data.read(), fitted.labels, what=data.describe(), on_error=data.on_error)
        for record in fitted.known(kept.records)[0]:
            labels = fitted.task.labels_of(record)
            units += [(data.language, label, len(records), place) for place, label in enumerate(labels)]
            records.append(record)
    table = pd.DataFrame(units, columns=["language", "label", "record", "place"])
    chosen = table.iloc[sample_evenly(table["language"], table["label"], limit=limit)].reset_index(drop=True)
    used = np.unique(chosen["record"])
    split, _ = fitted.lay_out([records[number] for number in used])
    rows, found = _rows_of(fitted, split, np.searchsorted(used, chosen["record"]), chosen["place"].to_numpy())
    chosen = chosen[found].reset_index(drop=True)
    shown = [_shown(fitted, records[number], place) for number, place in chosen[["record", "place"]].to_numpy()]
    table = chosen[["language", "label"]].join(pd.DataFrame(shown, columns=["token", "sentence"]))
    return Points(table[COLUMNS], rows)


def _rows_of(
    fitted: Fitted, split: Split, sentences: NDArray[np.int64], places: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """States of the units at ``places`` of ``sentences``, and which of these there are (long sentences may be cut)."""
    states, owners = unit_states(fitted, split)
    order = np.argsort(owners, kind="stable")  # units stand in their order within a sentence
    sizes = np.bincount(owners, minlength=len(split))
    found = places < sizes[sentences]
    starts = np.cumsum(sizes) - sizes
    return states[order[starts[sentences[found]] + places[found]]], found


def _shown(fitted: Fitted, record: Any, place: int) -> tuple[str, str]:
    """The word and its sentence; of a pair only the two texts."""
    texts = fitted.task.texts(record)
    if fitted.task.reading == "words":
        return texts[place], _short(" ".join(texts))
    return "", _short(" | ".join(texts))


def sample_texts(fitted: Fitted, texts: Mapping[str, Sequence[str]], limit: int) -> Points:
    """At most ``limit`` subwords per language (or texts, where a task reads whole texts), from as many texts."""
    tables, states = [], []
    for number, (language, lines) in enumerate(texts.items()):
        table, rows = _sample_language(fitted, language, lines[:limit], limit, number)
        tables.append(table)
        states.append(rows)
    return Points(pd.concat(tables, ignore_index=True), np.concatenate(states))


def _sample_language(
    fitted: Fitted, language: str, lines: Sequence[str], limit: int, number: int
) -> tuple[pd.DataFrame, NDArray[np.float32]]:
    reader, words = fitted.reader, fitted.task.reading == "words"
    examples = reader.read_texts(lines, number, fitted.task.reading, fitted.settings.drop_unknown)
    places = [(item, place) for item, example in enumerate(examples.items) for place in range(len(example.units))]
    drawn = np.sort(np.random.default_rng(number).permutation(len(places))[:limit])
    chosen = np.array([places[place] for place in drawn], dtype=np.int64).reshape(-1, 2)
    split = Split(examples, reader.tokeniser.pad, fitted.device)
    rows, _ = _rows_of(fitted, split, chosen[:, 0], chosen[:, 1])
    shown = []
    for item, place in chosen:
        row = examples.items[item].rows[0]
        token = row.ids[examples.items[item].units[place, 1]]
        text = reader.tokenizer.decode(row.ids, skip_special_tokens=True)
        shown.append((language, "", str(reader.tokenizer.convert_ids_to_tokens(token)) if words else "", _short(text)))
    return pd.DataFrame(shown, columns=COLUMNS), rows


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
