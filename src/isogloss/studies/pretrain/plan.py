"""The plan of a pretraining: one cell, the same that ``emerge`` and ``align`` have."""

from dataclasses import dataclass

from isogloss.corpora import load_dictionary
from isogloss.corpora.labdata import is_lab
from isogloss.errors import IsoglossError
from isogloss.studies.plan import StudyPlan
from isogloss.studies.pretrain.config import Config
from isogloss.studies.shared.pretraining import Pretraining, Words, find_text
from isogloss.transfer.data import languages_of

LAB_SENTENCES = 60_000  # what the lab's languages need to align; the lab itself has no end


@dataclass(frozen=True)
class PretrainCondition:
    """The encoder."""

    model: Pretraining


def plan(config: Config) -> StudyPlan[Config, PretrainCondition]:
    return StudyPlan(config, (PretrainCondition(pretraining(config)),))


def pretraining(config: Config) -> Pretraining:
    """The cell that these settings stand for."""
    lab = is_lab(config.data)
    limit = config.sentences or (LAB_SENTENCES if lab else None)
    codes = config.languages or languages_of(config.data, "text", "train" if lab else "")
    texts = tuple(find_text(config.data, code, limit) for code in codes)
    words = tuple(_words(pair, name or config.data) for pair, name in config.dictionaries.items())
    return Pretraining(config.recipe, texts, words)


def _words(pair: str, name: str) -> Words:
    source, dash, target = pair.partition("-")
    if not (dash and source and target):
        raise IsoglossError(f"'{pair}' names no pair of languages", where="--dictionary", remedy="write en-de=FILE")
    return Words(name, source, target, load_dictionary(name, source, target).revision)


def named_encoder(config: Config, which: str, where: str) -> Pretraining:
    """The encoder that the folder of a run means."""
    if which:
        raise IsoglossError("a run of pretrain has one encoder", where=where, remedy="name the run's folder alone")
    return pretraining(config)
