"""Options that many commands share, each with one meaning everywhere."""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import data_sets, languages, presets

RUNNING, OPENING = "Running", "Opening models"  # headings in --help

Seed = Annotated[int, typer.Option("--seed", help="Seed of every random choice.")]
Engine = Annotated[
    str,
    typer.Option("--engine", rich_help_panel=RUNNING, help="Where cells run: local (this machine) or ray (a cluster)."),
]
Address = Annotated[
    str,
    typer.Option(
        "--address",
        rich_help_panel=RUNNING,
        help="Address of the Ray cluster: host:port or ray://host:port. Default: RAY_ADDRESS.",
    ),
]
Workers = Annotated[
    int, typer.Option("--workers", rich_help_panel=RUNNING, help="Number of parallel processes; 0 means one per core.")
]
Device = Annotated[
    str, typer.Option("--device", rich_help_panel=RUNNING, help="Device to compute on: auto, cpu, cuda, cuda:1 or mps.")
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume/--no-resume", rich_help_panel=RUNNING, help="Reuse stored results, or compute all of them again."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")]
StudyJson = Annotated[
    bool,
    typer.Option("--json", rich_help_panel=RUNNING, help="Print only JSON: the findings and the paths of the files."),
]
Plugin = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin", rich_help_panel=RUNNING, help="A Python file with your own studies, tasks, methods or measures."
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say how many cells are missing, how long they take and what they need; stop.")
]
PrintConfig = Annotated[
    bool,
    typer.Option("--print-config", rich_help_panel=RUNNING, help="Print the settings as a study file (YAML) and stop."),
]

# What studies of a model, and studies of fine-tunings, let a user change in their preset.
Model = Annotated[
    str, typer.Argument(help="A Hugging Face model name, a folder or lab:families. Default: the preset's model.")
]
Compare = Annotated[list[str] | None, typer.Option("--compare", help="Another model to compare with. May be repeated.")]
Revision = Annotated[
    str | None,
    typer.Option(
        "--revision", rich_help_panel=OPENING, help="Revision of a Hugging Face model: a branch, tag or commit."
    ),
]
Dtype = Annotated[
    str,
    typer.Option(
        "--dtype",
        rich_help_panel=OPENING,
        help="Precision of the model: auto, float32, bfloat16 or int8 (on a CPU).",
    ),
]
Langs = Annotated[
    str,
    typer.Option(
        "--langs", autocompletion=languages, help="Languages, as in en,de,ru. Default: all languages of the data."
    ),
]
Models = Annotated[
    list[str], typer.Argument(help="Hugging Face model names or model folders. Add settings as in NAME?dim=256.")
]
Sentences = Annotated[int, typer.Option("--limit", help="At most this many sentences per language.")]
Out = Annotated[Path, typer.Option("--out", help="Folder for the report.")]
ModelOut = Annotated[Path | None, typer.Option("--out", help="Folder for the report. Default: runs/STUDY-MODEL.")]
Targets = Annotated[
    str,
    typer.Option(
        "--targets", autocompletion=languages, help="Languages to test in. Default: all languages of the test data."
    ),
]
TaskData = Annotated[
    str,
    typer.Option(
        "--data", autocompletion=data_sets, help="Training data of every task: a catalog name, a path or lab."
    ),
]
TestData = Annotated[
    str, typer.Option("--test-data", autocompletion=data_sets, help="Test data. Default: the same as --data.")
]
Limit = Annotated[int | None, typer.Option("--limit", help="At most this many training sentences per language.")]
TestLimit = Annotated[
    int | None, typer.Option("--test-limit", help="At most this many validation and test sentences per language.")
]
Preset = Annotated[
    str,
    typer.Option(
        "--preset",
        autocompletion=presets,
        help="Preset: lab (minutes), mini (real text, a small encoder) or paper (the paper's sizes).",
    ),
]
Tasks = Annotated[str, typer.Option("--tasks", help="Tasks to run, as in pos,nli. Default: the preset's tasks.")]
Seeds = Annotated[str, typer.Option("--seeds", help="One repetition per seed, as in 0,1,2.")]
VaryPretraining = Annotated[
    bool, typer.Option("--vary-pretraining", help="Also pretrain one encoder per seed. Only for models of the lab.")
]

# How a model is opened; every command that opens one has these (cli/running.py).
Prompt = Annotated[
    str | None,
    typer.Option(
        "--prompt",
        rich_help_panel=OPENING,
        help="Prompt of a sentence encoder: its name, or its text as in 'query: '. '' means none.",
    ),
]
Pooling = Annotated[
    str | None,
    typer.Option(
        "--pooling",
        rich_help_panel=OPENING,
        help="Pooling of layers: own, mean, cls, last or weighted. Default: the model's own.",
    ),
]
Dim = Annotated[
    int | None,
    typer.Option(
        "--dim",
        min=1,
        metavar="N",
        rich_help_panel=OPENING,
        help="Keep only the first dimensions of a sentence encoder's output (Matryoshka).",
    ),
]
Adapter = Annotated[
    str | None,
    typer.Option(
        "--adapter",
        rich_help_panel=OPENING,
        help="A PEFT adapter: a folder, a Hugging Face name, or an adapter inside the model's folder.",
    ),
]
Attention = Annotated[
    str | None,
    typer.Option(
        "--attention", rich_help_panel=OPENING, help="Of a decoder: 'full' lets every token see the whole text."
    ),
]
AllowPickle = Annotated[
    bool,
    typer.Option(
        "--allow-pickle",
        rich_help_panel=OPENING,
        help="Open weights stored as pickle. Only for models whose author you trust.",
    ),
]
TrustRemoteCode = Annotated[
    bool,
    typer.Option(
        "--trust-remote-code",
        rich_help_panel=OPENING,
        help="Run Python code that comes with a model. Read that code first.",
    ),
]
