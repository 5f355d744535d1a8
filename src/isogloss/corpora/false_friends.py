"""False friends by rule, as xsim++ has them: one number, name or negation changed makes another statement."""

import re
from collections.abc import Iterator, Sequence

NUMBER = re.compile(r"\d+")
WORD = re.compile(r"(?<=[^.!?:\s] )[^\W\d_]{3,}")  # inside a sentence
NOUNS_IN_CAPITALS = ("de", "lb")  # where a capital does not mark a name
# what is said and what is denied, in languages where that takes a word or two
NEGATIONS = {
    "ar": ((" كان ", " لم يكن "), (" كانت ", " لم تكن "), (" سوف ", " لن ")),
    "be": ((" быў ", " не быў "), (" будзе ", " не будзе ")),
    "bg": ((" е ", " не е "), (" беше ", " не беше "), (" са ", " не са ")),
    "ca": ((" és ", " no és "), (" era ", " no era ")),
    "cs": ((" je ", " není "), (" byl ", " nebyl "), (" jsou ", " nejsou ")),
    "da": ((" er ", " er ikke "), (" var ", " var ikke ")),
    "de": ((" ist ", " ist nicht "), (" war ", " war nicht "), (" sind ", " sind nicht ")),
    "el": ((" είναι ", " δεν είναι "), (" ήταν ", " δεν ήταν ")),
    "en": ((" is ", " is not "), (" was ", " was not "), (" are ", " are not "), (" will ", " will not ")),
    "es": ((" es ", " no es "), (" fue ", " no fue "), (" son ", " no son ")),
    "et": ((" on ", " ei ole "), (" oli ", " ei olnud ")),
    "fa": ((" است.", " نیست."), (" است ", " نیست "), (" بود ", " نبود ")),
    "fi": ((" on ", " ei ole "), (" oli ", " ei ollut ")),
    "fr": ((" est ", " n'est pas "), (" était ", " n'était pas "), (" sont ", " ne sont pas ")),
    "gl": ((" é ", " non é "), (" foi ", " non foi ")),
    "he": ((" היה ", " לא היה "), (" הייתה ", " לא הייתה "), (" יהיה ", " לא יהיה ")),
    "hi": ((" है", " नहीं है"),),
    "hr": ((" je ", " nije "), (" su ", " nisu ")),
    "hu": ((" volt ", " nem volt "), (" lesz ", " nem lesz ")),
    "id": ((" adalah ", " bukan "), (" akan ", " tidak akan ")),
    "is": ((" er ", " er ekki "), (" var ", " var ekki ")),
    "it": ((" è ", " non è "), (" era ", " non era ")),
    "ja": (("です。", "ではありません。"), ("ました。", "ませんでした。"), ("ます。", "ません。")),
    "ko": (("했다.", "하지 않았다."), ("한다.", "하지 않는다.")),
    "lt": ((" yra ", " nėra "), (" buvo ", " nebuvo ")),
    "lv": ((" ir ", " nav "), (" bija ", " nebija ")),
    "mk": ((" е ", " не е "), (" беше ", " не беше ")),
    "ms": ((" adalah ", " bukan "), (" akan ", " tidak akan ")),
    "nl": ((" is ", " is niet "), (" was ", " was niet ")),
    "no": ((" er ", " er ikke "), (" var ", " var ikke ")),
    "pl": ((" jest ", " nie jest "), (" był ", " nie był "), (" są ", " nie są ")),
    "pt": ((" é ", " não é "), (" foi ", " não foi ")),
    "ro": ((" este ", " nu este "), (" era ", " nu era "), (" sunt ", " nu sunt ")),
    "ru": ((" был ", " не был "), (" будет ", " не будет ")),
    "sk": ((" je ", " nie je "), (" bol ", " nebol "), (" sú ", " nie sú ")),
    "sl": ((" je ", " ni "), (" so ", " niso ")),
    "sq": ((" është ", " nuk është "), (" ishte ", " nuk ishte ")),
    "sr": ((" је ", " није "), (" су ", " нису "), (" je ", " nije ")),
    "sv": ((" är ", " är inte "), (" var ", " var inte ")),
    "sw": ((" ni ", " si "), (" alikuwa ", " hakuwa "), (" walikuwa ", " hawakuwa ")),
    "tr": ((" var.", " yok."), (" vardı.", " yoktu.")),
    "uk": ((" був ", " не був "), (" буде ", " не буде "), (" є ", " не є ")),
    "ur": ((" ہے", " نہیں ہے"),),
    "vi": ((" là ", " không phải là "), (" sẽ ", " sẽ không ")),
    "zh": (("是一", "不是一"),),
}
KINDS = ("number", "name", "negation")


def false_friend(text: str, language: str, others: Sequence[str]) -> tuple[str, str] | None:
    """A changed sentence and the kind of change; None where no rule fits. ``others`` lend their names."""
    if number := NUMBER.search(text):
        return _replaced(text, number, _another(number.group())), "number"
    plain = language.partition("-")[0]
    for said, denied in NEGATIONS.get(plain, ()):
        if denied in text:
            return text.replace(denied, said, 1), "negation"
        if said in text:
            return text.replace(said, denied, 1), "negation"
    if plain not in NOUNS_IN_CAPITALS and (name := next(_names(text), None)):
        for other in others:
            lent = next(_names(other), None)
            if lent is not None and lent.group() != name.group():
                return _replaced(text, name, lent.group()), "name"
    return None


def _names(text: str) -> Iterator[re.Match[str]]:
    """Words with a capital inside a sentence, in any script that has capitals."""
    return (word for word in WORD.finditer(text) if word.group()[0].isupper() and word.group()[1:].islower())


def _another(digits: str) -> str:
    """Another number, in the digits of the same script."""
    if len(digits) >= 15:
        return digits[::-1]
    zero = ord(digits[0]) - int(digits[0])
    return "".join(chr(zero + int(digit)) for digit in str(int(digits) + 3))


def _replaced(text: str, part: re.Match[str], by: str) -> str:
    return text[: part.start()] + by + text[part.end() :]
