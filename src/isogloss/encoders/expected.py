"""A model that was never opened: how large it is by its configuration alone, and whether its weights are here."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from isogloss.encoders.model_files import ModelFiles
from isogloss.encoders.names import ModelName

WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json")


@dataclass(frozen=True)
class ExpectedModel:
    """``download`` is the size of the weights in bytes, in the number type that the configuration names."""

    parameters: int
    layers: int
    width: int
    vocabulary: int
    download: int


def expected_model(name: str, revision: str = "") -> ExpectedModel | None:
    """What the configuration says of a model; None where it is not on this machine, or says too little.

    The model is built without memory for its weights, which takes a second at most.
    """
    import torch
    from transformers import AutoConfig, AutoModel

    found = ModelFiles(ModelName.parse(name).path, revision or None).find("config.json")
    if found is None:
        return None
    try:
        config = AutoConfig.from_pretrained(found.parent)
        with torch.device("meta"):
            model = AutoModel.from_config(config)  # type: ignore[no-untyped-call]
        layers, width, vocabulary = config.num_hidden_layers, config.hidden_size, config.vocab_size
    except (OSError, ValueError, KeyError, AttributeError, ImportError):  # opening it says what is wrong
        return None
    parameters = sum(parameter.numel() for parameter in model.parameters())
    size = getattr(config, "dtype", None) or torch.float32
    return ExpectedModel(parameters, layers, width, vocabulary, parameters * size.itemsize)


def weights_are_here(name: str, revision: str = "") -> bool:
    """Whether the weights of a model are on this machine; to be asked ``offline``."""
    files = ModelFiles(ModelName.parse(name).path, revision or None)
    return files.local or any(files.find(weights) is not None for weights in WEIGHTS)


@contextmanager
def offline() -> Iterator[None]:
    """Inside this block the Hugging Face libraries read what is on this machine and ask no host."""
    from huggingface_hub import constants

    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before
