"""Probes: what can be read off vectors, and how sure one may be of it. Arrays in, tidy frames out."""

from isogloss.probes import statistics

__all__ = ["statistics"]
