"""Constructed languages: one world, many grammars and lexicons. Every factor is a knob and every truth is known.

lab = Lab(preset("families"))
lab.text("qaa", 60_000)                  # plain text for pretraining, never parallel
lab.parallel(500, pool="hard")           # the same meanings in every language
lab.nli("qaa", 3_000), lab.trees("qaa", 2_000), lab.entities("qaa", 2_000), lab.dictionary("qaa", "qab")
"""

from isogloss.corpora.lab.baseline import bag_of_tags_retrieval
from isogloss.corpora.lab.folder import Sizes, write_lab
from isogloss.corpora.lab.knobs import LabConfig, LanguageConfig
from isogloss.corpora.lab.laboratory import Lab
from isogloss.corpora.lab.language import Language
from isogloss.corpora.lab.presets import PRESETS, preset
from isogloss.corpora.lab.typology import FeatureValue

__all__ = [
    "PRESETS", "FeatureValue", "Lab", "LabConfig", "Language", "LanguageConfig", "Sizes", "bag_of_tags_retrieval",
    "preset", "write_lab",
]  # fmt: skip
