"""From any code that a data set uses (BCP 47, ISO 639, Wikipedia, script suffixes) to one language."""

from dataclasses import replace
from functools import lru_cache
from typing import Literal, NamedTuple

from isogloss.errors import IsoglossError
from isogloss.languages.candidates import list_candidates
from isogloss.languages.table import Language, shipped

Scheme = Literal["any", "iso", "wikipedia"]

# Codes that mean one language to ISO 639-3 and another to Wikipedia (and so to WikiANN), in wide use for both.
AMBIGUOUS = {"als": {"iso": "sq", "wikipedia": "gsw"}}
NO_LANGUAGE = {"und": "undetermined", "mul": "several languages", "mis": "uncoded", "zxx": "no language"}
# Subtags that are no BCP 47: XLM-R's romanised text and Burmese in Zawgyi's encoding.
ODD_SCRIPTS = {"rom": "Latn", "zaw": "Qaag"}
# NTREX's Swiss German is Zurich's: a canton, which no standard of languages knows.
ODD_REGIONS = {("gsw", "ZH")}
# Scripts that a set names by a part or a whole of what the language is written in.
SAME_SCRIPT = {("ko", "Kore"): "Hang", ("zh", "Hani"): "Hans", ("ja", "Hira"): "Jpan", ("ja", "Hani"): "Jpan"}
# Chinese files carry a country where they mean a script.
CHINESE_SCRIPTS = {"CN": "Hans", "SG": "Hans", "TW": "Hant", "HK": "Hant", "MO": "Hant"}
LONGEST_NAME = 100  # characters: no language has so long a name
CHINESE_DEFAULTS = {"Hans": "CN", "Hant": "TW"}


class Subtags(NamedTuple):
    base: str
    script: str = ""
    region: str = ""


class NoLanguageError(Exception):
    """A code that means no one language, and why; ``wanted`` is what to look for candidates with."""

    def __init__(self, what: str, wanted: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what, self.wanted, self.remedy = what, wanted, remedy


def language(code: str, scheme: Scheme = "any") -> Language:
    """The language that ``code`` means: ``de``, ``deu``, ``ger``, ``deu_Latn`` and ``German`` are all one.

    ``scheme`` settles the few codes that ISO 639-3 and Wikipedia use differently. An unknown or ambiguous code
    is an error that lists candidates.
    """
    found = _look_up(code, scheme)
    if isinstance(found, Language):
        return found
    raise IsoglossError(found.what, remedy=found.remedy or list_candidates(found.wanted))


def try_language(code: str, scheme: Scheme = "any") -> Language | None:
    """As ``language``, but None where that is an error: for file names that may or may not be a code."""
    found = _look_up(code, scheme)
    return found if isinstance(found, Language) else None


def language_name(code: str) -> str:
    """``Swahili`` for ``sw``; the code itself where it has no name."""
    known = try_language(code)
    return known.name if known is not None else code


@lru_cache(maxsize=8192)
def _look_up(code: str, scheme: Scheme) -> Language | NoLanguageError:
    if len(code) > LONGEST_NAME or not code.isprintable():
        return NoLanguageError(f"unknown language code '{code[:LONGEST_NAME]}'")
    whole = code.strip().replace("_", "-")
    if whole.lower() in shipped().aliases:
        return _found(Subtags(shipped().aliases[whole.lower()]))
    try:
        subtags = _split(whole, code)
        if subtags.base in AMBIGUOUS:
            subtags = subtags._replace(base=_settle(subtags.base, scheme))
        return _found(subtags._replace(base=_base(subtags.base, code)))
    except NoLanguageError as error:
        return error


def _split(whole: str, code: str) -> Subtags:
    base, *rest = whole.split("-")
    script = region = ""
    for tag in rest:
        if tag.lower() in ODD_SCRIPTS:
            script = ODD_SCRIPTS[tag.lower()]
        elif (base.lower(), tag.upper()) in ODD_REGIONS:
            continue
        elif len(tag) == 4 and _is_subtag(tag.title(), "script"):
            script = tag.title()
        elif tag.upper() == "XX" or (len(tag) in {2, 3} and _is_subtag(tag.upper(), "territory")):
            region = "" if tag.upper() == "XX" else tag.upper()
        else:
            raise NoLanguageError(f"unknown language code '{code}': '{tag}' is neither a script nor a region", code)
    return Subtags(base.lower(), script, region)


def _is_subtag(tag: str, kind: Literal["script", "territory"]) -> bool:
    if kind == "script" and any(row.script == tag for row in shipped().rows.values()):
        return True
    import langcodes

    return tag.isalnum() and bool(langcodes.Language.make(language="en", **{kind: tag}).is_valid())


def _settle(base: str, scheme: Scheme) -> str:
    meanings = AMBIGUOUS[base]
    if scheme in meanings:
        return meanings[scheme]
    where = {"iso": "ISO 639-3", "wikipedia": "Wikipedia"}
    listed = " or ".join(f"'{code}' ({_name(code)}, what {where[it]} means)" for it, code in meanings.items())
    raise NoLanguageError(f"language code '{base}' is ambiguous", remedy=f"write {listed}")


def _base(base: str, code: str) -> str:
    """The one code of a language: the table's, otherwise BCP 47's (two letters where there are two)."""
    if base in shipped().aliases:
        return shipped().aliases[base]
    if base in NO_LANGUAGE:
        raise NoLanguageError(f"code '{code}' stands for no one language ({NO_LANGUAGE[base]})", code)
    if "qaa" <= base <= "qtz" and len(base) == 3:
        return base
    if len(base) in {2, 3} and base.isascii() and base.isalpha():
        return _from_registry(base, code)
    return _from_name(code)


def _from_registry(base: str, code: str) -> str:
    import langcodes

    found = langcodes.Language.get(base)
    if not found.is_valid():
        raise NoLanguageError(f"unknown language code '{code}'", code)
    standard = str(found.language)
    if _name(standard).endswith(" languages"):
        group = _name(standard).removesuffix(" languages")
        raise NoLanguageError(f"unknown language code '{code}': it names a group, the {_name(standard)}", group)
    return shipped().aliases.get(standard, standard)


def _from_name(code: str) -> str:
    wanted = code.strip().casefold()
    for row in shipped().rows.values():
        if row.name.casefold() == wanted:
            return row.code
    import langcodes

    try:
        found = langcodes.find(code, language="en")
    except LookupError:
        raise NoLanguageError(f"unknown language code '{code}'", code) from None
    # The registry also finds what merely resembles a name: a tag must never mean another language in silence.
    if wanted not in found.display_name().casefold():
        raise NoLanguageError(f"unknown language code '{code}'", code)
    return shipped().aliases.get(str(found.language), str(found.language))


def _found(subtags: Subtags) -> Language:
    """The language object of a base code that is known to be good, with its own script and place."""
    base, script, region = subtags
    row = shipped().rows.get(base) or _registered(base)
    if base == "zh":
        script = script or CHINESE_SCRIPTS.get(region, "")
        region = "" if CHINESE_DEFAULTS.get(script or row.script) == region else region
    script = SAME_SCRIPT.get((base, script), script) or row.script
    tag = "-".join(part for part in (base, script if script != row.script else "", region) if part)
    return row if tag == base else replace(row, code=tag, script=script, region=region)


def _registered(base: str) -> Language:
    """A language that is not in the shipped table: name and script from the registry, no family."""
    import langcodes

    if "qaa" <= base <= "qtz":
        return Language(code=base, name=base, iso3=base)
    tag = langcodes.Language.get(base, normalize=False)
    # The registry's guess for a language it has no likely script for is "spoken in the US": no guess is better.
    likely = tag.maximize()
    script = "" if likely.territory == "US" else str(likely.script or "")
    return Language(code=base, name=_name(base), iso3=str(tag.to_alpha3()), script=script)


def _name(base: str) -> str:
    if row := shipped().rows.get(base):
        return row.name
    import langcodes

    return str(langcodes.Language.get(base, normalize=False).display_name())
