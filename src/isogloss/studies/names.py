"""The studies that come with Isogloss, by name, and the folder of each."""

_NAMES = (
    "ablate", "align", "audit", "choose", "emerge", "forget", "fuse", "glance", "inspect", "locate", "preserve",
    "pretrain", "think", "transfer", "predict", "vary",
)  # fmt: skip
STUDIES = {name: f"isogloss.studies.{name}" for name in _NAMES}
