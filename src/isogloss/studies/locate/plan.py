"""From settings to cells: which languages, pairs, families, typology and fine-tunings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from isogloss.corpora.catalog import CATALOG, find
from isogloss.corpora.labdata import is_lab
from isogloss.errors import unknown_name
from isogloss.languages import Language
from isogloss.runs import Cell
from isogloss.studies.locate.cells import Curve, Layers, Subset, Subsets
from isogloss.studies.locate.config import Config
from isogloss.studies.locate.probing import Probing, features_of, hash_features
from isogloss.studies.locate.tagging import Tagged, tag_cells
from isogloss.studies.shared.families import languages_in
from isogloss.studies.shared.gather import Gather
from isogloss.studies.shared.texts import read_texts

RANDOM = "random languages"
MOST_SUBSETS = 3  # families looked at, unless they are named


@dataclass(frozen=True)
class Plan:
    """The cells of a run, by what they are for; ``notes`` say what could not be asked, and why."""

    gather: tuple[Gather, ...]
    curves: tuple[Curve, ...]
    layers: tuple[Layers, ...]
    subsets: tuple[Subsets, ...]
    tagging: tuple[Tagged, ...]
    notes: tuple[str, ...]

    def cells(self) -> list[Cell[Any]]:
        """All of them."""
        return [*self.curves, *self.layers, *self.subsets, *(one.cell for one in self.tagging)]


def plan(config: Config) -> Sequence[Cell[Any]]:
    """The cells of a run."""
    return make_plan(config).cells()


def make_plan(config: Config) -> Plan:
    """The cells of a run by what they are for."""
    texts = read_texts(config.name_data(), config.languages, config.limit)
    first = Gather(
        model=config.build_model(),
        data=config.name_data(),
        data_revision=texts.revision,
        languages=texts.languages,
        limit=config.limit,
        tokens=config.tokens,
        device=config.device,
        dtype=config.dtype,
    )
    gather = tuple(replace(first, seed=seed) for seed in config.seeds)
    families = languages_in(config.name_data(), texts.languages)
    probing, notes = ask(config, texts.languages, families)
    curves = [
        Curve(
            gather=one,
            probing=probing,
            method=method,
            layer=config.layer,
            sizes=config.sizes,
            window=config.window,
            windows=config.windows,
            draws=config.draws,
            size_draws=config.size_draws,
            unseen=config.profile.lt,
        )
        for method in config.methods
        for one in gather
    ]
    return Plan(
        gather,
        tuple(curves),
        tuple(Layers(one, probing, config.methods, config.profile) for one in gather),
        tuple(_subsets(config, one, probing, families) for one in gather if _groups_of(config, families)),
        tag_cells(config, first),
        tuple(notes),
    )


def ask(config: Config, languages: Sequence[str], families: Mapping[str, Language]) -> tuple[Probing, list[str]]:
    """What the probes ask of these languages, and notes on what they cannot be asked."""
    notes = []
    every = list(combinations(languages, 2))
    chosen = np.random.default_rng(config.seed).permutation(len(every))[: config.pairs]
    groups = {code: getattr(known, config.grouping) for code, known in families.items()}
    shared = {code: name for code, name in groups.items() if name and list(groups.values()).count(name) > 1}
    if len(set(shared.values())) < 2:
        notes.append(f"LS is left out: no two {plural(config.grouping)} have two of these languages each.")
        shared = {}
    typology = config.typology or (config.name_data() if is_lab(config.data) else "wals")
    why = _no_typology(typology, languages)
    if why:
        notes.append(f"LT is left out: {why}.")
    probing = Probing(
        config.train,
        config.test,
        tuple(every[number] for number in sorted(chosen)),
        tuple(sorted(shared.items())),
        "" if why else typology,
        "" if why else hash_features(typology, tuple(languages)),
    )
    return probing, notes


def plural(grouping: str) -> str:
    return {"genus": "genera", "family": "families"}[grouping]


def _no_typology(name: str, languages: Sequence[str]) -> str:
    """Why these languages have no typology to ask about; empty where they have."""
    if name in CATALOG and find(CATALOG[name]) is None:
        return f"'{name}' is not on this machine (isogloss data get {name})"
    several = features_of(name, tuple(languages)).nunique() > 1
    return "" if several.any() else f"no feature of '{name}' has two values among these languages"


def _groups_of(config: Config, families: Mapping[str, Language]) -> dict[str, list[str]]:
    """Families or genera by name: those that are named, or the largest; only such that give languages enough."""
    members: dict[str, list[str]] = {}
    for code, known in families.items():
        for name in dict.fromkeys((known.family, known.genus)):
            if name:
                members.setdefault(name, []).append(code)
    if config.subsets:
        for name in config.subsets:
            if len(members.get(name, [])) < 2:
                there = [group for group, codes in members.items() if len(codes) > 1]
                raise unknown_name("family or genus with two of these languages", name, there, where="subsets")
        return {name: members[name] for name in config.subsets}
    sisters: dict[str, list[str]] = {}
    for code, known in families.items():
        sisters.setdefault(getattr(known, config.grouping), []).append(code)
    ranked = sorted((name for name in sisters if name and len(sisters[name]) > 1), key=lambda name: -len(sisters[name]))
    if not ranked:
        return {}
    least = min(config.subset_size, len(sisters[ranked[min(1, len(ranked) - 1)]]))
    return {name: sisters[name] for name in ranked[:MOST_SUBSETS] if len(sisters[name]) >= least}


def _subsets(config: Config, gather: Gather, probing: Probing, families: Mapping[str, Language]) -> Subsets:
    """As many languages of each family, drawn by the repetition's seed, and as many of all languages."""
    groups = _groups_of(config, families)
    size = min(config.subset_size, *(len(codes) for codes in groups.values()))
    rng = np.random.default_rng((gather.seed, size))
    drawn = {name: rng.permutation(codes)[:size] for name, codes in {**groups, RANDOM: list(gather.languages)}.items()}
    return Subsets(
        gather,
        Probing(probing.train, probing.test),
        tuple(Subset(name, tuple(sorted(map(str, codes)))) for name, codes in drawn.items()),
        config.layer,
        config.subset_window,
        config.subset_windows,
        config.draws,
    )
