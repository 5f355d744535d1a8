"""Random tokens of a model, language by language: one half of the text to fit on, as moments; the other to probe."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from isogloss.corpora.text_by_language import Texts, halve, read_texts
from isogloss.digests import require_revision
from isogloss.encoders.token_draws import draw_tokens
from isogloss.geometry import Moments
from isogloss.probes.language_tasks import Sample
from isogloss.progress import track
from isogloss.runs import Bench, Cell
from isogloss.studies.shared.models import Checkpoint, Model, dtype_of, open_model

if TYPE_CHECKING:
    from isogloss.encoders import Encoder


@dataclass(frozen=True)
class Gathered:
    """What was read: layers, width, and how many tokens each language gave to the fit."""

    layers: tuple[str, ...]
    width: int
    tokens: dict[str, int]
    dtype: str = ""


@dataclass(frozen=True)
class Gather(Cell[Gathered]):
    """Moments of random tokens by language and layer, on one half of the text: all that a fit needs."""

    name: ClassVar[str] = "language-moments"
    record: ClassVar[type] = Gathered
    model: Model = field(default_factory=lambda: Checkpoint(""))
    data: str = ""
    data_revision: str = ""
    languages: tuple[str, ...] = ()
    limit: int = 5_000
    tokens: int = 10_000
    seed: int = 0
    device: str = "auto"
    dtype: str = "auto"

    def label(self) -> str:
        return f"tokens of {self.model.label()}, seed {self.seed}"

    def states_held(self, columns: int) -> int:
        """Twice the tokens of a language, in all layers, joined from the blocks that they came in."""
        longest = max(sum(map(len, lines)) for lines in self.read().sentences.values())  # a token has a letter
        return 2 * columns * min(2 * self.tokens, longest // 2)

    def run(self, bench: Bench) -> Gathered:
        encoder = self.open(bench)
        moments = [Moments() for _ in encoder.layers]
        counts = {}
        texts = self.read()
        for language, lines in track(list(texts.sentences.items()), "reading languages"):
            fit, _ = halve(lines, language, self.seed)
            drawn = draw_tokens(encoder, fit, range(len(encoder.layers)), self.tokens, language, self.seed)
            for layer, one in enumerate(moments):
                one.update(drawn.states[:, layer], language)
            counts[language] = len(drawn)
        for layer, one in enumerate(moments):
            one.save(moments_file(bench.workspace, layer))
        return Gathered(tuple(encoder.layers), encoder.width, counts, dtype_of(encoder))

    def with_seed(self, seed: int) -> Self:
        """The same with another draw of sentences."""
        return replace(self, seed=seed)

    def moments(self, bench: Bench, layer: int) -> Moments:
        """The moments of a layer, once this cell has run."""
        return Moments.load(moments_file(bench.folder(self), layer))

    def read(self) -> Texts:
        """The planned sentences; others are refused."""
        texts = read_texts(self.data, self.languages, self.limit)
        require_revision(texts.revision, self.data_revision, self.data)
        return texts

    def open(self, bench: Bench) -> "Encoder":
        """The model."""
        return open_model(self.model, bench, self.device, self.dtype)

    def draw(
        self, bench: Bench, encoder: "Encoder", layers: Sequence[int], tokens: int, only: Collection[str] | None = None
    ) -> Iterator[Sample]:
        """Language by language, random tokens of the other half; rows are tokens x (layers * d)."""
        chosen = [language for language in self.languages if only is None or language in only]
        for language in track(chosen, "reading languages to probe"):
            drawn = draw_tokens(encoder, self.lines_to_probe(bench, language), layers, tokens, language, self.seed)
            rows = drawn.states.reshape(len(drawn), -1)
            yield Sample(rows, np.repeat(language, len(drawn)), drawn.sentence)

    def lines_to_probe(self, bench: Bench, language: str) -> Sequence[str]:
        """The half of a language's sentences that nothing was fitted on, in random order."""
        return halve(self.read().sentences[language], language, self.seed)[1]


def moments_file(folder: Path, layer: int) -> Path:
    """Where the moments of a layer lie."""
    return folder / f"moments-{layer:03d}.safetensors"
