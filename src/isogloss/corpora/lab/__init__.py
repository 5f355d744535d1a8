"""Constructed languages: one world, many grammars and lexicons. Every factor is a knob and every truth is known.

lab = Lab(preset("families"))
lab.text("qaa", 60_000)                  # plain text for pretraining, never parallel
lab.parallel(500, pool="hard")           # the same meanings in every language
"""

from isogloss.corpora.lab.knobs import LabConfig, LanguageConfig
from isogloss.corpora.lab.laboratory import Lab
from isogloss.corpora.lab.language import Language
from isogloss.corpora.lab.presets import PRESETS, preset

__all__ = ["PRESETS", "Lab", "LabConfig", "Language", "LanguageConfig", "preset"]
