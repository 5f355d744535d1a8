"""Models are opened before anything else is computed: what cannot be opened is said first, and what opened, but not
as meant, stands first on the page."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from isogloss.encoders.names import ModelName
from isogloss.runs import Bench, Cell
from isogloss.runs.records import records_in
from isogloss.studies.result import Finding
from isogloss.studies.shared.models import Checkpoint, Untrained, place

if TYPE_CHECKING:
    from isogloss.encoders import Encoder


@dataclass(frozen=True)
class OpenedModel:
    """What opening showed: warnings, sizes, and how the pipeline reads, if there is one."""

    warnings: tuple[str, ...]
    columns: tuple[str, ...]
    width: int
    output_width: int | None
    parameters: int
    vocabulary: int
    max_tokens: int
    pooling: str
    prompt: str
    licence: str = ""


@dataclass(frozen=True)
class Opened(Cell[OpenedModel]):
    """A model opened once, and looked at."""

    name: ClassVar[str] = "opened"
    version: ClassVar[int] = 2  # idle layers are among the warnings
    record: ClassVar[type] = OpenedModel
    model: Checkpoint = field(default_factory=lambda: Checkpoint(""))

    def label(self) -> str:
        return f"open {self.model.label()}"

    def run(self, bench: Bench) -> OpenedModel:
        from isogloss.encoders import Encoder

        folder, revision = place(self.model, bench)
        encoder = Encoder(folder, revision=revision, device="cpu", dtype="float32")
        return OpenedModel(
            warnings=(*encoder.warnings, *_idle(encoder)), columns=tuple(encoder.columns), width=encoder.width,
            output_width=encoder.output_width,
            parameters=sum(parameter.numel() for parameter in encoder.model.parameters()),
            vocabulary=len(encoder.tokenizer), max_tokens=encoder.max_tokens, pooling=encoder.pooling,
            prompt=encoder.prompt, licence=encoder.licence,
        )  # fmt: skip


def _idle(encoder: "Encoder") -> tuple[str, ...]:
    """A warning where layers hardly change what passes through them."""
    from isogloss.encoders.idle import idle_layers

    idle = idle_layers(encoder)
    if not idle:
        return ()
    which = f"layer{'s' if len(idle) > 1 else ''} {', '.join(map(str, idle))}"
    return (f"{which} hardly change{'' if len(idle) > 1 else 's'} what passes through; numbers there mean little",)


def openings(cells: Iterable[Cell[Any]]) -> tuple[Opened, ...]:
    """One for each model that exists already and that some of ``cells`` read; an untrained twin reads no weights."""
    found = (model for cell in cells if not isinstance(cell, Untrained | Opened) for model in _checkpoints(cell))
    return tuple(Opened(model) for model in dict.fromkeys(found) if model.name)


def _checkpoints(cell: Cell[Any]) -> Iterator[Checkpoint]:
    """The models among a cell's own fields; those of the cells it needs are theirs."""
    own = records_in(cell, lambda record: record is cell or not isinstance(record, Cell))
    return (record for record in own if isinstance(record, Checkpoint))


def warnings_of(opened: Iterable[tuple[Opened, OpenedModel]]) -> tuple[Finding, ...]:
    """A finding for each warning, with the model it is about."""
    return tuple(
        Finding(f"{ModelName.parse(cell.model.name).label()}: {warning}.", warning=True)
        for cell, record in opened
        for warning in record.warnings
    )
