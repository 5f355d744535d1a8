"""The cells of an alignment study: words, words in context and the maps they give, sentences, tasks across encoders."""

from isogloss.studies.align.cells.inputs import Bitext, Lexicon
from isogloss.studies.align.cells.sentences import SentenceLevel
from isogloss.studies.align.cells.task_transfer import Crossing
from isogloss.studies.align.cells.word_maps import Bridges, WordLinks
from isogloss.studies.align.cells.words import WordLevel

__all__ = ["Bitext", "Bridges", "Crossing", "Lexicon", "SentenceLevel", "WordLevel", "WordLinks"]
