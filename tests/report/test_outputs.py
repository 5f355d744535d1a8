"""Terminal, JSON, exports for papers and serving."""

import http.client
import json
from io import StringIO
from pathlib import Path
from threading import Thread

import pandas as pd
import pytest
import typer
from rich.console import Console
from sample_results import make_evil, make_sample, make_small
from typer.testing import CliRunner

from isogloss.cli.export import export
from isogloss.cli.report import report
from isogloss.errors import IsoglossError
from isogloss.report import show_in_terminal, show_site_in_terminal, write_page
from isogloss.report.bibliography import bibtex
from isogloss.report.contexts import evidence
from isogloss.report.export import choose, export_figure, find_browser
from isogloss.report.export_page import figure_html, pictures_in
from isogloss.report.latex import table_to_latex
from isogloss.report.serve import make_server
from isogloss.report.terminal import _unsaid
from isogloss.studies.result import Finding, Table

app = typer.Typer()
app.command("report")(report)
app.command("export")(export)
runner = CliRunner()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    write_page(make_small(), folder)
    return folder


def test_the_terminal_shows_findings_the_main_table_and_files(run: Path) -> None:
    out = StringIO()
    show_in_terminal(make_sample(), run, Console(file=out, width=200))
    shown = out.getvalue()
    assert "Which layers align my languages" in shown
    assert "interval [67.6, 73.8], n = 2,000" in shown
    assert "F1 by method and language" in shown
    assert "+1." in shown
    assert str(run / "index.html") in shown


def test_a_wide_table_is_cut_into_tables_that_fit_the_terminal(run: Path) -> None:
    out = StringIO()
    show_in_terminal(make_sample(), run, Console(file=out, width=80))
    lines = out.getvalue().split("wrote")[0].splitlines()
    assert max(map(len, lines)) <= 80
    heads = [line.split() for line in lines if line.split()[:1] == ["method"]]
    assert len(heads) > 1
    assert [name for head in heads for name in head if name != "method"] == list(make_sample().tables["scores"].columns)
    assert sum("85.8* +1.5" in line for line in lines) == 1


def test_markup_in_data_is_not_markup_in_the_terminal(tmp_path: Path) -> None:
    out = StringIO()
    show_in_terminal(make_evil(), tmp_path / "[bold]", Console(file=out, width=200))
    assert "<script>" in out.getvalue()


def test_a_site_ends_with_a_line_a_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = StringIO()
    results = [("inspect", make_sample()), ("evil", make_evil())]
    show_site_in_terminal(results, tmp_path, console=Console(file=out, width=200))
    assert "inspect: Layer 7 retrieves" in out.getvalue()
    show_site_in_terminal(results, tmp_path, as_json=True)
    assert [part["study"] for part in json.loads(capsys.readouterr().out)["studies"]] == ["inspect", "evil"]


def test_json_prints_findings_and_paths_and_nothing_else(run: Path) -> None:
    done = runner.invoke(app, ["report", str(run), "--json"], catch_exceptions=False)
    content = json.loads(done.stdout)
    assert content["findings"][0]["n"] == 2000
    assert content["page"] == str(run / "index.html")
    assert Path(content["results"]).exists()


def test_a_table_is_exported_as_latex_by_number_and_by_name(run: Path) -> None:
    by_number = runner.invoke(app, ["export", str(run), "--table", "1", "--latex"], catch_exceptions=False)
    by_name = runner.invoke(app, ["export", str(run), "--table", "scores"], catch_exceptions=False)
    assert by_number.stdout == by_name.stdout
    assert r"\begin{tabular}" in by_number.stdout


def test_latex_carries_intervals_and_n() -> None:
    frame = pd.DataFrame({"model": ["a", "b"], "f1": [71.25, 60.0], "f1_low": [68.0, 55.0], "f1_high": [74.0, 65.0],
                          "f1_n": [5, 5]})  # fmt: skip
    made = table_to_latex(Table("t", "Scores", "r", frame, index=("model",)))
    assert r"71.2 {\scriptsize {[}68.0, 74.0{]}}" in made and "Brackets are intervals. n = 5." in made
    mixed = table_to_latex(Table("t", "Scores", "r", frame.assign(f1_n=[5, 3]), index=("model",)))
    assert r"{\scriptsize {[}55.0, 65.0{]} $n$=3}" in mixed and "n = 5." not in mixed
    bare = table_to_latex(Table("t", "Scores", "r", frame[["model", "f1"]], index=("model",)))
    assert "scriptsize" not in bare and "Brackets" not in bare


def test_data_is_exported_as_csv(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "layers.csv"
    runner.invoke(app, ["export", str(run), "--figure", "1", "--csv", "--out", str(path)], catch_exceptions=False)
    assert path.read_text().startswith("series,layer,value")


def test_the_bibliography_names_the_run_and_its_papers() -> None:
    entry = bibtex(make_sample())
    assert entry.startswith("@misc{isogloss-inspect-2026,")
    assert "@inproceedings{Muller21," in entry
    assert "@inproceedings{Wu20," in entry
    assert "Chen22" not in entry


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ([], "say what to export"),
        (["--table", "1", "--bibtex"], "say what to export"),
        (["--table", "1", "--pdf"], "tables are exported as"),
        (["--figure", "1", "--pdf", "--svg"], "one format at a time"),
        (["--table", "9"], "there is no table 9"),
        (["--table", "score"], "did you mean 'scores'"),
    ],
)
def test_impossible_exports_say_why(run: Path, options: list[str], complaint: str) -> None:
    done = runner.invoke(app, ["export", str(run), *options])
    assert isinstance(done.exception, IsoglossError)
    assert complaint in str(done.exception)


def test_items_are_chosen_by_their_number_on_the_page() -> None:
    figures = make_sample().figures
    assert choose(figures, "2", "figure") is figures["similarity"]


def test_without_a_browser_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("ISOGLOSS_BROWSER", raising=False)
    with pytest.raises(IsoglossError, match="none was found") as error:
        find_browser()
    assert "save the figure from the report's page" in (error.value.remedy or "")
    with pytest.raises(IsoglossError, match="unknown picture format"):
        export_figure(make_sample(), "1", tmp_path / "figure.gif")


def test_the_export_page_has_only_the_figure() -> None:
    page = figure_html(make_sample().figures["layers"], ".pdf")
    assert "@page { size: 720px 456px" in page
    assert "Content-Security-Policy" in page


def test_pictures_are_read_back_from_the_page() -> None:
    dom = (
        b'<pre class="picture">data:image/svg+xml,%3Csvg/%3E</pre><pre class="picture">data:image/png;base64,aGk=</pre>'
    )
    assert pictures_in(dom) == [b"<svg/>", b"hi"]
    assert pictures_in(b"<html></html>") == []


def test_the_server_answers_only_this_machine(run: Path) -> None:
    with make_server(run) as server:
        assert server.server_address[0] == "127.0.0.1"
        Thread(target=server.serve_forever, daemon=True).start()
        assert _get(server.server_port, "/index.html", "localhost")[0] == 200
        assert _get(server.server_port, "/index.html", "evil.example")[0] == 403
        assert _get(server.server_port, "/../../../../etc/passwd", "localhost")[0] == 404
        server.shutdown()


def test_a_taken_port_is_an_error_with_a_remedy(run: Path) -> None:
    with make_server(run) as server, pytest.raises(IsoglossError, match="cannot serve on port"):
        make_server(run, server.server_port)


def _get(port: int, path: str, host: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.putrequest("GET", path, skip_host=True)
    connection.putheader("Host", f"{host}:{port}")
    connection.endheaders()
    response = connection.getresponse()
    return response.status, response.read()


def test_the_terminal_does_not_repeat_what_a_finding_says() -> None:
    said = Finding("It gains 3.2 points [1.0, 5.4] (n = 3 seeds).", 3.2, 1.0, 5.4, 3, "points", "seeds")
    open_ = Finding("It gains.", 3.2, 1.0, 5.4, 1, "points", "seeds")
    half = Finding("It finds 39.8% of them.", 39.8, 36.8, 42.9, 1000, "%", "sentences")
    assert evidence(_unsaid(half)) == "interval [36.8, 42.9], n = 1,000 sentences"
    assert evidence(_unsaid(said)) == ""
    assert evidence(_unsaid(open_)) == "effect 3.2 points, interval [1.0, 5.4], n = 1 seed"
