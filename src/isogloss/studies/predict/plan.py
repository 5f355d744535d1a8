"""The one cell of predict, and what is known already, read before any work."""

import math
from dataclasses import dataclass
from pathlib import Path

from isogloss.corpora import load_wals
from isogloss.corpora.parallel_sentences import Sentences, hash_sentences, read_parallel
from isogloss.corpora.score_tables import KnownScore, read_scores
from isogloss.errors import IsoglossError, unknown_name
from isogloss.languages import try_language
from isogloss.studies.plan import StudyPlan
from isogloss.studies.predict.cells import PairFeatures
from isogloss.studies.predict.config import Config
from isogloss.studies.shared.models import name_model, read_as_deployed


@dataclass(frozen=True)
class PredictCondition:
    """Features of pairs of languages, the scores known of some, and the languages asked about."""

    source: str
    targets: tuple[str, ...]
    candidates: tuple[str, ...]
    known: tuple[KnownScore, ...]
    features: PairFeatures


def plan(config: Config) -> StudyPlan[Config, PredictCondition]:
    """One condition: all pairs are measured in one pass over the text."""
    has = read_parallel(config.data, (), config.limit).languages
    source = _find(config.source, has, "--source")
    targets = tuple(_find(code, has, "--targets") for code in config.targets) or tuple(c for c in has if c != source)
    candidates = tuple(_find(code, has, "--candidates") for code in config.candidates) or targets
    known = tuple(
        score
        for place in config.known
        for score in read_scores(Path(place).expanduser(), source, config.task, config.measure)
        if score.source in has and score.target in has
    )
    if config.known and not known:
        raise IsoglossError(
            "no known score is about a language of the parallel text",
            where="--known",
            remedy="name other text with --data",
        )
    if config.typology:
        load_wals(config.typology)
    for code, amount in config.amounts.items():
        if not 0 <= amount < math.inf:
            raise IsoglossError(f"the amount of text in '{code}' is {amount}", where="--amounts", remedy="0 or more")
    sources = tuple(dict.fromkeys([source, *(score.source for score in known), *(candidates if known else ())]))
    languages = tuple(dict.fromkeys([*sources, *targets, *(score.target for score in known)]))
    texts = read_parallel(config.data, languages, config.limit).texts
    sentences = Sentences(config.data, languages, config.limit, hash_sentences(texts))
    model = name_model(config.model, config.revision, config.seed)
    cell = PairFeatures(model, sentences, sources, config.device, config.dtype, deployed=read_as_deployed(model))
    return StudyPlan(config, (PredictCondition(source, targets, candidates, known, cell),))


def _find(code: str, has: tuple[str, ...], option: str) -> str:
    known = try_language(code)
    for name in (code, known.code if known else code):
        if name in has:
            return name
    raise unknown_name("language", code, has, where=option)
