"""Ready-made labs. Each says what it is for; any knob can be changed afterwards."""

from dataclasses import replace

from isogloss.corpora.lab.knobs import LabConfig
from isogloss.errors import unknown_name

PRESETS = {
    # Same grammar, other words, another script, nothing shared: does alignment need anchors?
    "twins": LabConfig(
        languages=2, families=2, tense=("particle",), syllables=("CV CVC",), script=("latin", "cyrillic"),
    ),
    # Sisters: mild differences of grammar, cognates, a fifth of the words in common.
    "neighbours": LabConfig(
        languages=2, families=1, tense=("particle",), adjective=("AN", "NA"), article=("both", "definite"),
        anchors=0.2, punctuation="shared",
    ),
    # Rigid opposite orders and nothing in common: alignment should not emerge here.
    "strangers": LabConfig(
        languages=2, families=2, tense=("particle",), order=("SVO", "SOV"), oblique=("VX", "XV"),
        adposition=("pre", "post"), genitive=("NG", "GN"), script=("latin", "cyrillic"),
    ),
    # Six languages in three families. Flexible order with case lets languages of different order meet;
    # between families two or three features differ, between sisters one.
    "families": LabConfig(
        languages=6, families=3, rigidity=(0.75,), case=("particle",), anchors=0.2, punctuation="shared",
        order=("SVO", "SVO", "SOV", "SOV", "SVO", "SVO"),
        adjective=("AN", "AN", "AN", "NA", "NA", "NA"),
        article=("both", "definite", "both", "both", "both", "definite"),
        genitive=("NG", "NG", "GN", "GN", "NG", "NG"),
        tense=("particle", "particle", "particle", "particle", "suffix", "suffix"),
    ),
}  # fmt: skip


def preset(name: str, seed: int = 0) -> LabConfig:
    """The configuration of a preset: ``twins``, ``neighbours``, ``strangers`` or ``families``."""
    if name not in PRESETS:
        raise unknown_name("preset", name, PRESETS, where="lab")
    return replace(PRESETS[name], seed=seed)
