"""What a run writes while it trains: CSV files, and TensorBoard where it is wanted."""

import csv
import io
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from isogloss.bounds import whole_number
from isogloss.errors import missing_extra
from isogloss.files import make_folder, write_whole
from isogloss.pretrain.checkpoint import State
from isogloss.pretrain.folders import Folders
from isogloss.pretrain.health import LayerHealth
from isogloss.pretrain.recipe import Training

TRAINING = ("step", "languages", "loss", "gradient", "rate", "tokens", "seconds")
HEALTH = ("step", "language", "layer", "residual_norm", "gradient_norm", "loss_without")


class HistoryTable:
    """A CSV file with a ``step`` column, appended row by row. A resumed run first drops rows after its checkpoint."""

    def __init__(self, path: Path, columns: tuple[str, ...], step: int) -> None:
        self.path, self.columns = path, columns
        make_folder(path.parent)
        before = read_table(path) if step and path.exists() else []
        kept = [row for row in before if 0 < (whole_number(row["step"] or "") or 0) <= step]
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
        write_whole(path, text.getvalue())

    def add(self, **values: object) -> None:
        """Append a row; floats keep six digits."""
        row = {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in values.items()}
        with self.path.open("a", encoding="utf-8", newline="") as out:
            csv.DictWriter(out, self.columns, lineterminator="\n").writerow(row)


def read_table(path: Path) -> list[dict[str, str]]:
    """The rows of a history file."""
    with path.open(encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


class Curves:
    """TensorBoard's curves, or nothing where they are not wanted."""

    def __init__(self, folder: Path | None) -> None:
        self._writer: Any = None
        if folder is not None:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError as error:
                raise missing_extra("train", "tensorboard") from error
            self._writer = SummaryWriter(str(folder))

    def add(self, name: str, value: float, step: int) -> None:
        if self._writer is not None:
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


class Log:
    """All of a run's records; only the leading process writes any."""

    def __init__(self, folders: Folders, step: int, settings: Training, writes: bool) -> None:
        self.settings, self.writes = settings, writes
        self._note, self._noted = "", 0.0
        if not writes:
            return
        self.training = HistoryTable(folders.history, TRAINING, step)
        self.perplexity = HistoryTable(folders.validation, ("step", "language", "perplexity"), step)
        self.layers = HistoryTable(folders.health, HEALTH, step)
        self.curves = Curves(folders.tensorboard if settings.tensorboard else None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self.writes:
            self.curves.close()

    def step(self, state: State, languages: Sequence[str], loss: float, gradient: float, rate: float) -> None:
        """A training row, every few steps."""
        if not self.writes or state.step % self.settings.log_every:
            return
        self.training.add(
            step=state.step,
            languages=" ".join(sorted(set(languages))),
            loss=loss,
            gradient=gradient,
            rate=rate,
            tokens=state.tokens,
            seconds=state.seconds,
        )
        self.curves.add("loss", loss, state.step)
        self.curves.add("gradient", gradient, state.step)
        self.curves.add("rate", rate, state.step)

    def validation(self, step: int, perplexities: Mapping[str, float]) -> None:
        """A row per language."""
        if self.writes:
            for language, value in perplexities.items():
                self.perplexity.add(step=step, language=language, perplexity=value)
                self.curves.add(f"perplexity/{language}", value, step)

    def health(self, step: int, layers: Sequence[LayerHealth]) -> None:
        """A row per layer and language."""
        if self.writes:
            for layer in layers:
                self.layers.add(
                    step=step,
                    language=layer.language,
                    layer=layer.layer,
                    residual_norm=layer.residual_norm,
                    gradient_norm=layer.gradient_norm,
                    loss_without=layer.loss_without,
                )
                self.curves.add(f"residual norm/{layer.language} layer {layer.layer}", layer.residual_norm, step)

    def note(self, loss: float, perplexities: Mapping[str, float]) -> str:
        """The short text beside the progress bar, renewed twice a second at most."""
        if time.monotonic() - self._noted > 0.5:
            self._noted = time.monotonic()
            shown = ", ".join(f"{language} {value:.1f}" for language, value in list(perplexities.items())[:6])
            self._note = f"loss {loss:.2f}" + (f"; perplexity {shown}" if shown else "")
        return self._note
