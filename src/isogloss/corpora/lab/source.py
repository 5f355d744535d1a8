"""Where sentences get their meanings: endless blocks by part, pools of different meanings, pairs with labels."""

from collections.abc import Iterator
from itertools import count

import numpy as np

from isogloss.corpora.lab.chance import Stream
from isogloss.corpora.lab.edits import Edits
from isogloss.corpora.lab.habits import HARD, NATURAL, Habits, draw, plainly_headed
from isogloss.corpora.lab.meanings import PARTS, Meanings, concatenate
from isogloss.corpora.lab.pairs import (
    NLI_LABELS,
    PARAPHRASE_LABELS,
    MeaningPairs,
    deal,
    draw_inferences,
    draw_paraphrases,
    join,
)
from isogloss.corpora.lab.world import World
from isogloss.errors import IsoglossError, unknown_name

BLOCK = 4_096  # meanings drawn at a time; a set of n is the beginning of a set of more
EXHAUSTED = 0.02  # a pool is exhausted when a block has a smaller share of new meanings
PATIENCE = 200  # blocks without a single meaning of the kind asked for
POOLS = ("natural", "hard")
TASKS = {"nli": (draw_inferences, NLI_LABELS), "paraphrase": (draw_paraphrases, PARAPHRASE_LABELS)}


class Source:
    """Draws meanings of a world. What all languages share (pools, held-out pairs) is drawn once and kept."""

    def __init__(self, world: World) -> None:
        self.world, self.seed = world, world.config.seed
        self._edits = Edits(world)
        self._pools: dict[tuple[str, int, str], Meanings] = {}
        self._pairs: dict[tuple[str, int, str], MeaningPairs] = {}

    def blocks(self, purpose: str, language: str, part: str, domain: int | None) -> Iterator[tuple[Meanings, Stream]]:
        """Meanings of a part for one language alone, without end; the stream serves whatever is still to be drawn."""
        self._check_domain(domain)
        for number in count():
            stream = Stream(self.seed, purpose, language, str(domain), number)
            yield self._keep(draw(self.world, stream, BLOCK, NATURAL, domain), part), stream

    def pool(self, n: int, pool: str, part: str) -> Meanings:
        """``n`` meanings with different bags of concepts; the hard pool deals them to its templates evenly."""
        if pool not in POOLS:
            raise unknown_name("pool", pool, POOLS, where="lab")
        key = (pool, n, part)
        if key not in self._pools:
            self._pools[key] = self._natural(n, part) if pool == "natural" else self._hard(n, part)
        return self._pools[key]

    def pairs(self, task: str, n: int, part: str, language: str) -> MeaningPairs:
        """``n`` pairs of a task; only training pairs are drawn for one language alone."""
        if part == "train":
            return self._draw_pairs(task, n, part, language)
        key = (task, n, part)
        if key not in self._pairs:
            self._pairs[key] = self._draw_pairs(task, n, part, "all")
        return self._pairs[key]

    def _natural(self, n: int, part: str) -> Meanings:
        return self._distinct(n, NATURAL, "pool natural", part)

    def _hard(self, n: int, part: str) -> Meanings:
        share = -(-n // len(HARD))
        pieces = [self._distinct(share, habits, f"pool hard {k}", part) for k, habits in enumerate(HARD)]
        in_turn = np.arange(share * len(HARD)).reshape(len(HARD), share).T.ravel()
        return concatenate(pieces).take(in_turn[:n])

    def _distinct(self, n: int, habits: Habits, purpose: str, part: str) -> Meanings:
        """``n`` meanings of a part, no two with the same bag of concepts."""
        found: list[Meanings] = []
        seen = np.zeros(0, dtype=np.uint64)
        for number in count():
            drawn = draw(self.world, Stream(self.seed, purpose, number), BLOCK, habits)
            if not habits.names:
                drawn = drawn.take(plainly_headed(drawn, self.world))
            drawn = self._keep(drawn, part)
            bags, first = np.unique(drawn.bags(self.world.concepts), return_index=True)
            fresh = np.sort(first[~np.isin(bags, seen)])
            found.append(drawn.take(fresh))
            seen = np.union1d(seen, bags)
            if len(seen) >= n:
                break
            if len(fresh) <= EXHAUSTED * len(drawn):
                raise too_few(f"{len(seen)} found, {n} asked for", purpose)
        return concatenate(found).take(slice(n))

    def _draw_pairs(self, task: str, n: int, part: str, whose: str) -> MeaningPairs:
        draw_some, labels = TASKS[task]
        found: list[MeaningPairs] = []
        size = 0
        for number in count():
            stream = Stream(self.seed, task, whose, number)
            found.append(deal(draw_some(self._edits, stream, BLOCK, part_number(part)), len(labels)))
            size += len(found[-1])
            if size >= n:
                break
            if number == PATIENCE and not size:
                raise too_few(f"none found, {n} asked for", f"{task}, {part}")
        return join(found).take(slice(n))

    def _keep(self, meanings: Meanings, part: str) -> Meanings:
        return meanings.take(meanings.parts(self.world.concepts) == part_number(part))

    def _check_domain(self, domain: int | None) -> None:
        domains = self.world.config.domains
        if domain is not None and not 0 <= domain < domains:
            remedy = f"0 to {domains - 1}, or a larger value of the knob 'domains'"
            raise IsoglossError(f"there is no domain {domain}", where="lab", remedy=remedy)


def part_number(name: str) -> int:
    """The number of a part, by its name."""
    if name not in PARTS:
        raise unknown_name("part", name, PARTS, where="lab")
    return PARTS.index(name)


def too_few(what: str, where: str) -> IsoglossError:
    """The error for a world that cannot say as many different things as are asked for."""
    return IsoglossError(
        f"this world has too few different meanings of this kind: {what}",
        where=f"lab, {where}",
        remedy="ask for fewer, or set a larger lexicon",
    )
