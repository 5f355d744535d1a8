"""What a linguist's survey would say of a language: feature values under WALS's numbers, read off the grammar."""

from dataclasses import dataclass

from isogloss.corpora.lab.grammar import object_first
from isogloss.corpora.lab.knobs import LanguageConfig
from isogloss.corpora.lab.language import Language

# WALS's feature number: our short name for it, and the values a lab language can have under WALS's numbers.
FEATURES: dict[str, tuple[str, dict[int, str]]] = {
    "1A": ("Consonants", {1: "few", 2: "moderately few", 3: "average"}),
    "2A": ("Vowels", {1: "2-4", 2: "5-6"}),
    "12A": ("Syllables", {1: "simple", 2: "moderately complex", 3: "complex"}),
    "26A": ("Affixes", {1: "little affixation", 2: "strongly suffixing", 3: "weakly suffixing"}),
    "33A": ("Plural of nouns", {2: "suffix", 9: "none"}),
    "37A": ("Definite article", {1: "a word", 5: "neither article"}),
    "38A": ("Indefinite article", {1: "a word", 4: "only a definite one", 5: "neither article"}),
    "49A": ("Number of cases", {1: "no case suffixes", 4: "4"}),
    "51A": ("Position of case markers", {1: "suffixes", 6: "clitics after the phrase", 9: "none"}),
    "66A": ("Past tense", {1: "marked", 4: "unmarked"}),
    "67A": ("Future tense", {1: "inflected", 2: "not inflected"}),
    "69A": ("Tense affixes", {2: "suffixes", 5: "none"}),
    "81A": ("Order of subject, object and verb", {1: "SOV", 2: "SVO", 3: "VSO", 4: "VOS", 5: "OVS", 6: "OSV"}),
    "82A": ("Order of subject and verb", {1: "SV", 2: "VS"}),
    "83A": ("Order of object and verb", {1: "OV", 2: "VO"}),
    "84A": ("Order of object, oblique and verb", {1: "VOX", 2: "XVO", 3: "XOV", 4: "OXV", 5: "OVX"}),
    "85A": ("Adpositions", {1: "postpositions", 2: "prepositions"}),
    "86A": ("Order of genitive and noun", {1: "GN", 2: "NG"}),
    "87A": ("Order of adjective and noun", {1: "AN", 2: "NA"}),
    "90A": ("Order of relative clause and noun", {1: "NRel", 2: "RelN"}),
    "98A": ("Case marking of noun phrases", {1: "neutral", 2: "nominative-accusative"}),
}


@dataclass(frozen=True, slots=True)
class FeatureValue:
    """The value of one feature in one language, under WALS's numbers."""

    language: str
    feature: str
    value: int

    @property
    def code(self) -> str:
        """The code's identifier: ``81A-2``."""
        return f"{self.feature}-{self.value}"

    @property
    def label(self) -> str:
        return FEATURES[self.feature][1][self.value]


def describe(language: Language) -> tuple[FeatureValue, ...]:
    """All feature values of a language, in the order of ``FEATURES``."""
    values = _sound_values(language) | _form_values(language) | _order_values(language)
    return tuple(FeatureValue(language.code, feature, values[feature]) for feature in FEATURES)


def _sound_values(language: Language) -> dict[str, int]:
    sounds = language.lexicon.phonology
    clusters = any("CC" in shape for shape in sounds.shapes)
    codas = any(not shape.endswith("V") for shape in sounds.shapes)
    size = len(sounds.consonants)
    return {
        "1A": 1 if size <= 14 else 2 if size <= 18 else 3,
        "2A": 1 if len(sounds.vowels) <= 4 else 2,
        "12A": 3 if clusters and codas else 2 if clusters or codas else 1,
    }


def _form_values(language: Language) -> dict[str, int]:
    grammar = language.grammar
    suffixing = [grammar.case, grammar.plural, grammar.tense].count("suffix") + (grammar.agreement != "none")
    return {
        "26A": 1 if suffixing == 0 else 3 if suffixing == 1 else 2,
        "33A": 2 if grammar.plural == "suffix" else 9,
        "37A": 5 if grammar.article == "none" else 1,
        "38A": {"none": 5, "definite": 4, "both": 1}[grammar.article],
        "49A": 4 if grammar.case == "suffix" else 1,
        "51A": {"suffix": 1, "particle": 6, "none": 9}[grammar.case],
        "66A": 4 if grammar.tense == "none" else 1,
        "67A": 1 if grammar.tense == "suffix" else 2,
        "69A": 2 if grammar.tense == "suffix" else 5,
        "98A": 1 if grammar.case == "none" else 2,
    }


def _order_values(language: Language) -> dict[str, int]:
    grammar = language.grammar
    order = grammar.order
    orders = {label: number for number, label in FEATURES["81A"][1].items()}
    return {
        "81A": orders[order],
        "82A": 1 if order.index("S") < order.index("V") else 2,
        "83A": 1 if object_first(grammar) else 2,
        "84A": _oblique_order(grammar),
        "85A": 2 if grammar.adposition == "pre" else 1,
        "86A": 1 if grammar.genitive == "GN" else 2,
        "87A": 1 if grammar.adjective == "AN" else 2,
        "90A": 1 if grammar.relative == "NR" else 2,
    }


def _oblique_order(grammar: LanguageConfig) -> int:
    """Where places stand: after verb and object, or before (between them if the object comes first of all)."""
    if not object_first(grammar):
        return 1 if grammar.oblique == "VX" else 2
    if grammar.oblique == "VX":
        return 5
    return 4 if grammar.order[0] == "O" else 3


def newick(languages: tuple[Language, ...]) -> str:
    """The family tree in Newick's notation: ``((qaa,qab)Takaric,(qac)Ilunic);``."""
    families: dict[str, list[str]] = {}
    for language in languages:
        families.setdefault(language.family, []).append(language.code)
    return "(" + ",".join(f"({','.join(codes)}){family}" for family, codes in families.items()) + ");"
