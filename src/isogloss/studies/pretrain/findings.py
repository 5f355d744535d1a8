"""What a pretraining says of itself: how well it predicts, how long it took, what to look at."""

from collections.abc import Iterator

import numpy as np

from isogloss.studies.pretrain.view import PretrainView
from isogloss.studies.result import Finding
from isogloss.studies.shared.layer_health import OF_A_LAYER


def findings_of(view: PretrainView) -> Iterator[Finding]:
    """Perplexity first, then the effort, then what its vocabulary misses; layers are every study's to warn of."""
    done = view.done
    values = done.perplexities
    if values:
        best, worst = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
        mean = float(np.exp(np.mean(np.log(list(values.values())))))
        ends = f"; lowest {best} {values[best]:.1f}, highest {worst} {values[worst]:.1f}" if len(values) > 1 else ""
        text = f"The perplexity of held-out text is {mean:.1f} (geometric mean over languages){ends}."
        yield Finding(text, effect=mean, n=len(values))
    yield Finding(
        f"It read {done.tokens:,} tokens in {done.steps:,} steps and {done.seconds:.0f} s "
        f"({done.tokens / max(done.seconds, 1e-9):,.0f} tokens per second)."
    )
    vocabulary = (warning for warning in done.warnings if not warning.startswith(OF_A_LAYER))
    yield from (Finding(f"{warning}.", warning=True) for warning in vocabulary)
