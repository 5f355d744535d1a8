"""What digests cost: the share of a run that goes into them. ``python benchmarks/digests.py``

The lab's encoder is pretrained, inspected and fine-tuned in this process; the time inside every function that computes
or compares a digest is added up.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from isogloss import digests
from isogloss.encoders import cache, model_folder
from isogloss.pretrain import checkpoint, prepare, tokens
from isogloss.runs import Inline, Store, envelope, store
from isogloss.studies import transfer
from isogloss.studies.study import get_study

TIMED = {
    envelope: ("mark_files", "check_files", "read_envelope", "make_envelope"),
    store: ("mark_files", "check_files", "read_envelope", "make_envelope"),
    cache: ("is_sealed", "seal_file"),
    checkpoint: ("is_sealed", "seal_file"),
    tokens: ("digest_file",),
    prepare: ("digest_file",),
    model_folder: ("whole_digest",),
    digests: ("seal_file",),
}
LIMIT = 0.02  # of a run
spent = 0.0
inside = False


def timed(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function``, its time added to ``spent`` unless a timed one called it."""

    def call(*arguments: Any, **more: Any) -> Any:
        global spent, inside
        if inside:
            return function(*arguments, **more)
        start, inside = time.perf_counter(), True
        try:
            return function(*arguments, **more)
        finally:
            spent, inside = spent + time.perf_counter() - start, False

    return call


def main() -> None:
    """Print the share, and fail above the limit."""
    for module, names in TIMED.items():
        for name in names:
            setattr(module, name, timed(getattr(module, name)))
    config = transfer.Config(models=("lab:twins@200",), data="lab:twins", limit=200, test_limit=200, seeds=(0, 1))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ISOGLOSS_HOME"] = folder
        start = time.perf_counter()
        plan = get_study("transfer").plan(config)
        outcome = Inline().run("transfer", plan.cells, Store(Path(folder) / "store"))
        whole = time.perf_counter() - start
    assert outcome.exit_code == 0
    print(f"{outcome.computed} cells in {whole:.1f} s; digests {spent:.3f} s, {spent / whole:.2%} of the run")
    if spent > LIMIT * whole:
        raise SystemExit(f"digests take more than {LIMIT:.0%}")


if __name__ == "__main__":
    main()
