"""What a method is: plain settings that can name a cell, and the live part they attach to a network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from isogloss.bounds import check_settings
from isogloss.errors import IsoglossError
from isogloss.tasks.task import Reading
from isogloss.transfer.settings import Settings

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from isogloss.encoders.layers import Stack
    from isogloss.transfer.examples import Reader
    from isogloss.transfer.fitted import Fitted
    from isogloss.transfer.methods.modules.part import Part


@dataclass(frozen=True, eq=False)
class Ground:
    """What a method finds when it is attached: the model, its tokeniser, and texts by language if any were given."""

    stack: "Stack"
    tokenizer: Any
    reader: "Reader"
    reading: Reading
    settings: Settings
    width: int  # of the states that the parts attached before leave to the head
    dtype: "torch.dtype"  # of the encoder's matrix products
    model: str = ""  # the folder or name the model was opened from
    sources: tuple[str, ...] = ()
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)


def require_languages(languages: Sequence[str], method: str) -> None:
    """A method that tells languages apart needs texts of two."""
    if len(languages) < 2:
        raise IsoglossError(
            f"method '{method}' needs texts of at least two languages, not {len(languages)}",
            where="texts",
            remedy="give plain text in two or more languages (--texts)",
        )


@dataclass(frozen=True)
class Method:
    """A method as plain values."""

    name: ClassVar[str]
    rank: ClassVar[int] = 1  # 0: chooses what the head sees; 2: looks at what all others leave to it
    needs_texts: ClassVar[bool] = False  # tells languages apart, on plain text in two or more of them

    def __post_init__(self) -> None:
        check_settings(self, f"method '{self.name}'")

    def folder(self, model: str, sources: tuple[str, ...]) -> str:
        """The folder or name to open for the source languages."""
        return model

    def change(self, model: Any, settings: Settings, folder: str) -> Any:
        """The model that training starts from: ``model`` (opened from ``folder``) itself, or a changed copy."""
        return model

    def attach(self, ground: Ground) -> "Part":
        """The part that works along in training; called when all methods have changed the model."""
        from isogloss.transfer.methods.modules.part import Part

        return Part()

    def restore(self, ground: Ground, tensors: "Mapping[str, Tensor]") -> "Part":
        """The part of a fine-tuned model, with its tensors; a method that only shapes training leaves none."""
        part = self.attach(ground)
        part.load_state_dict(dict(tensors))
        return part

    def speak(self, fitted: "Fitted", language: str) -> "Fitted":
        """The fine-tuned model for another language, where languages have parts of their own."""
        return fitted
