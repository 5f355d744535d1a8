"""The plan: for every couple of encoders what is measured on it, and the tasks that cross from one to the other."""

from isogloss.studies.align.plan.conditions import AlignCondition, AlignTaskCondition, plan
from isogloss.studies.align.plan.couples import Couple

__all__ = ["AlignCondition", "AlignTaskCondition", "Couple", "plan"]
