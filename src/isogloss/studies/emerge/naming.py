"""Encoders of a finished or unfinished run, by name: ``runs/emerge@no-anchors/near/1``."""

from isogloss.errors import unknown_name
from isogloss.studies.emerge.conditions import CONDITIONS, DEFAULT
from isogloss.studies.emerge.config import Config
from isogloss.studies.emerge.plan import Encoded, Models


def named_encoder(config: Config, which: str, where: str) -> Encoded:
    """The encoder of a run that ``CONDITION[/PAIR[/SEED]]`` means, each the run's first unless named."""
    condition, pair, seed = [*which.split("/"), "", "", ""][:3]
    pairs = {one.label: one for one in config.pairs}
    seeds = {str(one): one for one in config.seeds}
    if condition and condition not in CONDITIONS:
        raise unknown_name("condition", condition, CONDITIONS, where=where)
    if pair and pair not in pairs:
        raise unknown_name("pair", pair, pairs, where=where)
    if seed and seed not in seeds:
        raise unknown_name("seed", seed, seeds, where=where)
    chosen = pairs[pair] if pair else config.pairs[0]
    return Models(config, chosen, seeds[seed] if seed else config.seeds[0]).of(CONDITIONS[condition or DEFAULT])
