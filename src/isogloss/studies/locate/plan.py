"""From settings to cells: which languages, pairs, families, typology and fine-tunings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from isogloss.corpora.catalog import CATALOG, find
from isogloss.corpora.labdata import is_lab
from isogloss.corpora.language_facts import languages_in
from isogloss.corpora.shards import cut_text
from isogloss.corpora.text_by_language import LAB_PART, enough_languages, read_texts
from isogloss.encoders.model_content import read_config
from isogloss.encoders.names import names_of_layers
from isogloss.errors import unknown_name
from isogloss.languages import Language
from isogloss.probes.language_tasks import Probing, features_of, hash_features
from isogloss.studies.locate.cells import Curve, Layers, Subset, Subsets, pick_layer
from isogloss.studies.locate.config import Config
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.gather import Gather
from isogloss.studies.shared.models import Checkpoint, Model, Untrained
from isogloss.studies.shared.setups import Setup, size_of
from isogloss.studies.shared.shard_moments import plan_shards
from isogloss.transfer import FineTune, find_data, parse_methods
from isogloss.transfer.methods import format_methods

RANDOM = "random languages"
MOST_SUBSETS = 3  # families looked at, unless they are named


@dataclass(frozen=True)
class LocateCondition:
    """One repetition: its tokens, and the probes of one layer, of every layer, and of families."""

    seed: int
    gather: Gather
    curves: tuple[Curve, ...]
    layers: Layers
    subsets: Subsets | None

    @property
    def probes(self) -> tuple[Curve | Layers | Subsets, ...]:
        """Its cells of probes."""
        return (*self.curves, self.layers, *([self.subsets] if self.subsets else []))


@dataclass(frozen=True)
class LocateTagging:
    """One fine-tuning of the plan: a task without its first ``x`` dimensions."""

    task: str
    source: str
    x: int
    seed: int
    cell: FineTune


def plan(config: Config) -> StudyPlan[Config, LocateCondition | LocateTagging]:
    """A condition per repetition, and one per fine-tuning without leading dimensions."""
    first = _gather(config)
    if depth := depth_of(first.model):
        pick_layer(config.layer, names_of_layers(depth))  # refused here, not after the text was read
    families = languages_in(config.name_data(), first.languages)
    probing, _ = ask(config, first.languages, families)
    groups = _groups_of(config, families)
    found = [_repetition(config, first.with_seed(seed), probing, groups) for seed in config.seeds]
    return StudyPlan(config, (*found, *(one for setup in config.tagging for one in _cells(config, setup, first))))


def _gather(config: Config) -> Gather:
    """The cell that reads the text; with shards, the one that adds up what cells of a shard each have read."""
    data, shards = config.name_data(), {}
    if config.shard:
        shards = cut_text(data, config.languages or None, config.shard, config.limit)
        counts = {code: sum(shard.sentences for shard in parts) for code, parts in shards.items()}
        languages, revision = enough_languages(data, counts), ""
    else:
        texts = read_texts(data, config.languages, config.limit)
        languages, revision = texts.languages, texts.revision
    first = Gather(
        model=config.build_model(), data=data, data_revision=revision, languages=languages, limit=config.limit,
        tokens=config.tokens, device=config.device, dtype=config.dtype,
    )  # fmt: skip
    return plan_shards(first, shards) if shards else first


def _repetition(config: Config, gather: Gather, probing: Probing, groups: Mapping[str, list[str]]) -> LocateCondition:
    same = {name: getattr(config, name) for name in ("layer", "sizes", "window", "windows", "draws", "size_draws")}
    curves = tuple(Curve(gather, probing, method, unseen=config.profile.lt, **same) for method in config.methods)
    layers = Layers(gather, probing, config.methods, config.profile)
    return LocateCondition(
        gather.seed, gather, curves, layers, _subsets(config, gather, probing, groups) if groups else None
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
    pairs, groups_shared = tuple(every[number] for number in sorted(chosen)), tuple(sorted(shared.items()))
    asked = ("", "") if why else (typology, hash_features(typology, tuple(languages)))
    return Probing(config.train, config.test, pairs, groups_shared, *asked), notes


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
    if config.subsets:
        there = _members(families, "family", "genus")
        for name in config.subsets:
            if name not in there:
                raise unknown_name("family or genus with two of these languages", name, there, where="subsets")
        return {name: there[name] for name in config.subsets}
    sisters = _members(families, config.grouping)
    ranked = sorted(sisters, key=lambda name: -len(sisters[name]))
    if not ranked:
        return {}
    least = min(config.subset_size, len(sisters[ranked[:2][-1]]))
    return {name: sisters[name] for name in ranked[:MOST_SUBSETS] if len(sisters[name]) >= least}


def _members(families: Mapping[str, Language], *groupings: str) -> dict[str, list[str]]:
    """The languages of every group that has two or more of them, by its name."""
    members: dict[str, list[str]] = {}
    for code, known in families.items():
        for name in dict.fromkeys(getattr(known, grouping) for grouping in groupings):
            members.setdefault(name, []).append(code)
    return {name: codes for name, codes in members.items() if name and len(codes) > 1}


def _subsets(config: Config, gather: Gather, probing: Probing, groups: Mapping[str, list[str]]) -> Subsets:
    """As many languages of each family, drawn by the repetition's seed, and as many of all languages."""
    size = min(config.subset_size, *(len(codes) for codes in groups.values()))
    rng = np.random.default_rng((gather.seed, size))
    drawn = {name: rng.permutation(codes)[:size] for name, codes in {**groups, RANDOM: list(gather.languages)}.items()}
    subsets = tuple(Subset(name, tuple(sorted(map(str, codes)))) for name, codes in drawn.items())
    sizes = (config.subset_window, config.subset_windows, config.draws)
    return Subsets(gather, Probing(probing.train, probing.test), subsets, config.layer, *sizes)


def _cells(config: Config, setup: Setup, gather: Gather) -> list[LocateTagging]:
    """The fine-tunings of a task, sizes x repetitions; their subspace is fitted on the same text as everything else."""
    named = replace(setup.for_model(gather.model), data=config.name_data(setup.data))
    part = LAB_PART if is_lab(gather.data) else ""
    limit = min(config.limit, Config.limit) if config.shard else config.limit  # a fine-tuning holds its text in memory
    base = FineTune(
        model=gather.model,
        tests=named.tests(config.source, ()),
        texts=tuple(find_data(gather.data, "text", code, part, limit) for code in gather.languages),
        **named.fields(config.source, config.device),
    )
    _, width = size_of(gather.model)
    return [
        LocateTagging(setup.label, config.source, x, seed, _without(base, x, seed, config))
        for x in sorted({0, *(size for size in config.tagging_sizes if size < width)})
        for seed in config.seeds
    ]


def depth_of(model: Model) -> int | None:
    """How many layers a model has above its embeddings, read without its weights; None where that does not tell."""
    if isinstance(model, Untrained):
        return depth_of(model.twin)
    if not isinstance(model, Checkpoint):
        return model.recipe.model.layers
    try:
        config = read_config(model.name, model.revision or None).get_text_config()
    except (OSError, ValueError):  # opening it says what is wrong
        return None
    return None if config.is_encoder_decoder else getattr(config, "num_hidden_layers", None)


def _without(base: FineTune, x: int, seed: int, config: Config) -> FineTune:
    layer = "last" if config.layer == -1 else str(config.layer)
    method = f"{config.tagging_method}+subspace:dims={x}:,layer={layer},tokens={config.tokens}"
    return replace(base, method=format_methods(parse_methods(method)), settings=replace(base.settings, seed=seed))
