"""How many subwords a model reads at once."""

from typing import Any

from torch import nn

from isogloss.errors import IsoglossError

LONGEST = 1024  # unless the user asks for more: the memory of attention grows with the square
UNBOUNDED = 1_000_000  # a tokeniser that knows no limit says 1e30


def choose_limit(model: Any, tokenizer: Any, special: int, asked: int | None) -> int:
    """The subwords read at once, ``special`` tokens among them: what is asked for, if the model can."""
    positions = count_positions(model)
    if asked is None:
        told = tokenizer.model_max_length if tokenizer.model_max_length < UNBOUNDED else LONGEST
        return max(special + 1, min(told, positions or LONGEST, LONGEST))
    if positions is not None and asked > positions:
        raise IsoglossError(
            f"max_tokens is {asked:,}, but the model has only {positions:,} positions",
            where="max_tokens",
            remedy=f"set max_tokens to {positions} or fewer, as in --set max_tokens={positions}",
        )
    if asked <= special:
        raise IsoglossError(
            f"max_tokens must be more than {special}, the number of special tokens",
            where="max_tokens",
            remedy="take a larger max_tokens",
        )
    return asked


def deployed_limit(model: Any, tokenizer: Any, stated: int | None) -> int | None:
    """The subwords that a pipeline reads at once: what it states, or what its tokeniser and positions allow."""
    told = stated or (tokenizer.model_max_length if tokenizer.model_max_length < UNBOUNDED else None)
    known = [limit for limit in (told, count_positions(model)) if limit is not None]
    return min(known) if known else None


def count_positions(model: Any) -> int | None:
    """The positions a model has; None where positions are relative and without a limit.

    RoBERTa counts positions from the padding's number on, so two of its 514 are never used.
    """
    positions = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    for name, module in model.named_modules():
        table = name.endswith("position_embeddings") and isinstance(module, nn.Embedding)
        if table and module.padding_idx is not None:
            return int(module.num_embeddings) - int(module.padding_idx) - 1
    return None if positions is None or positions <= 0 else int(positions)
