"""Serve a folder of reports on this machine only."""

from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from isogloss.errors import IsoglossError

LOCAL = "127.0.0.1"


class Handler(SimpleHTTPRequestHandler):
    """Reads files; answers only requests addressed to this machine, so that no other site can reach in."""

    server_version = "isogloss"
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".parquet": "application/octet-stream"}  # noqa: RUF012

    def do_GET(self) -> None:
        if self._is_local():
            super().do_GET()

    def do_HEAD(self) -> None:
        if self._is_local():
            super().do_HEAD()

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet: the terminal belongs to the run that is being watched."""

    def _is_local(self) -> bool:
        host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
        if host in (LOCAL, "localhost"):
            return True
        self.send_error(403, "this server answers only to localhost")
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
