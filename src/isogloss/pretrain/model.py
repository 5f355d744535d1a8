"""Models to train: any transformers architecture with a masked or a causal head, from scratch or continued."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from isogloss.encoders.layers import is_causal
from isogloss.encoders.opening import explained
from isogloss.errors import IsoglossError, unknown_name
from isogloss.pretrain.masking import Batch
from isogloss.pretrain.packing import Packed, packed_attention
from isogloss.pretrain.recipe import Model
from isogloss.pretrain.tokenisers import Specials

if TYPE_CHECKING:  # opening transformers takes longer than most of what is done without it
    from transformers import PretrainedConfig, PreTrainedModel

DROPOUTS = (  # the names by which architectures call it
    "hidden_dropout_prob",
    "attention_probs_dropout_prob",
    "dropout",
    "attention_dropout",
    "embedding_dropout",
    "mlp_dropout",
)
SPARE = 128  # rows that some checkpoints have beyond their vocabulary, for the sake of round sizes
FEEDFORWARDS = ("intermediate_size", "hidden_dim", "ffn_dim")


def build_config(settings: Model, vocabulary: int, length: int, *, causal: bool = False) -> "PretrainedConfig":
    """A transformers config for the settings. Tokens beyond ``length`` have no position.

    ``causal`` makes a decoder of an architecture that can be either (BERT), and gives every head its own keys.
    """
    from transformers import CONFIG_MAPPING, AutoConfig

    try:
        default = AutoConfig.for_model(settings.architecture)
    except ValueError as error:
        raise unknown_name(
            "architecture", settings.architecture, CONFIG_MAPPING.keys(), where="recipe: model"
        ) from error
    ids = Specials()
    values: dict[str, Any] = {
        "vocab_size": vocabulary,
        "num_hidden_layers": settings.layers,
        "num_attention_heads": settings.heads,
        "hidden_size": settings.width,
        "hidden_act": settings.activation,
        "hidden_activation": settings.activation,
        "max_position_embeddings": length + 1,
        "pad_token_id": ids.pad,
        "cls_token_id": ids.start,
        "sep_token_id": ids.separator,
        "bos_token_id": ids.start,
        "eos_token_id": ids.separator,
        "tie_word_embeddings": True,
        **dict.fromkeys(FEEDFORWARDS, settings.feedforward),
        **dict.fromkeys(DROPOUTS, settings.dropout),
    }
    if causal:
        values |= {
            "is_decoder": True,
            "num_key_value_heads": settings.heads,
            "head_dim": settings.width // settings.heads,
        }
    unknown = [name for name in settings.options if not hasattr(default, name)]
    if unknown:
        raise unknown_name("model option", unknown[0], default.to_dict(), where="recipe: model.options")
    known = {name: value for name, value in values.items() if hasattr(default, name)}
    try:
        config: PretrainedConfig = type(default)(**{**known, **settings.options})
    except Exception as error:  # each release of transformers has its own kinds of complaint
        what = f"not a model that transformers knows ({str(error).strip().splitlines()[0]})"
        raise IsoglossError(what, where="recipe: model", remedy="change these settings of the recipe") from error
    return config


def check_model(settings: Model, vocabulary: int, length: int, *, causal: bool = False) -> "PretrainedConfig":
    """The config, unless architecture, option or activation do not exist, or there is no head for the objective."""
    from transformers.activations import ACT2FN

    config = build_config(settings, vocabulary, length, causal=causal)
    if settings.activation not in ACT2FN:
        raise unknown_name("activation", settings.activation, ACT2FN.keys(), where="recipe: model.activation")
    _check_head(config, settings.architecture, causal=causal)
    return config


def build(
    settings: Model,
    vocabulary: int,
    length: int,
    seed: int,
    start: Path | None = None,
    attention: str = "sdpa",
    *,
    causal: bool = False,
) -> "PreTrainedModel":
    """A model with fresh parameters, the same for the same seed; or the one in the folder ``start``."""
    torch.manual_seed(seed)
    if start is not None:
        return _continue_from(start, vocabulary, attention, causal=causal)
    config = check_model(settings, vocabulary, length, causal=causal)
    model: PreTrainedModel = _head(causal=causal).from_config(config, attn_implementation=attention)
    return model


def _head(*, causal: bool) -> Any:
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

    return AutoModelForCausalLM if causal else AutoModelForMaskedLM


def _check_head(config: "PretrainedConfig", architecture: str, *, causal: bool) -> None:
    """Refuse an architecture that has no head for the objective, or cannot keep from looking ahead."""
    from transformers import MODEL_FOR_CAUSAL_LM_MAPPING, MODEL_FOR_MASKED_LM_MAPPING

    if causal and not (type(config) in MODEL_FOR_CAUSAL_LM_MAPPING and is_causal(config)):
        raise IsoglossError(
            f"architecture '{architecture}' has no causal language model",
            where="recipe: model",
            remedy="choose a decoder such as llama, gpt2, qwen3 or gemma3_text, or bert",
        )
    if not causal and type(config) not in MODEL_FOR_MASKED_LM_MAPPING:
        raise IsoglossError(
            f"architecture '{architecture}' has no masked language model",
            where="recipe: model",
            remedy="choose an encoder such as bert, roberta, roberta-prelayernorm or modernbert, or objective: causal",
        )


def _continue_from(folder: Path, vocabulary: int, attention: str, *, causal: bool) -> "PreTrainedModel":
    from transformers import AutoConfig

    if not (folder / "config.json").is_file():
        raise IsoglossError(
            "there is no model to continue from", where=folder, remedy="name a folder with a config.json"
        )
    with explained(str(folder), allow_pickle=False):
        config = AutoConfig.from_pretrained(folder, local_files_only=True)
    _check_head(config, config.model_type, causal=causal)
    with explained(str(folder), allow_pickle=False):
        model: PreTrainedModel = _head(causal=causal).from_pretrained(
            folder, attn_implementation=attention, dtype=torch.float32, use_safetensors=True, local_files_only=True
        )
    held = int(model.config.vocab_size)
    if not 0 <= held - vocabulary < SPARE:
        raise IsoglossError(
            f"this checkpoint has {held:,} entries, and the vocabulary {vocabulary:,}",
            where=folder,
            remedy="continue with the checkpoint's own tokeniser, or train from scratch",
        )
    return model


def layer_list(model: "PreTrainedModel") -> nn.ModuleList:
    """The blocks of an encoder, lowest first, whatever its architecture calls them."""
    number = model.config.num_hidden_layers
    for module in model.base_model.modules():
        if isinstance(module, nn.ModuleList) and len(module) == number:
            return module
    raise IsoglossError(
        f"no list of {number} layers in {type(model).__name__}",
        where="recipe: model.architecture",
        remedy="continue from a model whose layers are one list, such as BERT, RoBERTa or GPT-2",
    )


def asked_logits(model: "PreTrainedModel", batch: Batch) -> Tensor:
    """Logits of the positions where predictions are made only (m x vocabulary).

    The head is a function of single positions in every architecture, and costs more than the encoder where the
    vocabulary is large; so the model's output is cut down to those positions before the head sees it.
    """
    with _gathered(model.base_model, batch.positions):
        more = {"use_cache": False} if is_causal(model.config) else {}
        output = model(input_ids=batch.ids, attention_mask=batch.attention, **more)
    logits: Tensor = output.logits
    return logits.squeeze(0)


def packed_logits(model: "PreTrainedModel", packed: Packed) -> Tensor:
    """The same for several batches in one pass, in their order."""
    with _gathered(model.base_model, packed.positions), packed_attention(model, packed):
        output = model(input_ids=packed.ids, position_ids=packed.places)
    logits: Tensor = output.logits
    return logits.squeeze(0)


@contextmanager
def _gathered(encoder: nn.Module, positions: Tensor) -> Iterator[None]:
    def keep_asked(_module: nn.Module, _args: Any, output: Any) -> Any:
        hidden = output.last_hidden_state
        output.last_hidden_state = hidden.reshape(-1, hidden.shape[-1])[positions].unsqueeze(0)
        return output

    handle = encoder.register_forward_hook(keep_asked)
    try:
        yield
    finally:
        handle.remove()
