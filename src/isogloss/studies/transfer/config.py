"""The settings of a transfer run: what is fine-tuned, on what, how, and where it is tested."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from isogloss.bounds import Count, Limit, Names, Seeds, SomeNames
from isogloss.errors import unknown_name
from isogloss.studies.shared.options import change
from isogloss.transfer import Settings
from isogloss.transfer.search import change_settings

ON_ERROR = ("raise", "skip")


@dataclass(frozen=True)
class Config:
    """What is fine-tuned, on what, how, and where it is tested. Methods and models are compared with the first one.

    ``settings`` change those of ``preset``. ``search`` maps settings to the values to try on the source's validation
    part. Without ``targets`` every language of the test data is one. ``families`` (language to family) are WALS's, or
    the lab's own, unless given.
    """

    task: str = "pos"
    models: SomeNames = ("lab:families",)
    methods: SomeNames = ("plain",)
    sources: SomeNames = ("qaa",)
    targets: Names = ()
    data: str = "lab:families"
    test_data: Names = ()
    train_part: str = "train"
    validation_part: str = "dev"
    test_part: str = "test"
    limit: Limit | None = None
    test_limit: Limit | None = None
    texts: str = ""
    text_languages: Names = ()
    text_limit: Limit = 2000
    preset: str = ""  # of fine-tunings: as each model needs, unless named
    options: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    search: dict[str, list[Any]] = field(default_factory=dict)
    draws: Count | None = None
    seeds: Seeds = (0,)
    vary_pretraining: bool = False  # each of seeds also pretrains a lab model of its own
    on_error: Literal["raise", "skip"] = "raise"
    families: dict[str, str] = field(default_factory=dict)
    keep_model: bool = False
    keep_predictions: bool = True
    revision: str | None = None


def configure(
    model: str = "", preset: str = "", *, compare: Sequence[str] = (), settings: Mapping[str, Any] | None = None,
    device: str = "", on_error: str = "raise", **given: Any,
) -> Config:  # fmt: skip
    """The usual settings with what is ``given`` in their place, as the command and Python do it.

    ``preset`` is one of fine-tunings. ``compare`` names further models, to stand beside ``model``.
    """
    if on_error not in ON_ERROR:
        raise unknown_name("way with errors", on_error, ON_ERROR, where="--on-error")
    change_settings(Settings(), settings or {})  # what fine-tunings do not have is refused here
    on_device = {"device": device} if device not in ("", "auto") else {}
    changed = {**(settings or {}), **on_device}
    models = (model, *compare) if model else ()
    return change(Config(), models=models, preset=preset, settings=changed, on_error=on_error, **given)
