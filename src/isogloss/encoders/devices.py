"""Devices and number types: what the machine has, and what is fast on it."""

import os
from functools import cache
from pathlib import Path

import torch

from isogloss.errors import IsoglossError, unknown_name

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
INT8 = "int8"  # of products only: states and weights elsewhere are float32
ZEN_5 = 26  # the "family" of these CPUs
NARROWEST_FOR_BFLOAT16 = 128  # below, converting costs as much as the shorter products save (measured, AVX-512)


def choose_device(name: str) -> torch.device:
    """``auto`` is the first of CUDA, MPS and the CPU that is there; an absent device is an error."""
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise unknown_name("device", name, ["auto", "cpu", "cuda", "cuda:1", "mps"]) from error
    present = {
        "cpu": True,
        "cuda": torch.cuda.is_available() and (device.index or 0) < torch.cuda.device_count(),
        "mps": torch.backends.mps.is_available(),
    }
    if not present.get(device.type, False):
        raise IsoglossError(
            f"this machine has no device '{name}'", where="device", remedy="leave it out, or name one of: auto, cpu"
        )
    return device


def choose_dtype(name: str) -> torch.dtype | None:
    """The number type called ``name``; None for ``auto``."""
    if name == "auto":
        return None
    if name not in DTYPES:
        if name == INT8:
            raise IsoglossError("8-bit products are for hidden states only", where="dtype", remedy="take float32")
        raise unknown_name("number type", name, ["auto", *DTYPES, INT8], where="dtype")
    return DTYPES[name]


def bfloat16_is_faster(device: torch.device, width: int) -> bool:
    """Whether this device multiplies bfloat16 matrices of this width faster than float32 ones.

    Read off the hardware, not timed: a busy machine must not change which numbers a study gets.
    """
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return device.type == "cpu" and width >= NARROWEST_FOR_BFLOAT16 and cpu_has_bfloat16()


def cpu_has_vnni() -> bool:
    """Whether this CPU multiplies 8-bit integers and sums them in one instruction, 64 at a time."""
    return "avx512_vnni" in _cpu_flags()


def cpu_has_bfloat16() -> bool:
    """Whether this CPU multiplies bfloat16 numbers by itself."""
    return not {"avx512_bf16", "amx_bf16", "bf16"}.isdisjoint(_cpu_flags())


@cache
def mkl_is_narrow() -> bool:
    """Whether this CPU computes 512 bits at a time, but MKL does not let it: AMD's since Zen 5."""
    described = _cpu()
    family = described.get("cpu family", "")
    return (
        torch.backends.mkl.is_available()  # type: ignore[no-untyped-call]
        and described.get("vendor_id") == "AuthenticAMD"
        and family.isdecimal()
        and int(family) >= ZEN_5
        and "avx512f" in _cpu_flags()
    )


def _cpu_flags() -> frozenset[str]:
    described = _cpu()
    return frozenset((described.get("flags") or described.get("Features") or "").split())


@cache
def _cpu() -> dict[str, str]:
    """What Linux says of the first core; nothing on other systems."""
    described = Path("/proc/cpuinfo")
    if not described.exists():
        return {}
    lines = described.read_text().split("\n\n")[0].splitlines()
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


# oneDNN keeps a kernel for every shape of batch it met, 1,024 of them by default. Over a long text these are hundreds
# of megabytes and save no time: all layers use one batch's few kernels in turn. Where it also multiplies float32 in
# training, there are more shapes that come again. Read at the first product, so set here.
os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "512" if mkl_is_narrow() else "96")
