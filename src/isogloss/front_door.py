"""The studies as functions, and runs as frames: what ``import isogloss`` offers to Python users.

A study function takes what its command takes, under the same names, and returns a ``Result``: ``.findings``,
``.tables``, ``.figures`` and ``.frame()``. Finished cells are kept in the store that commands use too.
"""

import sys
from collections.abc import Iterable
from glob import glob
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from isogloss.errors import IsoglossError

if TYPE_CHECKING:
    import pandas as pd

    from isogloss.studies.result import Result


def run_study(name: str, *arguments: Any, engine: str = "local", workers: int = 0, **options: Any) -> "Result":
    """Run the study ``name`` with the options of its command; a plugin's without ``configure`` takes its settings. Data
    may also be a DataFrame or a dataset.

    isogloss.run_study("inspect", "xlm-roberta-base", data="ntrex", languages=["en", "de"])
    """
    from isogloss.runs import make_engine
    from isogloss.studies.study import get_study

    study = get_study(name)
    given = {key: _setting(value) for key, value in options.items()}
    config = (study.configure or study.config)(*arguments, **given)
    return study.run(config, engine=make_engine(engine, workers))


def _setting(value: Any) -> Any:
    """An option as settings hold it: no lists, and tables as files that are named by their content."""
    from isogloss.corpora.own_text import is_frame

    if is_frame(value):
        from isogloss.corpora.frames import keep_frame, kind_of

        return keep_frame(value, kind_of(value))
    return tuple(value) if isinstance(value, list) else value


def ablate(model: str = "", **options: Any) -> "Result":
    """Which pretrained layers carry transfer? Re-initialises some before fine-tuning (Muller21).

    isogloss.ablate("xlm-roberta-base", data="ud-ewt", test_data="ud-pud", sources=["en"], tasks=["pos"])
    """
    return run_study("ablate", model, **options)


def align(models: dict[str, str] | None = None, **options: Any) -> "Result":
    """Can encoders that were trained apart be aligned afterwards (Wu20 section 5)?

    isogloss.align({"en": "./bert-en", "fr": "./bert-fr"}, text="./text", dictionary="en-fr.txt")
    """
    return run_study("align", models, **options)


def audit(models: str | Iterable[str], **options: Any) -> "Result":
    """Does the language of a text decide what is found? Bias, hubs and mismatches in one mixed pool.

    isogloss.audit("my-model", data="mine.csv", languages=["de", "fi", "sw"])
    """
    return run_study("audit", _names(models), **options)


def choose(models: Iterable[str], **options: Any) -> "Result":
    """Which model, and which layer, for these languages?

    isogloss.choose(["model-a", "model-b"], data="mine.csv", languages=["de", "fi", "sw"])
    """
    return run_study("choose", _names(models), **options)


def _names(models: str | Iterable[str]) -> tuple[str, ...]:
    return (models,) if isinstance(models, str) else tuple(models)


def emerge(preset: str = "lab", **options: Any) -> "Result":
    """What makes languages meet in one encoder: text, vocabulary, shared parameters or kinship (Wu20)?

    isogloss.emerge(pairs=["strangers"], seeds=[0])
    """
    return run_study("emerge", preset, **options)


def forget(model: str = "", **options: Any) -> "Result":
    """What does fine-tuning do to the identity of languages, and does forgetting it help (Tanti21)?

    isogloss.forget("lab:families", tasks=["pos"], draws=0, seeds=[0, 1])
    """
    return run_study("forget", model, **options)


def fuse(model: str = "", **options: Any) -> "Result":
    """Does fusing a lower layer with the last one transfer better (Chen22)?

    isogloss.fuse("lab:families", tasks=["pos"], seeds=[0, 1, 2])
    """
    return run_study("fuse", model, **options)


def glance(preset: str = "twins", **options: Any) -> "Result":
    """Do two languages meet inside an encoder that never saw a translation? Pretrains a small one and looks.

    isogloss.glance("twins", steps=1500)
    """
    return run_study("glance", preset, **options)


def inspect(model: str, **options: Any) -> "Result":
    """Which layer of a model aligns which languages, which lag, and what do they share? No training.

    isogloss.inspect("xlm-roberta-base", data="ntrex", languages=["en", "de"])
    """
    return run_study("inspect", model, **options)


def locate(model: str = "", **options: Any) -> "Result":
    """In which dimensions and layers is the identity of a language stored (Liang21)?

    isogloss.locate("xlm-roberta-base", data="ntrex", languages=["en", "de", "nl", "sw"], seeds=[0, 1, 2])
    """
    return run_study("locate", model, **options)


def preserve(model: str = "", **options: Any) -> "Result":
    """Does keeping language-specific states where pretraining left them help transfer (Liang21's L-DAR)?

    isogloss.preserve("lab:families", tasks=["pos"], alphas=[0.05, 0.5], seeds=[0, 1, 2])
    """
    return run_study("preserve", model, **options)


def predict(model: str = "", **options: Any) -> "Result":
    """How well will a model transfer to languages that nobody has labelled yet?

    isogloss.predict("my-model", task="pos", source="en", targets=["sw", "yo"], data="mine.csv", known=["runs/a"])
    """
    return run_study("predict", model, **options)


def think(model: str = "", **options: Any) -> "Result":
    """Which language does a decoder think in, and which neurons speak it?

    isogloss.think("lab:families+planted")
    """
    return run_study("think", model, **options)


def vary(lab: str, knobs: Iterable[str], **options: Any) -> "Result":
    """What does a knob of the lab do to how languages meet? Pretrains at every value of every knob.

    isogloss.vary("lab:twins", ["anchors=0,0.1,0.3", "word_order=same,mixed"], seeds=[0, 1, 2])
    """
    return run_study("vary", lab, tuple(knobs), **options)


def load_result(folder: Path | str) -> "Result":
    """The saved result of one run.

    isogloss.load_result("runs/mine").findings
    """
    from isogloss.studies.result import Result

    return Result.load(folder)


def load_results(pattern: str | Path | Iterable[str | Path]) -> "pd.DataFrame":
    """The records of several runs as one frame, with the column ``run`` first: the folder that each row is from.

    isogloss.load_results("runs/*").groupby(["run", "measure"])["value"].mean()
    """
    import pandas as pd

    patterns = [pattern] if isinstance(pattern, str | Path) else list(pattern)
    found = [Path(path) for one in patterns for path in sorted(glob(str(Path(one).expanduser())))]  # noqa: PTH207  (patterns may be absolute)
    folders = [folder for folder in found if (folder / "result.json").is_file()]
    if not folders:
        raise IsoglossError(
            "there is no finished run here",
            where=", ".join(map(str, patterns)),
            remedy="name folders that studies wrote",
        )
    frames = [load_result(folder).frame().assign(run=str(folder)) for folder in folders]
    frame = pd.concat(frames, ignore_index=True)
    return frame[["run", *(name for name in frame.columns if name != "run")]]


def list_studies() -> "pd.DataFrame":
    """Every study, with the question that it answers; those of plugins too.

    isogloss.list_studies()
    """
    import pandas as pd

    from isogloss.studies.study import get_study, study_names

    return pd.DataFrame([(name, get_study(name).question) for name in study_names()], columns=["study", "question"])


def list_data() -> "pd.DataFrame":
    """Every data set that can be named, what it holds, and where it is on this machine (empty: not here).

    isogloss.list_data()
    """
    import pandas as pd

    from isogloss.corpora.inventory import inventory

    rows = [
        (one.name, ", ".join(one.kinds), one.about, "built in" if one.built_in else str(one.folder or ""), one.command)
        for one in inventory()
    ]
    return pd.DataFrame(rows, columns=["data", "kinds", "about", "place", "get it with"])


class CallableFolder(ModuleType):
    """A folder of the package that is also the study of its name: ``isogloss.transfer(...)`` beside its ``Trainer``."""

    def __call__(self, *arguments: Any, **options: Any) -> "Result":
        return run_study(self.__name__.rpartition(".")[2], *arguments, **options)


def make_callable(name: str) -> None:
    """Let the module ``name`` be called as the study of its name."""
    sys.modules[name].__class__ = CallableFolder
