"""One object a language, whatever code a data set calls it by; names, scripts, families and typology (WALS)."""

from isogloss.languages.codes import Scheme, language, language_name, try_language
from isogloss.languages.table import Language, known_languages
from isogloss.languages.wals import Wals

__all__ = ["Language", "Scheme", "Wals", "known_languages", "language", "language_name", "try_language"]
