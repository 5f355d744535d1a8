"""Probes: what can be read off vectors, and how sure one may be of it. Arrays in, tidy frames out."""

from isogloss.probes import statistics
from isogloss.probes.logistic import Fit, LogisticProbes, Problem

__all__ = ["Fit", "LogisticProbes", "Problem", "statistics"]
