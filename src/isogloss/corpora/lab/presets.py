"""Ready-made labs. Each says what it is for; any knob can be changed afterwards."""

from dataclasses import replace

from isogloss.corpora.lab.knobs import LabConfig
from isogloss.errors import unknown_name

PRESETS = {
    # Same grammar, other words, other script, nothing shared: does alignment need anchors?
    "twins": LabConfig(languages=2, families=2, syllables=("CV CVC",), script=("latin", "cyrillic")),
    # Sisters: mild differences of grammar, cognates, a fifth of the words in common.
    "neighbours": LabConfig(
        languages=2, families=1, adjective=("AN", "NA"), article=("both", "none"), anchors=0.2,
        punctuation="shared",
    ),
    # Rigid opposite orders and nothing in common: alignment should not emerge here.
    "strangers": LabConfig(
        languages=2, families=2, order=("SVO", "SOV"), adposition=("pre", "post"), genitive=("NG", "GN"),
        script=("latin", "cyrillic"),
    ),
    # Six languages in three families. Flexible order with case lets languages of different order meet.
    "families": LabConfig(
        languages=6, families=3, order=("SVO", "SVO", "SOV", "SOV", "SVO", "SOV"), rigidity=(0.75,),
        adjective=("AN", "AN", "AN", "AN", "NA", "NA"), article=("both", "both", "none", "none", "both", "none"),
        genitive=("NG", "NG", "GN", "GN", "NG", "GN"), case=("particle",), anchors=0.2, punctuation="shared",
    ),
}  # fmt: skip


def preset(name: str, seed: int = 0) -> LabConfig:
    """The configuration of a preset: ``twins``, ``neighbours``, ``strangers`` or ``families``."""
    if name not in PRESETS:
        raise unknown_name("preset", name, PRESETS, where="lab")
    return replace(PRESETS[name], seed=seed)
