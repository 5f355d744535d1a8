"""Every knob of the lab, checked: one dataclass for the world and all its languages, one for a language's grammar."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from isogloss.errors import IsoglossError, unknown_name

ORDERS = ("SVO", "SOV", "VSO", "VOS", "OVS", "OSV")
MINORITY = {"SVO": "SOV", "SOV": "SVO", "VSO": "SVO", "VOS": "SVO", "OVS": "SOV", "OSV": "SOV"}
ANCHOR_KINDS = ("names", "numbers", "cognates", "random")
MOST_LANGUAGES = 20 * 26  # the codes qaa to qtz, which ISO 639 keeps for private use
CHOICES: Mapping[str, tuple[str, ...]] = {
    "order": ORDERS,
    "minority": ("", *ORDERS),
    "adjective": ("AN", "NA"),
    "adposition": ("pre", "post"),
    "oblique": ("VX", "XV"),
    "genitive": ("GN", "NG"),
    "relative": ("NR", "RN"),
    "case": ("none", "suffix", "particle"),
    "agreement": ("none", "verb", "full"),
    "article": ("none", "definite", "both"),
    "plural": ("none", "suffix"),
    "tense": ("none", "suffix", "particle"),
    "syllables": ("CV", "CV CVC", "CV V CVN", "CV CCV", "CVC"),
    "script": ("latin", "cyrillic", "greek", "georgian", "armenian"),
    "anchor_kinds": ANCHOR_KINDS,
    "punctuation": ("shared", "own"),
}
PER_LANGUAGE = (
    "order", "minority", "rigidity", "oblique", "adjective", "adposition", "genitive", "relative", "case", "agreement",
    "article", "plural", "tense", "syllables", "script",
)  # fmt: skip
# One name for several knobs, for teachers: the order of words is the same in all languages, or opposite in turn.
TOGETHER: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "word_order": {
        "same": {"order": "SVO", "oblique": "VX", "adposition": "pre", "genitive": "NG"},
        "mixed": {"order": "SVO,SOV", "oblique": "VX,XV", "adposition": "pre,post", "genitive": "NG,GN"},
    }
}
SHARES = ("anchors", "cognates", "distance", "homonyms", "noise")


@dataclass(frozen=True, slots=True)
class LanguageConfig:
    """The grammar of one language: a value for each of the knobs that languages may differ in."""

    order: str
    minority: str
    rigidity: float
    oblique: str
    adjective: str
    adposition: str
    genitive: str
    relative: str
    case: str
    agreement: str
    article: str
    plural: str
    tense: str
    syllables: str
    script: str


@dataclass(frozen=True, slots=True)
class LabConfig:
    """One world and its languages.

    A grammar knob is a tuple whose values are dealt to the languages in turn: ``order=("SVO",)`` gives
    all languages the same, ``order=("SVO", "SOV")`` alternates. Languages are dealt to families in runs:
    of six languages in three families the first two are sisters.
    """

    seed: int = 0
    languages: int = 2
    families: int = 2

    # Grammar, dealt to the languages in turn.
    order: tuple[str, ...] = ("SVO",)  # basic order of subject, verb, object
    minority: tuple[str, ...] = ("",)  # the other order a flexible language uses; "" picks a usual one
    rigidity: tuple[float, ...] = (1.0,)  # share of clauses in the basic order
    oblique: tuple[str, ...] = ("VX",)  # places and adverbs after the verb and its object, or before
    adjective: tuple[str, ...] = ("AN",)  # adjective before or after its noun
    adposition: tuple[str, ...] = ("pre",)  # prepositions or postpositions
    genitive: tuple[str, ...] = ("NG",)  # possessor before or after its noun
    relative: tuple[str, ...] = ("NR",)  # relative clause after or before its noun
    case: tuple[str, ...] = ("none",)  # no case, suffixes, or an object particle
    agreement: tuple[str, ...] = ("none",)  # verb with subject, or also adjective with noun
    article: tuple[str, ...] = ("both",)
    plural: tuple[str, ...] = ("suffix",)
    tense: tuple[str, ...] = ("suffix",)
    syllables: tuple[str, ...] = ("CV CVC", "CV V CVN", "CV CCV", "CV", "CVC")
    script: tuple[str, ...] = ("latin",)

    # The lexicon.
    lexicon: int = 220  # content words; about thirty function words and class names come on top
    zipf: float = 1.0  # P(word) falls with rank^-zipf within its class
    selection: float = 1.5  # strength of selectional noise: who does what to whom
    homonyms: float = 0.15  # share of verbs and adjectives spelt like some noun
    anchors: float = 0.0  # share of the content words with one spelling in every language
    anchor_kinds: tuple[str, ...] = ("random",)  # from which words anchors are taken
    cognates: float = 0.8  # share of words that a language inherits from its family
    distance: float = 0.4  # share of consonants that sound change alters between sisters
    punctuation: str = "own"  # does the full stop differ between languages?

    # The text.
    domains: int = 2  # parts of the world that a text may be about
    domain_contrast: float = 6.0  # how much more a domain talks of its own things than of others
    noise: float = 0.0  # share of words in plain text replaced by a random word of the language

    def __post_init__(self) -> None:
        for name in CHOICES:
            _check_choices(name, getattr(self, name))
        for share in SHARES:
            _check_range(share, getattr(self, share), 0.0, 1.0)
        for value in self.rigidity:
            _check_range("rigidity", value, 0.5, 1.0)
        for name, low, high in (
            ("seed", 0, 2**63), ("languages", 1, MOST_LANGUAGES), ("families", 1, self.languages),
            ("lexicon", 60, 5_000), ("zipf", 0.0, 3.0), ("selection", 0.0, 4.0), ("domains", 1, 8),
            ("domain_contrast", 1.0, 1000.0),
        ):  # fmt: skip
            _check_range(name, getattr(self, name), low, high)
        for name in PER_LANGUAGE:
            _check_length(name, len(getattr(self, name)), self.languages)

    def language(self, index: int) -> LanguageConfig:
        """The grammar of language ``index``."""
        return LanguageConfig(**{name: _deal(getattr(self, name), index) for name in PER_LANGUAGE})

    def family(self, index: int) -> int:
        """The family of language ``index``."""
        return index * self.families // self.languages

    def with_settings(self, settings: Mapping[str, str]) -> "LabConfig":
        """A copy with knobs set from text, as on a command line: ``{"order": "SVO,SOV", "anchors": "0.2"}``.

        ``word_order`` (``same`` or ``mixed``) sets several knobs at once; a knob named beside it has its own value.
        """
        ordered = sorted(settings.items(), key=lambda setting: setting[0] not in TOGETHER)
        values = {knob: value for name, text in ordered for knob, value in read_knob(name, text).items()}
        return replace(self, **values)


def _deal(values: tuple[Any, ...], index: int) -> Any:
    return values[index % len(values)]


def _check_choices(name: str, given: str | tuple[str, ...]) -> None:
    values = (given,) if isinstance(given, str) else given
    for value in values:
        if value not in CHOICES[name]:
            raise unknown_name(f"value of '{name}'", str(value), [v for v in CHOICES[name] if v], where=_where(name))
    if not values:
        raise IsoglossError("this knob has no value", where=_where(name), remedy=f"one of {', '.join(CHOICES[name])}")


def _check_range(name: str, value: float, low: float, high: float) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not low <= value <= high:
        raise IsoglossError(f"impossible value {value!r}", where=_where(name), remedy=f"a number from {low} to {high}")


def _check_length(name: str, given: int, languages: int) -> None:
    if not given >= 1:
        raise IsoglossError("this knob has no value", where=_where(name), remedy="give one value, or one per language")
    if given > languages and name != "syllables":
        raise IsoglossError(
            f"{given} values for {languages} languages", where=_where(name), remedy="give at most one per language"
        )


def _where(name: str) -> str:
    return f"knob '{name}'"


def read_knob(name: str, text: str) -> dict[str, Any]:
    """The value of a knob from text, or the values of the knobs that stand together under one name."""
    if name not in TOGETHER:
        return {name: _parse(name, text)}
    if text not in TOGETHER[name]:
        raise unknown_name(f"value of '{name}'", text, TOGETHER[name], where=_where(name))
    return {knob: _parse(knob, value) for knob, value in TOGETHER[name][text].items()}


def _parse(name: str, text: str) -> Any:
    """A knob's value from text, of the type that the knob's default has."""
    defaults: dict[str, Any] = {field.name: field.default for field in fields(LabConfig)}
    if name not in defaults:
        raise unknown_name("knob", name, [*defaults, *TOGETHER])
    default = defaults[name]
    try:
        if isinstance(default, tuple):
            return tuple(type(default[0])(part.strip()) for part in text.split(","))
        return type(default)(text)
    except ValueError as error:
        kind = type(default[0] if isinstance(default, tuple) else default).__name__
        raise IsoglossError(
            f"'{text}' is not a valid {kind}", where=_where(name), remedy=f"for example {default}"
        ) from error
