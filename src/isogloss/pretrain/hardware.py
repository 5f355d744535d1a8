"""What this machine computes fastest: the choices that a recipe leaves to ``auto``."""

from pathlib import Path

import torch

from isogloss.pretrain.recipe import Recipe

WORTH_BF16 = 128  # width; below it the casts cost more than the products save (measured: 2.4 times at 64)


def pick_device(recipe: Recipe, local_rank: int = 0) -> torch.device:
    """The named device, or the best one there is."""
    name = recipe.training.device
    if name != "auto":
        return torch.device(name)
    if torch.cuda.is_available():
        return torch.device("cuda", local_rank)
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def pick_attention(recipe: Recipe) -> str:
    """Two products and a softmax are faster than the fused kernel for short rows on a CPU; elsewhere the kernel is."""
    if recipe.model.attention != "auto":
        return recipe.model.attention
    return "eager" if pick_device(recipe).type == "cpu" and recipe.data.length <= 512 else "sdpa"


def uses_bf16(recipe: Recipe) -> bool:
    """Whether to compute in bf16; parameters and the optimiser's moments stay in 32 bits."""
    if recipe.training.precision != "auto":
        return recipe.training.precision == "bf16"
    device = pick_device(recipe).type
    if device == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    return device == "cpu" and recipe.model.width >= WORTH_BF16 and _cpu_has_bf16()


def _cpu_has_bf16() -> bool:
    """Whether the processor multiplies bf16 itself; where that cannot be seen, the answer is no."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False
    return "avx512_bf16" in flags or "amx_bf16" in flags
