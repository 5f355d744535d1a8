"""The checks behind ``isogloss doctor``: a line each, with the remedy where something is missing."""

import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from isogloss import __version__
from isogloss.errors import IsoglossError
from isogloss.memory import physical_memory
from isogloss.places import data_folder, home
from isogloss.runs import Store
from isogloss.runs.threads import cores

PACKAGES = (
    "torch", "transformers", "tokenizers", "safetensors", "numpy", "scipy", "scikit-learn", "pandas", "plotly",
)  # fmt: skip
EXTRAS = {
    "hub": "datasets",
    "ray": "ray",
    "train": "accelerate",
    "neutral": "sentence_transformers",
    "search": "faiss",
    "align": "eflomal",
    "adapters": "peft",
}
LEAST_DISK, LEAST_MEMORY = 2.0, 4.0  # GB: what the demo wants


@dataclass(frozen=True)
class Check:
    """What was looked at, what was found, and what to do if that is not good; ``optional`` ones may be missing."""

    subject: str
    found: str
    good: bool = True
    optional: bool = False
    remedy: str = ""


def all_checks() -> list[Check]:
    """Every check, in the order in which a bug report is read."""
    return [*_versions(), *_hardware(), *_space(), *_extras(), *_data()]


def _versions() -> Iterator[Check]:
    yield Check("isogloss", __version__)
    yield Check("python", f"{platform.python_version()} on {platform.platform()}")
    for package in PACKAGES:
        try:
            yield Check(package, version(package))
        except PackageNotFoundError:
            yield Check(package, "not installed", good=False, remedy=f"pip install {package}")


def _hardware() -> Iterator[Check]:
    import torch

    if torch.cuda.is_available():
        names = ", ".join(torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count()))
        yield Check("device", f"cuda: {names}")
    elif torch.backends.mps.is_available():
        yield Check("device", "mps")
    else:
        yield Check("device", "cpu")
    yield Check("bf16", *_bf16())
    threads = torch.get_num_threads()
    remedy = "unset OMP_NUM_THREADS, or set it to the number of cores"
    yield Check("threads", f"{threads} of {cores()} cores", good=threads <= cores(), optional=True, remedy=remedy)


def _bf16() -> tuple[str, bool, bool, str]:
    import torch

    capability = torch.backends.cpu.get_cpu_capability()
    if torch.cuda.is_available():
        fast = torch.cuda.is_bf16_supported()
    else:
        fast = bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
    found = f"{'in hardware' if fast else 'emulated'} (cpu: {capability})"
    return found, fast, True, "fp32 is used instead; no action needed"


def _space() -> Iterator[Check]:
    memory = (physical_memory() or 0) / 1e9
    if memory:
        few = "close other programs, or use fewer --workers"
        yield Check("memory", f"{memory:.1f} GB", good=memory >= LEAST_MEMORY, remedy=few)
    where = home()
    try:
        writable = Store(where / "store").writable
    except (IsoglossError, OSError) as error:
        remedy = getattr(error, "remedy", None) or "point ISOGLOSS_HOME at a folder that can be written"
        yield Check("store", str(getattr(error, "what", error)), good=False, remedy=remedy)
        return
    found = "can be written" if writable else "cannot be written: it serves finished runs only"
    yield Check("store", f"{where / 'store'} {found}", writable, True, "point ISOGLOSS_HOME at another folder")
    free = shutil.disk_usage(where).free / 1e9
    yield Check("free disk", f"{free:.1f} GB", good=free >= LEAST_DISK, remedy="free some space, or move ISOGLOSS_HOME")


def _extras() -> Iterator[Check]:
    for extra, module in EXTRAS.items():
        there = find_spec(module) is not None
        found = "installed" if there else "not installed"
        yield Check(f"extra [{extra}]", found, there, optional=True, remedy=f"pip install 'isogloss[{extra}]'")
    chromium = next((path for name in ("chromium", "google-chrome", "chrome") if (path := shutil.which(name))), None)
    yield Check(
        "browser", chromium or "none found", chromium is not None, True, "only PDF export and browser tests need it"
    )


def _data() -> Iterator[Check]:
    from isogloss.corpora.inventory import inventory

    folder = data_folder()
    if folder is not None and not folder.is_dir():
        yield Check("data folder", f"{folder} is not a folder", good=False, remedy="correct or unset ISOGLOSS_DATA")
    else:
        found = "ISOGLOSS_DATA is not set" if folder is None else str(folder)
        yield Check("data folder", found, folder is not None, True, "set it to a folder of data sets")
    for holding in inventory():
        there = holding.built_in or (holding.folder is not None and not holding.problem)
        where = "built in" if holding.built_in else str(holding.problem or holding.folder or "not found")
        get = holding.command or "isogloss data list says which folder serves"
        yield Check(f"data: {holding.name}", where, there, optional=True, remedy=get)
