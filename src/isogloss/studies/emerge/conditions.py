"""The conditions of Wu20's Table 1: what two languages have in common while an encoder is pretrained on both."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from isogloss.errors import IsoglossError, unknown_name
from isogloss.pretrain import Recipe

Group = Literal["default", "domain", "anchors", "sharing", "control"]
DEFAULT, UNTRAINED, APART, MONOLINGUAL = "default", "untrained", "apart", "monolingual"
GROUPS: dict[str, str] = {
    "default": "", "domain": "Domain similarity", "anchors": "Anchor points", "sharing": "Parameter sharing",
    "control": "Controls",
}  # fmt: skip
VOCABULARIES = {"joint": "joint", "united": "one each, united", "marked": "one each, marked", "own": "one each"}


@dataclass(frozen=True)
class Condition:
    """One row of the table. ``lower`` is the share of the layers, lowest first, that each language has for itself."""

    name: str
    title: str
    group: Group
    scope: Literal["joint", "united", "marked", "own"] = "joint"
    other_domain: bool = False
    switched: bool = False  # words of the text are replaced by translations
    own_embeddings: bool = False
    lower: float = 0.0

    def separate_layers(self, depth: int) -> int:
        """How many layers that is; at least one stays shared."""
        if not self.lower:
            return 0
        return min(max(1, round(self.lower * depth)), depth - 1)

    def label(self, depth: int) -> str:
        """The row's name, as the paper writes it: ``Sep Emb + L1-3``."""
        return self.title.format(layers=_range(self.separate_layers(depth)))

    def change(self, recipe: Recipe, seed: int) -> Recipe:
        """The recipe of this condition."""
        depth = recipe.model.layers
        return recipe.changed(
            seed=seed,
            vocabulary={"scope": self.scope},
            sharing={
                "embeddings": "separate" if self.own_embeddings else "shared",
                "separate_layers": self.separate_layers(depth),
            },
        )

    def shared(self, depth: int) -> str:
        """What languages share, in words."""
        layers = _range(self.separate_layers(depth))
        own = [*(["embeddings"] if self.own_embeddings else []), *([layers] if layers else [])]
        return f"all but {' and '.join(own)}" if own else "all"


TRAINED = (
    Condition(DEFAULT, "Default", "default"),
    Condition("domain", "Other domain", "domain", other_domain=True),
    Condition("default-anchors", "Default anchors", "anchors", scope="united"),
    Condition("no-anchors", "No anchors", "anchors", scope="marked"),
    Condition("extra-anchors", "Extra anchors", "anchors", switched=True),
    Condition("sep-emb", "Sep Emb", "sharing", scope="own", own_embeddings=True),
    Condition("sep-emb-third", "Sep Emb + {layers}", "sharing", scope="own", own_embeddings=True, lower=1 / 3),
    Condition("sep-emb-most", "Sep Emb + {layers}", "sharing", scope="own", own_embeddings=True, lower=3 / 4),
    Condition("sep-third", "Sep {layers}", "sharing", scope="united", lower=1 / 3),
    Condition("sep-most", "Sep {layers}", "sharing", scope="united", lower=3 / 4),
)
CONTROLS = (
    Condition(APART, "Nothing shared", "control", scope="own"),
    Condition(MONOLINGUAL, "Source only", "control"),
    Condition(UNTRAINED, "Untrained", "control"),
)
CONDITIONS: dict[str, Condition] = {condition.name: condition for condition in (*TRAINED, *CONTROLS)}


def chosen_conditions(names: Sequence[str], where: str = "setting 'conditions'") -> tuple[Condition, ...]:
    """The conditions of these names (all where there are none), in the table's order; the default is always there."""
    for name in names:
        if name not in CONDITIONS:
            raise unknown_name("condition", name, CONDITIONS, where=where)
    wanted = {DEFAULT, *names} if names else set(CONDITIONS)
    return tuple(condition for name, condition in CONDITIONS.items() if name in wanted)


def check_depth(conditions: Sequence[Condition], depth: int) -> None:
    """Two conditions that come to the same in a shallow model are a mistake, not two rows."""
    seen: dict[tuple[object, ...], str] = {}
    for condition in conditions:
        what = (condition.group, condition.own_embeddings, condition.scope, condition.separate_layers(depth))
        if condition.lower and what in seen:
            raise IsoglossError(
                f"'{condition.name}' and '{seen[what]}' are the same in a model of {depth} layers",
                where="setting 'conditions'",
                remedy="raise model.layers to 4 or more, or leave one of them out",
            )
        seen[what] = condition.name


def _range(layers: int) -> str:
    return "" if not layers else "L1" if layers == 1 else f"L1-{layers}"
