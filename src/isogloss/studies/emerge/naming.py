"""Encoders of a finished or unfinished run, by name: ``runs/emerge@no-anchors/near/1``."""

from pathlib import Path

from isogloss.errors import IsoglossError, unknown_name
from isogloss.runs.config import build, read_study_files
from isogloss.studies.emerge.conditions import CONDITIONS, DEFAULT
from isogloss.studies.emerge.config import Config
from isogloss.studies.emerge.plan import Encoded, Models

FILE = "study.yaml"


def encoder_of_run(name: str) -> Encoded | None:
    """The encoder that ``RUN[@CONDITION[/PAIR[/SEED]]]`` means; None where ``name`` is no run of this study."""
    folder, _, which = name.rpartition("@") if "@" in name and not Path(name).is_dir() else (name, "", "")
    path = Path(folder).expanduser() / FILE
    if not path.is_file():
        return None
    (file, *_) = read_study_files(path)
    if file.study != "emerge":
        raise IsoglossError(
            f"this is a run of '{file.study}', which pretrains no encoder", where=folder, remedy="name a run of emerge"
        )
    return _choose(build(Config, file.settings, file.lines, file.path), which, name)


def _choose(config: Config, which: str, where: str) -> Encoded:
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
