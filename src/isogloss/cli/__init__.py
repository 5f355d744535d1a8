"""The command line: one command a question. Commands import what they need when they run, so that --help is instant."""

import sys
from functools import cache
from typing import Annotated

import typer

from isogloss.console import Console, escape
from isogloss.errors import IsoglossError, explain_os_error
from isogloss.stopping import stop_on_sigterm

USER_MISTAKE, INTERRUPTED = 2, 130
UsageError: type[Exception] = typer.BadParameter.__bases__[
    0
]  # click's, or typer's own in releases that no longer lean on click

app = typer.Typer(
    name="isogloss",
    help="Where languages part and meet inside multilingual encoders.",
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
    """Where languages part and meet inside multilingual encoders."""


@cache
def register() -> None:
    """Hang the commands onto the app."""
    from isogloss.cli import (
        ablate,
        align,
        audit,
        choose,
        data,
        demo,
        doctor,
        emerge,
        export,
        forget,
        fuse,
        glance,
        inspect,
        locate,
        neutralise,
        papers,
        predict,
        preserve,
        pretrain,
        report,
        run,
        think,
        transfer,
        trim,
        vary,
        verify,
    )

    app.command("demo")(demo.demo)
    app.command("glance")(glance.glance)
    app.command("inspect")(inspect.inspect)
    app.command("audit")(audit.audit)
    app.command("choose")(choose.choose)
    app.command("locate")(locate.locate)
    app.command("preserve")(preserve.preserve)
    app.command("run")(run.run)
    app.command("transfer")(transfer.transfer)
    app.command("emerge")(emerge.emerge)
    app.command("vary")(vary.vary)
    app.command("ablate")(ablate.ablate)
    app.command("align")(align.align)
    app.command("forget")(forget.forget)
    app.command("fuse")(fuse.fuse)
    app.command("think")(think.think)
    app.command("predict")(predict.predict)
    app.command("pretrain")(pretrain.pretrain)
    app.command("trim")(trim.trim)
    app.command("neutralise")(neutralise.neutralise)
    app.command("papers")(papers.papers)
    app.command("doctor")(doctor.doctor)
    app.command("report")(report.report)
    app.command("export")(export.export)
    app.command("verify")(verify.verify)
    app.add_typer(data.app, name="data")


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
