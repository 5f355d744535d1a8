"""The plan: for every pair, treatment and seed a pretraining, the fine-tunings on it, and how its languages meet."""

from isogloss.studies.emerge.plan.conditions import EmergeCondition, plan
from isogloss.studies.emerge.plan.encoders import named_encoder
from isogloss.studies.emerge.plan.treatments import DEFAULT, TREATMENTS, Treatment

__all__ = ["DEFAULT", "TREATMENTS", "EmergeCondition", "Treatment", "named_encoder", "plan"]
