"""What is known of the languages of some data: the lab's own facts for its languages, WALS's for others."""

from collections.abc import Iterable

from isogloss.corpora import load_wals
from isogloss.corpora.labdata import is_lab
from isogloss.languages import Language, try_language


def languages_in(data: str, codes: Iterable[str]) -> dict[str, Language]:
    """The languages among ``codes`` that anything is known of; ``data`` says whether they are a lab's."""
    lab = load_wals(data.partition("/")[0]).languages if is_lab(data) else {}
    found = {code: lab.get(code) or try_language(code) for code in codes}
    return {code: known for code, known in found.items() if known is not None}


def families_in(data: str, codes: Iterable[str]) -> dict[str, str]:
    """The families of those languages that have one."""
    return {code: known.family for code, known in languages_in(data, codes).items() if known.family}
