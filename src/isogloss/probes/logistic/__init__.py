"""Logistic regression in batches."""

from isogloss.probes.logistic.fitting import Fit
from isogloss.probes.logistic.probes import LogisticProbes
from isogloss.probes.logistic.problem import Problem

__all__ = ["Fit", "LogisticProbes", "Problem"]
