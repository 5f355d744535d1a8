"""Options that many commands share, each with one meaning everywhere."""

from pathlib import Path
from typing import Annotated

import typer

Seed = Annotated[int, typer.Option("--seed", help="Fixes every random choice.")]
Engine = Annotated[str, typer.Option("--engine", help="Where cells run: 'local' (this machine) or 'ray'.")]
Address = Annotated[
    str, typer.Option("--address", help="Of the Ray cluster: host:port, ray://host:port; RAY_ADDRESS by default.")
]
Workers = Annotated[int, typer.Option("--workers", help="Processes side by side; 0 takes one per core.")]
Device = Annotated[str, typer.Option("--device", help="'auto', 'cpu', 'cuda', 'cuda:1', 'mps'.")]
Resume = Annotated[bool, typer.Option("--resume/--no-resume", help="Compute only what is missing.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print findings and paths as JSON on standard output, nothing else.")
]
Plugin = Annotated[
    list[Path] | None, typer.Option("--plugin", help="A Python file with your own studies, tasks, methods or measures.")
]
PrintConfig = Annotated[
    bool, typer.Option("--print-config", help="Print the study file this command stands for, and stop.")
]

# What studies of a model, and studies of fine-tunings, let a user change in their preset.
Model = Annotated[
    str, typer.Argument(help="A Hugging Face model name, a folder or lab:families. Default: the preset's model.")
]
Compare = Annotated[list[str] | None, typer.Option("--compare", help="Another model, side by side; may be repeated.")]
Revision = Annotated[
    str | None, typer.Option("--revision", help="Revision of a Hugging Face model: a branch, tag or commit.")
]
Dtype = Annotated[str, typer.Option("--dtype", help="auto, float32 or bfloat16.")]
Langs = Annotated[str, typer.Option("--langs", help="Languages, e.g. en,de,ru; all that the data has by default.")]
ModelOut = Annotated[Path | None, typer.Option("--out", help="Folder for the report; runs/STUDY-MODEL by default.")]
Targets = Annotated[str, typer.Option("--targets", help="Test in these; all the test data has by default.")]
TaskData = Annotated[str, typer.Option("--data", help="Training data of every task: a catalog name, a path, lab.")]
TestData = Annotated[str, typer.Option("--test-data", help="Test data, if other than --data.")]
Limit = Annotated[int | None, typer.Option("--limit", help="Training sentences per language.")]
TestLimit = Annotated[int | None, typer.Option("--test-limit", help="Sentences of other parts.")]
Seeds = Annotated[str, typer.Option("--seeds", help="One repetition each: 0,1,2.")]

# How a model is opened; every command that opens one has these (cli/running.py).
Prompt = Annotated[
    str | None, typer.Option("--prompt", help="Of a pipeline: a prompt's name, or its text ('query: '); '' for none.")
]
Pooling = Annotated[
    str | None, typer.Option("--pooling", help="Of layers: own, mean, cls, last, weighted; the model's by default.")
]
Dim = Annotated[int | None, typer.Option("--dim", min=1, help="Keep the first dimensions of a pipeline's output.")]
Adapter = Annotated[
    str | None,
    typer.Option(
        "--adapter", help="A PEFT adapter: a folder, a Hugging Face name, or an adapter inside the model's folder."
    ),
]
AllowPickle = Annotated[bool, typer.Option("--allow-pickle", help="Open pickled weights; trust their author.")]
TrustRemoteCode = Annotated[
    bool, typer.Option("--trust-remote-code", help="Run code that comes with a model; read it first.")
]
