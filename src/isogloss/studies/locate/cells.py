"""The cells that probe: one layer by dimensions, every layer, and families of languages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.errors import IsoglossError
from isogloss.files import whole_file
from isogloss.geometry import Moments, effective_dimension
from isogloss.probes import ColumnSet
from isogloss.probes.column_choices import compact, curve_sets, rest_sets, window_sets
from isogloss.probes.language_tasks import UNSEEN, Probing, Sample, Sets, probe
from isogloss.progress import track
from isogloss.runs import Bench, Cell
from isogloss.studies.locate.config import Profile
from isogloss.studies.shared.gather import Gather

if TYPE_CHECKING:
    from isogloss.geometry.language_space import Space

FILE = "probes.parquet"
LEAST_FOR_UNSEEN = 6  # languages from which one may ask about unseen ones


@dataclass(frozen=True)
class Probed:
    """The head of a cell of probes, whose rows are a table in its folder."""

    layers: tuple[str, ...]
    width: int
    rows: int
    unconverged: int


@dataclass(frozen=True)
class Curve(Cell[Probed]):
    """One layer: all tasks on ``[0:x]``, ``[x:2x]``, x random dimensions, and windows (Liang21 Figs. 1 and 2)."""

    name: ClassVar[str] = "locate-curve"
    record: ClassVar[type] = Probed
    gather: Gather = field(default_factory=Gather)
    probing: Probing = field(default_factory=Probing)
    method: str = "densray"
    layer: int = -1
    sizes: tuple[int, ...] = ()
    window: int = 10
    windows: int = 20
    draws: int = 5
    size_draws: int = 2
    unseen: int = 20  # leading dimensions in which typology of unseen languages is asked

    def label(self) -> str:
        return f"{self.method} by dimensions, seed {self.gather.seed}"

    def run(self, bench: Bench) -> Probed:
        from isogloss.geometry.language_space import fit_space

        layer = pick_layer(self.layer, bench.result(self.gather).layers)
        space = fit_space(self.method, self.gather.moments(bench, layer))
        tokens = self.gather.draw(bench, self.gather.open(bench), (layer,), self.probing.tokens)
        frame = self.measure(space, join(turn(sample, space) for sample in tokens))
        self.probing.require_typology(self.gather.languages)
        return keep(frame.assign(layer=layer), bench, self.gather, space.width)

    def measure(self, space: "Space", sample: Sample) -> pd.DataFrame:
        """All probes of a sample that is turned into ``space`` already."""
        frame = probe(sample, self._sets(space), self.probing, self.gather.seed)
        return frame.assign(method=self.method, subset="all")

    def _sets(self, space: "Space") -> Sets:
        seed, bound = self.gather.seed, len(self.gather.languages) + 1
        sets = curve_sets(space.width, self.sizes, self.size_draws, seed)
        sets += window_sets(space.width, self.window, self.windows, bound, self.draws, seed)
        asked = dict.fromkeys(self.probing.tasks, sets)
        if "LT" in asked and len(self.gather.languages) >= LEAST_FOR_UNSEEN:
            x = min(self.unseen, space.width // 2)
            first = [ColumnSet("first", x, slice(0, x))]
            asked[UNSEEN] = [*first, *rest_sets(space.width, x, bound, 1, seed)]
        return asked


@dataclass(frozen=True)
class Layers(Cell[Probed]):
    """Every layer: each task on its few leading dimensions, and on as many random ones (Liang21 Fig. 3)."""

    name: ClassVar[str] = "locate-layers"
    record: ClassVar[type] = Probed
    gather: Gather = field(default_factory=Gather)
    probing: Probing = field(default_factory=Probing)
    methods: tuple[str, ...] = ("densray", "lda")
    profile: Profile = field(default_factory=Profile)

    def label(self) -> str:
        return f"layer by layer, seed {self.gather.seed}"

    def run(self, bench: Bench) -> Probed:
        from isogloss.geometry.language_space import fit_space

        gathered = bench.result(self.gather)
        moments = [self.gather.moments(bench, layer) for layer in range(len(gathered.layers))]
        spaces = [fit_space(method, one) for one in moments for method in self.methods]
        seen = [self._columns(space) for space in spaces]
        parts: list[list[Sample]] = [[] for _ in spaces]
        tokens = self.gather.draw(bench, self.gather.open(bench), range(len(gathered.layers)), self.probing.tokens)
        for sample in tokens:
            states = sample.X.reshape(len(sample.X), len(gathered.layers), -1)
            for place, space in enumerate(spaces):
                rows = states[:, place // len(self.methods)]
                parts[place].append(turn(replace(sample, X=rows), space, seen[place][0]))
        frames = []
        for place, space in track(list(enumerate(spaces)), "probing layers"):
            layer = place // len(self.methods)
            frame = probe(join(parts[place]), seen[place][1], self.probing, self.gather.seed)
            frame = pd.concat([frame, describe(space, moments[layer])], ignore_index=True)
            frames.append(frame.assign(layer=layer, method=space.method, subset="all"))
        self.probing.require_typology(self.gather.languages)
        return keep(pd.concat(frames, ignore_index=True), bench, self.gather, gathered.width)

    def _columns(self, space: "Space") -> tuple[list[int], Sets]:
        """The dimensions to keep, and each task's sets among them."""
        bound, sets = len(self.gather.languages) + 1, []
        for task in self.probing.tasks:
            x = min(self.profile.of(task), space.width // 2)
            sets.append([ColumnSet("first", x, slice(0, x)), *rest_sets(space.width, x, bound, 1, self.gather.seed)])
        used, renamed = compact([one for chosen in sets for one in chosen], space.width)
        pairs = [renamed[start : start + 2] for start in range(0, len(renamed), 2)]
        return used, dict(zip(self.probing.tasks, pairs, strict=True))


@dataclass(frozen=True)
class Subset:
    """Some languages: a family's, or random ones."""

    name: str
    languages: tuple[str, ...]


@dataclass(frozen=True)
class Subsets(Cell[Probed]):
    """LI on windows of DensRay's space of a few languages each: sisters against random ones (Liang21 Fig. 5)."""

    name: ClassVar[str] = "locate-subsets"
    record: ClassVar[type] = Probed
    gather: Gather = field(default_factory=Gather)
    probing: Probing = field(default_factory=Probing)
    subsets: tuple[Subset, ...] = ()
    layer: int = -1
    window: int = 2
    windows: int = 8
    draws: int = 5

    def label(self) -> str:
        return f"families by dimensions, seed {self.gather.seed}"

    def run(self, bench: Bench) -> Probed:
        gathered = bench.result(self.gather)
        layer = pick_layer(self.layer, gathered.layers)
        moments = self.gather.moments(bench, layer)
        wanted = {language for subset in self.subsets for language in subset.languages}
        tokens = self.gather.draw(bench, self.gather.open(bench), (layer,), self.probing.tokens, wanted)
        samples = {str(sample.languages[0]): sample for sample in tokens}
        frames = [self._probe(subset, samples, moments).assign(layer=layer) for subset in self.subsets]
        return keep(pd.concat(frames, ignore_index=True), bench, self.gather, gathered.width)

    def _probe(self, subset: Subset, samples: dict[str, Sample], moments: Moments) -> pd.DataFrame:
        from isogloss.geometry.language_space import fit_centroids

        rows = [moments.classes.index(language) for language in subset.languages]
        space = fit_centroids(moments.means[rows], subset.languages)
        sample = turn(join(samples[language] for language in subset.languages), space)
        pairs = tuple(combinations(subset.languages, 2))
        asked = Probing(self.probing.train, self.probing.test, pairs)
        sets = window_sets(
            space.width, self.window, self.windows, len(subset.languages) + 1, self.draws, self.gather.seed
        )
        frame = probe(sample, {"LI": sets}, asked, self.gather.seed)
        centroids = Moments.of(moments.means[rows], list(subset.languages), second="none")
        frame = pd.concat([frame, describe(space, centroids)], ignore_index=True)
        return frame.assign(method="densray", subset=subset.name)


def describe(space: "Space", moments: Moments) -> pd.DataFrame:
    """What the fit says of the languages' room: rank, dimensions that hold most of the variance, effective ones."""
    values = {"rank": space.rank, "most": space.most, "effective": effective_dimension(moments)}
    rows = [
        {"task": "room", "kind": kind, "x": 0, "draw": 0, "item": "", "value": float(value), "chance": np.nan}
        for kind, value in values.items()
    ]
    return pd.DataFrame(rows).assign(n=len(moments.classes), converged=True)


def turn(sample: Sample, space: "Space", columns: Sequence[int] | None = None) -> Sample:
    """The sample in the coordinates of ``space``: all of them, or some."""
    return replace(sample, X=space.project(sample.X, columns))


def join(samples: Iterable[Sample]) -> Sample:
    """Samples of several languages as one; sentences get numbers of their own."""
    parts = list(samples)
    first = np.cumsum([0, *(int(part.sentences.max()) + 1 for part in parts[:-1])])
    sentences: list[NDArray[np.int64]] = [part.sentences + start for part, start in zip(parts, first, strict=True)]
    return Sample(
        np.concatenate([part.X for part in parts]),
        np.concatenate([part.languages for part in parts]),
        np.concatenate(sentences),
    )


def keep(frame: pd.DataFrame, bench: Bench, gather: Gather, width: int) -> Probed:
    """Write the rows into the cell's folder; the record is their head."""
    frame = frame.assign(seed=gather.seed)
    with whole_file(bench.workspace / FILE) as part:
        frame.to_parquet(part, index=False)
    return Probed(bench.result(gather).layers, width, len(frame), int((~frame["converged"].astype(bool)).sum()))


def pick_layer(layer: int, names: Sequence[str]) -> int:
    """The layer's number; negative ones count from the top."""
    if not -len(names) <= layer < len(names):
        raise IsoglossError(
            f"there is no layer {layer}", where="setting 'layer'", remedy=f"this model has layers 0 to {len(names) - 1}"
        )
    return layer % len(names)
