"""What a served folder and an exported table must not do: give away files, run scripts, formulas or commands."""

import http.client
import io
import re
import shutil
from pathlib import Path
from threading import Thread

import pandas as pd
import pytest
from sample_results import make_small

from isogloss.report import write_page
from isogloss.report.latex import table_to_latex
from isogloss.report.payload import page_policy
from isogloss.report.serve import make_server
from isogloss.studies.csv_text import frame_to_csv
from isogloss.studies.result import Table


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    write_page(make_small(), folder)
    return folder


def _ask(port: int, path: str, host: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.putrequest("GET", path, skip_host=True)
    connection.putheader("Host", host)
    connection.endheaders()
    return connection.getresponse()


@pytest.mark.parametrize(
    "host",
    [
        "localhost:evil.com",
        "localhost.evil.com",
        "127.0.0.1.evil.com",
        "evil.com:80",
        "",
        "localhost:80:80",
        "a@localhost",
    ],
)
def test_the_server_refuses_every_other_name(run: Path, host: str) -> None:
    with make_server(run) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        assert _ask(server.server_port, "/index.html", host).status == 403
        server.shutdown()


def test_the_server_shows_no_lists_no_hidden_files_and_nothing_behind_links(run: Path, tmp_path: Path) -> None:
    secret, folder = tmp_path / "secret.txt", tmp_path / "served"
    secret.write_text("secret")
    shutil.copytree(run, folder)
    (folder / ".env").write_text("secret")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("secret")
    (folder / "link.txt").symlink_to(secret)
    (folder / "inside.html").symlink_to(folder / "index.html")
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "away").symlink_to(tmp_path)
    (folder / "page").mkdir()
    (folder / "page" / "index.html").symlink_to(secret)
    closed = [
        "/.env", "/.git/config", "/%2eenv", "/link.txt", "/away/secret.txt", "/tables/", "/tables", "/loop", "/page/",
        "/index.html%00", "/..%2f..%2fetc/passwd",
    ]  # fmt: skip
    with make_server(folder) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        answers = {path: _ask(server.server_port, path, "localhost") for path in closed}
        opened = [_ask(server.server_port, path, "localhost").status for path in ("/", "/inside.html")]
        server.shutdown()
    assert {path: answer.status for path, answer in answers.items()} == {**dict.fromkeys(closed, 404), "/tables": 301}
    assert not any(b"secret" in answer.read() for answer in answers.values())
    assert opened == [200, 200]


def test_the_server_sends_a_policy_under_which_only_the_page_runs(run: Path) -> None:
    with make_server(run) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        answer = _ask(server.server_port, "/index.html", "127.0.0.1")
        server.shutdown()
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "sha256-" in policy
    assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
    assert page_policy() in answer.read().decode().replace("&#39;", "'")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1"]


def test_no_text_in_a_csv_is_a_formula() -> None:
    frame = pd.DataFrame({"=name": FORMULAS, "value": -1.5, "mixed": [*FORMULAS[:-1], None], "n": -3})
    read = pd.read_csv(io.StringIO(frame_to_csv(frame)), dtype=str, keep_default_na=False)
    assert list(read.columns) == ["'=name", "value", "mixed", "n"]
    assert list(read["'=name"]) == [f"'{text}".replace("\r", "\n") for text in FORMULAS]
    assert set(read["value"]) == {"-1.5"} and set(read["n"]) == {"-3"} and read["mixed"].iloc[-1] == ""


COMMANDS = [
    r"\input{/etc/passwd}",
    r"\write18{rm -rf /}",
    "a & b",
    "%",
    "$x$",
    "^^5cinput",
    "{",
    "[2cm]",
    "*[x]",
    "~#1",
]


@pytest.mark.parametrize("text", COMMANDS)
def test_nothing_in_a_latex_table_is_a_command(text: str) -> None:
    frame = pd.DataFrame({text: [text], "value": [1.0]})
    made = table_to_latex(Table("evil", text, text, frame, index=(text,), caption=text))
    body = made.partition(r"\toprule")[2].partition(r"\bottomrule")[0]
    known = {"midrule", "\\", "textbackslash", "textasciicircum", "textasciitilde", "&", "%", "$", "#", "_", "{", "}"}
    assert set(re.findall(r"\\([A-Za-z]+|.)", body)) <= known
    assert not re.search(r"\\\\\s*[\[*]", made), "a bracket after a line break is its option"
    assert made.count("{") - made.count(r"\{") == made.count("}") - made.count(r"\}")
