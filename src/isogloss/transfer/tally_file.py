"""Counts a sentence of every target in one file, so that two conditions can be compared sentence by sentence."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

from isogloss.errors import IsoglossError
from isogloss.files import whole_file
from isogloss.tasks import AttachmentTally, LabelTally, SpanTally, Tally

KINDS = {kind.__name__: kind for kind in (LabelTally, SpanTally, AttachmentTally)}


def write_tallies(path: Path, tallies: Mapping[str, Tally]) -> None:
    """Write tallies by name."""
    about = {
        name: {"kind": type(tally).__name__, "labels": list(getattr(tally, "labels", ()))}
        for name, tally in tallies.items()
    }
    with whole_file(path) as part:
        counts = {name: np.ascontiguousarray(tally.counts.astype(np.int32)) for name, tally in tallies.items()}
        save_file(counts, part, metadata={"tallies": json.dumps(about)})


def read_tallies(path: Path) -> dict[str, Tally]:
    """Read what ``write_tallies`` wrote."""
    if not path.is_file():
        raise IsoglossError("there are no counts here", where=path, remedy="run the fine-tuning again")
    tallies: dict[str, Tally] = {}
    with safe_open(path, framework="numpy") as stored:
        for name, about in json.loads(stored.metadata()["tallies"]).items():
            counts = stored.get_tensor(name).astype(np.int64)
            kind = KINDS[about["kind"]]
            tallies[name] = kind(counts, tuple(about["labels"])) if kind is LabelTally else kind(counts)  # type: ignore[call-arg]
    return tallies
