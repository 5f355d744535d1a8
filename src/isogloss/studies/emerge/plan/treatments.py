"""The rows of Wu20's Table 1: what two languages have in common while an encoder is pretrained on both."""

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
class Treatment:
    """One row of the table: how the encoder of a condition is pretrained.

    ``lower`` is the share of the layers, lowest first, that each language has for itself.
    """

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
        return min(max(1, round(self.lower * depth)), depth - 1) if self.lower else 0

    def label(self, depth: int) -> str:
        """The row's name, as the paper writes it: ``Sep Emb + L1-3``."""
        return self.title.format(layers=_range(self.separate_layers(depth)))

    def change(self, recipe: Recipe, seed: int) -> Recipe:
        """``recipe`` with this treatment."""
        embeddings = "separate" if self.own_embeddings else "shared"
        sharing = {"embeddings": embeddings, "separate_layers": self.separate_layers(recipe.model.layers)}
        return recipe.changed(seed=seed, vocabulary={"scope": self.scope}, sharing=sharing)

    @property
    def method(self) -> str:
        """How it is fine-tuned: only shared parts learn; where nothing is shared, only the head does."""
        return {APART: "separate+linear", MONOLINGUAL: "plain", UNTRAINED: "plain"}.get(self.name, "separate")

    def shared(self, depth: int) -> str:
        """What languages share, in words."""
        layers = _range(self.separate_layers(depth))
        own = [*(["embeddings"] if self.own_embeddings else []), *([layers] if layers else [])]
        return f"all but {' and '.join(own)}" if own else "all"


TRAINED = (
    Treatment(DEFAULT, "Default", "default"),
    Treatment("domain", "Other domain", "domain", other_domain=True),
    Treatment("default-anchors", "Default anchors", "anchors", scope="united"),
    Treatment("no-anchors", "No anchors", "anchors", scope="marked"),
    Treatment("extra-anchors", "Extra anchors", "anchors", switched=True),
    Treatment("sep-emb", "Sep Emb", "sharing", scope="own", own_embeddings=True),
    Treatment("sep-emb-third", "Sep Emb + {layers}", "sharing", scope="own", own_embeddings=True, lower=1 / 3),
    Treatment("sep-emb-most", "Sep Emb + {layers}", "sharing", scope="own", own_embeddings=True, lower=3 / 4),
    Treatment("sep-third", "Sep {layers}", "sharing", scope="united", lower=1 / 3),
    Treatment("sep-most", "Sep {layers}", "sharing", scope="united", lower=3 / 4),
)
CONTROLS = (
    Treatment(APART, "Nothing shared", "control", scope="own"),
    Treatment(MONOLINGUAL, "Source only", "control"),
    Treatment(UNTRAINED, "Untrained", "control"),
)
TREATMENTS: dict[str, Treatment] = {one.name: one for one in (*TRAINED, *CONTROLS)}


def chosen_treatments(names: Sequence[str], where: str = "setting 'conditions'") -> tuple[Treatment, ...]:
    """The treatments of these names (all where there are none), in the table's order; the default is always there."""
    for name in names:
        if name not in TREATMENTS:
            raise unknown_name("condition", name, TREATMENTS, where=where)
    wanted = {DEFAULT, *names} if names else set(TREATMENTS)
    return tuple(treatment for name, treatment in TREATMENTS.items() if name in wanted)


def check_depth(treatments: Sequence[Treatment], depth: int) -> None:
    """Two treatments that come to the same in a shallow model are a mistake, not two rows."""
    seen: dict[tuple[object, ...], str] = {}
    for treatment in treatments:
        what = (treatment.group, treatment.own_embeddings, treatment.scope, treatment.separate_layers(depth))
        if treatment.lower and what in seen:
            raise IsoglossError(
                f"'{treatment.name}' and '{seen[what]}' are the same in a model of {depth} layers",
                where="setting 'conditions'",
                remedy="raise model.layers to 4 or more, or leave one of them out",
            )
        seen[what] = treatment.name


def _range(layers: int) -> str:
    return "" if not layers else "L1" if layers == 1 else f"L1-{layers}"
