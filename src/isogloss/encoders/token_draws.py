"""Random tokens of text, as an encoder reads them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import IsoglossError

if TYPE_CHECKING:
    from isogloss.encoders.encoder import Encoder

LEAST_TOKENS = 20  # of a language: fewer cannot be fitted on
BATCH = 256  # sentences encoded before it is asked whether there are tokens enough


@dataclass(frozen=True, eq=False)
class Drawn:
    """States of random tokens, and which sentence each is from."""

    states: NDArray[np.float32]  # tokens x layers x d
    sentence: NDArray[np.int64]  # tokens

    def __len__(self) -> int:
        return len(self.states)


def draw_tokens(
    encoder: "Encoder", lines: Sequence[str], layers: Sequence[int], tokens: int, language: str, seed: int
) -> Drawn:
    """Random tokens out of twice as many where there are enough, so that neighbours do not all come along."""
    states: list[NDArray[np.float32]] = []
    sentence: list[NDArray[np.int64]] = []
    total = 0
    for start in range(0, len(lines), BATCH):
        for block in encoder.stream(lines[start : start + BATCH], level="token", layers=list(layers)):
            states.append(block.values[~block.missing])
            sentence.append(block.sentence[~block.missing] + start)
            total += len(states[-1])
        if total >= 2 * tokens:
            break
    if total < LEAST_TOKENS:
        raise IsoglossError(
            f"{total} tokens in half of the text are too few",
            where=f"language '{language}'",
            remedy=f"give more text: {LEAST_TOKENS} tokens are the least, {tokens:,} are wanted",
        )
    chosen = np.sort(np.random.default_rng((seed, total)).permutation(total)[:tokens])
    return Drawn(np.concatenate(states)[chosen], np.concatenate(sentence)[chosen])
