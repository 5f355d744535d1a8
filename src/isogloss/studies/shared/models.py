"""Models as a user names them: a folder, a Hugging Face model name, the lab's own encoder, the untrained twin of
any, or an encoder that a run of ``emerge`` pretrained."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from isogloss.bounds import whole_number
from isogloss.encoders.model_content import content_of, read_config
from isogloss.encoders.model_files import ModelFiles
from isogloss.encoders.model_folder import is_large_model, revision_of, unchanged_model
from isogloss.encoders.names import OWN, ModelName, check_hub_name
from isogloss.encoders.pipeline_layout import MODULES
from isogloss.encoders.quiet import quietly
from isogloss.errors import IsoglossError
from isogloss.pretrain.folders import encoder_folder
from isogloss.pretrain.lab_encoder import EncoderRecord, LabEncoder, lab_encoder
from isogloss.runs import Bench, Cell
from isogloss.runs.cells import WHERE_IT_LIES
from isogloss.runs.config import build, read_study_files
from isogloss.studies.shared.pretraining import Apart, Pretraining

if TYPE_CHECKING:
    from isogloss.encoders import Encoder

LAB, UNTRAINED = "lab:", "untrained:"
STUDY_FILE = "study.yaml"  # in the folder of a run


@dataclass(frozen=True)
class Checkpoint:
    """A model that exists already: a folder (``revision`` is a hash of its content) or a Hugging Face model name.

    ``name`` carries the settings that it is opened with (``encoders.names``).
    """

    name: str
    revision: str = ""

    def label(self) -> str:
        return ModelName.parse(self.name).label()

    def is_large(self) -> bool:
        """Whether it is worth all cores of a machine."""
        return is_large_model(self.name)


@dataclass(frozen=True)
class FolderCheckpoint(Checkpoint):
    """A model folder, named by what it holds: results stay when the folder is moved."""

    name: str = field(default="", metadata=WHERE_IT_LIES)


@dataclass(frozen=True)
class Untrained(Cell[EncoderRecord]):
    """Architecture and tokeniser of another model with fresh random weights: the baseline beside every measure."""

    name: ClassVar[str] = "untrained"
    record: ClassVar[type] = EncoderRecord
    twin: Checkpoint | LabEncoder | Pretraining | Apart = field(default_factory=LabEncoder)
    seed: int = 0

    def label(self) -> str:
        return f"{self.twin.label()}, untrained"

    def run(self, bench: Bench) -> EncoderRecord:
        import torch
        from transformers import AutoModel, AutoTokenizer

        from isogloss.encoders.opening import explained

        source, revision = place(self.twin, bench)
        folder = bench.workspace
        with torch.random.fork_rng(), quietly(), explained(source, allow_pickle=False), unchanged_model(self.twin):
            torch.manual_seed(self.seed)
            model = AutoModel.from_config(read_config(source, revision))  # type: ignore[no-untyped-call]
            tokenizer = AutoTokenizer.from_pretrained(ModelName.parse(source).path, revision=revision)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return EncoderRecord(steps=0, seconds=0.0, perplexity={})


Model = Checkpoint | LabEncoder | Untrained | Pretraining | Apart


def name_model(name: str, revision: str | None = None, seed: int = 0) -> Model:
    """The model that ``name`` stands for: ``lab:twins``, ``untrained:NAME``, a folder, or a Hugging Face model name.

    ``lab:twins@500`` is pretrained for 500 steps only, ``lab:twins+pairs`` on rows of one sentence and of two.
    ``runs/emerge@no-anchors/near/1`` is an encoder of that run: its condition, pair and seed, each the run's first
    unless named.
    """
    if not name.removeprefix(UNTRAINED).strip():
        raise IsoglossError("no model is named", where=name or None, remedy="name a folder, or a Hugging Face model")
    if name.startswith(UNTRAINED):
        twin = name_model(name.removeprefix(UNTRAINED), revision, seed)
        if isinstance(twin, Untrained):
            raise IsoglossError("an untrained model has no untrained twin", where=name, remedy="write untrained: once")
        return Untrained(twin, seed)
    if name.startswith(LAB):
        return lab_model(name, seed)
    found = _encoder_of_run(name)
    if found is not None:
        return found
    return _checkpoint(ModelName.parse(name), revision)


def pretrained_with(model: Model, seed: int) -> Model:
    """The same architecture pretrained on the same text with another ``seed``; only of models that are pretrained
    here."""
    if isinstance(model, LabEncoder):
        return replace(model, recipe=model.recipe.changed(seed=seed))
    if isinstance(model, Untrained):
        return replace(model, seed=seed)
    raise IsoglossError(
        "a model that exists already has one pretraining seed",
        where="--vary-pretraining",
        remedy="name a model of the lab, as in lab:families",
    )


def _checkpoint(named: ModelName, revision: str | None) -> Checkpoint:
    """A model that exists already. A bare encoder is called as it is; of a pipeline or an adapter of the hub, a hash
    of the files around the weights is part of the name."""
    place = Path(named.path).expanduser()
    if place.exists():
        named = replace(named, path=str(place))
        return FolderCheckpoint(str(named), revision_of(named))
    check_hub_name(named.path)
    return Checkpoint(str(replace(named, content=content_of(named, revision))), revision or "")


def _encoder_of_run(name: str) -> Model | None:
    """The encoder that ``RUN[@CONDITION[/PAIR[/SEED]]]`` means; None where ``name`` is not a run of a study."""
    from isogloss.studies.study import get_study  # which itself plans with models

    folder, _, which = name.rpartition("@") if "@" in name and not Path(name).is_dir() else (name, "", "")
    path = Path(folder).expanduser() / STUDY_FILE
    if not path.is_file():
        return None
    (file, *_) = read_study_files(path)
    study = get_study(file.study)
    if study.encoder is None:
        raise IsoglossError(
            f"this is a run of '{file.study}', which pretrains no encoder", where=folder, remedy="name a run of emerge"
        )
    model: Model = study.encoder(build(study.config, file.settings, file.lines, file.path), which, name)
    return model


def is_pipeline(model: Model) -> bool:
    """Whether a model is deployed as a sentence-transformers pipeline."""
    if not isinstance(model, Checkpoint):
        return False
    files = ModelFiles(ModelName.parse(model.name).path, model.revision or None)
    return files.find(MODULES) is not None


def pooling_of(asked: str, model: Model) -> str:
    """The pooling that a cell is named by: ``own`` is the mean, unless the model brings or is given another."""
    set_by_name = isinstance(model, Checkpoint) and ModelName.parse(model.name).pooling is not None
    return "mean" if asked == OWN and not is_pipeline(model) and not set_by_name else asked


def read_as_deployed(*models: Model) -> bool:
    """Whether sentences are read otherwise than a bare encoder reads them: by a pipeline, with a prompt, or pooled as
    a name says. Cells are named by it, so those of bare encoders keep their names."""
    named = [ModelName.parse(model.name) for model in models if isinstance(model, Checkpoint)]
    return any(map(is_pipeline, models)) or any(
        setting is not None for one in named for setting in (one.prompt, one.pooling, one.dim)
    )


def lab_model(name: str, seed: int, sentences: int | None = None, steps: int | None = None) -> LabEncoder:
    """The encoder that ``lab:NAME[@STEPS]`` stands for; ``steps`` are those of a name that has none."""
    plain, _, told = name.removeprefix(LAB).partition("@")
    preset_name, plus, extra = plain.partition("+")
    if told and not whole_number(told):
        raise IsoglossError(f"'{told}' is not a number of steps", where=name, remedy="write e.g. lab:twins@500")
    if plus and extra != "pairs":
        raise IsoglossError(f"'+{extra}' is not understood", where=name, remedy=f"write e.g. lab:{preset_name}+pairs")
    given = int(told) if told else steps
    return lab_encoder(preset_name, seed, sentences=sentences, steps=given, pairs=bool(plus))


def open_model(
    model: Model, bench: Bench, device: str = "auto", dtype: str = "auto", *, pipeline: bool = False
) -> "Encoder":
    """The encoder behind a model; cells among a cell's fields have run before it.

    ``pipeline``: with its prompt, pooling and output, as deployed. Without, its transformer alone, which is what a
    fine-tuned copy can be compared with.
    """
    from isogloss.encoders import Encoder

    with unchanged_model(model):
        folder, revision = place(model, bench)
        return Encoder(folder, revision=revision, device=device, dtype=dtype, pipeline=pipeline)


def dtype_of(encoder: "Encoder") -> str:
    """The number type that an encoder computes in, as pages name it."""
    return str(encoder.dtype).removeprefix("torch.")


def open_speakers(
    model: Model, bench: Bench, languages: Sequence[str], device: str = "auto", dtype: str = "auto", *,
    pipeline: bool = False,
) -> "dict[str, Encoder]":  # fmt: skip
    """An encoder per language: one and the same for all, unless the model has parts of their own for them."""
    from isogloss.encoders import Encoder

    root, revision = place(model, bench)
    inside = Path(root) if Path(root).is_dir() else None
    folders = {code: root if inside is None else str(encoder_folder(inside, code)) for code in languages}
    with unchanged_model(model):
        opened = {
            folder: Encoder(folder, revision=revision, device=device, dtype=dtype, pipeline=pipeline)
            for folder in set(folders.values())
        }
    return {code: opened[folder] for code, folder in folders.items()}


def place(model: Model, bench: Bench) -> tuple[str, str | None]:
    """Where transformers finds a model: its name or folder, and for the hub its revision."""
    if isinstance(model, Checkpoint):
        on_disk = Path(ModelName.parse(model.name).path).exists()
        return model.name, None if on_disk else model.revision or None
    return str(bench.folder(model)), None
