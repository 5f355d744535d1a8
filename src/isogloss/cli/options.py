"""Options that many commands share, each with one meaning everywhere."""

from pathlib import Path
from typing import Annotated

import typer

Out = Annotated[Path, typer.Option("--out", help="Folder for the report and its data.", show_default=True)]
Seed = Annotated[int, typer.Option("--seed", help="Fixes every random choice.")]
Engine = Annotated[str, typer.Option("--engine", help="Where cells run: 'local' (this machine) or 'ray'.")]
Workers = Annotated[int, typer.Option("--workers", help="Processes side by side; 0 takes one a core.")]
Device = Annotated[str, typer.Option("--device", help="'auto', 'cpu', 'cuda', 'cuda:1', 'mps'.")]
Resume = Annotated[bool, typer.Option("--resume/--no-resume", help="Compute only what is missing.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print findings and paths as JSON on standard output, nothing else.")
]
PrintConfig = Annotated[
    bool, typer.Option("--print-config", help="Print the study file this command stands for, and stop.")
]
