"""The options that commands which fine-tune a model for tasks have in common, declared once."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from isogloss.cli.options import (
    Device,
    Limit,
    Preset,
    Revision,
    Seeds,
    Targets,
    TaskData,
    Tasks,
    TestData,
    TestLimit,
    VaryPretraining,
)

Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change a setting of all fine-tunings, as in epochs=2. May be repeated."),
]
OnError = Annotated[
    str, typer.Option("--on-error", help="What to do with bad records: raise (stop) or skip (leave out and count).")
]


@dataclass(frozen=True)
class FineTuning:
    """What is fine-tuned for, on which data, in which settings, and how often; what is not given is the preset's."""

    preset: Preset = "lab"
    tasks: Tasks = ""
    targets: Targets = ""
    data: TaskData = ""
    test_data: TestData = ""
    limit: Limit = None
    test_limit: TestLimit = None
    settings: Settings = None
    on_error: OnError = ""
    seeds: Seeds = ""
    vary_pretraining: VaryPretraining = False
    revision: Revision = None
    device: Device = "auto"

    def given(self) -> dict[str, Any]:
        """As a study's ``configure`` takes them."""
        from isogloss.cli.reading import listed, numbers, settings

        return {
            **vars(self),
            "tasks": listed(self.tasks),
            "targets": listed(self.targets),
            "settings": settings(self.settings),
            "seeds": numbers(self.seeds),
            "vary_pretraining": self.vary_pretraining or None,
            "device": self.device if self.device != "auto" else "",
        }
