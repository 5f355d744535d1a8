"""From settings to cells: which languages, pairs, families, typology and fine-tunings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from isogloss.corpora.catalog import CATALOG, find
from isogloss.corpora.labdata import is_lab
from isogloss.corpora.language_facts import languages_in
from isogloss.corpora.shards import Shard, cut_text
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
    found = [_repetition(config, first.with_seed(seed), probing, families) for seed in config.seeds]
    return StudyPlan(config, (*found, *tag_cells(config, first)))


def _gather(config: Config) -> Gather:
    """The cell that reads the text; with shards, the one that adds up what cells of a shard each have read."""
    data, shards = config.name_data(), {}
    if config.shard:
        shards = cut_text(data, config.languages or None, config.shard, config.limit)
        languages, revision = enough_languages(data, {code: _sentences(parts) for code, parts in shards.items()}), ""
    else:
        texts = read_texts(data, config.languages, config.limit)
        languages, revision = texts.languages, texts.revision
    first = Gather(
        model=config.build_model(),
        data=data,
        data_revision=revision,
        languages=languages,
        limit=config.limit,
        tokens=config.tokens,
        device=config.device,
        dtype=config.dtype,
    )
    return plan_shards(first, shards) if shards else first


def _sentences(shards: Sequence[Shard]) -> int:
    return sum(shard.sentences for shard in shards)


def _repetition(config: Config, gather: Gather, probing: Probing, families: Mapping[str, Language]) -> LocateCondition:
    curves = [
        Curve(
            gather=gather,
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
    ]
    subsets = _subsets(config, gather, probing, families) if _groups_of(config, families) else None
    layers = Layers(gather, probing, config.methods, config.profile)
    return LocateCondition(gather.seed, gather, tuple(curves), layers, subsets)


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


def tag_cells(config: Config, gather: Gather) -> tuple[LocateTagging, ...]:
    """Tasks x sizes x repetitions."""
    return tuple(one for setup in config.tagging for one in _cells(config, setup, gather))


def _cells(config: Config, setup: Setup, gather: Gather) -> list[LocateTagging]:
    """The fine-tunings of a task; their subspace is fitted on the same text as everything else."""
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
