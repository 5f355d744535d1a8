"""What several seeds of fine-tuning are over, said once per study."""

from collections.abc import Iterator
from typing import Any

from isogloss.studies.result import Finding


def seeds_note(config: Any) -> Iterator[Finding]:
    """For studies that fine-tune with several seeds: the same pretrained encoder, or one for each seed."""
    seeds, varied = getattr(config, "seeds", ()), getattr(config, "vary_pretraining", None)
    if varied is None or len(seeds) < 2:
        return
    if varied:
        yield Finding(f"Note: each of the {len(seeds)} seeds has its own pretrained encoder.")
    else:
        yield Finding(
            f"Note: the {len(seeds)} seeds fine-tune the same pretrained encoder. Intervals over seeds do not say how "
            "other encoders would do."
        )
