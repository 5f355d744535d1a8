"""False friends by rule, as xsim++ has them: one number, name or negation changed makes another statement."""

import re
from collections.abc import Sequence

NUMBER = re.compile(r"\d+")
NAME = re.compile(r"(?<=[^.!?:\s] )[A-Z][a-z]{2,}")
# a verb and its negation, in languages where that is one word more or less
NEGATIONS = {
    "en": ((" is ", " is not "), (" was ", " was not "), (" are ", " are not "), (" will ", " will not ")),
    "de": ((" ist ", " ist nicht "), (" war ", " war nicht "), (" sind ", " sind nicht ")),
    "nl": ((" is ", " is niet "), (" was ", " was niet ")),
    "sv": ((" är ", " är inte "), (" var ", " var inte ")),
    "es": ((" es ", " no es "), (" fue ", " no fue "), (" son ", " no son ")),
    "pt": ((" é ", " não é "), (" foi ", " não foi ")),
    "it": ((" è ", " non è "), (" era ", " non era ")),
    "ru": ((" был ", " не был "), (" будет ", " не будет ")),
}
KINDS = ("number", "name", "negation")


def false_friend(text: str, language: str, others: Sequence[str]) -> tuple[str, str] | None:
    """A changed sentence and the kind of change; None where no rule fits. ``others`` lend their names."""
    if found := NUMBER.search(text):
        changed = str(int(found.group()) + 3) if len(found.group()) < 15 else found.group()[::-1]
        return text[: found.start()] + changed + text[found.end() :], "number"
    for said, denied in NEGATIONS.get(language.partition("-")[0], ()):
        if denied in text:
            return text.replace(denied, said, 1), "negation"
        if said in text:
            return text.replace(said, denied, 1), "negation"
    if language.partition("-")[0] != "de" and (found := NAME.search(text)):  # German writes all nouns like names
        for other in others:
            name = NAME.search(other)
            if name is not None and name.group() != found.group():
                return text[: found.start()] + name.group() + text[found.end() :], "name"
    return None
