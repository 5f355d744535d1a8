"""The command line: one command per question. Commands import what they need when they run: --help is instant."""

import sys
from functools import cache
from importlib import import_module
from typing import Annotated

import typer
from typer.core import TyperGroup

from isogloss.console import Console, escape
from isogloss.errors import IsoglossError, explain_os_error
from isogloss.stopping import stop_on_sigterm

USER_MISTAKE, INTERRUPTED = 2, 130
UsageError: type[Exception] = typer.BadParameter.__bases__[
    0
]  # click's, or typer's own in releases that no longer lean on click

GROUPS = {  # in the order in which a user meets them
    "Start": ("demo", "doctor"),
    "Measure: no training": ("inspect", "choose", "audit", "predict", "think"),
    "Train": ("pretrain", "transfer", "neutralise", "trim"),
    "Studies: repeat and vary the papers": (
        *("papers", "run", "glance", "vary", "emerge", "align", "ablate", "locate", "preserve", "forget", "fuse"),
    ),
    "Data": ("data",),
    "Show": ("report", "export", "verify"),
}


class InOrder(TyperGroup):
    """Commands in the order of ``GROUPS``; typer would show those that have commands below them last."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """The names, as help shows them."""
        return [name for names in GROUPS.values() for name in names]


app = typer.Typer(
    name="isogloss",
    cls=InOrder,
    help="See where languages align and differ inside multilingual encoders.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _say_version(wanted: bool) -> None:
    if wanted:
        from isogloss import __version__

        typer.echo(f"isogloss {__version__}")
        raise typer.Exit


@app.callback()
def _start(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_say_version)
    ] = False,
) -> None:
    """See where languages align and differ inside multilingual encoders."""


@cache
def register() -> None:
    """Add the commands to the app. Each is a function of a module with its own name; ``data`` has commands below it."""
    for heading, names in GROUPS.items():
        for name in names:
            module = import_module(f"isogloss.cli.{name}")
            if name == "data":
                app.add_typer(module.app, name=name, rich_help_panel=heading)
            else:
                app.command(name, rich_help_panel=heading)(getattr(module, name))


def main() -> None:
    """Run the command line; a user's mistake ends with a plain message and exit code 2."""
    register()
    stop_on_sigterm()
    console = Console(stderr=True, highlight=False)
    try:
        code = app(standalone_mode=False)
        if code == INTERRUPTED:  # typer catches Ctrl-C itself
            raise KeyboardInterrupt
        sys.exit(code if isinstance(code, int) else 0)
    except IsoglossError as error:
        _complain(console, str(error))
    except typer.Exit as error:
        sys.exit(error.exit_code)
    except UsageError as error:
        error.show()  # type: ignore[attr-defined]
        sys.exit(USER_MISTAKE)
    except (KeyboardInterrupt, typer.Abort):
        console.print("stopped; finished work is kept, and the same command resumes from there")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.exit(1)
    except Exception as error:
        mistake = explain_os_error(error)
        if mistake is None:
            raise
        _complain(console, str(mistake))


def _complain(console: Console, message: str) -> None:
    console.print(f"[bold red]error[/] {escape(message)}", soft_wrap=True)
    sys.exit(USER_MISTAKE)
