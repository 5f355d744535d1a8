"""Sentence encoders in sentence-transformers' form: opened, read, and written with one more linear layer."""

import shutil
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from isogloss.encoders import Encoder, Truncate
from isogloss.encoders.adapters import ADAPTER
from isogloss.encoders.devices import choose_device
from isogloss.encoders.model_files import ModelFiles
from isogloss.encoders.names import ModelName
from isogloss.encoders.pipeline_layout import MODULES
from isogloss.errors import IsoglossError, missing_extra
from isogloss.files import make_folder

MARK = "neutraliser.safetensors"  # by which a folder written here is known, and may be written again
GIVEN = "given"  # the name of a prompt that was given as text
AGREEMENT = 0.999  # least cosine between our reading of a text and sentence-transformers'


class SentencePipeline:
    """A model as sentence-transformers reads it: text in, one vector out.

    A folder that sentence-transformers wrote keeps its own pooling. Any other model gets the mean over subwords
    without the special tokens around the text, as everywhere in Isogloss: these tokens have weight zero before
    the pooling.
    """

    def __init__(self, name: str, layer: int | None = None, device: str = "auto") -> None:
        self.device = str(choose_device(device))
        self.settings: dict[str, Any] = {}  # prompts and their like, which stay as they are
        named = ModelName.parse(name)
        if ModelFiles(named.path).find(MODULES) is not None:
            if layer is not None:
                raise IsoglossError("a sentence encoder has no layers to choose", where=name, remedy="drop --layer")
            encoder = Encoder(name, dtype="float32", device="cpu")  # checks the prompt, the width and the adapter too
            opened = _open(named)
            modules = list(opened)
            modules[0].max_seq_length = min(modules[0].max_seq_length or encoder.max_tokens, encoder.max_tokens)
            if named.adapter is not None:
                modules[0].auto_model.load_state_dict(encoder.model.state_dict())
            self.settings = {
                "prompts": opened.prompts,
                "default_prompt_name": opened.default_prompt_name,
                "truncate_dim": opened.truncate_dim if named.dim is None else named.dim,
            }
            if named.prompt is not None:
                self.settings |= _default_prompt(opened.prompts, named.prompt)
        elif named.prompt is not None or named.dim is not None:
            raise IsoglossError("only a sentence encoder has prompts and an output width", where=name,
                                remedy="drop --prompt and --dim")  # fmt: skip
        else:
            modules = _modules(name, layer)
        # What comes last in the pipeline comes after the map too.
        self.tail = [modules.pop()] if type(modules[-1]).__name__ == "Normalize" else []
        whole = {**self.settings, "truncate_dim": None}  # the map is fitted on all dimensions
        self.model = _require().SentenceTransformer(modules=modules, device=self.device, **whole)

    @property
    def normalises(self) -> bool:
        """Whether the vectors delivered have unit length."""
        return bool(self.tail)

    def encode(self, texts: tuple[str, ...]) -> NDArray[np.float32]:
        """Vectors of the texts before any final normalisation, n x d."""
        vectors = self.model.encode(list(texts), show_progress_bar=False, convert_to_numpy=True)
        return np.asarray(vectors, np.float32)

    def with_map(self, matrix: NDArray[np.float64], offset: NDArray[np.float64]) -> Any:
        """The same with the map ``x -> x matrix + offset`` behind the pooling."""
        dense = _parts().Dense(
            *matrix.shape,
            activation_function=torch.nn.Identity(),
            init_weight=torch.tensor(matrix.T, dtype=torch.float32).contiguous(),
            init_bias=torch.tensor(offset, dtype=torch.float32),
        )
        modules = [*self.model, dense, *self.tail]
        return _require().SentenceTransformer(modules=modules, device=self.device, **self.settings)


def _require() -> Any:
    try:
        import sentence_transformers
    except ImportError as error:
        raise missing_extra("neutral", "sentence-transformers") from error
    return sentence_transformers


def _parts() -> Any:
    """The modules a SentenceTransformer is made of, which have moved between its releases."""
    _require()
    try:
        return import_module("sentence_transformers.sentence_transformer.modules")
    except ModuleNotFoundError:
        return import_module("sentence_transformers.models")


def _open(named: ModelName) -> Any:
    """A model that sentence-transformers wrote; safetensors only, and no code of its own, unless that was allowed."""
    return _require().SentenceTransformer(
        str(Path(named.path).expanduser()) if ModelFiles(named.path).local else named.path,
        device="cpu",
        local_files_only=ModelFiles(named.path).local,
        trust_remote_code=named.trust_remote_code,
        model_kwargs={} if named.allow_pickle else {"use_safetensors": True},
    )


def _default_prompt(prompts: dict[str, str], wanted: str) -> dict[str, Any]:
    """Settings by which ``wanted`` is read before every text: the name of a prompt, a text, or "" for none."""
    if not wanted or wanted in prompts:
        return {"default_prompt_name": wanted or None}
    return {"prompts": {**prompts, GIVEN: wanted}, "default_prompt_name": GIVEN}


def _modules(name: str, layer: int | None) -> list[Any]:
    """Transformer, weights of tokens and mean pooling for a plain model; checked against our own reading of it.

    ``layer`` is the hidden state that ``inspect`` calls so. Where a norm stands behind the last block, a model cut off
    there would pass it through that norm; so one more block is kept, and the state before it is read.
    """
    encoder = Encoder(name, dtype="float32", device="cpu")
    depth = len(encoder.layers) - 1
    wanted = depth if layer is None else layer
    if wanted > depth:
        raise IsoglossError(f"there is no layer {wanted}", where="--layer", remedy=f"this model has {depth} layers")
    named = ModelName.parse(name)
    folder = Path(named.path).expanduser()
    if wanted == depth and str(named) == named.path and not (folder / ADAPTER).exists():
        modules = _assemble(str(folder) if folder.is_dir() else name, encoder, None)
    elif wanted == depth:  # as it was opened: an adapter's changes are in its weights
        with tempfile.TemporaryDirectory() as scratch:
            modules = _save_and_assemble(encoder.model, scratch, encoder, None)
    else:
        modules = _cut(encoder, wanted, read=None)
        if not _agrees(modules, encoder, wanted):
            modules = _cut(encoder, wanted + 1, read=wanted)
    if not _agrees(modules, encoder, wanted):
        raise IsoglossError(
            "sentence-transformers does not read the encoder of this model",
            where=name,
            remedy="name an encoder-only model; encoder-decoders other than T5 have no such form",
        )
    return modules


def _cut(encoder: Encoder, blocks: int, read: int | None) -> list[Any]:
    """The lowest blocks of a model, read at their end or at the hidden state ``read``."""
    with tempfile.TemporaryDirectory() as scratch:
        lower = Truncate(blocks).apply(encoder.model)
        if read is not None:
            lower.config.output_hidden_states = True
        return _save_and_assemble(lower, scratch, encoder, read)


def _save_and_assemble(model: Any, scratch: str, encoder: Encoder, read: int | None) -> list[Any]:
    model.save_pretrained(scratch)
    encoder.tokenizer.save_pretrained(scratch)
    return _assemble(scratch, encoder, read)


def _assemble(source: str, encoder: Encoder, read: int | None) -> list[Any]:
    parts = _parts()
    reader = parts.Transformer(source, max_seq_length=encoder.max_tokens).float()
    around = {str(number): 0.0 for number in encoder.tokenizer("")["input_ids"]}
    # entries are named by their numbers: a lookup by spelling would also hit "<S>" for "<s>"
    weights = parts.WordWeights([str(number) for number in range(len(encoder.tokenizer))], around, 1.0)
    chosen = [] if read is None else [_only_layer(read, encoder.width)]
    return [reader, *chosen, *([weights] if around else []), parts.Pooling(encoder.width, "mean")]


def _only_layer(read: int, width: int) -> Any:
    """A module that takes hidden state ``read`` of a model with one block more."""
    weights = torch.nn.Parameter(torch.tensor([1.0, 0.0]))
    return _parts().WeightedLayerPooling(width, num_hidden_layers=read + 1, layer_start=read, layer_weights=weights)


def _agrees(modules: list[Any], encoder: Encoder, layer: int) -> bool:
    """Whether sentence-transformers reads what we read at this layer; it does not for most encoder-decoders."""
    texts = ["one two three", "eins zwei drei, vier", "один два"]
    ours = encoder.encode(texts, layers=[layer])[:, 0]
    theirs = _require().SentenceTransformer(modules=modules, device="cpu").encode(texts, show_progress_bar=False)
    if ours.shape != theirs.shape:
        return False
    lengths = np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
    near = bool(((ours * theirs).sum(axis=1) >= AGREEMENT * lengths).all())
    return near and bool(np.allclose(np.linalg.norm(ours, axis=1), np.linalg.norm(theirs, axis=1), rtol=1 - AGREEMENT))


def write_folder(model: Any, out: Path) -> None:
    """Save a SentenceTransformer as the folder ``out``, whole or not at all; only a folder of ours is replaced."""
    check_target(out)
    make_folder(out.parent)
    scratch = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        model.save(str(scratch), create_model_card=False)
        scratch.chmod(0o755)
        if out.exists():
            shutil.rmtree(out)
        scratch.replace(out)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def check_target(out: Path) -> None:
    """Refuse to write into a folder that holds anything but an earlier result of the same command."""
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / MARK).exists())):
        raise IsoglossError("this folder or file exists already", where=out, remedy="name another folder with --out")
