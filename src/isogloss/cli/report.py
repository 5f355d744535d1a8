"""``isogloss report runs/*``"""

import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.options import Json


def report(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders that studies wrote, or a folder of such folders. Default: runs."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for a comparison. Default: comparison.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Refresh the page while the run is under way.")] = False,
    serve: Annotated[bool, typer.Option("--serve", help="Serve the page on localhost until Ctrl-C.")] = False,
    port: Annotated[int, typer.Option("--port", help="Port for --serve. 0 means any free port.")] = 8000,
    as_json: Json = False,
) -> None:
    """Redraw the page of a run, or compare several runs of the same study.

    One run: its page is drawn again. Several runs: each study is compared, and significant differences are marked.

    Example: [bold]isogloss report runs/mine[/], [bold]isogloss report runs/* --out comparison --serve[/]
    """
    from isogloss.report.collect import find_runs, report_runs
    from isogloss.report.serve import address, make_server
    from isogloss.report.terminal import print_json, show_in_terminal, show_site_in_terminal

    folders = find_runs(runs or [Path("runs")], unfinished=watch)
    if watch:
        page_folder = _watch(folders, serve, port)
    else:
        drawn, page_folder = report_runs(folders, out or Path("comparison"))
        if len(drawn) > 1:
            show_site_in_terminal(drawn, page_folder, as_json=as_json)
        elif as_json:
            print_json(drawn[0][1], page_folder)
        else:
            show_in_terminal(drawn[0][1], page_folder)
    if serve and not watch:
        with make_server(page_folder, port) as server, suppress(KeyboardInterrupt):
            sys.stderr.write(f"serving {page_folder} on {address(server)} until Ctrl-C\n")
            server.serve_forever()


def _watch(folders: list[Path], serve: bool, port: int) -> Path:
    """Follow one run; with ``serve`` its page is served meanwhile. Ctrl-C ends the watching, not the run."""
    from contextlib import nullcontext
    from threading import Event, Thread

    from isogloss.errors import IsoglossError
    from isogloss.report.serve import address, make_server
    from isogloss.report.watch import watch_run

    if len(folders) != 1:
        raise IsoglossError(f"--watch follows one run, not {len(folders)}", remedy="name the folder of the run")
    folder = folders[0]
    with make_server(folder, port) if serve else nullcontext() as server:
        _say(f"open {address(server) if server else folder / 'index.html'}: it refreshes by itself; Ctrl-C to stop")
        if server:
            Thread(target=server.serve_forever, daemon=True).start()
        try:
            page = watch_run(folder, _say)
        except KeyboardInterrupt:
            _say("stopped watching; the run itself continues")
            return folder
        _say(f"the run has ended; wrote {page}")
        if server:
            _say("serving its report until Ctrl-C")
            with suppress(KeyboardInterrupt):
                Event().wait()
            server.shutdown()
    return folder


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
