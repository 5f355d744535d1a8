"""Sounds: what the words of a language are made of, how sisters come to differ, and how scripts write it down."""

from dataclasses import dataclass

from isogloss.corpora.lab.chance import Stream

CONSONANTS = "ptkbdgmnszfvlrhjwxcq"
VOWELS = "aeiouy"
NASALS = "mn"
# A letter a sound, in the order of CONSONANTS + VOWELS. No letter occurs in two scripts.
SCRIPTS = {
    "latin": "ptkbdgmnszfvlrhjwxcqaeiouy",
    "cyrillic": "пткбдгмнсзфвлрхйўшцчаеиоуы",
    "greek": "πτκβδγμνσζφϝλρχξωψθϙαειουη",
    "georgian": "პტკბდგმნსზფვლრჰჯჭხცყაეიოუჲ",
    "armenian": "պտկբդգմնսզֆվլրհջճխցքաեիուը",
}
STOPS = (".", "。", "।", "።", "։", "۔", "၊", "᙮", "᠃", "꓿")
_TO_SCRIPT = {name: str.maketrans(CONSONANTS + VOWELS, letters) for name, letters in SCRIPTS.items()}


def spell(sounds: str, script: str) -> str:
    """Write sounds in a script."""
    return sounds.translate(_TO_SCRIPT[script])


@dataclass(frozen=True)
class Phonology:
    """The sounds of a language and the shapes of its syllables."""

    consonants: str
    vowels: str
    shapes: tuple[str, ...]

    def syllable(self, stream: Stream, shape: str | None = None) -> str:
        """A syllable of one of the language's shapes, or of the shape asked for."""
        shape = shape or self.shapes[stream.one(len(self.shapes))]
        letters = {"C": self.consonants, "V": self.vowels, "N": NASALS}
        return "".join(letters[sound][stream.one(len(letters[sound]))] for sound in shape)

    def word(self, stream: Stream, syllables: int) -> str:
        """A word of this many syllables."""
        return "".join(self.syllable(stream) for _ in range(syllables))


def draw_phonology(stream: Stream, shapes: str) -> Phonology:
    """Eleven consonants (always a nasal) and five vowels, at random."""
    chosen = sorted(stream.order(len(CONSONANTS))[:11].tolist())
    consonants = "".join(CONSONANTS[i] for i in chosen)
    if not set(consonants) & set(NASALS):
        consonants = "n" + consonants[1:]
    silent = stream.one(len(VOWELS))
    return Phonology(consonants, VOWELS[:silent] + VOWELS[silent + 1 :], tuple(shapes.split()))


@dataclass(frozen=True)
class SoundChange:
    """Regular substitution: every sound goes where the table says, in every inherited word."""

    table: dict[int, str]

    def __call__(self, word: str) -> str:
        return word.translate(self.table)


def draw_change(family: Phonology, sister: int, distance: float, stream: Stream) -> SoundChange:
    """How sister number ``sister`` of a family departs from it.

    Vowels shift along by ``sister`` places, so that no inherited word is the same in two sisters; a share
    ``distance`` of the consonants becomes other ones, no two of them the same.
    """
    vowels, n = family.vowels, len(family.vowels)
    table = {ord(vowels[i]): vowels[(i + sister) % n] for i in range(n)}
    if sister:
        moved = [family.consonants[i] for i in stream.order(len(family.consonants)).tolist()]
        moved = moved[: round(distance * len(moved))]
        fresh = [c for c in CONSONANTS if c not in family.consonants]
        fresh = [fresh[i] for i in stream.order(len(fresh)).tolist()]
        targets = fresh[: len(moved)]
        rest = moved[len(targets) :]
        targets += rest[1:] + rest[:1]  # no sound left over: the remaining ones change places
        table |= {ord(old): new for old, new in zip(moved, targets, strict=True)}
    return SoundChange(table)
