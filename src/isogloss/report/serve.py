"""Serve a folder of reports on this machine only."""

import re
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from isogloss.errors import IsoglossError
from isogloss.report.payload import page_policy

LOCAL = "127.0.0.1"
HOST = re.compile(r"(localhost|127\.0\.0\.1)(:[0-9]{1,5})?")
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Handler(SimpleHTTPRequestHandler):
    """Reads files; answers only requests addressed to this machine, so that no other site can reach in.

    What is hidden, what a link leads out of the folder to, and lists of folders are not there.
    """

    server_version, sys_version = "isogloss", ""
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".parquet": "application/octet-stream"}  # noqa: RUF012

    def do_GET(self) -> None:
        if self._is_allowed():
            super().do_GET()

    def do_HEAD(self) -> None:
        if self._is_allowed():
            super().do_HEAD()

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", f"{page_policy()}; frame-ancestors 'none'")
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        """A folder without a page is not shown."""
        self.send_error(404, "there is no page here")

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet: the terminal belongs to the run that is being watched."""

    def _is_allowed(self) -> bool:
        if not HOST.fullmatch(self.headers.get("Host", "")):
            self.send_error(403, "this server answers only to localhost")
            return False
        if not self._is_inside():
            self.send_error(404, "there is no such file")
            return False
        return True

    def _is_inside(self) -> bool:
        """Whether the address means a file of the folder, once links are followed, and nothing hidden."""
        root, asked = Path(self.directory).resolve(), Path(self.translate_path(self.path))
        if any(part.startswith(".") for part in asked.relative_to(self.directory).parts):
            return False
        try:
            return all(path.resolve().is_relative_to(root) for path in (asked, asked / "index.html"))
        except (OSError, RuntimeError, ValueError):  # a loop of links, a NUL
            return False


def make_server(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    """A server bound to the loopback address; port 0 takes a free one."""
    handler: Callable[..., Handler] = partial(Handler, directory=str(folder))
    try:
        return ThreadingHTTPServer((LOCAL, port), handler)
    except (OSError, OverflowError) as error:
        raise IsoglossError(
            f"cannot serve on port {port} ({error})", remedy="choose another one with --port"
        ) from error


def address(server: ThreadingHTTPServer) -> str:
    """Where a browser finds the server."""
    return f"http://localhost:{server.server_port}/"
