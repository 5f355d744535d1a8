"""Which language's word a model has in mind at every layer while it translates one (Wendler et al. 2024)."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from isogloss.corpora import load_dictionary
from isogloss.corpora.translation_prompts import TEMPLATE, Concept, Prompt, join_concepts, write_prompts
from isogloss.errors import IsoglossError
from isogloss.files import write_frame
from isogloss.languages import try_language
from isogloss.runs import Bench, Cell
from isogloss.studies.shared.models import Checkpoint
from isogloss.studies.think.cells.decoders import Decoder, open_decoder
from isogloss.transfer import Data

if TYPE_CHECKING:
    from isogloss.encoders import LanguageModel

FILE = "curves.parquet"
SHUFFLED = "shuffled"  # the word of another question in the target language: the control
FIRST_SUBWORD = "the same first subword in two languages"
ACROSS = "its subwords run into the prompt's"


@dataclass(frozen=True)
class Translations:
    """Words to translate as a cell's input; ``revision`` is a hash of all dictionaries."""

    name: str  # where the dictionaries are
    pivot: str
    languages: tuple[str, ...]  # with a dictionary from the pivot
    revision: str

    def read(self) -> tuple[list[Concept], Counter[str]]:
        """The words that all dictionaries have, and how many were left out."""
        return join_concepts([load_dictionary(self.name, self.pivot, code) for code in self.languages], self.pivot)


def find_translations(name: str, pivot: str, languages: Sequence[str]) -> Translations:
    """The dictionaries, named by their content; one that is absent is an error now."""
    read = [load_dictionary(name, pivot, code) for code in languages]
    digest = hashlib.sha256(repr([one.entries for one in read]).encode()).hexdigest()[:16]
    return Translations(name, read[0].source, tuple(one.target for one in read), digest)


@dataclass(frozen=True)
class LatentRecord:
    """How many words were read and left out, by reason; the curves are a table in the cell's folder."""

    words: int
    layers: int
    left_out: dict[str, int]


@dataclass(frozen=True)
class Latent(Cell[LatentRecord]):
    """The probability of the right word in every language at every layer, for translations from ``source``."""

    name: ClassVar[str] = "latent-language"
    record: ClassVar[type] = LatentRecord
    model: Decoder = field(default_factory=lambda: Checkpoint(""))
    translations: Translations = field(default_factory=lambda: Translations("", "", (), ""))
    source: str = ""
    target: str = ""
    words: int = 100
    shots: int = 4
    template: str = TEMPLATE
    affine: tuple[Data, ...] = ()  # text that an affine lens is learnt on; none: the plain lens
    seed: int = 0
    device: str = "auto"
    dtype: str = "float32"

    def label(self) -> str:
        return f"latent language of {self.source}-{self.target}"

    def run(self, bench: Bench) -> LatentRecord:
        from isogloss.encoders import Lens, fit_affine_lens

        model = open_decoder(self.model, bench, self.device, self.dtype)
        learnt = [sentence.text for data in self.affine for sentence in data.read()]
        lens = Lens(model, fit_affine_lens(model, learnt) if learnt else None)
        concepts, left_out = self.translations.read()
        order = np.random.default_rng(self.seed).permutation(len(concepts))
        names = {code: own_name(code) for code in (self.translations.pivot, *self.translations.languages)}
        prompts = write_prompts(
            [concepts[place] for place in order], self.source, self.target, names, self.shots, self.template, self.seed
        )
        asked, answers = first_subwords(model, prompts, left_out, self.words)
        if len(asked) < 2:
            raise IsoglossError(
                f"of {len(concepts)} words, {len(asked)} can be told apart by their first subwords",
                where=f"{self.source}-{self.target}",
                remedy="give larger dictionaries",
            )
        for place, mine in enumerate(answers):
            others = set().union(*mine.values())
            other = answers[(place + 1) % len(answers)][self.target]
            mine[SHUFFLED] = sorted(set(other) - others) or sorted(set(other))
        curves = lens.log_probabilities([prompt.text for prompt in asked], answers)
        frame = pd.concat(
            [
                pd.DataFrame({"word": number, "language": language, "layer": range(len(logs)), "value": np.exp(logs)})
                for number, found in enumerate(curves)
                for language, logs in found.items()
            ],
            ignore_index=True,
        )
        write_frame(bench.workspace / FILE, frame)
        return LatentRecord(len(asked), lens.depth, dict(left_out))


def read_curves(folder: Path) -> pd.DataFrame:
    """word, language (or ``shuffled``), layer, value: the probability of the word's first subword."""
    return pd.read_parquet(folder / FILE)


def first_subwords(
    model: "LanguageModel", prompts: Sequence[Prompt], left_out: Counter[str], limit: int
) -> tuple[list[Prompt], list[dict[str, list[int]]]]:
    """The first ``limit`` prompts whose answers can be told apart by their first subwords, and these subwords.

    An answer's first subword is the one that follows the prompt when both are tokenised together. A word is left out
    where the answer changes how the prompt itself is cut, is unknown, or begins alike in two languages.
    """
    kept: list[Prompt] = []
    answers: list[dict[str, list[int]]] = []
    for prompt in prompts:
        if len(kept) == limit:
            break
        found = {language: _starts(model, prompt.text, words) for language, words in prompt.concept.words.items()}
        starts = [start for some in found.values() if some is not None for start in some]
        if any(some is None for some in found.values()):
            left_out[ACROSS] += 1
        elif len(starts) != len(set(starts)) or model.tokeniser.unknown in starts:
            left_out[FIRST_SUBWORD] += 1
        else:
            kept.append(prompt)
            answers.append({language: some for language, some in found.items() if some is not None})
    return kept, answers


def _starts(model: "LanguageModel", prompt: str, words: Sequence[str]) -> list[int] | None:
    """The distinct first subwords of ``words`` after the prompt; None where one of them changes the prompt's own."""
    spaced = "" if prompt.endswith(('"', " ")) else " "
    before, *after = model.tokeniser.read_sentences([prompt, *(f"{prompt}{spaced}{word}" for word in words)], 0)
    if any(one.ids[: len(before.ids)] != before.ids or len(one.ids) <= len(before.ids) for one in after):
        return None
    return sorted({one.ids[len(before.ids)] for one in after})


def own_name(code: str) -> str:
    """What a language calls itself (Deutsch); its code where that is not known."""
    import langcodes

    known = try_language(code)
    if known is None or code.startswith("q"):  # the lab's codes are in ISO 639's private range
        return code
    return str(langcodes.Language.get(known.code).autonym())
