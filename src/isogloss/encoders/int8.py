"""Products in 8-bit integers for all layers: calibrated on text in several languages, measured, refused if it strays.

Weights are rounded once, by output. What they are multiplied with is rounded by the range that calibration saw, in
layers that are computed as one (``int8_blocks``), or else at every product, by its largest value. A product that strays
on the calibration text stays in float32. Sums and normalisation are float32 always; so is attention, but for sentences
of at most 128 subwords on CPUs that multiply bfloat16 (``packed``).
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from isogloss.encoders.anatomy import block_lists
from isogloss.encoders.int8_blocks import Seen, make_blocks, round_weight
from isogloss.encoders.precision import Probe
from isogloss.errors import IsoglossError

if TYPE_CHECKING:
    import pandas as pd

    from isogloss.encoders.encoder import Encoder

LEAST_FIDELITY = 0.99  # cosine with float32, mean over the sentences of a language, in every layer
MOST_STRAY = 0.05  # of a product's result, relative to its size: beyond, it stays in float32
NARROWEST = 128  # inputs and outputs of a product; below, rounding costs what shorter numbers save


class Int8Linear(nn.Module):
    """A linear layer whose product is computed in 8-bit integers; states in and out are float32."""

    def __init__(self, exact: nn.Linear) -> None:
        super().__init__()
        weight = exact.weight.detach().float()
        rounded, scales = round_weight(weight)
        self.in_features, self.out_features = exact.in_features, exact.out_features
        # parameters, so that what names a model by its weights sees them; the packed form is opaque
        self.weight = nn.Parameter(rounded, requires_grad=False)
        self.scales = nn.Parameter(scales, requires_grad=False)
        self.bias = None if exact.bias is None else nn.Parameter(exact.bias.detach().float(), requires_grad=False)
        self._packed = _pack(weight, scales, self.bias)

    def forward(self, states: Tensor) -> Tensor:
        product: Tensor = torch.ops.quantized.linear_dynamic(states, self._packed, False)
        return product


def _pack(weight: Tensor, scales: Tensor, bias: Tensor | None) -> Any:
    """Weights in the form that oneDNN's product wants, or whichever library this torch has."""
    backends = torch.backends.quantized
    before = backends.engine
    if not hasattr(torch.ops.quantized, "linear_dynamic") or not backends.supported_engines:
        raise IsoglossError("this torch has no 8-bit products", where="dtype", remedy="leave --dtype int8 out")
    zeros = torch.zeros(len(scales), dtype=torch.int64)
    try:
        backends.engine = "onednn" if "onednn" in backends.supported_engines else before
        with warnings.catch_warnings():  # torch moves such tensors to another package, the products stay
            warnings.simplefilter("ignore")
            rounded = torch.quantize_per_channel(weight, scales.double(), zeros, 0, torch.qint8)
            return torch.ops.quantized.linear_prepack(rounded, None if bias is None else bias.detach())
    finally:
        backends.engine = before


@dataclass(frozen=True, eq=False)
class Fidelity:
    """How near states in 8-bit products are to those of float32, by language and layer.

    ``plain`` is the mean cosine over a language's sentences; ``centred`` the same around the language's mean, where a
    few large dimensions cannot hide what becomes of the others. Both are languages x layers.
    """

    languages: tuple[str, ...]
    plain: NDArray[np.float64]
    centred: NDArray[np.float64]

    @classmethod
    def compare(cls, exact: Probe, rounded: Probe) -> "Fidelity":
        """From the states of the same sentences, n x layers x d by language."""
        pairs = [(exact[name].astype(np.float64), rounded[name].astype(np.float64)) for name in exact]
        centred = [(one - one.mean(axis=0), other - one.mean(axis=0)) for one, other in pairs]
        return cls(
            tuple(exact),
            np.stack([_cosines(*pair).mean(axis=0) for pair in pairs]),
            np.stack([_cosines(*pair).mean(axis=0) for pair in centred]),
        )

    @property
    def lowest(self) -> tuple[float, str, int]:
        """The lowest of all cosines, with its language and layer."""
        both = np.minimum(self.plain, self.centred)
        row, layer = np.unravel_index(int(np.argmin(both)), both.shape)
        return float(both[row, layer]), self.languages[int(row)], int(layer)

    def frame(self) -> "pd.DataFrame":
        """A row per language and layer."""
        import pandas as pd

        rows = [
            (language, layer, self.plain[row, layer], self.centred[row, layer])
            for row, language in enumerate(self.languages)
            for layer in range(self.plain.shape[1])
        ]
        return pd.DataFrame(rows, columns=["language", "layer", "cosine", "centred"])


def _cosines(exact: NDArray[np.float64], rounded: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of rows, n x layers; two rows of zeros are alike."""
    sizes = np.linalg.norm(exact, axis=-1) * np.linalg.norm(rounded, axis=-1)
    products = (exact * rounded).sum(axis=-1)
    same = (exact == rounded).all(axis=-1).astype(np.float64)
    found: NDArray[np.float64] = np.where(sizes > 0, products / np.where(sizes > 0, sizes, 1), same)
    return np.where(np.isfinite(found), found, -1.0)  # what overflowed is as far as can be


def measure_fidelity(exact: "Encoder", rounded: "Encoder", texts: Mapping[str, Sequence[str]]) -> Fidelity:
    """Fidelity on text of your own, by language: two encoders of one model, one of them in float32."""
    return Fidelity.compare(
        *({name: one.encode(list(rows)) for name, rows in texts.items()} for one in (exact, rounded))
    )


def round_products(model: Any, read: Callable[[], Probe], name: str) -> tuple[Fidelity, int, int]:
    """Put 8-bit products into ``model``, calibrated on what ``read`` reads.

    Returns the fidelity, how many products were rounded, and of how many. A model whose states stray in any language
    is refused.
    """
    places = {
        path: module
        for path, module in model.named_modules()
        if type(module) is nn.Linear and "pooler" not in path and min(module.weight.shape) >= NARROWEST
    }
    candidates = {path: Int8Linear(module) for path, module in places.items()}
    seen = {path: Seen.nothing(module.in_features) for path, module in places.items()}
    with _watched(places, candidates, seen):
        exact = read()
    rounded = {path: candidates[path] for path in places if seen[path].stray <= MOST_STRAY}
    if not rounded:
        raise IsoglossError(
            "no product of this model can be computed in 8-bit integers", where=name,
            remedy="leave --dtype int8 out: its layers are too narrow, of another kind, or stray too far",
        )  # fmt: skip
    blocks = make_blocks(model, rounded, seen)
    for path, product in rounded.items():
        owner, _, last = path.rpartition(".")
        setattr(model.get_submodule(owner), last, product)
    layers = block_lists(model)[0] if blocks else nn.ModuleList()
    by_products = {number: layers[number] for number in blocks}
    _replace(layers, blocks)
    fidelity = Fidelity.compare(exact, read())
    if blocks and fidelity.lowest[0] < LEAST_FIDELITY:  # ranges fixed beforehand do not do: as each batch needs
        _replace(layers, by_products)
        fidelity = max(fidelity, Fidelity.compare(exact, read()), key=lambda one: one.lowest[0])
    value, language, layer = fidelity.lowest
    if value < LEAST_FIDELITY:
        raise IsoglossError(
            f"in 8-bit integers this model strays too far from float32: cosine {value:.4f} "
            f"({language}, layer {layer}); at least {LEAST_FIDELITY} is needed",
            where=name, remedy="leave --dtype int8 out",
        )  # fmt: skip
    return fidelity, len(rounded), len(places)


def _replace(layers: nn.ModuleList, others: Mapping[int, nn.Module]) -> None:
    for number, other in others.items():
        layers[number] = other


@contextmanager
def _watched(
    places: Mapping[str, nn.Module], candidates: Mapping[str, Int8Linear], seen: Mapping[str, Seen]
) -> Iterator[None]:
    """Note for every product how far its rounded twin strays on what is read, and the range of what it is given."""

    def watch(path: str) -> Callable[[nn.Module, tuple[Tensor, ...], Tensor], None]:
        def note(_module: nn.Module, args: tuple[Tensor, ...], output: Tensor) -> None:
            gap = torch.linalg.vector_norm(candidates[path](args[0]) - output) / torch.linalg.vector_norm(output)
            seen[path].add(float(torch.nan_to_num(gap, nan=torch.inf)), args[0])

        return note

    handles = [module.register_forward_hook(watch(path)) for path, module in places.items()]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
