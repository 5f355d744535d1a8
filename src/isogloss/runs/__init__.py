"""Runs: cells named by their content, the store of their results, and the engines that compute what is missing."""

from isogloss.runs.cells import Bench, Cell, key_of
from isogloss.runs.engine import Engine, Inline, Outcome, make_engine
from isogloss.runs.local import Local
from isogloss.runs.plan import Plan
from isogloss.runs.store import Failure, Store

__all__ = [
    "Bench",
    "Cell",
    "Engine",
    "Failure",
    "Inline",
    "Local",
    "Outcome",
    "Plan",
    "Store",
    "key_of",
    "make_engine",
]
