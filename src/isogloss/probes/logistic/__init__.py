"""Logistic regression in batches."""

from typing import TYPE_CHECKING

from isogloss.lazy import on_first_use

if TYPE_CHECKING:
    from isogloss.probes.logistic.fitting import Fit
    from isogloss.probes.logistic.probes import LogisticProbes
    from isogloss.probes.logistic.problem import Problem

__all__ = ["Fit", "LogisticProbes", "Problem"]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "fitting": ("Fit",),
        "probes": ("LogisticProbes",),
        "problem": ("Problem",),
    },
)
