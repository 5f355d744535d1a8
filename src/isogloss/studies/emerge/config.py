"""The settings of an emergence study: which pairs of languages, which text, tasks and translations, which factors."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from isogloss.bounds import DeviceName, Limit, Names, Seeds
from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe
from isogloss.studies.emerge.conditions import Condition, check_depth, chosen_conditions
from isogloss.studies.shared.setups import Setup, check_setups

SEED = "{seed}"
Kind = Literal["linear", "rbf", "unbiased", "rbf-unbiased"]


@dataclass(frozen=True)
class Pair:
    """Two languages. What is left empty is as the study has it.

    ``text`` is a folder of code.txt files, a file, a catalog name or the lab; ``target_text`` the target's, where it
    lies elsewhere; ``other_text`` is what the target is pretrained on where domains differ. ``data`` and ``test_data``
    name a task's data. ``conditions`` are all, unless named.
    """

    source: str = "qaa"
    target: str = "qab"
    name: str = ""
    text: str = ""
    target_text: str = ""
    other_text: str = ""
    dictionary: str = ""
    parallel: str = ""
    data: dict[str, str] = field(default_factory=dict)
    test_data: dict[str, str] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return self.name or self.target


@dataclass(frozen=True)
class Config:
    """Factors x pairs x seeds. ``{seed}`` in a name of data is the seed: every seed has a world of its own in the lab.

    ``recipe`` is a preset of pretraining or a YAML file, which ``settings`` (``training.steps: 1000``) change.
    Sentences of ``parallel`` come in ``pools``: retrieval is read off the first, CKA off the last.
    """

    pairs: tuple[Pair, ...] = (Pair(),)
    conditions: Names = ()  # all, unless named; the default is always one of them
    tasks: tuple[Setup, ...] = (Setup("pos", data="lab:families:{seed}"),)
    text: str = "lab:families:{seed}/0"
    target_text: str = ""
    other_text: str = "lab:families:{seed}/1"  # empty: no condition with another domain
    sentences: Limit | None = 40_000  # of text a language
    dictionary: str = "lab:families:{seed}"  # empty: no code-switching
    parallel: str = "lab:families:{seed}"  # empty: neither retrieval nor CKA
    parallel_limit: Limit = 500
    pools: tuple[str, ...] = ("",)  # parts of the parallel text
    similarity: tuple[Kind, ...] = ("linear", "unbiased")
    recipe: str = "lab"
    settings: dict[str, Any] = field(default_factory=dict)
    seeds: Seeds = (0,)
    device: DeviceName = "auto"

    def pretraining(self) -> Recipe:
        """The recipe that conditions change."""
        file = Path(self.recipe).expanduser()
        base = Recipe.load(file) if file.suffix in {".yaml", ".yml"} else Recipe.preset(self.recipe)
        if self.device != "auto":
            base = base.changed(training={"device": self.device})
        return base.changed_at(self.settings)

    def pair(self, pair: Pair) -> Pair:
        """``pair`` with the study's settings where it has none of its own."""
        names = ("text", "target_text", "other_text", "dictionary", "parallel")
        filled: dict[str, Any] = {name: getattr(pair, name) or getattr(self, name) for name in names}
        return replace(pair, **filled)

    def conditions_of(self, pair: Pair) -> tuple[Condition, ...]:
        """The conditions of a pair: those that were asked for and that it has data for."""
        asked = tuple(name for name in pair.conditions if not self.conditions or name in self.conditions)
        wanted = chosen_conditions(asked or (("default",) if pair.conditions else self.conditions))
        whole = self.pair(pair)
        lacking = {"domain": not whole.other_text, "extra-anchors": not whole.dictionary}
        return tuple(condition for condition in wanted if not lacking.get(condition.name, False))


def check(config: Config) -> None:
    """Refuse what cannot be planned."""
    check_setups(config.tasks)
    for what, given in (("pair", config.pairs), ("seed", config.seeds), ("pool", config.pools)):
        if not given:
            raise IsoglossError(f"no {what} is given", where=f"setting '{what}s'")
    chosen_conditions(config.conditions)
    depth = config.pretraining().model.layers
    for pair in config.pairs:
        chosen_conditions(pair.conditions, where=f"pair '{pair.label}'")
        check_depth(config.conditions_of(pair), depth)
        if pair.source == pair.target:
            raise IsoglossError(f"'{pair.source}' is paired with itself", where="setting 'pairs'")
    labels = [pair.label for pair in config.pairs]
    for label in labels:
        if labels.count(label) > 1:
            raise IsoglossError(
                f"two pairs are called '{label}'", where="setting 'pairs'", remedy="give one of them a name"
            )


def fill(name: str, seed: int) -> str:
    """A name of data for one seed."""
    return name.replace(SEED, str(seed))
